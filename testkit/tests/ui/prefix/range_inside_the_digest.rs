use rowkey::{RowKey, Select};

#[derive(RowKey)]
#[rowkey(hashed(bytes = 4, by(user, day)))]
struct Action {
    user: u64,
    day: u32,
    at: i64,
}

fn main() {
    let _ = Action::prefix().user(7).day_range(1..5).ranges();
}
