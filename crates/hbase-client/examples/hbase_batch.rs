//! Many rows in few calls: a batch, and writes that are gathered.
//!
//! ```sh
//! cargo run -p hbase-client --example hbase_batch -- /etc/hbase/conf/hbase-site.xml
//! ```

use hbase_client::{Action, BufferOptions, Client, Get, Increment, Options, Put, TableSchema};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let site = std::env::args().nth(1).ok_or("usage: hbase_batch HBASE-SITE.XML")?;
    let client = Client::new(Options::from_site(site)?)?;
    let admin = client.admin();
    admin.create(&TableSchema::new("example_batch").family("f"), &["3", "6"]).await?;
    let table = client.table("example_batch");

    // Each action has a result of its own.
    let mut actions: Vec<Action> = (0..9).map(|n| Put::new(n.to_string()).value("f", "q", "v").into()).collect();
    actions.push(Increment::new("a").add("f", "count", 5).into());
    actions.push(Get::new("7").into());
    actions.push(Put::new("b").value("no such family", "q", "v").into());
    for (at, result) in table.batch(actions).await.iter().enumerate() {
        match result {
            Ok(_) => println!("action {at}: done"),
            Err(error) => println!("action {at}: {error}"),
        }
    }

    // Sent when enough have come, or have waited long enough.
    let writes = table.buffered_mutator(BufferOptions::new());
    for n in 0..10_000 {
        writes.mutate(Put::new(format!("row-{n:05}")).value("f", "q", "v")).await?;
    }
    for failed in writes.close().await {
        println!("{}: {}", failed.write.row().escape_ascii(), failed.error);
    }
    println!("{} calls", client.counters().calls);

    admin.disable("example_batch").await?;
    admin.drop("example_batch").await?;
    Ok(())
}
