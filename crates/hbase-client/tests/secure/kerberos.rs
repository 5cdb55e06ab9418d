//! A server that lets in users of Kerberos, with integrity or privacy.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hbase_client::{Address, Client, ErrorKind, Kerberos, Options, Protection};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::{folder, kinit, master, master_port, refused, run, site, works};

const SERVERS: &str = "hbase/_HOST@EXAMPLE.TEST";

fn with(kerberos: Kerberos) -> Options {
    master("localhost").kerberos(kerberos)
}

fn protected() -> Kerberos {
    Kerberos::new(SERVERS).protections([Protection::Privacy])
}

#[tokio::test]
#[ignore = "needs a server"]
async fn the_site_of_the_servers_is_enough() {
    kinit("ada", &[]);
    works(site()).await;
}

#[tokio::test]
#[ignore = "needs a server"]
async fn integrity_and_privacy_hold_for_all_bytes() {
    kinit("ada", &[]);
    for protection in [Protection::Integrity, Protection::Privacy] {
        works(with(Kerberos::new(SERVERS).protections([protection]))).await;
    }
}

#[tokio::test]
#[ignore = "needs a server"]
async fn a_server_without_the_wanted_protection_is_refused() {
    kinit("ada", &[]);
    let error = refused(with(Kerberos::new(SERVERS))).await;
    assert!(error.to_string().contains("[Integrity, Privacy]"), "{error:?}");
    works(with(Kerberos::new(SERVERS).protections([Protection::Authentication, Protection::Integrity]))).await;
}

#[tokio::test]
#[ignore = "needs a server"]
async fn without_tickets_nobody_is_let_in() {
    run("kdestroy", &["-q"]);
    let error = refused(with(protected())).await;
    assert!(error.to_string().contains("no Kerberos tickets"), "{error:?}");
    // Nor with those of somebody else than who is to be let in, nor without Kerberos.
    kinit("bob", &[]);
    refused(with(protected().principal("ada@EXAMPLE.TEST"))).await;
    let error = refused(master("localhost")).await;
    assert!(error.to_string().contains("AccessDenied"), "{error:?}");
}

#[tokio::test]
#[ignore = "needs a server"]
async fn a_new_connection_takes_new_tickets() {
    kinit("ada", &["-l", "2s"]);
    tokio::time::sleep(Duration::from_secs(3)).await;
    let client = Client::new(with(protected())).unwrap();
    let error = client.admin().tables().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Security, "{error:?}");
    assert!(error.to_string().contains("expired"), "{error:?}");
    kinit("ada", &[]);
    client.admin().tables().await.unwrap();
}

#[tokio::test]
#[ignore = "needs a server"]
async fn a_server_that_is_somebody_else_is_refused() {
    kinit("ada", &[]);
    for somebody in ["nobody@EXAMPLE.TEST", "bob@EXAMPLE.TEST", "hbase/_HOST@NOWHERE.TEST"] {
        refused(with(Kerberos::new(somebody).protections([Protection::Privacy]))).await;
    }
}

#[tokio::test]
#[ignore = "needs a server"]
async fn a_silent_kdc_holds_nobody_up() {
    kinit("ada", &[]);
    let pid = std::fs::read_to_string(folder().join("kdc.pid")).unwrap();
    let client = Client::new(with(protected()).timeout(Duration::from_secs(1))).unwrap();
    // The ticket for the server is still to be had.
    run("kill", &["-STOP", pid.trim()]);
    let error = client.admin().tables().await;
    run("kill", &["-CONT", pid.trim()]);
    let error = error.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error:?}");
    works(with(protected())).await;
}

/// Somebody between the client and the master, who reads along and may change what the server says.
async fn between(changes: bool) -> (Address, Arc<Mutex<Vec<u8>>>) {
    let master = master_port();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = Address::new("localhost", listener.local_addr().unwrap().port());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sees = seen.clone();
    tokio::spawn(async move {
        while let Ok((near, _)) = listener.accept().await {
            let (from_client, to_client) = near.into_split();
            let (from_server, to_server) = TcpStream::connect(("127.0.0.1", master)).await.unwrap().into_split();
            tokio::spawn(pass(from_client, to_server, sees.clone(), false));
            tokio::spawn(pass(from_server, to_client, sees.clone(), changes));
        }
    });
    (address, seen)
}

/// The name of the server that has hbase:meta, in an answer.
const NAME: &[u8] = b"localhost";

async fn pass(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    seen: Arc<Mutex<Vec<u8>>>,
    changes: bool,
) -> std::io::Result<()> {
    let mut bytes = vec![0; 1 << 16];
    loop {
        let length = from.read(&mut bytes).await?;
        if length == 0 {
            return to.shutdown().await;
        }
        let bytes = &mut bytes[..length];
        seen.lock().unwrap().extend_from_slice(bytes);
        let found = bytes.windows(NAME.len()).position(|part| part == NAME).filter(|_| changes);
        if let Some(at) = found {
            bytes[at] ^= 1;
        }
        to.write_all(bytes).await?;
    }
}

#[tokio::test]
#[ignore = "needs a server"]
async fn nobody_between_can_change_what_has_integrity_or_read_what_has_privacy() {
    const METHOD: &[u8] = b"GetMetaRegionLocations";
    kinit("ada", &[]);
    works(with(protected())).await;
    for (protection, readable) in [(Protection::Integrity, true), (Protection::Privacy, false)] {
        let kerberos = Kerberos::new(SERVERS).protections([protection]);
        let (address, seen) = between(true).await;
        let options = Options::new().masters([address]).kerberos(kerberos).timeout(Duration::from_secs(2));
        let read = Client::new(options).unwrap().table("secure").get("0001").await;
        let seen = seen.lock().unwrap().clone();
        assert_eq!(seen.windows(METHOD.len()).any(|part| part == METHOD), readable, "{protection:?}");
        match readable {
            // The name was changed, which the client noticed.
            true => assert!(read.unwrap_err().to_string().contains("Integrity"), "a changed answer was believed"),
            false => assert_eq!(read.unwrap().value("f", "n"), Some(&b"1"[..])),
        }
    }
}
