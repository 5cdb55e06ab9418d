use rowkey::RowKey;

#[derive(RowKey)]
struct Key {
    #[rowkey(with = U24, nulls_first)]
    at: u32,
    #[rowkey(with = U24, raw)]
    to: u32,
}

fn main() {}
