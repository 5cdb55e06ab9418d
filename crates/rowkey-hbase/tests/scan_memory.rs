//! Memory of a salted scan whose reader is slow, measured. `servers/hbase/test-tables` of the repository runs it.

use std::time::Duration;

use hbase_client::{Client, Options};
use peak_alloc::PeakAlloc;
use rowkey::RowKey;
use rowkey::nonblocking::{AsyncWideDatabase, AsyncWideTable};
use rowkey::store::NewTable;
use rowkey::wide::{Columns, FamilySchema, Mutation, TableSchema};
use rowkey_hbase::HBase;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const BUCKETS: usize = 64;
const ROWS: u64 = 32_000;
const VALUE: usize = 1_000;
/// Of each scanner, whatever it reads: its task, its channel, its messages.
const SCANNER: usize = 16 << 10;

#[derive(RowKey, Clone, Debug, PartialEq)]
#[rowkey(salt(buckets = 64))]
struct Crash {
    #[rowkey(desc)]
    at: u64,
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs ROWKEY_HBASE"]
async fn a_slow_reader_of_64_buckets_holds_the_bytes_of_a_batch() {
    let site = std::env::var_os("ROWKEY_HBASE").expect("ROWKEY_HBASE is the path of an hbase-site.xml");
    let client = Client::new(Options::from_site(site).unwrap()).unwrap();
    let db = HBase::connect(client).await.unwrap();
    let (name, schema) =
        (format!("memory_{}", std::process::id()), TableSchema::new().family("a", FamilySchema::new()));
    let table: AsyncWideTable<Crash, _> =
        AsyncWideTable::create(db.clone(), &name, &schema, &NewTable::new()).await.unwrap();
    for at in (0..ROWS).collect::<Vec<_>>().chunks(2_000) {
        let rows = at.iter().map(|at| (Crash { at: *at }, Mutation::new().put("a:v", vec![7; VALUE])));
        let rows: Vec<_> = rows.collect();
        table.mutate_many(rows.iter().map(|(key, row)| (key, row.clone()))).await.unwrap();
    }
    for batch_bytes in [1 << 20, 4 << 20, 16 << 20] {
        let before = MEMORY.current_usage();
        MEMORY.reset_peak_usage();
        let mut scan = table.scan(.., Columns::all()).batch_bytes(batch_bytes);
        for at in (0..ROWS).rev() {
            let (key, row) = scan.next().await.unwrap().unwrap();
            assert_eq!((key, row.value("a:v").map(<[u8]>::len)), (Crash { at }, Some(VALUE)));
            if at % (ROWS / 8) == 0 {
                // All that is read ahead comes meanwhile.
                tokio::time::sleep(Duration::from_millis(300)).await;
            }
        }
        assert!(scan.next().await.is_none());
        let peak = MEMORY.peak_usage().saturating_sub(before);
        println!("batch_bytes {batch_bytes}: {peak} bytes at most");
        let most = batch_bytes + BUCKETS * (2 * (VALUE + 200) + SCANNER);
        assert!(peak <= most, "batch_bytes {batch_bytes}: {peak} bytes, not {most}");
    }
    db.drop_table(&name).await.unwrap();
}
