use rowkey::RowKey;

#[derive(RowKey)]
#[rowkey(salt(buckets = 16, format = octal))]
struct Key {
    user: u64,
}

fn main() {}
