use rowkey::RowKey;

#[derive(RowKey)]
enum Key {
    #[rowkey(tag = 1)]
    HTTPError,
    #[rowkey(tag = 2)]
    HttpError,
}

fn main() {}
