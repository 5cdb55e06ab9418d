//! A server that speaks nothing but TLS, with clients that have a certificate.

use std::fmt::Write;
use std::sync::{Arc, Mutex};

use hbase_client::{Client, ErrorKind, Options, Tls, TlsVersion};
use tracing::field::{Field, Visit};
use tracing::span;

use crate::{folder, master, refused, site, works};

fn tls() -> Tls {
    Tls::new(folder().join("trusted.pem"))
}

fn with_certificate(name: &str) -> Tls {
    let own = folder().join(format!("{name}.pem"));
    tls().certificate(&own, &own)
}

#[tokio::test]
#[ignore = "needs a server"]
async fn the_site_of_the_servers_is_enough() {
    works(site()).await;
}

#[tokio::test]
#[ignore = "needs a server"]
async fn both_versions_are_spoken() {
    for version in [TlsVersion::V1_2, TlsVersion::V1_3] {
        works(master("127.0.0.1").tls(with_certificate("client").versions([version]))).await;
    }
}

#[tokio::test]
#[ignore = "needs a server"]
async fn a_client_without_a_trusted_certificate_is_told_so() {
    for version in [TlsVersion::V1_2, TlsVersion::V1_3] {
        for tls in [tls(), with_certificate("stranger")] {
            let error = refused(master("127.0.0.1").tls(tls.versions([version]))).await;
            assert!(error.to_string().contains("refuses"), "{error:?}");
        }
    }
}

#[tokio::test]
#[ignore = "needs a server"]
async fn a_server_that_others_trust_is_not_trusted() {
    let error = refused(master("127.0.0.1").tls(Tls::new(folder().join("other.pem")))).await;
    assert!(error.to_string().contains("UnknownIssuer"), "{error:?}");
}

#[tokio::test]
#[ignore = "needs a server"]
async fn a_server_of_another_name_is_not_trusted() {
    // The same machine, by a name that its certificate does not have.
    let named = |verify| master("localhost").tls(with_certificate("client").verify_names(verify));
    let error = refused(named(true)).await;
    assert!(error.to_string().contains("certificate"), "{error:?}");
    works(named(false)).await;
}

#[tokio::test]
#[ignore = "needs a server"]
async fn plain_text_is_not_answered() {
    let client = Client::new(master("127.0.0.1").timeout(std::time::Duration::from_secs(2))).unwrap();
    let error = client.table("secure").get("0001").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error:?}");
}

#[tokio::test]
#[ignore = "needs a server"]
async fn no_secret_is_told() {
    const PASSWORD: &str = "password-of-a-store";
    let trace = Trace::default();
    let _traced = tracing::subscriber::set_default(trace.clone());
    let site = std::fs::read_to_string(folder().join("conf/hbase-site.xml")).unwrap();
    let mut passwords = String::new();
    for store in ["keystore", "truststore"] {
        let name = format!("hbase.rpc.tls.{store}.password");
        write!(passwords, "<property><name>{name}</name><value>{PASSWORD}</value></property>").unwrap();
    }
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), site.replace("</configuration>", &format!("{passwords}</configuration>"))).unwrap();

    let options = Options::from_site(file.path()).unwrap();
    let client = Client::new(options.clone()).unwrap();
    // There need not be such a table.
    let answer = client.table("secure").get("0001").await;
    let refused = refused(master("127.0.0.1").tls(with_certificate("stranger"))).await;
    let told = format!("{options:?} {client:?} {} {answer:?} {refused:?} {}", client.dump(), trace.told());
    assert!(told.contains("client.pem") || told.contains("server.pem"), "{told}");
    assert!(told.contains("connected"), "nothing was traced: {told}");
    assert!(!told.contains(PASSWORD), "{told}");
    for name in ["server.key", "stranger.key"] {
        let key = std::fs::read_to_string(folder().join(name)).unwrap();
        for line in key.lines().filter(|line| !line.starts_with("---")) {
            assert!(!told.contains(line), "{told}");
        }
    }
}

/// All that is traced, as text.
#[derive(Default, Clone)]
struct Trace(Arc<Mutex<String>>);

impl Trace {
    fn told(&self) -> String {
        self.0.lock().unwrap().clone()
    }
}

impl Visit for Trace {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        writeln!(self.0.lock().unwrap(), "{field} = {value:?}").unwrap();
    }
}

impl tracing::Subscriber for Trace {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, span: &span::Attributes<'_>) -> span::Id {
        span.record(&mut self.clone());
        span::Id::from_u64(1)
    }
    fn record(&self, _: &span::Id, values: &span::Record<'_>) {
        values.record(&mut self.clone());
    }
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn event(&self, event: &tracing::Event<'_>) {
        event.record(&mut self.clone());
    }
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}
