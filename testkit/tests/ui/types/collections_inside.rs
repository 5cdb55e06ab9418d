use std::collections::HashMap;

use rowkey::RowKey;

#[derive(RowKey)]
struct Key {
    tags: Option<Vec<String>>,
    pairs: (u8, Box<HashMap<u8, u8>>),
}

fn main() {}
