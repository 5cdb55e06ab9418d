//! The headers of a request: where it is routed, what this client can do, what the server wants to see again.

use tonic::Status;
use tonic::metadata::{Ascii, AsciiMetadataValue, KeyRef, MetadataKey, MetadataMap};

/// The routing of a request (`x-goog-request-params`), with its app profile.
#[derive(Clone, Debug)]
pub(crate) struct Route(Option<AsciiMetadataValue>);

impl Route {
    /// A route by a field of the request. With a profile, requests go where the profile says.
    pub(crate) fn new(field: &str, name: &str, app_profile: Option<&str>) -> Self {
        let mut params = format!("{field}={}", Escaped(name));
        if let Some(app_profile) = app_profile {
            params.push_str(&format!("&app_profile_id={}", Escaped(app_profile)));
        }
        Self(params.parse().ok())
    }
}

/// Percent-encodes all but unreserved characters.
struct Escaped<'t>(&'t str);

impl std::fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.bytes().try_for_each(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => write!(f, "{}", char::from(byte)),
            other => write!(f, "%{other:02X}"),
        })
    }
}

/// Reverse scans, last scanned rows, routing cookies and RetryInfo: a `FeatureFlags` message in base64.
const FEATURES: &str = "CAEgATABOAE=";
const CLIENT: &str = concat!("gl-rust/", env!("CARGO_PKG_RUST_VERSION"), " gccl/", env!("CARGO_PKG_VERSION"));

/// The server sends cookies with a failure, to be sent again with the next attempt.
const COOKIE: &str = "x-goog-cbt-cookie";

/// A server that sends ever more of them does not make requests that it refuses.
const MOST_COOKIES: usize = 16;
const MOST_COOKIE_BYTES: usize = 4 << 10;

/// Cookies of an operation's attempts.
#[derive(Debug, Default)]
pub(crate) struct Cookies(Vec<(MetadataKey<Ascii>, AsciiMetadataValue)>);

impl Cookies {
    /// Keeps the cookies of a failed attempt. A later one of the same name takes the place of the one before.
    pub(crate) fn keep(&mut self, status: &Status) {
        self.keep_all(status.metadata());
    }

    /// Keeps the cookies of headers or trailers.
    pub(crate) fn keep_all(&mut self, metadata: &MetadataMap) {
        for key in metadata.keys() {
            let KeyRef::Ascii(key) = key else { continue };
            let Some(value) = metadata.get(key).filter(|_| key.as_str().starts_with(COOKIE)) else { continue };
            self.0.retain(|(kept, _)| kept != key);
            let bytes = |(key, value): &(MetadataKey<Ascii>, AsciiMetadataValue)| key.as_str().len() + value.len();
            let kept: usize = self.0.iter().map(bytes).sum();
            if self.0.len() < MOST_COOKIES && kept + key.as_str().len() + value.len() <= MOST_COOKIE_BYTES {
                self.0.push((key.clone(), value.clone()));
            }
        }
    }
}

/// Writes the headers of an attempt.
pub(crate) fn write(metadata: &mut MetadataMap, route: &Route, cookies: &Cookies) {
    if let Route(Some(params)) = route {
        metadata.insert("x-goog-request-params", params.clone());
    }
    metadata.insert("bigtable-features", AsciiMetadataValue::from_static(FEATURES));
    metadata.insert("x-goog-api-client", AsciiMetadataValue::from_static(CLIENT));
    for (key, value) in &cookies.0 {
        metadata.insert(key.clone(), value.clone());
    }
}

#[cfg(test)]
mod tests {
    use prost::Message;

    use super::*;
    use crate::client::proto::FeatureFlags;

    #[test]
    fn the_features_are_these() {
        let flags = FeatureFlags {
            reverse_scans: true,
            last_scanned_row_responses: true,
            routing_cookie: true,
            retry_info: true,
            ..FeatureFlags::default()
        };
        // Three bytes are four letters of `FEATURES`: CAEg ATAB OAE=
        assert_eq!(flags.encode_to_vec(), [8, 1, 32, 1, 48, 1, 56, 1]);
    }

    #[test]
    fn a_route_is_escaped() {
        let Route(Some(params)) = Route::new("table_name", "projects/p/tables/ä b", Some("x&y")) else { panic!() };
        assert_eq!(params, "table_name=projects%2Fp%2Ftables%2F%C3%A4%20b&app_profile_id=x%26y");
    }
}
