//! Other programs' clients and typed tables on one HBase, both ways: Phoenix, OpenTSDB, HBase's shell, its Java client.

mod java;
mod opentsdb;
mod phoenix;
mod shell;
mod views;

use rowkey::RowKey;
use rowkey::nonblocking::AsyncWideTable;
use rowkey::wide::{Columns, FamilySchema, Row, TableSchema};
use rowkey_hbase::HBase;
use rowkey_testkit::hbase::Programs;

use crate::site;

/// The programs of the server, whose folder `conf/hbase-site.xml` is in.
fn programs() -> Programs {
    Programs::new(site().ancestors().nth(2).expect("the server's folder"))
}

/// The key that the shell's script and the Java program compute by themselves.
#[derive(RowKey, Clone, Debug, PartialEq, Eq)]
#[rowkey(salt(buckets = 16, by(user), hash = md5))]
struct Visit {
    user: String,
    #[rowkey(desc)]
    at: i64,
    shop: u32,
}

type Visits = AsyncWideTable<Visit, HBase>;

fn schema() -> TableSchema {
    TableSchema::new().family("f", FamilySchema::new().max_versions(3))
}

async fn external(database: &HBase, name: &str) -> Visits {
    let store = database.external_table(name, &schema()).await.unwrap();
    AsyncWideTable::external(database.clone(), store)
}

/// All rows with their cells, in the order of the key.
async fn rows(visits: &Visits) -> Vec<(Visit, Row)> {
    let (mut scan, mut rows) = (visits.scan(.., Columns::all().versions(3)), Vec::new());
    while let Some(row) = scan.next().await {
        rows.push(row.unwrap());
    }
    rows
}

/// The visits in the order that they have in a table.
fn sorted(mut visits: Vec<Visit>) -> Vec<Visit> {
    visits.sort_by(|a, b| a.user.cmp(&b.user).then(b.at.cmp(&a.at)).then(a.shop.cmp(&b.shop)));
    visits
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
