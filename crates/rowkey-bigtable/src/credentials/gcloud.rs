//! Tokens of the user of the program `gcloud`.

use std::io;
use std::process::Stdio;

use rowkey::nonblocking::BoxFuture;
use serde_json::Value;
use tokio::process::Command;

use super::http::{UNSAID, left_until};
use super::token::{Token, TokenError, TokenProvider};

/// Runs `gcloud`, and waits for it without a thread.
pub(super) struct Gcloud;

const PROGRAM: &str = if cfg!(windows) { "gcloud.cmd" } else { "gcloud" };
/// A token that ends sooner is not worth a start of the program.
const ARGUMENTS: [&str; 4] = ["config", "config-helper", "--format=json", "--min-expiry=10m"];

impl TokenProvider for Gcloud {
    fn token(&self) -> BoxFuture<'_, Result<Token, TokenError>> {
        Box::pin(async {
            let mut command = Command::new(PROGRAM);
            command.args(ARGUMENTS).stdin(Stdio::null()).kill_on_drop(true);
            let output = command.output().await.map_err(|error| match error.kind() {
                io::ErrorKind::NotFound => TokenError::denied("gcloud: not on the PATH"),
                _ => TokenError::denied(format!("gcloud: {error}")),
            })?;
            if !output.status.success() {
                let said: String = String::from_utf8_lossy(&output.stderr).trim().chars().take(300).collect();
                return Err(TokenError::denied(format!("gcloud: {}: {}", output.status, said.escape_debug())));
            }
            let credential = serde_json::from_slice::<Value>(&output.stdout).ok();
            let credential = credential.as_ref().and_then(|output| output.get("credential"));
            let of = |name: &str| credential.and_then(|credential| credential.get(name)).and_then(Value::as_str);
            let value = of("access_token").filter(|value| !value.is_empty());
            let token = Token::new(value.ok_or_else(|| TokenError::denied("gcloud: it has no access token"))?);
            Ok(token.expires_in(of("token_expiry").map_or(UNSAID, |end| left_until(end, UNSAID))))
        })
    }
}
