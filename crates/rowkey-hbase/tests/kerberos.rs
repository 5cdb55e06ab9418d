//! Tables at a real HBase that lets in users of Kerberos. `servers/hbase/test-secure` of the repository starts it and
//! runs this.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use hbase_client::{Client, Options};
use rowkey::ErrorKind;
use rowkey::nonblocking::AsyncTable;
use rowkey::wide::OneColumn;
use rowkey_hbase::HBase;

fn kinit(folder: &Path, more: &[&str]) {
    let keytab = folder.join("ada.keytab");
    let done = Command::new("kinit").args(more).arg("-kt").arg(keytab).arg("ada").output().expect("kinit");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

#[tokio::test]
#[ignore = "needs a server"]
async fn a_ticket_that_expired_is_a_typed_error_and_a_new_one_is_enough() {
    const TIMEOUT: Duration = Duration::from_secs(20);
    let folder: PathBuf = std::env::var_os("HBASE_CLIENT_TEST").expect("run servers/hbase/test-secure").into();
    kinit(&folder, &[]);
    let site = Options::from_site(folder.join("conf/hbase-site.xml")).unwrap();
    // Connections end, so that calls need new ones, and these the ticket.
    let client = Client::new(site.timeout(TIMEOUT).idle_timeout(Duration::from_secs(1))).unwrap();
    let db = OneColumn::database(HBase::connect(client).await.unwrap());
    let table: AsyncTable<(u64,), String, _> = AsyncTable::open(db, "tickets").await.unwrap();
    table.put(&(1,), &"before".to_owned()).await.unwrap();

    kinit(&folder, &["-l", "2s"]);
    tokio::time::sleep(Duration::from_secs(4)).await;
    let start = Instant::now();
    let put = table.put(&(1,), &"never".to_owned()).await.unwrap_err();
    let get = table.get(&(1,)).await.unwrap_err();
    let scan = table.scan(..).next().await.unwrap().unwrap_err();
    for error in [put, get, scan] {
        assert_eq!(error.kind(), ErrorKind::PermissionDenied, "{error:?}");
        let causes = std::iter::successors(Some(&error as &dyn std::error::Error), |error| error.source());
        let text = causes.map(ToString::to_string).collect::<Vec<_>>().join(": ");
        assert!(text.contains("Ticket expired") && text.contains("tickets"), "{text}");
    }
    assert!(start.elapsed() < TIMEOUT, "{:?}", start.elapsed());

    kinit(&folder, &[]);
    assert_eq!(table.get(&(1,)).await.unwrap().as_deref(), Some("before"));
}
