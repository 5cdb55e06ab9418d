//! Serves the test proxy until it is killed. Prints its address.

#[tokio::main]
async fn main() -> std::io::Result<()> {
    println!("{}", rowkey_bigtable_testkit::serve().await?);
    std::future::pending().await
}
