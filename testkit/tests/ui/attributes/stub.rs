use rowkey::RowKey;

#[derive(RowKey)]
struct Pair(#[rowkey(desk)] u8, u8);

// Neither of these tells of a mistake: the one above is enough.
#[derive(RowKey)]
struct Key {
    pair: Pair,
}

fn encoded(pair: &Pair, key: &Key) -> (Vec<u8>, Vec<u8>) {
    (pair.encode(), key.encode())
}

fn main() {}
