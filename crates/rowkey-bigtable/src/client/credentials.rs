//! Google's application default credentials.

use std::fmt;
use std::sync::Arc;

use gcp_auth::TokenProvider;
use tokio::sync::OnceCell;
use tonic::metadata::AsciiMetadataValue;
use tonic::{Request, Status};

const SCOPES: [&str; 2] =
    ["https://www.googleapis.com/auth/bigtable.data", "https://www.googleapis.com/auth/bigtable.admin"];

/// Finds the credentials at the first request, and caches tokens until they expire.
#[derive(Default)]
pub(crate) struct Credentials(OnceCell<Arc<dyn TokenProvider>>);

impl Credentials {
    /// Writes a token into the headers.
    pub(crate) async fn authorize<Q>(&self, request: &mut Request<Q>) -> Result<(), Status> {
        let found = self.0.get_or_try_init(gcp_auth::provider).await;
        let token = match found {
            Ok(provider) => provider.token(&SCOPES).await,
            Err(error) => Err(error),
        };
        let token = token.map_err(|error| Status::unauthenticated(format!("no credentials: {error}")))?;
        let mut value = AsciiMetadataValue::try_from(format!("Bearer {}", token.as_str()))
            .map_err(|_| Status::unauthenticated("the token is not printable"))?;
        value.set_sensitive(true);
        request.metadata_mut().insert("authorization", value);
        Ok(())
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Credentials")
    }
}
