//! Access tokens, and who provides them.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rowkey::ErrorKind;
use rowkey::nonblocking::BoxFuture;

/// Provides the access tokens that authorize requests, with
/// [`Credentials::provider`](crate::Credentials::provider). Closures that return a future are providers.
///
/// The client asks for a token when it has none, before the end of the one that it has, and after the service has
/// refused one. It never asks twice at the same time, and repeats what fails, a panic too.
///
/// ```
/// use std::time::Duration;
///
/// use rowkey_bigtable::{BigtableOptions, Credentials, Token, TokenError};
///
/// async fn token() -> Result<Token, TokenError> {
///     let value = tokio::fs::read_to_string("/run/secrets/token").await.map_err(TokenError::denied)?;
///     Ok(Token::new(value.trim()).expires_in(Duration::from_secs(600)))
/// }
///
/// # fn main() {
/// let options = BigtableOptions::new("my-project", "my-instance").credentials(Credentials::provider(token));
/// # }
/// ```
pub trait TokenProvider: Send + Sync + 'static {
    /// Fetches a token. A call takes at most a minute: then it is dropped, and repeated.
    fn token(&self) -> BoxFuture<'_, Result<Token, TokenError>>;
}

impl<F, R> TokenProvider for F
where
    F: Fn() -> R + Send + Sync + 'static,
    R: Future<Output = Result<Token, TokenError>> + Send + 'static,
{
    fn token(&self) -> BoxFuture<'_, Result<Token, TokenError>> {
        Box::pin(self())
    }
}

/// An access token. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct Token {
    pub(crate) value: String,
    pub(crate) lifetime: Option<Duration>,
    pub(crate) quota_project: Option<String>,
}

impl Token {
    /// A token that does not expire.
    pub fn new(value: impl Into<String>) -> Self {
        Self { value: value.into(), lifetime: None, quota_project: None }
    }

    /// Sets how long it can be used from now on.
    #[must_use]
    pub fn expires_in(mut self, lifetime: Duration) -> Self {
        self.lifetime = Some(lifetime);
        self
    }

    /// Sets until when it can be used.
    #[must_use]
    pub fn expires_at(self, end: SystemTime) -> Self {
        self.expires_in(end.duration_since(SystemTime::now()).unwrap_or_default())
    }

    /// Sets the project whose quota its requests use, if the options name none.
    #[must_use]
    pub fn quota_project(mut self, project: impl Into<String>) -> Self {
        self.quota_project = Some(project.into());
        self
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Token")
            .field("lifetime", &self.lifetime)
            .field("quota_project", &self.quota_project)
            .finish_non_exhaustive()
    }
}

/// The reason why there is no access token. It is the source of the status of a call's
/// [`BigtableError`](crate::BigtableError::status).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenError {
    kind: ErrorKind,
    message: Arc<str>,
}

impl TokenError {
    /// An error of a kind. After [`ErrorKind::Busy`] the token is fetched again while calls wait for it; after other
    /// kinds calls fail at once.
    ///
    /// It says nothing of a table or of a call, so it has only kinds that such an error can have: `Busy`,
    /// `PermissionDenied`, `InvalidInput`, `Unsupported` and `Other`. `NotFound` becomes `PermissionDenied`,
    /// `DeadlineExceeded` becomes `Busy`, and all others become `Other`.
    pub fn new(kind: ErrorKind, message: impl fmt::Display) -> Self {
        let kind = match kind {
            ErrorKind::Busy
            | ErrorKind::PermissionDenied
            | ErrorKind::InvalidInput
            | ErrorKind::Unsupported
            | ErrorKind::Other => kind,
            ErrorKind::NotFound => ErrorKind::PermissionDenied,
            ErrorKind::DeadlineExceeded => ErrorKind::Busy,
            _ => ErrorKind::Other,
        };
        Self { kind, message: message.to_string().into() }
    }

    /// The provider can't be reached, or not now: [`ErrorKind::Busy`].
    pub fn unavailable(message: impl fmt::Display) -> Self {
        Self::new(ErrorKind::Busy, message)
    }

    /// There is no token for this program: [`ErrorKind::PermissionDenied`].
    pub fn denied(message: impl fmt::Display) -> Self {
        Self::new(ErrorKind::PermissionDenied, message)
    }

    /// Its kind.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The same error, of what is named.
    pub(super) fn of(&self, what: impl fmt::Display) -> Self {
        Self::new(self.kind, format_args!("{what}: {}", self.message))
    }
}

impl fmt::Display for TokenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for TokenError {}
