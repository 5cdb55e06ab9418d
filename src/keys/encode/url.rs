//! URLs, sorted by host and path first (feature `url`).
//!
//! ```text
//! https://hbase.apache.org/book.html?a=1   "org.apache.hbase/book.html?a=1" 00   host path, query and fragment in it
//!                                          "https" 00                            scheme, as text
//!                                          00 00                                 port; 0 is the scheme's default
//!                                          00                                    user, as text; here empty
//! ```

use std::cmp::Ordering;
use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

use url::{Position, Url};

use super::host_path::{self, HostPath, Site};
use crate::keys::encode::{Field, FieldSpan, Reader, Sink, Within, Writer, text};
use crate::keys::error::{DecodeError, DecodeReason};
use crate::keys::host::{self, Domain, HostPathError};
use crate::keys::layout::{Scalar, Type};

/// A [`url::Url`] as a key field: one with a path, and a host that is valid in a [`HostPath`].
///
/// It sorts as a [`HostPath`], then by scheme, port and user, so the pages of a domain are neighbours whatever their
/// scheme. It derefs to its `Url`.
///
/// ```
/// use rowkey::{RowKey, UrlKey};
///
/// let url: UrlKey = "https://hbase.apache.org/book.html".parse()?;
/// assert_eq!(url.encode(), b"org.apache.hbase/book.html\0https\0\0\0\0");
/// assert_eq!((url.scheme(), url.path()), ("https", "/book.html"));
/// assert!("mailto:me@example.org".parse::<UrlKey>().is_err());
/// # Ok::<(), rowkey::UrlKeyError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct UrlKey(Url);

/// Why a URL can't be a key field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UrlKeyError {
    /// The text is not a URL.
    #[error("{text:?} is not a URL")]
    Url {
        /// The text.
        text: String,
        /// The error of the crate `url`.
        source: url::ParseError,
    },
    /// The URL has no host.
    #[error("{0} has no host")]
    NoHost(String),
    /// The URL's host is not valid in a [`HostPath`].
    #[error("the host of {url} is not valid in a key")]
    Host {
        /// The URL.
        url: String,
        /// The reason why the host is invalid.
        source: HostPathError,
    },
    /// The URL's path is empty.
    #[error("{0} has no path")]
    NoPath(String),
    /// The URL's port is 0, which in a key stands for the scheme's default.
    #[error("{0} has port 0")]
    PortZero(String),
    /// The text is not the one valid form of its URL.
    #[error("{found:?} is not the URL's one valid form, {expected:?}")]
    Form {
        /// The text found.
        found: String,
        /// The form that the crate `url` writes.
        expected: String,
    },
}

impl UrlKey {
    /// The URL as the crate `url` has it.
    pub fn as_url(&self) -> &Url {
        &self.0
    }

    /// The URL's host and path; the path includes query and fragment.
    pub fn host_path(&self) -> HostPath {
        let (host, path) = self.page();
        HostPath::checked(host, path)
    }

    /// Checks that the parts of the URL make up all of it, and that its text parses to the same URL.
    fn check(url: Url) -> Result<Self, UrlKeyError> {
        let text = || url.as_str().to_owned();
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or_else(|| UrlKeyError::NoHost(text()))?;
        host::check(host).map_err(|source| UrlKeyError::Host { url: text(), source })?;
        if url.port() == Some(0) {
            return Err(UrlKeyError::PortZero(text()));
        }
        if !url.path().starts_with('/') {
            return Err(UrlKeyError::NoPath(text()));
        }
        let key = Self(url);
        let (host, path) = key.page();
        let rebuilt = join(host, path, key.scheme(), key.port_or_zero(), key.user());
        let again = parse(&rebuilt)?;
        if again != key.0 {
            return Err(UrlKeyError::Form { found: key.0.into(), expected: again.into() });
        }
        Ok(key)
    }

    /// Joins the parts of a URL; they must be in their one valid form.
    pub(crate) fn from_parts(page: &HostPath, scheme: &str, port: u16, user: &str) -> Result<Self, UrlKeyError> {
        let text = join(page.host(), page.path(), scheme, port, user);
        let key = Self::check(parse(&text)?)?;
        let is_same = key.page() == (page.host(), page.path())
            && (key.scheme(), key.port_or_zero(), key.user()) == (scheme, port, user);
        if !is_same || key.as_str() != text {
            return Err(UrlKeyError::Form { found: text, expected: key.0.into() });
        }
        Ok(key)
    }

    /// Host path, scheme, port or 0, user.
    pub(crate) fn parts(&self) -> (String, &str, u16, &str) {
        let (host, path) = self.page();
        (format!("{host}{path}"), self.scheme(), self.port_or_zero(), self.user())
    }

    fn page(&self) -> (&str, &str) {
        (self.0.host_str().unwrap_or_default(), &self.0[Position::BeforePath..])
    }

    fn port_or_zero(&self) -> u16 {
        self.0.port().unwrap_or(0)
    }

    /// User and password, as they are in the URL.
    fn user(&self) -> &str {
        let user = &self.0[Position::BeforeUsername..Position::BeforeHost];
        user.strip_suffix('@').unwrap_or(user)
    }
}

fn parse(text: &str) -> Result<Url, UrlKeyError> {
    Url::parse(text).map_err(|source| UrlKeyError::Url { text: text.to_owned(), source })
}

fn join(host: &str, path: &str, scheme: &str, port: u16, user: &str) -> String {
    let at = if user.is_empty() { "" } else { "@" };
    let port = if port == 0 { String::new() } else { format!(":{port}") };
    format!("{scheme}://{user}{at}{host}{port}{path}")
}

impl TryFrom<Url> for UrlKey {
    type Error = UrlKeyError;

    fn try_from(url: Url) -> Result<Self, UrlKeyError> {
        Self::check(url)
    }
}

/// Parses as the crate `url` does, which returns the one valid form: `HTTP://a.org:80` becomes `http://a.org/`.
impl FromStr for UrlKey {
    type Err = UrlKeyError;

    fn from_str(text: &str) -> Result<Self, UrlKeyError> {
        Self::check(parse(text)?)
    }
}

impl From<UrlKey> for Url {
    fn from(key: UrlKey) -> Self {
        key.0
    }
}

impl Deref for UrlKey {
    type Target = Url;

    fn deref(&self) -> &Url {
        &self.0
    }
}

impl fmt::Display for UrlKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for UrlKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.0.as_str(), f)
    }
}

/// By host and path, then scheme, port and user: the order of the bytes.
impl Ord for UrlKey {
    fn cmp(&self, other: &Self) -> Ordering {
        let rest = |key: &Self| (key.port_or_zero(), key.user().to_owned());
        host_path::compare(self.page(), other.page())
            .then_with(|| self.scheme().cmp(other.scheme()))
            .then_with(|| rest(self).cmp(&rest(other)))
    }
}

impl PartialOrd for UrlKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Field for UrlKey {
    type Ref<'a> = Self;
    const TYPE: &'static Type = &Type::Scalar(Scalar::Url);

    fn encode<S: Sink>(&self, w: &mut Writer<'_, S>) {
        let (host, path) = self.page();
        host_path::write(host, path, w, text::escape);
        text::encode(b"", w);
        text::encode(self.scheme().as_bytes(), w);
        self.port_or_zero().encode(w);
        text::encode(self.user().as_bytes(), w);
    }

    fn decode<'a>(r: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let at = r.offset();
        let page = HostPath::decode(r)?;
        let scheme = String::decode(r)?;
        let port = u16::decode(r)?;
        let user = String::decode(r)?;
        Self::from_parts(&page, &scheme, port, &user)
            .map_err(|error| DecodeError::new(at, DecodeReason::Url(error.to_string())))
    }

    fn skip(r: &mut Reader<'_>) -> Result<(), DecodeError> {
        HostPath::skip(r)?;
        String::skip(r)?;
        u16::skip(r)?;
        String::skip(r)
    }
}

crate::keys::encode::into_field!(UrlKey);
host_path::hosts!(UrlKey);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::encode::tests::{bytes, refused};

    fn url(text: &str) -> UrlKey {
        text.parse().unwrap()
    }

    #[test]
    fn what_is_no_key_is_told() {
        for (text, due) in [
            ("mailto:me@a.org", "mailto:me@a.org has no host"),
            ("file:///etc", "file:///etc has no host"),
            ("redis://db.example", "redis://db.example has no path"),
            ("http://a.org:0/", "http://a.org:0/ has port 0"),
            ("redis://DB/0", "the host of redis://DB/0 is not valid in a key"),
            ("http://a.org./", "the host of http://a.org./ is not valid in a key"),
            ("a.org/x", "\"a.org/x\" is not a URL"),
        ] {
            assert_eq!(text.parse::<UrlKey>().unwrap_err().to_string(), due);
        }
        assert_eq!(url("HTTP://A.org:80").as_str(), "http://a.org/");
        assert_eq!(url("http://:pw@a.org/").user(), ":pw");
    }

    #[test]
    fn other_forms_are_refused() {
        for hex in [
            "6578616d706c652e612f0068747470730001bb00",
            "6578616d706c652e612f004854545000000000",
            "6578616d706c652e612f612f2e2e2f62006874747000000000",
            "6578616d706c652e612f612062006874747000000000",
            // Parts that would be read as others: a scheme `http://b`, a user `b/`.
            "6578616d706c652e612f00687474703a2f2f6200000000",
            "6578616d706c652e612f00687474700000000000622f00",
        ] {
            refused::<UrlKey>(hex);
        }
    }

    #[test]
    fn order_is_that_of_the_bytes() {
        let texts = [
            "http://a.org/",
            "https://a.org/",
            "http://a.org:81/",
            "http://u@a.org/",
            "ftp://b.a.org/",
            "http://[::1]/",
        ];
        for a in texts.map(url) {
            for b in texts.map(url) {
                assert_eq!(a.cmp(&b), bytes(&a).cmp(&bytes(&b)), "{a} {b}");
            }
        }
    }
}
