//! Rows one by one: put, get, increment, delete, and a change with a condition.
//!
//! ```sh
//! cargo run -p hbase-client --example hbase_rows -- /etc/hbase/conf/hbase-site.xml
//! ```

use hbase_client::{Client, Compare, Condition, Delete, Get, Increment, Options, Put, TableSchema};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let site = std::env::args().nth(1).ok_or("usage: hbase_rows HBASE-SITE.XML")?;
    let client = Client::new(Options::from_site(site)?)?;
    let admin = client.admin();
    admin.create(&TableSchema::new("example_rows").family("f"), &[] as &[&str]).await?;
    let users = client.table("example_rows");

    users.put(Put::new("ada").value("f", "city", "London").value("f", "plan", "free")).await?;
    let ada = users.get(Get::new("ada").column("f", "city")).await?;
    println!("city: {:?}", ada.value("f", "city"));

    let visits = users.increment(Increment::new("ada").add("f", "visits", 1)).await?;
    println!("visits: {:?}", visits.value("f", "visits"));

    // Written only if the plan is still the free one.
    let is_free = Condition::value("f", "plan", Compare::Equal, "free");
    let upgrade = Put::new("ada").value("f", "plan", "paid");
    for _ in 0..2 {
        println!("upgraded: {}", users.check_and_mutate(&is_free, upgrade.clone()).await?.applied);
    }

    users.delete(Delete::new("ada").column("f", "city")).await?;
    for cell in users.get("ada").await?.cells() {
        println!("{}:{} = {}", show(cell.family()), show(cell.qualifier()), show(cell.value()));
    }

    admin.disable("example_rows").await?;
    admin.drop("example_rows").await?;
    Ok(())
}

fn show(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}
