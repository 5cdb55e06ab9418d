use rowkey::{RowKey, Select};

#[derive(RowKey)]
#[rowkey(hashed)]
struct Action {
    user: u64,
    at: i64,
}

fn main() {
    let _ = Action::prefix().user_range(7..9).ranges();
    let _ = Action::prefix().user(7).ranges();
}
