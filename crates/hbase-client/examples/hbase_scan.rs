//! Scans: from and to rows, in reverse, with columns, filters and a limit.
//!
//! ```sh
//! cargo run -p hbase-client --example hbase_scan -- /etc/hbase/conf/hbase-site.xml
//! ```

use hbase_client::{Client, Compare, Filter, Options, Put, Scan, Table, TableSchema};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let site = std::env::args().nth(1).ok_or("usage: hbase_scan HBASE-SITE.XML")?;
    let client = Client::new(Options::from_site(site)?)?;
    let admin = client.admin();
    // Two regions: a scan goes through both.
    admin.create(&TableSchema::new("example_scan").family("f"), &["bob"]).await?;
    let visits = client.table("example_scan");
    for (user, day, page) in [("ada", 1, "/"), ("ada", 2, "/cart"), ("bob", 1, "/"), ("bob", 3, "/pay")] {
        visits.put(Put::new(format!("{user}-{day}")).value("f", "page", page)).await?;
    }

    show("all", &visits, Scan::new()).await?;
    show("ada's", &visits, Scan::new().start("ada-").stop_before("ada.")).await?;
    show("the last two", &visits, Scan::new().reverse().limit(2)).await?;
    let first_pages = Filter::all([Filter::row_prefix("bob-"), Filter::value(Compare::Equal, "/")]);
    show("bob's first pages", &visits, Scan::new().family("f").filter(&first_pages)).await?;

    admin.disable("example_scan").await?;
    admin.drop("example_scan").await?;
    Ok(())
}

async fn show(title: &str, table: &Table, scan: Scan) -> hbase_client::Result<()> {
    println!("{title}:");
    let mut rows = table.scan(scan);
    while let Some(row) = rows.next().await? {
        let page = row.value("f", "page").unwrap_or_default();
        println!("  {} {}", row.key().escape_ascii(), page.escape_ascii());
    }
    Ok(())
}
