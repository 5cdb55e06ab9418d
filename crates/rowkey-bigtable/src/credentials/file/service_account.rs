//! Tokens of a service account, for a statement that its key signs.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rowkey::ErrorKind;
use rustls::SignatureScheme;
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::{self, PemObject};
use serde_json::json;

use super::Fields;
use crate::credentials::http::{Asking, Http};
use crate::credentials::token::{Token, TokenError};

/// The lifetime of the signed statement. Google allows no more.
const VALID: Duration = Duration::from_secs(3600);

pub(super) async fn token(fields: &Fields<'_>, scopes: &[&str], http: &Http) -> Result<Token, TokenError> {
    let url = fields.text_or("token_uri", crate::credentials::file::TOKEN_URL)?;
    let statement = signed(fields, scopes, url)?;
    let form = [("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("assertion", &statement)];
    http.token(Asking::form("the token endpoint", url, &form)).await
}

/// A JWT with its issuer, scope, audience and expiry.
fn signed(fields: &Fields<'_>, scopes: &[&str], url: &str) -> Result<String, TokenError> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut head = json!({"alg": "RS256", "typ": "JWT"});
    if let Some(id) = fields.text_if_any("private_key_id")? {
        head["kid"] = id.into();
    }
    let claims = json!({
        "iss": fields.text("client_email")?,
        "scope": scopes.join(" "),
        "aud": url,
        "iat": now.as_secs(),
        "exp": (now + VALID).as_secs(),
    });
    let mut statement = format!("{}.{}", base64(head.to_string()), base64(claims.to_string()));
    let invalid = |why: &dyn std::fmt::Display| fields.invalid(format_args!("`private_key`: {why}"));
    let key = PrivateKeyDer::from_pem_slice(fields.text("private_key")?.as_bytes()).map_err(|error| match error {
        pem::Error::NoItemsFound => invalid(&"it has no private key in PEM (`-----BEGIN PRIVATE KEY-----`)"),
        error => invalid(&format_args!("not a private key in PEM: {error}")),
    })?;
    let key = rustls::crypto::ring::sign::any_supported_type(&key).map_err(|error| invalid(&error))?;
    let signer = key.choose_scheme(&[SignatureScheme::RSA_PKCS1_SHA256]).ok_or_else(|| invalid(&"not an RSA key"))?;
    let signature = signer.sign(statement.as_bytes()).map_err(|error| TokenError::new(ErrorKind::Other, error))?;
    statement.push('.');
    statement.push_str(&base64(signature));
    Ok(statement)
}

fn base64(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}
