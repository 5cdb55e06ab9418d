//! Credentials: where access tokens come from.
//!
//! `default` finds Google's application default credentials. A source of tokens is a [`TokenProvider`], here as
//! outside; that tokens are shared, refreshed and fetched again is `client::tokens`.

mod default;
mod file;
mod gcloud;
mod http;
mod metadata;
mod token;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use self::default::ApplicationDefault;
use self::file::CredentialsFile;
use self::http::Http;
use self::metadata::MetadataServer;
pub use self::token::{Token, TokenError, TokenProvider};
use crate::trust::Trust;

/// The OAuth scopes of tokens.
const SCOPES: [&str; 2] =
    ["https://www.googleapis.com/auth/bigtable.data", "https://www.googleapis.com/auth/bigtable.admin"];
/// The OAuth scope of a token with which another one is requested.
const CLOUD_PLATFORM: &str = "https://www.googleapis.com/auth/cloud-platform";

/// The source of access tokens. Default: [`application_default`](Self::application_default).
///
/// | type of a file | supported |
/// |---|---|
/// | `service_account` | yes |
/// | `authorized_user` | yes |
/// | `impersonated_service_account` | yes, from each of the others |
/// | `external_account` | with a `file` or a `url` as its source; `executable`, AWS and `certificate` are refused by name |
/// | `external_account_authorized_user`, `gdch_service_account` | refused by name |
///
/// Files are read anew for each token. Endpoints of tokens need TLS, but for those on the own machine. Proxies
/// (`HTTPS_PROXY`) are not supported.
#[derive(Clone)]
pub struct Credentials(Source);

#[derive(Clone)]
enum Source {
    ApplicationDefault,
    File(PathBuf),
    Json(Arc<str>),
    Metadata(Option<String>),
    Provider(Arc<dyn TokenProvider>),
    Anonymous,
}

impl Credentials {
    /// Google's application default credentials, the first of these that are there:
    ///
    /// 1. the file that the environment variable `GOOGLE_APPLICATION_CREDENTIALS` names,
    /// 2. the file that `gcloud auth application-default login` writes,
    /// 3. the metadata server, at `GCE_METADATA_HOST` if that is set; else it is not looked for if `NO_GCE_CHECK` is
    ///    set,
    /// 4. the program `gcloud`.
    ///
    /// A source that is there and fails is an error; the next ones are not tried then.
    pub fn application_default() -> Self {
        Self(Source::ApplicationDefault)
    }

    /// A file of credentials.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self(Source::File(path.into()))
    }

    /// The text of a file of credentials. `Debug` does not show it.
    pub fn json(text: impl Into<String>) -> Self {
        Self(Source::Json(Arc::from(text.into())))
    }

    /// The metadata server of Google's machines, at `GCE_METADATA_HOST` if that environment variable is set.
    pub fn metadata_server() -> Self {
        Self(Source::Metadata(None))
    }

    /// A metadata server at this address, `host` or `host:port`.
    pub fn metadata_server_at(address: impl Into<String>) -> Self {
        Self(Source::Metadata(Some(address.into())))
    }

    /// A provider of your own.
    pub fn provider(provider: impl TokenProvider) -> Self {
        Self(Source::Provider(Arc::new(provider)))
    }

    /// No tokens: for a server or a proxy that needs none.
    pub fn anonymous() -> Self {
        Self(Source::Anonymous)
    }

    /// The provider of the tokens; `None` if requests need none.
    pub(crate) fn provided(&self, trust: &Trust) -> Option<Arc<dyn TokenProvider>> {
        let http = || Http::new(trust);
        Some(match &self.0 {
            Source::ApplicationDefault => Arc::new(ApplicationDefault::new(http())),
            Source::File(path) => Arc::new(CredentialsFile::at(path.clone(), http())),
            Source::Json(text) => Arc::new(CredentialsFile::of(Arc::clone(text), http())),
            Source::Metadata(address) => Arc::new(MetadataServer::new(address.clone(), http())),
            Source::Provider(provider) => Arc::clone(provider),
            Source::Anonymous => return None,
        })
    }
}

impl Default for Credentials {
    fn default() -> Self {
        Self::application_default()
    }
}

/// Providers are equal if they are the same.
impl PartialEq for Credentials {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Source::ApplicationDefault, Source::ApplicationDefault) | (Source::Anonymous, Source::Anonymous) => true,
            (Source::File(one), Source::File(other)) => one == other,
            (Source::Json(one), Source::Json(other)) => one == other,
            (Source::Metadata(one), Source::Metadata(other)) => one == other,
            (Source::Provider(one), Source::Provider(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }
}

impl Eq for Credentials {}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Source::ApplicationDefault => f.write_str("ApplicationDefault"),
            Source::File(path) => f.debug_tuple("File").field(path).finish(),
            Source::Json(_) => f.debug_tuple("Json").finish_non_exhaustive(),
            Source::Metadata(address) => f.debug_tuple("MetadataServer").field(address).finish(),
            Source::Provider(_) => f.debug_tuple("Provider").finish_non_exhaustive(),
            Source::Anonymous => f.write_str("Anonymous"),
        }
    }
}
