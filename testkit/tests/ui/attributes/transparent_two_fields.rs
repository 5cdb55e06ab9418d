use rowkey::RowKey;

#[derive(RowKey)]
#[rowkey(transparent)]
struct Key(u64, i64);

fn main() {}
