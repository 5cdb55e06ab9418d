use rowkey::RowKey;

#[derive(RowKey)]
enum Key {
    #[rowkey(tag = -1)]
    Login(u64),
}

#[derive(RowKey)]
#[repr(i8)]
enum Kind {
    Low = -1,
}

fn main() {}
