use std::marker::PhantomData;

use rowkey::RowKey;

#[derive(RowKey)]
struct Key<T> {
    of: PhantomData<T>,
}

fn main() {}
