use rowkey::RowKey;

#[derive(RowKey)]
#[rowkey(transparent, salt(buckets = 4))]
struct Key(i64);

fn main() {}
