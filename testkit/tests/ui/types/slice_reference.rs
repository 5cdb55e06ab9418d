use rowkey::RowKey;

#[derive(RowKey)]
struct Key<'a> {
    parts: &'a [u16],
}

fn main() {}
