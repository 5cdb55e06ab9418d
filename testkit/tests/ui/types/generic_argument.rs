use rowkey::RowKey;

#[derive(RowKey)]
struct Key<T> {
    id: T,
}

fn main() {
    let _ = Key { id: 1usize }.encode();
}
