//! Wide rows one by one, many at once, and scanned.
//!
//! ```sh
//! servers/bigtable/start emulator-data # prints host=127.0.0.1:PORT
//! BIGTABLE_EMULATOR_HOST=127.0.0.1:PORT cargo run -p rowkey-bigtable --example bigtable_rows
//! ```

use rowkey::RowKey;
use rowkey::nonblocking::{AsyncWideDatabase, AsyncWideTable};
use rowkey::wide::{Columns, FamilySchema, Mutation, TableSchema};
use rowkey_bigtable::{Bigtable, BigtableOptions};

/// Users' visits, spread over four buckets, the newest of a user first.
#[derive(RowKey, Clone, Debug)]
#[rowkey(salt(buckets = 4, by(user)))]
struct Visit {
    user: String,
    #[rowkey(desc)]
    at: i64, // Unix milliseconds
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> rowkey::Result<()> {
    let db = Bigtable::connect(BigtableOptions::new("my-project", "my-instance")).await?;
    let schema =
        TableSchema::new().family("page", FamilySchema::new().max_versions(1)).family("count", FamilySchema::new());
    let visits: AsyncWideTable<Visit, _> = AsyncWideTable::open(&db, "example_visits", &schema).await?;

    let visit = |user: &str, at| Visit { user: user.into(), at };
    visits.mutate(&visit("ada", 1), &Mutation::new().put("page:url", "/")).await?;
    println!("{}", visits.increment(&visit("ada", 1), "count:views", 1).await?);

    let pages = [("ada", 2, "/cart"), ("bob", 3, "/"), ("ada", 4, "/pay")];
    let pages = pages.map(|(user, at, url)| (visit(user, at), url));
    visits.mutate_many(pages.iter().map(|(key, url)| (key, Mutation::new().put("page:url", *url)))).await?;

    // One bucket, from the newest on.
    let mut latest = visits.scan(Visit::prefix().user("ada"), Columns::all().family("page")).limit(2);
    while let Some(row) = latest.next().await {
        let (visit, row) = row?;
        println!("{visit:?} {}", row.value("page:url").unwrap_or_default().escape_ascii());
    }
    AsyncWideDatabase::drop_table(&db, "example_visits").await
}
