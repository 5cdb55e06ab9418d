use rowkey::RowKey;

#[derive(RowKey)]
#[rowkey(salt(buckets = if true { 16 } else { 8 }, hash = match 1 { _ => 2 }))]
struct Salted {
    #[rowkey(with = |a: u8| a)]
    user: u64,
    #[rowkey(with = <u8 as Default>::default)]
    at: i64,
}

fn main() {}
