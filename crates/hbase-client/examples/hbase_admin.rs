//! Tables: created with split points, described, altered, split and dropped.
//!
//! ```sh
//! cargo run -p hbase-client --example hbase_admin -- /etc/hbase/conf/hbase-site.xml
//! ```

use std::time::Duration;

use hbase_client::{Client, Compression, Family, Options, TableSchema};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let site = std::env::args().nth(1).ok_or("usage: hbase_admin HBASE-SITE.XML")?;
    let client = Client::new(Options::from_site(site)?)?;
    let admin = client.admin();

    let day = Duration::from_secs(24 * 60 * 60);
    let schema = TableSchema::new("example_admin")
        .family(Family::new("data").compression(Compression::Gz))
        .family(Family::new("recent").ttl(7 * day).max_versions(3));
    admin.create(&schema, &["g", "n"]).await?;
    for (region, server) in client.table("example_admin").regions().await? {
        println!("from {:?} at {server:?}", region.start());
    }

    let there = admin.describe("example_admin").await?;
    for family in there.families() {
        println!("{}: {} versions, {:?}", family.name(), family.get_max_versions(), family.get_ttl());
    }
    admin.alter(&there.remove_family("data").family("log")).await?;
    admin.flush("example_admin").await?;

    admin.disable("example_admin").await?;
    admin.drop("example_admin").await?;
    println!("tables: {:?}", admin.tables().await?);
    Ok(())
}
