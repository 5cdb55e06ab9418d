//! Tokens of a service account, for the token of somebody who may impersonate it.

use std::time::Duration;

use serde_json::{Value, json};

use super::Fields;
use crate::credentials::CLOUD_PLATFORM;
use crate::credentials::http::{Asking, Http, UNSAID, left_until};
use crate::credentials::token::{Token, TokenError};

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
    let source = super::token(&source, &[CLOUD_PLATFORM], http).await?;
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
