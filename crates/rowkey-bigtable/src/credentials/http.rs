//! Requests to the servers that give tokens.

use std::error::Error as StdError;
use std::future::poll_fn;
use std::net::IpAddr;
use std::pin::Pin;
use std::time::{Duration, SystemTime};

use http_body::Body;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use rowkey::ErrorKind;
use serde_json::Value;
use tokio::time::timeout;
use tonic::codegen::http::{Method, Request, StatusCode, Uri, header};

use super::token::{Token, TokenError};
use crate::trust::{Trust, is_distrusted};

/// A client of endpoints of tokens. Clones share nothing that is open: tokens are fetched once an hour.
#[derive(Clone)]
pub(super) struct Http {
    client: Client<HttpsConnector<HttpConnector>, String>,
}

/// The most bytes of a response.
const LARGEST: usize = 1 << 20;
/// The most characters of a response that an error quotes.
const QUOTED: usize = 300;
const CONNECT: Duration = Duration::from_secs(10);
const LONGEST: Duration = Duration::from_secs(30);

/// The response of a server.
pub(super) struct Answered {
    /// The name of the server, and its address.
    what: String,
    pub(super) status: StatusCode,
    body: Vec<u8>,
}

/// A request to a server.
pub(super) struct Asking {
    what: &'static str,
    request: Result<Request<String>, TokenError>,
}

impl Asking {
    /// A request whose response is a token, or part of the way to one. What it says is secret, so it goes over TLS or
    /// stays on the machine.
    pub(super) fn post(what: &'static str, url: &str, content_type: &'static str, body: String) -> Self {
        let request = parsed(what, url).and_then(|uri| {
            if uri.scheme_str() != Some("https") && !is_on_this_machine(&uri) {
                let message = format!("{what} {url}: secrets are sent over https alone, or to this machine");
                return Err(TokenError::new(ErrorKind::InvalidInput, message));
            }
            let request = Request::builder().method(Method::POST).uri(uri).header(header::CONTENT_TYPE, content_type);
            request.body(body).map_err(|error| TokenError::new(ErrorKind::InvalidInput, error))
        });
        Self { what, request }
    }

    /// As [`post`](Self::post), of a form.
    pub(super) fn form(what: &'static str, url: &str, fields: &[(&str, &str)]) -> Self {
        let fields = fields.iter().map(|(name, value)| format!("{name}={}", encoded(value)));
        let body = fields.collect::<Vec<_>>().join("&");
        Self::post(what, url, "application/x-www-form-urlencoded", body)
    }

    pub(super) fn get(what: &'static str, url: &str) -> Self {
        let request = parsed(what, url).and_then(|uri| {
            Request::builder()
                .uri(uri)
                .body(String::new())
                .map_err(|error| TokenError::new(ErrorKind::InvalidInput, error))
        });
        Self { what, request }
    }

    /// Adds a header.
    pub(super) fn header(mut self, name: &str, value: &str) -> Self {
        let invalid =
            |_| TokenError::new(ErrorKind::InvalidInput, format!("{}: the header {name} is not valid", self.what));
        if let Ok(request) = &mut self.request {
            let name = header::HeaderName::try_from(name).map_err(|_| ());
            let value = header::HeaderValue::try_from(value).map_err(|_| ());
            match (name, value) {
                (Ok(name), Ok(mut value)) => {
                    value.set_sensitive(true);
                    request.headers_mut().insert(name, value);
                }
                (Err(error), _) | (_, Err(error)) => self.request = Err(invalid(error)),
            }
        }
        self
    }
}

impl Http {
    pub(super) fn new(trust: &Trust) -> Self {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_connect_timeout(Some(CONNECT));
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(trust.http())
            .https_or_http()
            .enable_http1()
            .wrap_connector(tcp);
        Self { client: Client::builder(TokioExecutor::new()).pool_max_idle_per_host(0).build(connector) }
    }

    /// Sends a request, and returns what was answered, whatever its status is.
    pub(super) async fn ask(&self, asking: Asking) -> Result<Answered, TokenError> {
        let request = asking.request?;
        let what = format!("{} {}", asking.what, place(request.uri()));
        let asked = async {
            let response = self.client.request(request).await.map_err(|error| failed(&what, &error))?;
            let status = response.status();
            let mut response = Box::pin(response.into_body());
            let mut body = Vec::new();
            while let Some(frame) = poll_fn(|context| Pin::new(&mut response).poll_frame(context)).await {
                let frame = frame.map_err(|error| failed(&what, &error))?;
                body.extend_from_slice(frame.data_ref().map_or(&[], |data| data));
                if body.len() > LARGEST {
                    return Err(TokenError::new(
                        ErrorKind::Other,
                        format!("{what}: a response of over {LARGEST} bytes"),
                    ));
                }
            }
            Ok((status, body))
        };
        let answered = timeout(LONGEST, asked).await;
        let late = |_| TokenError::unavailable(format!("{what}: no response within {LONGEST:?}"));
        let (status, body) = answered.map_err(late)??;
        Ok(Answered { what, status, body })
    }

    /// Sends a request to an OAuth endpoint, and returns the token of its response.
    pub(super) async fn token(&self, asking: Asking) -> Result<Token, TokenError> {
        self.ask(asking).await?.token()
    }
}

impl Answered {
    /// The body of a success.
    fn body(&self) -> Result<&[u8], TokenError> {
        if self.status.is_success() {
            return Ok(&self.body);
        }
        let kind = match self.status {
            StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS => ErrorKind::Busy,
            status if status.is_server_error() => ErrorKind::Busy,
            _ => ErrorKind::PermissionDenied,
        };
        let quoted: String = String::from_utf8_lossy(&self.body).trim().chars().take(QUOTED).collect();
        Err(TokenError::new(kind, format!("{}: {}: {}", self.what, self.status, quoted.escape_debug())))
    }

    /// The error of a success that can't be read. The response may hold a token, and is not quoted.
    pub(super) fn unreadable(&self, why: impl std::fmt::Display) -> TokenError {
        TokenError::new(ErrorKind::Other, format!("{}: the response {why}", self.what))
    }

    /// The body of a success as text.
    pub(super) fn text(&self) -> Result<&str, TokenError> {
        std::str::from_utf8(self.body()?).map_err(|_| self.unreadable("is not UTF-8"))
    }

    /// The body of a success as JSON.
    pub(super) fn json(&self) -> Result<Value, TokenError> {
        serde_json::from_slice(self.body()?).map_err(|error| self.unreadable(format_args!("is not JSON: {error}")))
    }

    /// The token of a success of OAuth.
    pub(super) fn token(&self) -> Result<Token, TokenError> {
        let response = self.json()?;
        let value = response.get("access_token").and_then(Value::as_str).filter(|value| !value.is_empty());
        let token = Token::new(value.ok_or_else(|| self.unreadable("has no access_token"))?);
        // A number, or a number in quotes.
        let seconds = response.get("expires_in").and_then(|value| match value {
            Value::String(text) => text.parse().ok(),
            value => value.as_f64(),
        });
        // Less than nothing is nothing.
        let lifetime = seconds.and_then(|seconds: f64| Duration::try_from_secs_f64(seconds.max(0.0)).ok());
        Ok(token.expires_in(lifetime.unwrap_or(UNSAID)))
    }
}

/// The time for which a token without a stated lifetime is used.
pub(super) const UNSAID: Duration = Duration::from_secs(10 * 60);

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

fn parsed(what: &str, url: &str) -> Result<Uri, TokenError> {
    let uri = url.parse::<Uri>().ok().filter(|uri| {
        matches!(uri.scheme_str(), Some("http" | "https")) && uri.host().is_some_and(|host| !host.is_empty())
    });
    uri.ok_or_else(|| TokenError::new(ErrorKind::InvalidInput, format!("{what}: {url:?} is not a URL")))
}

/// The URL without its query, which may hold a secret.
fn place(uri: &Uri) -> String {
    let authority = uri.authority().map_or("", |authority| authority.as_str());
    let host = authority.rsplit('@').next().unwrap_or_default();
    format!("{}://{host}{}", uri.scheme_str().unwrap_or_default(), uri.path())
}

fn is_on_this_machine(uri: &Uri) -> bool {
    let host = uri.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn failed(what: &str, error: &(dyn StdError + 'static)) -> TokenError {
    let kind = if is_distrusted(error) { ErrorKind::Other } else { ErrorKind::Busy };
    let mut message = format!("{what}: {error}");
    let mut cause = error.source();
    while let Some(error) = cause {
        message.push_str(&format!(": {error}"));
        cause = error.source();
    }
    TokenError::new(kind, message)
}

/// As a value in a form or a query.
pub(super) fn encoded(value: &str) -> String {
    let mut encoded = String::with_capacity(value.len());
    for byte in value.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => encoded.push(char::from(byte)),
            byte => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}
