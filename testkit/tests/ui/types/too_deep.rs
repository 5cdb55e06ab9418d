//! Types that are nested deeper than a shape is read.
#![recursion_limit = "512"]

use rowkey::RowKey;

type Options8<T> = Option<Option<Option<Option<Option<Option<Option<Option<T>>>>>>>>;
type Options64<T> = Options8<Options8<Options8<Options8<Options8<Options8<Options8<Options8<T>>>>>>>>;

#[derive(RowKey)]
struct Deep {
    deep: Options64<Options64<u8>>,
}

fn main() {
    Deep { deep: None }.encode();
}
