use rowkey::RowKey;

#[derive(RowKey)]
struct Key {
    parts: [u16; 4],
}

fn main() {}
