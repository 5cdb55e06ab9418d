//! A server with Kerberos for authentication alone, which speaks TLS with those who do, and is silent about it with
//! others.

use hbase_client::{Kerberos, Protection, Tls};

use crate::{folder, kinit, master, refused, site, works};

fn kerberos() -> Kerberos {
    Kerberos::new("hbase/_HOST@EXAMPLE.TEST")
}

#[tokio::test]
#[ignore = "needs a server"]
async fn kerberos_works_within_tls_and_without() {
    kinit("ada", &[]);
    works(site()).await;
    works(master("localhost").kerberos(kerberos()).tls(Tls::new(folder().join("trusted.pem")))).await;
    works(master("localhost").kerberos(kerberos())).await;
}

#[tokio::test]
#[ignore = "needs a server"]
async fn privacy_is_not_given_up_for_a_server_without_it() {
    kinit("ada", &[]);
    let error = refused(master("localhost").kerberos(kerberos().protections([Protection::Privacy]))).await;
    assert!(error.to_string().contains("[Authentication]"), "{error:?}");
}

#[tokio::test]
#[ignore = "needs a server"]
async fn tls_alone_does_not_let_in() {
    let error = refused(master("localhost").tls(Tls::new(folder().join("trusted.pem")))).await;
    assert!(error.to_string().contains("AccessDenied"), "{error:?}");
}
