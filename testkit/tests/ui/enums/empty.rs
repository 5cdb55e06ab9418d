use rowkey::RowKey;

#[derive(RowKey)]
enum Key {}

fn main() {}
