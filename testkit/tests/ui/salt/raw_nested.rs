use rowkey::RowKey;

#[derive(RowKey)]
struct Page {
    #[rowkey(raw)]
    path: String,
}

#[derive(RowKey)]
struct Key {
    page: Page,
    at: i64,
}

fn main() {}
