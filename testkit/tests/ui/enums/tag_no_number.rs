use rowkey::RowKey;

const ONE: u8 = 1;

#[derive(RowKey)]
#[repr(u8)]
enum Key {
    Low = ONE,
    #[rowkey(tag = "2")]
    High = 2,
    #[rowkey(tag)]
    Top = 3,
}

fn main() {}
