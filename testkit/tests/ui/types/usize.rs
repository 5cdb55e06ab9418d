use rowkey::RowKey;

#[derive(RowKey)]
struct Key {
    count: usize,
    delta: isize,
    some: Option<std::num::NonZeroUsize>,
    more: std::num::NonZero<usize>,
}

fn main() {}
