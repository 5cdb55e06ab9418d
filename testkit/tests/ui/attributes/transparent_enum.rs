use rowkey::RowKey;

#[derive(RowKey)]
#[rowkey(transparent)]
enum Key {
    #[rowkey(tag = 1)]
    One(i64),
}

fn main() {}
