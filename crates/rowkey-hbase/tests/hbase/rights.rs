//! Users without rights, at an HBase that checks them: its hbase-site.xml is in `ROWKEY_HBASE_RIGHTS`. `owner` may all.

use std::time::{Duration, Instant};

use futures_util::StreamExt;
use hbase_client::{Client, Options, Put};
use rowkey::nonblocking::AsyncWideDatabase;
use rowkey::store::{NewTable, Scan};
use rowkey::wide::{Column, Columns, Condition, FamilySchema, Mutation, TableSchema};
use rowkey::{Error, ErrorKind};
use rowkey_hbase::HBase;

/// A refusal takes no longer: it is not tried again.
const SOON: Duration = Duration::from_secs(20);

fn options() -> Options {
    let site = std::env::var_os("ROWKEY_HBASE_RIGHTS").expect("ROWKEY_HBASE_RIGHTS is the path of an hbase-site.xml");
    Options::from_site(site).expect("the server's hbase-site.xml")
}

async fn database(options: Options) -> HBase {
    HBase::connect(Client::new(options).expect("a client")).await.expect("the cluster")
}

async fn refused<T>(what: &str, result: impl Future<Output = Result<T, Error>>) {
    let begun = Instant::now();
    let error = match result.await.err().unwrap_or_else(|| panic!("{what} is refused")) {
        Error::Rows(rows) => {
            let of_row = rows.iter().next().expect("a row");
            assert_eq!(
                (rows.total(), of_row.key(), of_row.error().kind()),
                (1, &b"r"[..], ErrorKind::PermissionDenied)
            );
            return;
        }
        error => error,
    };
    assert_eq!(error.kind(), ErrorKind::PermissionDenied, "{what}: {error:?}");
    assert!(error.to_string().contains("rights_"), "{what} names the table: {error}");
    assert!(begun.elapsed() < SOON, "{what} took {:?}", begun.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs ROWKEY_HBASE_RIGHTS"]
async fn without_rights_all_is_refused_and_the_right_to_write_is_enough() {
    let owner = database(options().user("owner")).await;
    let (name, schema) =
        (format!("rights_{}", std::process::id()), TableSchema::new().family("f", FamilySchema::new()));
    let put = Mutation::new().put("f:q", "v");
    let table = owner.create_table(&name, &schema, &NewTable::new()).await.unwrap();
    table.mutate(b"r", &put).await.unwrap();

    let stranger = database(options().user("stranger")).await;
    let wider = schema.clone().family("g", FamilySchema::new());
    refused("opening", stranger.open_table(&name, &schema)).await;
    refused("creating", stranger.create_table(&format!("{name}_b"), &schema, &NewTable::new())).await;
    refused("altering", stranger.alter(&name, &wider)).await;
    refused("dropping", stranger.drop_table(&name)).await;
    let theirs = stranger.external_table(&name, &schema).await.expect("nothing of it is read");
    refused("a get", theirs.get(b"r", &Columns::all())).await;
    refused("gets", theirs.get_many(&[b"r"], &Columns::all())).await;
    refused("a put", theirs.mutate(b"r", &put)).await;
    refused("puts", theirs.mutate_many(&[(b"r".to_vec(), put.clone())])).await;
    refused("a check", theirs.check_and_mutate(b"r", &Condition::absent("f:q"), &put)).await;
    refused("an increment", theirs.increment(b"r", &[(Column::from("f:n"), 1)])).await;
    refused("a scan", async { theirs.scan(&Scan::all(), &Columns::all()).next().await.expect("an item") }).await;

    // As the shell's `grant` does.
    let grant = Put::new(name.as_str()).value("l", "writer", "RW");
    owner.client().table("hbase:acl").put(grant).await.unwrap();
    let writer = database(options().user("writer")).await;
    let theirs = writer.external_table(&name, &schema).await.unwrap();
    // Servers learn of the grant a moment later.
    let begun = Instant::now();
    while let Err(error) = theirs.get(b"r", &Columns::all()).await {
        assert!(error.kind() == ErrorKind::PermissionDenied && begun.elapsed() < 3 * SOON, "{error}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    theirs.mutate(b"s", &put).await.unwrap();
    assert_eq!(theirs.increment(b"r", &[(Column::from("f:n"), 2)]).await.unwrap(), [2]);
    let rows = theirs.scan(&Scan::all(), &Columns::all()).next().await.unwrap().unwrap();
    assert_eq!(rows.iter().map(|(key, _)| key).collect::<Vec<_>>(), [b"r", b"s"]);
    refused("altering", writer.alter(&name, &wider)).await;
    owner.drop_table(&name).await.unwrap();
}
