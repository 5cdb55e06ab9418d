use std::time::Duration;

use super::{Fake, Reply};
use crate::{Client, Options, Put, Scan, pb};

#[tokio::test]
async fn the_longest_times_and_the_largest_numbers_are_no_hindrance() {
    let longest = Duration::MAX;
    let fake = Fake::start(|call| match call.method.as_str() {
        "Get" if call.nth == 0 => Reply::Close,
        "Get" => Reply::answer(&pb::GetResponse::default()),
        "Scan" => Reply::answer(&pb::ScanResponse { more_results: Some(false), ..Default::default() }),
        "GetTableNames" => Reply::answer(&pb::GetTableNamesResponse::default()),
        "Multi" => super::tests::all_done(&call.read()),
        method => Reply::Exception("java.lang.AssertionError", method.into()),
    });
    let fake = fake.await;
    let options = Options::new().masters([fake.address().clone()]).timeout(longest).call_timeout(longest);
    let options = options.meta_timeout(longest).connect_timeout(longest).read_timeout(longest).idle_timeout(longest);
    let options = options.pauses(Duration::ZERO, longest);
    let options = options.connections_per_server(usize::MAX).calls_per_connection(usize::MAX);
    let options = options.concurrent_lookups(usize::MAX).batch_bytes(usize::MAX).answer_bytes(usize::MAX);
    let client = Client::new(options).unwrap();
    let table = client.table("t");
    assert!(table.get("r").await.unwrap().is_empty());
    assert!(table.with_timeout(longest).get("r").await.unwrap().is_empty());
    assert_eq!(table.scan(Scan::new()).next().await.unwrap(), None);
    assert!(table.batch(vec![Put::new("r").value("f", "q", "v").into()]).await[0].is_ok());
    assert_eq!(client.admin().tables().await.unwrap(), []);
    assert_eq!(client.admin().with_timeout(longest).tables().await.unwrap(), []);
}
