//! A server of Kerberos, and a client that gets its tickets by a keytab: KRB5_CLIENT_KTNAME names that of ada.

use hbase_client::{Client, Kerberos, Protection};

use crate::{folder, master, works};

fn kerberos() -> Kerberos {
    Kerberos::new("hbase/_HOST@EXAMPLE.TEST").protections([Protection::Integrity]).principal("ada@EXAMPLE.TEST")
}

#[tokio::test]
#[ignore = "needs a server"]
async fn a_keytab_lets_in_without_kinit() {
    works(master("localhost").kerberos(kerberos().keytab(folder().join("ada.keytab")))).await;
}

#[tokio::test]
#[ignore = "needs a server"]
async fn another_keytab_than_that_of_the_environment_is_refused() {
    let options = master("localhost").kerberos(kerberos().keytab(folder().join("bob.keytab")));
    let error = Client::new(options).unwrap_err();
    assert!(error.to_string().contains("KRB5_CLIENT_KTNAME"), "{error:?}");
}
