use rowkey::{RowKey, Select};

#[derive(RowKey)]
struct Action {
    user: u64,
}

#[derive(RowKey)]
struct Other {
    user: u64,
}

fn main() {
    let _: rowkey::Selection<Other> = Action::prefix().user(7).select();
}
