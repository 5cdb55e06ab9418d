//! Google's credentials: what each kind asks of whom, what is refused by name, and where they are found.

mod absent;
mod found;
mod kinds;

use std::time::Duration;

use rowkey::store::CallOptions;
use rowkey::{Error, ErrorKind};
use rowkey_bigtable::client::Client;
use rowkey_bigtable::client::proto::{MutateRowRequest, MutateRowResponse};
use rowkey_bigtable::{BigtableOptions, Credentials};
use rowkey_bigtable_testkit::answers::{End, messages};
use rowkey_bigtable_testkit::{Authority, Given, Mock, TokenServer, Wanted};
use serde_json::{Value, json};
use tokio::time::timeout;
use tonic::Code;

/// Only a call that hangs, or is repeated, takes as long.
const HANGS: Duration = Duration::from_secs(120);
/// A key that is used for nothing else.
const KEY: &str = include_str!("../../src/service_account.pem");

/// A Bigtable, a server of tokens, both with TLS, and options of a client of them.
struct Place {
    mock: Mock,
    server: TokenServer,
    /// `https://127.0.0.1:PORT`.
    url: String,
    options: BigtableOptions,
}

impl Place {
    async fn new(give: impl Fn(&Wanted) -> Given + Send + Sync + 'static) -> Self {
        let authority = Authority::new();
        let (mock, endpoint) =
            Mock::start_tls(&authority, |_| messages([MutateRowResponse {}], End::of(Code::Ok))).await;
        let (server, address) = TokenServer::start_tls(&authority, give).await;
        let options = BigtableOptions::new("p", "i").without_emulator().endpoint(&endpoint).admin_endpoint(&endpoint);
        let options = options.ca_certificate(authority.pem()).retry_for(Duration::from_millis(50));
        Self { mock, server, url: format!("https://{address}"), options }
    }

    /// The headers of a request that is made with these credentials.
    async fn headers(&self, credentials: Credentials) -> Result<(String, Option<String>), Error> {
        let before = self.mock.asked().len();
        put(&self.options.clone().credentials(credentials)).await?;
        let asked = &self.mock.asked()[before];
        let header = |name: &str| asked.headers.get(name).map(|value| value.to_str().unwrap().to_owned());
        Ok((header("authorization").unwrap(), header("x-goog-user-project")))
    }

    /// The error of a request that is made with these credentials.
    async fn refused(&self, credentials: Credentials, kind: ErrorKind) -> String {
        let error = self.headers(credentials).await.unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        error.to_string()
    }
}

async fn put(options: &BigtableOptions) -> Result<(), Error> {
    let client = Client::new(options)?;
    let call = CallOptions::none();
    let call = call.begin("put", "t")?;
    timeout(HANGS, client.mutate_row(MutateRowRequest::default(), &call)).await.expect("the call hangs")
}

fn give(status: u16, body: &Value) -> Given {
    let body = body.to_string();
    Box::pin(async move { (status, body) })
}

fn token(value: &str) -> Value {
    json!({"access_token": value, "expires_in": 3599, "token_type": "Bearer"})
}
