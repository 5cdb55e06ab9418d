//! A typed table in HBase: page views, salted, the newest of each user first.
//!
//! ```sh
//! servers/hbase/start hbase-data
//! cargo run -p rowkey-hbase --example hbase_visits -- hbase-data/conf/hbase-site.xml
//! servers/hbase/stop hbase-data
//! ```

use hbase_client::{Client, Options};
use rowkey::RowKey;
use rowkey::nonblocking::{AsyncWideDatabase, AsyncWideTable};
use rowkey::splits::Splits;
use rowkey::store::NewTable;
use rowkey::wide::{Columns, FamilySchema, Mutation, TableSchema};
use rowkey_hbase::HBase;

const TABLE: &str = "example_page_views";

/// A page view. The first byte of its key is the salt bucket of its user.
#[derive(RowKey, Clone, Debug)]
#[rowkey(salt(buckets = 4, by(user)))]
struct Visit {
    user: String,
    #[rowkey(desc)]
    at: i64,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let site = std::env::args().nth(1).ok_or("give the path of hbase-site.xml")?;
    let db = HBase::connect(Client::new(Options::from_site(site)?)?).await?;
    db.drop_table(TABLE).await?;

    let schema = TableSchema::new().family("page", FamilySchema::new().max_versions(3));
    // A region for each salt bucket.
    let new = NewTable::new().splits(&Splits::of_buckets::<Visit>()?);
    let visits = AsyncWideTable::<Visit, _>::create(db, TABLE, &schema, &new).await?;

    let views = [("ada", 1, "/"), ("grace", 2, "/cart"), ("ada", 3, "/pay"), ("alan", 4, "/"), ("grace", 5, "/pay")];
    let rows = views.map(|(user, at, url)| (Visit { user: user.into(), at }, Mutation::new().put("page:url", url)));
    visits.mutate_many(rows.iter().map(|(visit, view)| (visit, view.clone()))).await?;

    println!("all, in the order of the key:");
    let mut all = visits.scan(.., Columns::all());
    while let Some(row) = all.next().await {
        let (Visit { user, at }, row) = row?;
        println!("  {user} {at} {}", row.read::<String>("page:url")?.unwrap_or_default());
    }
    println!("the last of grace:");
    let mut last = visits.scan(Visit::prefix().user("grace"), Columns::all()).limit(1);
    while let Some(row) = last.next().await {
        let (Visit { user, at }, row) = row?;
        println!("  {user} {at} {}", row.read::<String>("page:url")?.unwrap_or_default());
    }
    visits.drop_table().await?;
    Ok(())
}
