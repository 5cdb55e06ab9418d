use rowkey::RowKey;

#[derive(RowKey)]
enum Key {
    #[rowkey(tag = 1, desc)]
    Login(u64),
}

fn main() {}
