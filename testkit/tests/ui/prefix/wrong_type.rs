use rowkey::{RowKey, Select};

#[derive(RowKey)]
struct Action {
    user: u64,
    #[rowkey(desc)]
    at: i64,
    event: String,
}

fn main() {
    let _ = Action::prefix().user("bob").ranges();
}
