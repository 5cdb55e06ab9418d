use rowkey::RowKey;

#[derive(RowKey)]
#[rowkey(salt(buckets = 0, by(usr)), compress)]
struct Key {
    #[rowkey(raw, nulls_last)]
    user: u64,
    #[rowkey(desc, desc)]
    at: usize,
    #[rowkey(with = "U24")]
    tags: Vec<String>,
}

fn user_of_the_key(key: &Key) -> Vec<u8> {
    // The stub stands in: no error of its own here.
    key.encode()
}

fn main() {}
