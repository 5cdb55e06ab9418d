use rowkey::RowKey;

#[derive(RowKey)]
#[rowkey(salt(buckets = 16, delimiter = "-"))]
struct Bytes {
    user: u64,
}

#[derive(RowKey)]
#[rowkey(salt(buckets = 16, format = decimal, delimiter = "123456789"))]
struct Long {
    user: u64,
}

#[derive(RowKey)]
#[rowkey(hashed(hash = sha9, hex = 4))]
struct Unknown {
    user: u64,
}

#[derive(RowKey)]
#[rowkey(hashed(hash = crc32, hex = 9))]
struct Few {
    user: u64,
}

#[derive(RowKey)]
#[rowkey(hashed(bytes = 4, hex = 8))]
struct Both {
    user: u64,
}

fn main() {}
