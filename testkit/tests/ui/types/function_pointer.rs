use rowkey::RowKey;

#[derive(RowKey)]
struct Key {
    call: fn(u8) -> u8,
}

fn main() {}
