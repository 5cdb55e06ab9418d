use rowkey::{RowKey, Select};

#[derive(RowKey)]
struct Action {
    user: u64,
    #[rowkey(desc)]
    at: i64,
    event: String,
}

fn main() {
    let _ = Action::prefix().user(7).at(1).event_starts_with(b"lo").ranges();
    let _ = Action::prefix().user_starts_with("7").ranges();
}
