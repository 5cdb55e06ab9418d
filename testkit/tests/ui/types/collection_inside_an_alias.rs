use rowkey::RowKey;

type Tags = Vec<String>;

#[derive(RowKey)]
struct Key {
    tags: Option<Tags>,
}

fn main() {}
