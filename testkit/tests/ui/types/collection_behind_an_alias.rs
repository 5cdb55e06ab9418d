use rowkey::RowKey;

type Tags = Vec<String>;

#[derive(RowKey)]
struct Key {
    user: u64,
    tags: Tags,
}

fn main() {}
