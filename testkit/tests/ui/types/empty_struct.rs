use rowkey::RowKey;

#[derive(RowKey)]
struct Key {}

#[derive(RowKey)]
struct Unit;

#[derive(RowKey)]
struct Tuple();

fn main() {}
