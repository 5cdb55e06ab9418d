use rowkey::RowKey;

#[derive(RowKey)]
struct Action {
    #[rowkey(with = )]
    user: u64,
    #[rowkey(with = , desc)]
    at: i64,
}

#[derive(RowKey)]
#[rowkey(salt(buckets = ))]
struct Salted {
    user: u64,
}

fn main() {}
