use rowkey::RowKey;

#[derive(RowKey)]
#[rowkey(transparent)]
struct Key(#[rowkey(desc)] i64);

fn main() {}
