use rowkey::RowKey;

#[derive(RowKey)]
enum Key {
    #[rowkey(tag = 256)]
    Login(u64),
}

#[derive(RowKey)]
#[repr(u16)]
enum Kind {
    Low = 1000,
}

fn main() {}
