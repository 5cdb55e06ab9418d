//! Tokens for the identity that another provider has given: workload and workforce identity federation.

use std::path::PathBuf;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rowkey::ErrorKind;
use serde_json::{Value, json};

use super::impersonated::{Impersonation, LIFETIME};
use super::{Fields, read};
use crate::credentials::CLOUD_PLATFORM;
use crate::credentials::http::{Asking, Http, encoded};
use crate::credentials::token::{Token, TokenError};

const TOKEN_URL: &str = "https://sts.googleapis.com/v1/token";

pub(super) async fn token(fields: &Fields<'_>, scopes: &[&str], http: &Http) -> Result<Token, TokenError> {
    let impersonated = fields.text_if_any("service_account_impersonation_url")?;
    let subject = subject(&fields.object("credential_source")?, http).await?;
    let scope = if impersonated.is_some() { CLOUD_PLATFORM.to_owned() } else { scopes.join(" ") };
    let client = match (fields.text_if_any("client_id")?, fields.text_if_any("client_secret")?) {
        (Some(id), secret) => Some((id, secret.unwrap_or_default())),
        (None, _) => None,
    };
    let options = fields.text_if_any("workforce_pool_user_project")?.filter(|_| client.is_none());
    let options = options.map(|project| json!({"userProject": project}).to_string());
    let mut form = vec![
        ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"),
        ("audience", fields.text("audience")?),
        ("scope", &scope),
        ("requested_token_type", "urn:ietf:params:oauth:token-type:access_token"),
        ("subject_token", &subject),
        ("subject_token_type", fields.text("subject_token_type")?),
    ];
    form.extend(options.as_deref().map(|options| ("options", options)));
    let mut asking = Asking::form("the token endpoint", fields.text_or("token_url", TOKEN_URL)?, &form);
    if let Some((id, secret)) = client {
        let name = STANDARD.encode(format!("{}:{}", encoded(id), encoded(secret)));
        asking = asking.header("authorization", &format!("Basic {name}"));
    }
    let token = http.token(asking).await?;
    let Some(url) = impersonated else { return Ok(token) };
    let lifetime = fields.get("service_account_impersonation").and_then(|of| of.get("token_lifetime_seconds"));
    let lifetime = lifetime.and_then(Value::as_u64).map_or(LIFETIME, Duration::from_secs);
    Impersonation { url, delegates: &[], lifetime }.token(&token, scopes, http).await
}

/// The token of the other provider.
async fn subject(source: &Fields<'_>, http: &Http) -> Result<String, TokenError> {
    for (name, what) in [
        ("executable", "a program as the source of an external account"),
        ("environment_id", "AWS as the source of an external account"),
        ("certificate", "a certificate as the source of an external account"),
    ] {
        if source.get(name).is_some() {
            return Err(source.unsupported(format_args!("{what} (`{name}`); use `file` or `url`")));
        }
    }
    let text = match (source.text_if_any("file")?, source.text_if_any("url")?) {
        (Some(path), None) => read(PathBuf::from(path)).await.map_err(|error| error.of(path))?,
        (None, Some(url)) => {
            let mut asking = Asking::get("the endpoint of the subject token", url);
            if let Some(headers) = source.get("headers") {
                for (name, value) in headers.as_object().into_iter().flatten() {
                    let value = value.as_str().ok_or_else(|| source.invalid("a header is not a text"))?;
                    asking = asking.header(name, value);
                }
            }
            http.ask(asking).await?.text()?.to_owned()
        }
        _ => return Err(source.invalid("it has to have a `file` or a `url`")),
    };
    let Some(format) = source.get("format") else { return Ok(text.trim().to_owned()) };
    let format = Fields::of("format", format)?;
    match format.text_or("type", "text")? {
        "text" => Ok(text.trim().to_owned()),
        "json" => {
            let name = format.text("subject_token_field_name")?;
            let token = serde_json::from_str::<Value>(&text).ok();
            let token = token.as_ref().and_then(|value| value.get(name)).and_then(Value::as_str).map(str::to_owned);
            token.ok_or_else(|| {
                TokenError::new(ErrorKind::Other, format!("the subject token is not JSON with a text {name:?}"))
            })
        }
        other => Err(format.unsupported(format_args!("the type {other:?}"))),
    }
}
