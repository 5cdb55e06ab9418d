//! Scans of typed tables: what types cost over bytes, and salt over none.

use std::hint::black_box;

use rowkey::store::Scan;
use rowkey::{Memory, OwnedKey, RowKey, Table};

use crate::keys::{Ints, Salted, Values};
use crate::measure::{Bench, OURS, Work};
use crate::merge::read_batches;

const RAW: &str = "raw";
const UNSALTED: &str = "unsalted";

pub type Rows<K> = Table<K, String, Memory>;

pub fn measure(bench: &mut Bench) {
    const OWNED: &str = "scan, typed rows owned";
    const LENT: &str = "scan, typed keys from lent rows";
    const SALTED_OWNED: &str = "scan, salted, 16 buckets, typed rows owned";
    const SALTED_LENT: &str = "scan, salted, 16 buckets, typed keys from lent rows";
    if ![OWNED, LENT, SALTED_OWNED, SALTED_LENT].iter().any(|name| bench.wants(name)) {
        return;
    }
    let n = bench.size(1_000_000);
    let ints = Values::new().many(n, Values::ints);
    let plain: Rows<Ints> = table(ints.iter().cloned());
    let salted: Rows<Salted> = table(ints.iter().cloned().map(Salted::from));
    drop(ints);

    let raw = || read_batches(plain.store().scan(&Scan::all()));
    let work = |name| Work::new(name, n);
    bench.measure(work(OWNED).run(OURS, || owned(&plain)).run(RAW, raw).goal(RAW, 1.6));
    bench.measure(work(LENT).run(OURS, || lent(&plain)).run(RAW, raw).goal(RAW, 1.6));
    let salted_work =
        |name| work(name).run("raw, bucket by bucket", || read_batches(salted.store().scan(&Scan::all())));
    bench.measure(
        salted_work(SALTED_OWNED).run(OURS, || owned(&salted)).run(UNSALTED, || owned(&plain)).goal(UNSALTED, 2.0),
    );
    bench.measure(
        salted_work(SALTED_LENT).run(OURS, || lent(&salted)).run(UNSALTED, || lent(&plain)).goal(UNSALTED, 2.0),
    );
}

/// A table of these keys, put in as they come, each with 32 bytes of text.
pub fn table<K: OwnedKey>(keys: impl Iterator<Item = K>) -> Rows<K> {
    let table = Table::open(Memory::new(), "rows").unwrap();
    let value = "v".repeat(32);
    keys.for_each(|key| table.put(&key, &value).unwrap());
    table
}

fn owned<K: OwnedKey>(table: &Rows<K>) {
    table.scan(..).for_each(|row| _ = black_box(row.unwrap()));
}

pub fn lent<K: RowKey, D>(table: &Table<K, String, D>) {
    let mut scan = table.scan(..);
    while let Some((key, value)) = scan.next_row().unwrap() {
        black_box((key, value));
    }
}
