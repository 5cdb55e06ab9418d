//! Google's application default credentials: the first source that is there.

use std::env;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rowkey::ErrorKind;
use rowkey::nonblocking::BoxFuture;
use tokio::time::timeout;

use super::file::CredentialsFile;
use super::gcloud::Gcloud;
use super::http::Http;
use super::metadata::{self, MetadataServer};
use super::token::{Token, TokenError, TokenProvider};

const FILE: &str = "GOOGLE_APPLICATION_CREDENTIALS";
/// If it is set, a metadata server is not looked for.
const NO_PROBE: &str = "NO_GCE_CHECK";
/// A machine without a metadata server may not say so.
const PROBE: Duration = Duration::from_secs(5);

pub(super) struct ApplicationDefault {
    http: Http,
    /// The source that gave a token, and gives the next ones.
    found: Mutex<Option<Arc<dyn TokenProvider>>>,
}

impl ApplicationDefault {
    pub(super) fn new(http: Http) -> Self {
        Self { http, found: Mutex::default() }
    }

    fn found(&self) -> std::sync::MutexGuard<'_, Option<Arc<dyn TokenProvider>>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks for a source that is there, and takes its first token.
    async fn find(&self) -> Result<Token, TokenError> {
        let mut reasons = Vec::new();
        let http = || self.http.clone();
        match named(FILE) {
            Some(path) => return self.take(CredentialsFile::at(path.into(), http()), FILE).await,
            None => reasons.push(format!("{FILE} is not set")),
        }
        match of_gcloud() {
            Some(path) if path.is_file() => return self.take(CredentialsFile::at(path, http()), "gcloud's file").await,
            Some(path) => reasons.push(format!("{}: there is no such file", path.display())),
            None => reasons.push("there is no home directory".to_owned()),
        }
        let server = MetadataServer::new(None, http());
        if named(metadata::HOST).is_some() {
            return self.take(server, metadata::HOST).await;
        }
        let probing = async {
            match named(NO_PROBE) {
                Some(_) => Err(TokenError::denied(format!("the metadata server is not asked, as {NO_PROBE} is set"))),
                None => server.ask().await,
            }
        };
        match timeout(PROBE, probing).await {
            Ok(Ok(answered)) => {
                let token = MetadataServer::token_of(&answered)?;
                return Ok(self.keep(server, token));
            }
            Ok(Err(error)) => reasons.push(error.to_string()),
            Err(_) => reasons.push(format!("the metadata server: no response within {PROBE:?}")),
        }
        match Gcloud.token().await {
            Ok(token) => return Ok(self.keep(Gcloud, token)),
            Err(error) => reasons.push(error.to_string()),
        }
        let message = format!("no credentials were found: {}", reasons.join("; "));
        Err(TokenError::new(ErrorKind::PermissionDenied, message))
    }

    /// The token of a source that is there: no other one is tried.
    async fn take(&self, source: impl TokenProvider, name: &str) -> Result<Token, TokenError> {
        let token = source.token().await.map_err(|error| error.of(name))?;
        Ok(self.keep(source, token))
    }

    fn keep(&self, source: impl TokenProvider, token: Token) -> Token {
        *self.found() = Some(Arc::new(source));
        token
    }
}

impl TokenProvider for ApplicationDefault {
    fn token(&self) -> BoxFuture<'_, Result<Token, TokenError>> {
        Box::pin(async {
            let found = self.found().clone();
            match found {
                Some(found) => found.token().await,
                None => self.find().await,
            }
        })
    }
}

fn named(variable: &str) -> Option<std::ffi::OsString> {
    env::var_os(variable).filter(|value| !value.is_empty())
}

/// The file that `gcloud auth application-default login` writes.
fn of_gcloud() -> Option<PathBuf> {
    let folder = match named("CLOUDSDK_CONFIG") {
        Some(folder) => PathBuf::from(folder),
        None if cfg!(windows) => PathBuf::from(named("APPDATA")?).join("gcloud"),
        None => PathBuf::from(named("HOME")?).join(".config/gcloud"),
    };
    Some(folder.join("application_default_credentials.json"))
}
