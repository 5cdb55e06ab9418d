//! A server that believes everybody, and clients that want more.

use hbase_client::{Kerberos, Tls};

use crate::{folder, kinit, master, refused, site, works};

#[tokio::test]
#[ignore = "needs a server"]
async fn a_server_without_tls_is_refused() {
    let error = refused(master("127.0.0.1").tls(Tls::new(folder().join("trusted.pem")))).await;
    assert!(error.to_string().contains("TLS"), "{error:?}");
}

#[tokio::test]
#[ignore = "needs a server"]
async fn a_server_without_kerberos_is_refused_unless_that_is_allowed() {
    kinit("ada", &[]);
    // The ticket is for a server that would know of Kerberos.
    let kerberos = Kerberos::new("hbase/localhost@EXAMPLE.TEST");
    let error = refused(master("127.0.0.1").kerberos(kerberos.clone())).await;
    assert!(error.to_string().contains("no Kerberos"), "{error:?}");
    works(master("127.0.0.1").kerberos(kerberos.allow_simple(true))).await;
    works(site()).await;
}
