//! Parallel scans and loads on a network engine.

use std::collections::BTreeMap;

use rowkey::splits::Splits;
use rowkey::{RowKey, Table};
use rowkey_testkit::over_a_line;

#[derive(RowKey, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[rowkey(salt(buckets = 8))]
struct Reading {
    sensor: u16,
    at: u32,
}

#[test]
fn a_parallel_scan_of_a_network_engine_has_what_a_load_wrote() {
    let readings: Table<Reading, u64, _> = Table::open(over_a_line(1), "readings").unwrap();
    let rows = || (0..3000_u32).map(|n| (Reading { sensor: (n % 7) as u16, at: n }, u64::from(n) * 3));
    readings.bulk_load().threads(4).batch(64).run(rows().map(Ok)).unwrap();
    let due: BTreeMap<_, _> = rows().collect();
    assert_eq!(readings.count(..).unwrap(), due.len() as u64);
    let in_order: Vec<_> = readings.scan(..).collect::<Result<_, _>>().unwrap();
    assert!(in_order.iter().map(|(key, value)| (key, value)).eq(&due));

    let splits = Splits::of_buckets::<Reading>().unwrap();
    let scan = readings.scan(..).parallel(&splits).threads(4).start();
    let found: BTreeMap<_, _> = scan.flat_map(Result::unwrap).collect();
    assert_eq!(found, due);
}
