//! Tokens of a service account, for the token of somebody who may impersonate it.

use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use super::CLOUD_PLATFORM;
use super::file::{self, Fields};
use super::http::{Asking, Http, UNSAID};
use super::token::{Token, TokenError};

/// The impersonation of a service account, as a file describes it.
pub(super) struct Impersonation<'f> {
    pub(super) url: &'f str,
    pub(super) delegates: &'f [Value],
    pub(super) lifetime: Duration,
}

pub(super) const LIFETIME: Duration = Duration::from_secs(3600);

/// A token of a file whose `source_credentials` may impersonate the account.
pub(super) async fn token(fields: &Fields<'_>, scopes: &[&str], http: &Http) -> Result<Token, TokenError> {
    let impersonation = Impersonation {
        url: fields.text("service_account_impersonation_url")?,
        delegates: match fields.get("delegates") {
            None => &[],
            Some(Value::Array(delegates)) => delegates,
            Some(_) => return Err(fields.invalid("`delegates` is not a list")),
        },
        lifetime: LIFETIME,
    };
    let source = fields.object("source_credentials")?;
    if source.get("type").is_some_and(|kind| kind == "impersonated_service_account") {
        return Err(source.unsupported("impersonation by an impersonated account; name it in `delegates`"));
    }
    let source = file::token(&source, &[CLOUD_PLATFORM], http).await?;
    impersonation.token(&source, scopes, http).await
}

impl Impersonation<'_> {
    /// The account's token, for the token of another one.
    pub(super) async fn token(&self, source: &Token, scopes: &[&str], http: &Http) -> Result<Token, TokenError> {
        let lifetime = format!("{}s", self.lifetime.as_secs());
        let body = json!({"scope": scopes, "delegates": self.delegates, "lifetime": lifetime}).to_string();
        let asking = Asking::post("the impersonation endpoint", self.url, "application/json", body);
        let answered = http.ask(asking.header("authorization", &format!("Bearer {}", source.value))).await?;
        let response = answered.json()?;
        let value = response.get("accessToken").and_then(Value::as_str).filter(|value| !value.is_empty());
        let token = Token::new(value.ok_or_else(|| answered.unreadable("has no accessToken"))?);
        let end = response.get("expireTime").and_then(Value::as_str);
        Ok(token.expires_in(end.map_or(UNSAID, |end| left_until(end, self.lifetime))))
    }
}

/// A token that is given now does not end sooner, unless the clocks differ.
const SHORTEST: Duration = Duration::from_secs(60);

/// The lifetime of a new token that ends at a moment of another clock, as RFC 3339 writes it. If by this clock it has
/// none, it is `given`: the service says `UNAUTHENTICATED` if it is less, and then the token is replaced.
pub(super) fn left_until(end: &str, given: Duration) -> Duration {
    let end = end.parse::<prost_types::Timestamp>().ok().and_then(|end| SystemTime::try_from(end).ok());
    let Some(end) = end else { return UNSAID };
    let left = end.duration_since(SystemTime::now()).ok();
    left.filter(|left| *left >= SHORTEST).unwrap_or(given)
}
