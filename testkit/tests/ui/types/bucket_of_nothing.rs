use rowkey::{Bucket, RowKey, Seconds};

#[derive(RowKey)]
struct Series {
    hour: Bucket<Seconds, 0>,
}

fn main() {}
