use rowkey::RowKey;

#[derive(RowKey)]
struct Visit {
    at: chrono::DateTime<chrono::Utc>,
}

#[derive(RowKey)]
struct Url {
    page: url::Url,
}

fn main() {}
