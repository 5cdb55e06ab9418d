use rowkey::{Bucket, Millis, RowKey, Seconds};

#[derive(RowKey)]
struct Visit {
    hour: Bucket<Seconds, 3600>,
    at: Millis,
}

fn main() {
    let now = jiff::Timestamp::UNIX_EPOCH;
    let hour = Bucket::floor(Seconds(0)).unwrap();
    let _ = Visit::prefix().hour(Seconds(3600));
    let _ = Visit::prefix().hour(hour).at_range(now..);
    let _ = Visit::prefix().hour(hour).at(1_307_097_848_000);
}
