use rowkey::RowKey;

#[derive(RowKey)]
struct Key<'a> {
    #[rowkey(desc)]
    host: Option<&'a str>,
}

fn main() {}
