use rowkey::RowKey;

#[derive(RowKey)]
struct Key<'a> {
    #[rowkey(desc)]
    host: &'a str,
    #[rowkey(desc)]
    path: &'a [u8],
    #[rowkey(desc)]
    id: &'a [u8; 4],
}

fn main() {}
