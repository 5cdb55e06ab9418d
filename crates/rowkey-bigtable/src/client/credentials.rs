//! What authorizes a request: Google's application default credentials, or nothing for an emulator.

use std::fmt;
#[cfg(feature = "google")]
use std::sync::Arc;

use tonic::{Request, Status};

#[cfg(feature = "google")]
const SCOPES: [&str; 2] =
    ["https://www.googleapis.com/auth/bigtable.data", "https://www.googleapis.com/auth/bigtable.admin"];

/// Clones share what was found.
#[derive(Clone, Default)]
pub(super) struct Credentials {
    /// Finds the credentials at the first request, and caches tokens until they expire. `None` for an emulator.
    #[cfg(feature = "google")]
    google: Option<Arc<tokio::sync::OnceCell<Arc<dyn gcp_auth::TokenProvider>>>>,
}

impl Credentials {
    /// Google's.
    #[cfg(feature = "google")]
    pub(super) fn google() -> Self {
        Self { google: Some(Arc::default()) }
    }

    /// Writes a token into the headers.
    #[cfg(feature = "google")]
    pub(super) async fn authorize<Q>(&self, request: &mut Request<Q>) -> Result<(), Status> {
        let Some(google) = &self.google else { return Ok(()) };
        let token = match google.get_or_try_init(gcp_auth::provider).await {
            Ok(provider) => provider.token(&SCOPES).await,
            Err(error) => Err(error),
        };
        let token = token.map_err(|error| Status::unauthenticated(format!("no credentials: {error}")))?;
        let mut value = tonic::metadata::AsciiMetadataValue::try_from(format!("Bearer {}", token.as_str()))
            .map_err(|_| Status::unauthenticated("the token is not printable"))?;
        value.set_sensitive(true);
        request.metadata_mut().insert("authorization", value);
        Ok(())
    }

    /// An emulator needs no token.
    #[cfg(not(feature = "google"))]
    #[expect(clippy::unused_async)]
    pub(super) async fn authorize<Q>(&self, _: &mut Request<Q>) -> Result<(), Status> {
        Ok(())
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Credentials")
    }
}
