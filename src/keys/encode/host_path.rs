//! Host paths: web pages, sorted by domain, so that the pages of a domain and its subdomains are one range.
//!
//! ```text
//! hbase.apache.org/book.html     "org.apache.hbase/book.html"     as text: escaped, then the terminator 00
//! 10.0.0.1/x.y                   "10.0.0.1/x.y"                   an address is not reversed
//! ```
//!
//! `.` `/` `0` are neighbours (2E 2F 30), with no other byte of a host between them. So `org.apache.` to `org.apache0`
//! is apache.org and all its subdomains, without apache-foo.org.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use crate::keys::encode::raw::{RawField, RawOf};
use crate::keys::encode::text::{self, escape};
use crate::keys::encode::{Field, FieldSpan, IntoField, Reader, Sink, Within, Writer};
use crate::keys::error::{DecodeError, DecodeReason};
use crate::keys::host::{self, Domain, HostPathError, Kind};
use crate::keys::layout::{Scalar, Type};

/// A web page as a key field: a host and a path, sorted by the host's labels from the last to the first. The pages of a
/// domain and its subdomains are one range.
///
/// Labels have the characters `a-z 0-9 - _`; international labels are A-labels (`xn--…`). Upper case is refused, not
/// folded. The path is any text from the first `/` on, with `?` and `#`, and is not changed. An IPv4 address has no
/// leading zeros; an IPv6 address is in brackets, in its shortest form. There is no port, no user, and no dot at the
/// end of the host: write `apache.org` for `apache.org.`.
///
/// ```
/// use rowkey::{Domain, HostPath, KeyRange, RowKey, Select};
///
/// let page = HostPath::parse("hbase.apache.org/book.html")?;
/// assert_eq!((page.host(), page.path()), ("hbase.apache.org", "/book.html"));
/// assert_eq!(page.encode(), b"org.apache.hbase/book.html\0");
///
/// #[derive(RowKey)]
/// struct Page {
///     url: HostPath,
///     #[rowkey(desc)]
///     fetched: u64,
/// }
///
/// let ranges = Page::prefix().url_under("apache.org").ranges();
/// assert_eq!(ranges, [KeyRange::new(*b"org.apache.", Some(*b"org.apache0")).unwrap()]);
/// # Ok::<(), rowkey::HostPathError>(())
/// ```
#[doc(alias = "reverse domain")]
#[doc(alias = "SURT")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct HostPath {
    /// As people write it, not reversed.
    text: String,
    host_len: usize,
}

impl HostPath {
    /// Parses `host/path`. A host without `/` gets the path `/`.
    ///
    /// # Errors
    /// If the host is not valid.
    pub fn parse(text: &str) -> Result<Self, HostPathError> {
        Self::from_text(Cow::Borrowed(text))
    }

    /// Joins a host and a path. A path that does not begin with `/` gets one.
    ///
    /// # Errors
    /// If the host is not valid.
    ///
    /// ```
    /// # use rowkey::HostPath;
    /// assert_eq!(HostPath::new("apache.org", "index.html")?, HostPath::parse("apache.org/index.html")?);
    /// # Ok::<(), rowkey::HostPathError>(())
    /// ```
    pub fn new(host: &str, path: &str) -> Result<Self, HostPathError> {
        host::check(host)?;
        let slash = if path.starts_with('/') { "" } else { "/" };
        Ok(Self { text: format!("{host}{slash}{path}"), host_len: host.len() })
    }

    fn from_text(text: Cow<'_, str>) -> Result<Self, HostPathError> {
        let host = host::before_path(&text);
        host::check(host)?;
        let host_len = host.len();
        let mut text = text.into_owned();
        if text.len() == host_len {
            text.push('/');
        }
        Ok(Self { text, host_len })
    }

    /// Joins a checked host and a path with its `/`.
    #[cfg(feature = "url")]
    pub(super) fn checked(host: &str, path: &str) -> Self {
        Self { text: format!("{host}{path}"), host_len: host.len() }
    }

    /// Parses the text of a key, whose host is reversed.
    fn from_key(text: &str) -> Result<Self, HostPathError> {
        let Some((reversed, path)) = text.split_once('/') else {
            return Err(HostPathError::NoSlash(text.to_owned()));
        };
        let host = host::from_key(reversed)?;
        Ok(Self { host_len: host.len(), text: format!("{host}/{path}") })
    }

    /// The host and the path as people write them, not reversed.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The host, not reversed.
    pub fn host(&self) -> &str {
        &self.text[..self.host_len]
    }

    /// The path from its `/` on, with query and fragment.
    pub fn path(&self) -> &str {
        &self.text[self.host_len..]
    }

    /// Returns the host's registrable domain, to group pages by owner: the public suffix and one more label, as
    /// `apache.org` of `kafka.apache.org`. `None` for an address, and if the host is a public suffix. (Feature
    /// `public-suffix`.)
    ///
    /// The suffixes are those of the crate `psl`, whose list changes with its versions. A key that holds the
    /// registrable domain as a field keeps the one from when it was written.
    ///
    /// ```
    /// use rowkey::{HostPath, RowKey};
    ///
    /// /// Pages by who owns them.
    /// #[derive(RowKey)]
    /// struct Page {
    ///     owner: String,
    ///     url: HostPath,
    /// }
    ///
    /// let url = HostPath::parse("www.gov.bbc.co.uk/news")?;
    /// let owner = url.registrable_domain().unwrap_or(url.host()).to_owned();
    /// assert_eq!(owner, "bbc.co.uk");
    /// let page = Page { owner, url };
    /// # Ok::<(), rowkey::HostPathError>(())
    /// ```
    #[cfg(feature = "public-suffix")]
    pub fn registrable_domain(&self) -> Option<&str> {
        match host::kind(self.host()) {
            Kind::Name => psl::domain_str(self.host()),
            Kind::Address => None,
        }
    }

    /// The host as a domain; `None` for an address.
    pub fn domain(&self) -> Option<Domain> {
        Domain::parse(self.host()).ok()
    }
}

impl FromStr for HostPath {
    type Err = HostPathError;

    fn from_str(text: &str) -> Result<Self, HostPathError> {
        Self::parse(text)
    }
}

impl TryFrom<&str> for HostPath {
    type Error = HostPathError;

    fn try_from(text: &str) -> Result<Self, HostPathError> {
        Self::parse(text)
    }
}

impl TryFrom<String> for HostPath {
    type Error = HostPathError;

    fn try_from(text: String) -> Result<Self, HostPathError> {
        Self::from_text(Cow::Owned(text))
    }
}

impl From<HostPath> for String {
    fn from(path: HostPath) -> Self {
        path.text
    }
}

impl AsRef<str> for HostPath {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Display for HostPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for HostPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text, f)
    }
}

/// By the host reversed, then the path: the order of the bytes.
impl Ord for HostPath {
    fn cmp(&self, other: &Self) -> Ordering {
        compare((self.host(), self.path()), (other.host(), other.path()))
    }
}

impl PartialOrd for HostPath {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Compares two checked hosts, each with its path, in key order.
pub(super) fn compare((a_host, a_path): (&str, &str), (b_host, b_path): (&str, &str)) -> Ordering {
    if a_host == b_host {
        return a_path.cmp(b_path);
    }
    // If one reversed host begins with the other, a `/` follows the shorter and a `.` its end in the longer.
    host::reversed(a_host)
        .into_bytes()
        .into_iter()
        .chain([b'/'])
        .cmp(host::reversed(b_host).into_bytes().into_iter().chain([b'/']))
}

/// Writes a checked host and its path, without the terminator; `write` escapes or does not.
pub(super) fn write<S: Sink>(host: &str, path: &str, w: &mut Writer<'_, S>, write: fn(&[u8], &mut Writer<'_, S>)) {
    for (i, label) in host::key_labels(host, host::kind(host)).enumerate() {
        if i > 0 {
            w.byte(b'.');
        }
        w.bytes(label.as_bytes());
    }
    write(path.as_bytes(), w);
}

fn plain<S: Sink>(content: &[u8], w: &mut Writer<'_, S>) {
    w.bytes(content);
}

fn decode_error(at: usize) -> impl FnOnce(HostPathError) -> DecodeError {
    move |error| DecodeError::new(at, DecodeReason::HostPath(error))
}

impl Field for HostPath {
    type Ref<'a> = Self;
    const TYPE: &'static Type = &Type::Scalar(Scalar::HostPath);

    #[inline]
    fn encode<S: Sink>(&self, w: &mut Writer<'_, S>) {
        write(self.host(), self.path(), w, escape);
        text::encode(b"", w);
    }

    fn decode<'a>(r: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let at = r.offset();
        let text = Cow::<str>::decode(r)?;
        Self::from_key(&text).map_err(decode_error(at))
    }

    #[inline]
    fn skip(r: &mut Reader<'_>) -> Result<(), DecodeError> {
        <&str>::skip(r)
    }
}

impl RawField for HostPath {
    #[inline]
    fn encode_raw<S: Sink>(&self, w: &mut Writer<'_, S>) {
        write(self.host(), self.path(), w, plain);
    }

    fn decode_raw<'a>(r: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let at = r.offset();
        let text = Cow::<str>::decode_raw(r)?;
        Self::from_key(&text).map_err(decode_error(at))
    }
}

crate::keys::encode::into_field!(HostPath);

#[diagnostic::do_not_recommend]
impl IntoField<RawOf<HostPath>> for HostPath {
    #[inline]
    fn encode_field<S: Sink>(&self, w: &mut Writer<'_, S>) {
        self.encode_raw(w);
    }
}

#[diagnostic::do_not_recommend]
impl IntoField<RawOf<HostPath>> for &HostPath {
    #[inline]
    fn encode_field<S: Sink>(&self, w: &mut Writer<'_, S>) {
        self.encode_raw(w);
    }
}

/// The pages of one host without its subdomains, or those whose paths begin with a text, to select pages by:
/// `name_under(&site)`.
///
/// ```
/// use rowkey::{HostPath, KeyRange, RowKey, Select, Site};
///
/// #[derive(RowKey)]
/// struct Page {
///     url: HostPath,
/// }
///
/// let site = Site::host("kafka.apache.org")?;
/// let ranges = Page::prefix().url_under(&site.path_starts_with("/docs")).ranges();
/// assert_eq!(ranges, [KeyRange::new(*b"org.apache.kafka/docs", Some(*b"org.apache.kafka/doct")).unwrap()]);
/// # Ok::<(), rowkey::HostPathError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Site {
    host: String,
    path: String,
}

impl Site {
    /// Selects all pages of this host, a name or an address, without its subdomains.
    ///
    /// # Errors
    /// If the host is not valid.
    pub fn host(host: &str) -> Result<Self, HostPathError> {
        host::check(host)?;
        Ok(Self { host: host.to_owned(), path: "/".into() })
    }

    /// Restricts the selection to paths that begin with `start`. Every path begins with `/`, so a start without it
    /// selects nothing.
    #[must_use]
    pub fn path_starts_with(self, start: &str) -> Self {
        let path = if start.is_empty() { "/" } else { start };
        Self { path: path.to_owned(), ..self }
    }

    /// Returns whether a page is selected.
    pub fn contains(&self, page: &HostPath) -> bool {
        page.host() == self.host && page.path().starts_with(&self.path)
    }

    fn span(&self, raw: bool) -> Vec<FieldSpan> {
        if !self.path.starts_with('/') {
            return Vec::new();
        }
        let mut low = Vec::new();
        let w = &mut Writer::new(&mut low);
        write(&self.host, &self.path, w, if raw { plain } else { escape });
        vec![beginning(low)]
    }
}

/// The values that begin with these bytes. The last byte must not be FF.
fn beginning(low: Vec<u8>) -> FieldSpan {
    let mut high = low.clone();
    if let Some(last) = high.last_mut() {
        *last += 1;
    }
    FieldSpan::Between(low, high)
}

/// From `org.apache.` to `org.apache0`. Hosts have no escapes, so raw fields have the same range.
fn under(name: &str) -> Vec<FieldSpan> {
    let end = |byte: u8| [host::reversed(name).as_bytes(), &[byte]].concat();
    vec![FieldSpan::Between(end(b'.'), end(b'0'))]
}

/// Implements [`Within`] for a type whose keys begin with a host: what selects pages by their host.
macro_rules! hosts {
    ($type:ty) => {
        /// The pages of the domain and all its subdomains.
        impl Within<Domain> for $type {
            fn within(domain: &Domain) -> Vec<FieldSpan> {
                $crate::keys::encode::host_path::under_domain(domain)
            }
        }

        /// The pages of the domain and all its subdomains; for an address, of that host. An invalid host selects no
        /// pages: to get an error for user input, parse a [`Domain`] or a [`Site`] first.
        impl Within<str> for $type {
            fn within(host: &str) -> Vec<FieldSpan> {
                $crate::keys::encode::host_path::under_text(host)
            }
        }

        /// The same as of a `str`.
        impl Within<String> for $type {
            fn within(host: &String) -> Vec<FieldSpan> {
                $crate::keys::encode::host_path::under_text(host)
            }
        }

        /// The pages of one host.
        impl Within<Site> for $type {
            fn within(site: &Site) -> Vec<FieldSpan> {
                $crate::keys::encode::host_path::under_site(site, false)
            }

            fn within_raw(site: &Site) -> Vec<FieldSpan> {
                $crate::keys::encode::host_path::under_site(site, true)
            }
        }
    };
}
#[cfg(feature = "url")]
pub(super) use hosts;
hosts!(HostPath);

pub(super) fn under_domain(domain: &Domain) -> Vec<FieldSpan> {
    under(domain.as_str())
}

pub(super) fn under_text(host: &str) -> Vec<FieldSpan> {
    under_host(host).unwrap_or_default()
}

/// The pages of a domain and all its subdomains, or of an address.
pub(in crate::keys) fn under_host(host: &str) -> Result<Vec<FieldSpan>, HostPathError> {
    Ok(match host::check(host)? {
        Kind::Name => under(host),
        Kind::Address => vec![beginning(format!("{host}/").into_bytes())],
    })
}

pub(super) fn under_site(site: &Site, raw: bool) -> Vec<FieldSpan> {
    site.span(raw)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::encode::tests::{bytes, refused, unhex};

    fn page(text: &str) -> HostPath {
        text.parse().unwrap()
    }

    #[test]
    fn what_is_no_host_path_is_refused() {
        for hex in ["6f72672e61706163686500", "2f7800", "312e6170616368652f00", "5b3a3a312f00", "612fff00"] {
            refused::<HostPath>(hex);
        }
        let error = HostPath::decode(&mut Reader::new(&unhex("6f72672e2e6170616368652f00"))).unwrap_err();
        assert_eq!(error.to_string(), "at byte 0: label 2 of \"apache..org\" is empty");
    }

    #[test]
    fn a_url_is_told_from_a_host_with_a_port() {
        let scheme = HostPathError::Scheme("https://a.org/x".into());
        assert_eq!(HostPath::parse("https://a.org/x"), Err(scheme));
        assert_eq!(HostPath::parse("a.org:/x"), Err(HostPathError::Port("a.org:".into())));
        assert_eq!(page("a.org//http://b.org").path(), "//http://b.org");
    }

    #[test]
    fn order_is_that_of_the_bytes() {
        let texts = [
            "apache.org/",
            "apache.org/a",
            "a.apache.org/",
            "-.apache.org",
            "apache-foo.org/",
            "apache2.org/",
            "10.0.0.1/",
            "[::1]/",
            "org/",
            "b.org/",
            "apache.org/\0",
            "apache.org/\u{1}",
            "9.org",
            "o-.org",
        ];
        for a in texts.map(page) {
            for b in texts.map(page) {
                assert_eq!(a.cmp(&b), bytes(&a).cmp(&bytes(&b)), "{a} {b}");
            }
        }
    }
}
