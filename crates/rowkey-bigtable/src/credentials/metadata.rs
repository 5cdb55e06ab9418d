//! Tokens of the machine that the program runs on, from its metadata server.

use std::env;

use rowkey::ErrorKind;
use rowkey::nonblocking::BoxFuture;
use tonic::codegen::http::StatusCode;

use super::SCOPES;
use super::http::{Answered, Asking, Http, encoded};
use super::token::{Token, TokenError, TokenProvider};

pub(super) const HOST: &str = "GCE_METADATA_HOST";
const DEFAULT: &str = "metadata.google.internal";
const WHAT: &str = "the metadata server";

pub(super) struct MetadataServer {
    /// If it is not the one of the environment.
    address: Option<String>,
    http: Http,
}

impl MetadataServer {
    pub(super) fn new(address: Option<String>, http: Http) -> Self {
        Self { address, http }
    }

    fn address(&self) -> String {
        let named = || env::var(HOST).ok().filter(|host| !host.is_empty());
        self.address.clone().or_else(named).unwrap_or_else(|| DEFAULT.to_owned())
    }

    /// The server's response. An error means that there is no server.
    pub(super) async fn ask(&self) -> Result<Answered, TokenError> {
        let address = self.address();
        if address.contains(['/', '@', '?', '#']) {
            let message = format!("{WHAT}: its address is host:port, not {address:?}");
            return Err(TokenError::new(ErrorKind::InvalidInput, message));
        }
        let scopes = encoded(&SCOPES.join(","));
        let path = "computeMetadata/v1/instance/service-accounts/default/token";
        let asking = Asking::get(WHAT, &format!("http://{address}/{path}?scopes={scopes}"));
        self.http.ask(asking.header("metadata-flavor", "Google")).await
    }

    /// The token of a response.
    pub(super) fn token_of(answered: &Answered) -> Result<Token, TokenError> {
        let token = answered.token();
        match answered.status {
            StatusCode::NOT_FOUND => token.map_err(|error| error.of("the machine has no service account")),
            _ => token,
        }
    }
}

impl TokenProvider for MetadataServer {
    fn token(&self) -> BoxFuture<'_, Result<Token, TokenError>> {
        Box::pin(async { Self::token_of(&self.ask().await?) })
    }
}
