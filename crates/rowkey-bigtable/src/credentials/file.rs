//! Files of credentials: which of Google's types one has, and who makes a token of it.

mod external;
mod impersonated;
mod service_account;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use rowkey::ErrorKind;
use rowkey::nonblocking::BoxFuture;
use serde_json::{Map, Value};

use super::SCOPES;
use super::http::{Asking, Http};
use super::token::{Token, TokenError, TokenProvider};

pub(super) const TOKEN_URL: &str = "https://oauth2.googleapis.com/token";

/// A file of credentials, read for each token, as its key may be another one then.
pub(super) struct CredentialsFile {
    text: Text,
    http: Http,
}

enum Text {
    At(PathBuf),
    Here(Arc<str>),
}

impl CredentialsFile {
    pub(super) fn at(path: PathBuf, http: Http) -> Self {
        Self { text: Text::At(path), http }
    }

    pub(super) fn of(text: Arc<str>, http: Http) -> Self {
        Self { text: Text::Here(text), http }
    }

    /// A token of the file's text. Errors do not name the file.
    async fn token_of(&self, text: &str) -> Result<Token, TokenError> {
        let value: Value = serde_json::from_str(text)
            // A JSON error names a place, and no text.
            .map_err(|error| TokenError::new(ErrorKind::InvalidInput, format!("not JSON: {error}")))?;
        let fields = Fields::whole(&value)?;
        let project = fields.text_if_any("quota_project_id")?;
        let token = token(&fields, &SCOPES, &self.http).await?;
        Ok(match project {
            Some(project) => token.quota_project(project),
            None => token,
        })
    }

    async fn read(&self) -> Result<(String, Arc<str>), TokenError> {
        match &self.text {
            Text::Here(text) => Ok(("the credentials".to_owned(), Arc::clone(text))),
            Text::At(path) => {
                let file = path.display().to_string();
                let text = read(path.clone()).await.map_err(|error| error.of(&file))?;
                Ok((file, text.into()))
            }
        }
    }
}

/// Reads a file on a thread that may wait.
pub(super) async fn read(path: PathBuf) -> Result<String, TokenError> {
    let read = tokio::task::spawn_blocking(move || std::fs::read_to_string(path));
    let read = read.await.map_err(TokenError::unavailable)?;
    read.map_err(|error| {
        let kind = match error.kind() {
            std::io::ErrorKind::InvalidData => ErrorKind::InvalidInput,
            _ => ErrorKind::PermissionDenied,
        };
        TokenError::new(kind, error)
    })
}

impl TokenProvider for CredentialsFile {
    fn token(&self) -> BoxFuture<'_, Result<Token, TokenError>> {
        Box::pin(async {
            let (file, text) = self.read().await?;
            self.token_of(&text).await.map_err(|error| error.of(file))
        })
    }
}

/// A token of what the fields of a file are.
pub(super) fn token<'f>(
    fields: &'f Fields<'_>,
    scopes: &'f [&str],
    http: &'f Http,
) -> BoxFuture<'f, Result<Token, TokenError>> {
    Box::pin(async move {
        if let Some(other) = fields.text_if_any("universe_domain")?.filter(|domain| *domain != "googleapis.com") {
            return Err(fields.unsupported(format_args!("the universe domain {other:?}")));
        }
        match fields.text("type")? {
            "service_account" => service_account::token(fields, scopes, http).await,
            "authorized_user" => refreshed(fields, http).await,
            "impersonated_service_account" => impersonated::token(fields, scopes, http).await,
            "external_account" => external::token(fields, scopes, http).await,
            other => Err(fields.unsupported(format_args!(
                "the type {other:?}; supported are service_account, authorized_user, impersonated_service_account and \
                 external_account"
            ))),
        }
    })
}

/// A token of a user, who has given a refresh token.
async fn refreshed(fields: &Fields<'_>, http: &Http) -> Result<Token, TokenError> {
    let form = [
        ("grant_type", "refresh_token"),
        ("client_id", fields.text("client_id")?),
        ("client_secret", fields.text("client_secret")?),
        ("refresh_token", fields.text("refresh_token")?),
    ];
    http.token(Asking::form("the token endpoint", fields.text_or("token_uri", TOKEN_URL)?, &form)).await
}

/// The fields of an object in a file.
#[derive(Clone, Copy)]
pub(super) struct Fields<'f> {
    /// The object's name in errors, if it is inside another one.
    what: Option<&'f str>,
    fields: &'f Map<String, Value>,
}

impl<'f> Fields<'f> {
    /// All of a file.
    fn whole(value: &'f Value) -> Result<Self, TokenError> {
        Self::named(None, value)
    }

    pub(super) fn of(what: &'f str, value: &'f Value) -> Result<Self, TokenError> {
        Self::named(Some(what), value)
    }

    fn named(what: Option<&'f str>, value: &'f Value) -> Result<Self, TokenError> {
        match value {
            Value::Object(fields) => Ok(Self { what, fields }),
            _ => Err(error(what, ErrorKind::InvalidInput, "not an object")),
        }
    }

    pub(super) fn text(&self, name: &str) -> Result<&'f str, TokenError> {
        self.text_if_any(name)?.ok_or_else(|| self.invalid(format_args!("there is no `{name}`")))
    }

    pub(super) fn text_or(&self, name: &str, default: &'f str) -> Result<&'f str, TokenError> {
        Ok(self.text_if_any(name)?.unwrap_or(default))
    }

    /// A field that may be left out, `null` or empty.
    pub(super) fn text_if_any(&self, name: &str) -> Result<Option<&'f str>, TokenError> {
        match self.fields.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.as_str()).filter(|text| !text.is_empty())),
            Some(_) => Err(self.invalid(format_args!("`{name}` is not a text"))),
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&'f Value> {
        self.fields.get(name).filter(|value| !value.is_null())
    }

    /// An object inside this one.
    pub(super) fn object(&self, name: &'f str) -> Result<Fields<'f>, TokenError> {
        let value = self.get(name).ok_or_else(|| self.invalid(format_args!("there is no `{name}`")))?;
        Fields::of(name, value)
    }

    pub(super) fn invalid(&self, why: impl fmt::Display) -> TokenError {
        error(self.what, ErrorKind::InvalidInput, why)
    }

    pub(super) fn unsupported(&self, what: impl fmt::Display) -> TokenError {
        error(self.what, ErrorKind::Unsupported, format_args!("not supported: {what}"))
    }
}

fn error(what: Option<&str>, kind: ErrorKind, why: impl fmt::Display) -> TokenError {
    match what {
        Some(what) => TokenError::new(kind, format_args!("{what}: {why}")),
        None => TokenError::new(kind, why),
    }
}
