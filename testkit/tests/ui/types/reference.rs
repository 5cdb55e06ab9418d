use rowkey::RowKey;

#[derive(RowKey)]
struct Key<'a> {
    user: &'a u64,
    name: &'a mut str,
}

fn main() {}
