//! Requests as they are sent, and those that are refused before.

use std::time::Duration;

use hbase_client::{
    Append, CheckAndMutate, Client, Compare, Condition, Delete, ErrorKind, Filter, Get, IfMissing, Increment, Mutation,
    Put, RowPattern, Scan, protocol as pb,
};
use rowkey_hbase_testkit::{Fake, Reply};

#[tokio::test]
async fn the_longest_times_and_the_largest_numbers_are_no_hindrance() {
    let longest = Duration::MAX;
    let fake = Fake::start(|call| match call.method.as_str() {
        "Get" if call.nth == 0 => Reply::Close,
        "Get" => Reply::message(&pb::GetResponse::default()),
        "Scan" => Reply::message(&pb::ScanResponse { more_results: Some(false), ..Default::default() }),
        "GetTableNames" => Reply::message(&pb::GetTableNamesResponse::default()),
        "Multi" => Reply::batch(call, |_| None),
        method => Reply::Exception("java.lang.AssertionError", method.into()),
    });
    let options = fake.options().timeout(longest).attempt_timeout(longest);
    let options = options.meta_timeout(longest).connect_timeout(longest).read_timeout(longest).idle_timeout(longest);
    let options = options.backoff(Duration::ZERO, longest);
    let options = options.connections_per_server(usize::MAX).calls_per_connection(usize::MAX);
    let options = options.concurrent_lookups(usize::MAX).request_bytes(usize::MAX).response_bytes(usize::MAX);
    let client = Client::new(options).unwrap();
    let table = client.table("t");
    assert!(table.get("r").await.unwrap().is_empty());
    assert!(table.with_timeout(longest).get("r").await.unwrap().is_empty());
    assert_eq!(table.scan(Scan::new()).next().await.unwrap(), None);
    assert!(table.batch(vec![Put::new("r").value("f", "q", "v").into()]).await[0].is_ok());
    assert_eq!(client.admin().tables().await.unwrap(), []);
    assert_eq!(client.admin().with_timeout(longest).tables().await.unwrap(), []);
}

#[tokio::test]
#[expect(clippy::reversed_empty_ranges, reason = "it is refused")]
async fn what_cannot_be_right_is_not_sent() {
    let fake = Fake::start(|_| Reply::Exception("java.lang.IllegalArgumentException", String::new()));
    let table = fake.table();
    let longer = [9; 32_768];
    let value = || Filter::column_value("f", "q", Compare::Equal, "v", IfMissing::Skip);
    for get in [
        Get::new(""),
        Get::new(longer),
        Get::new("r").family(""),
        Get::new("r").column("", "q"),
        Get::new("r").time_range(5..3),
        Get::new("r").cells_per_family(0),
        Get::new("r").filter(&Filter::fuzzy_row([RowPattern::new("ab").any(1..3)])),
        Get::new("r").filter(&Filter::any([Filter::first_cell(), value()])),
    ] {
        assert_eq!(table.get(get.clone()).await.unwrap_err().kind(), ErrorKind::Invalid, "{get:?}");
        assert_eq!(table.get_many([get.clone()]).await.remove(0).unwrap_err().kind(), ErrorKind::Invalid);
        assert_eq!(table.exists(get).await.unwrap_err().kind(), ErrorKind::Invalid);
    }
    assert_eq!(table.delete(Delete::new(longer)).await.unwrap_err().kind(), ErrorKind::Invalid);
    let empty = [
        Put::new("b").value("", "q", "v").into(),
        Delete::new("b").family("").into(),
        Increment::new("b").add("", "q", 1).into(),
        Append::new("b").value("", "q", "v").into(),
    ];
    for mutation in empty {
        let writes = [Mutation::clone(&mutation).into(), mutation.clone().into()];
        for result in table.batch(writes.into()).await {
            assert_eq!(result.unwrap_err().kind(), ErrorKind::Invalid, "{mutation:?}");
        }
        assert_eq!(table.mutate_row([mutation]).await.unwrap_err().kind(), ErrorKind::Invalid);
    }
    for condition in [
        Condition::absent("", "q"),
        Condition::absent("f", "q").time_range(5..3),
        Condition::filter(&Filter::column_value("", "q", Compare::Equal, "v", IfMissing::Skip)),
        Condition::filter(&Filter::any([Filter::no_values(), value()])),
    ] {
        let put = || Put::new("r").value("f", "q", "v");
        let error = table.check_and_mutate(&condition, put()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid, "{condition:?}");
        let error = table.batch(vec![CheckAndMutate::new(&condition, put()).into()]).await.remove(0).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
    }
    for scan in [
        Scan::new().start(longer),
        Scan::new().stop_with(longer),
        Scan::new().time_range(5..3),
        Scan::new().filter(&Filter::any([Filter::no_values(), value()])),
    ] {
        assert_eq!(table.scan(scan).next().await.unwrap_err().kind(), ErrorKind::Invalid);
    }
    assert_eq!((fake.lookups(), fake.calls("Get"), fake.calls("Mutate"), fake.calls("Multi")), (0, 0, 0, 0));
}

#[tokio::test]
async fn a_wrong_write_takes_no_other_with_it() {
    let fake = Fake::start(|call| Reply::batch(call, |_| None));
    let table = fake.table();
    let put = |row: &str, family: &str| Put::new(row).value(family, "q", "v");
    let results = table.batch(vec![put("a", "f").into(), put("b", "").into(), put("c", "f").into()]).await;
    let kinds: Vec<_> = results.iter().map(|result| result.as_ref().map_err(hbase_client::Error::kind).err()).collect();
    assert_eq!(kinds, [None, Some(ErrorKind::Invalid), None]);
    assert_eq!(fake.calls("Multi"), 1);
    let writes = table.buffered_mutator(hbase_client::BufferOptions::new());
    for row in 0..100 {
        let family = if row == 50 { "" } else { "f" };
        assert_eq!(writes.mutate(put(&row.to_string(), family)).await.is_ok(), row != 50);
    }
    assert!(writes.close().await.is_empty());
}
