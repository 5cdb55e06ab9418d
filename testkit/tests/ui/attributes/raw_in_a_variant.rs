use rowkey::RowKey;

#[derive(RowKey)]
enum Key {
    #[rowkey(tag = 1)]
    Page {
        #[rowkey(raw)]
        path: String,
    },
}

fn main() {}
