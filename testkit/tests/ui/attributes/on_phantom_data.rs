use std::marker::PhantomData;

use rowkey::RowKey;

#[derive(RowKey)]
struct Key {
    at: i64,
    #[rowkey(desc)]
    of: PhantomData<u8>,
    #[rowkey(with = U24)]
    to: PhantomData<u8>,
}

fn main() {}
