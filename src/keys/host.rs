//! Hosts: which are valid, and their form in a key.
//!
//! ```text
//! kafka.apache.org   org.apache.kafka     labels reversed, so that a domain sorts right before its subdomains
//! 10.0.0.1           10.0.0.1             addresses are not reversed, and have one valid form each
//! [2001:db8::7]      [2001:db8::7]
//! ```

use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// Why a text is not a valid host path or host: which label, and what is wrong with it.
///
/// ```
/// use rowkey::HostPath;
///
/// let error = HostPath::parse("www.Apache.org/").unwrap_err();
/// assert_eq!(error.to_string(), "the label \"Apache\" has 'A' in upper case: write the host in lower case");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HostPathError {
    /// No `/` follows the host. An error of decoding alone: a text without `/` is parsed as if it ended in one.
    #[error("no / follows the host {0:?}")]
    NoSlash(String),
    /// There is no host before the path.
    #[error("there is no host before the path")]
    NoHost,
    /// A label is empty: two dots in a row, or a dot at the start.
    #[error("label {number} of {host:?} is empty")]
    EmptyLabel {
        /// The host.
        host: String,
        /// The number of the label, counted from 1 on the left.
        number: usize,
    },
    /// The host ends in the dot of DNS's root. `apache.org.` and `apache.org` are one host, and a key has one form of
    /// it: the one without the dot.
    #[error("the host {0:?} ends in a dot: remove it")]
    TrailingDot(String),
    /// A label has an upper-case letter. Letters are not folded here: convert the host to lower case first.
    #[error("the label {label:?} has {found:?} in upper case: write the host in lower case")]
    UpperCase {
        /// The label.
        label: String,
        /// Its first upper-case letter.
        found: char,
    },
    /// A label has a character that is not valid in labels.
    #[error("the label {label:?} has {found:?}: only a-z, 0-9, - and _ are valid")]
    Character {
        /// The label.
        label: String,
        /// Its first character that is not valid.
        found: char,
    },
    /// The last label of a name is a number.
    #[error("the last label, {0:?}, is a number: only addresses end in one")]
    NumericTop(String),
    /// Numbers and dots that are not an IPv4 address in its one valid form.
    #[error("{0:?} is not a valid IPv4 address: write four numbers up to 255, without leading zeros")]
    Ipv4(String),
    /// The text in brackets is not an IPv6 address in its one valid form; with the valid form, if it is an address.
    #[error("{0:?} is not a valid IPv6 address in its shortest form{hint}", hint = hint(.1))]
    Ipv6(String, Option<String>),
    /// A bracket is not closed.
    #[error("the bracket of {0:?} is not closed")]
    Bracket(String),
    /// The text is a URL with a scheme.
    #[error("{0:?} begins with a scheme: a host path begins with the host")]
    Scheme(String),
    /// The host has a port.
    #[error("{0:?} has a port: a host path has none")]
    Port(String),
    /// There is a user before the host.
    #[error("{0:?} has a user before the host: a host path has none")]
    UserInfo(String),
    /// The host is an address, but a [`Domain`] is a name.
    #[error("{0} is an address: it has no subdomains")]
    Address(String),
}

fn hint(form: &Option<String>) -> String {
    form.as_ref().map(|form| format!(": write {form:?}")).unwrap_or_default()
}

/// The kind of a host: a name, whose labels are reversed in a key, or an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Name,
    Address,
}

/// The host at the start of a text. Of a URL it returns all, so that the check of the host finds the scheme.
pub(super) fn before_path(text: &str) -> &str {
    match text.split_once('/') {
        Some((host, path)) if !(host.ends_with(':') && path.starts_with('/')) => host,
        _ => text,
    }
}

/// Checks a host as people write it.
pub(super) fn check(host: &str) -> Result<Kind, HostPathError> {
    if host.is_empty() {
        return Err(HostPathError::NoHost);
    }
    if host.contains("://") {
        return Err(HostPathError::Scheme(host.to_owned()));
    }
    if host.contains('@') {
        return Err(HostPathError::UserInfo(host.to_owned()));
    }
    if host.starts_with('[') {
        return check_ipv6(host).map(|()| Kind::Address);
    }
    if host.contains(':') {
        return Err(HostPathError::Port(host.to_owned()));
    }
    if let Some(empty) = host.split('.').position(str::is_empty) {
        // The one after the last dot.
        if empty > 0 && host.split('.').nth(empty + 1).is_none() {
            return Err(HostPathError::TrailingDot(host.to_owned()));
        }
        return Err(HostPathError::EmptyLabel { host: host.to_owned(), number: empty + 1 });
    }
    host.split('.').try_for_each(check_label)?;
    let last = host.rsplit('.').next().unwrap_or(host);
    if !is_number(last) {
        return Ok(Kind::Name);
    }
    match host.parse::<Ipv4Addr>() {
        Ok(_) => Ok(Kind::Address),
        Err(_) if host.split('.').all(is_number) => Err(HostPathError::Ipv4(host.to_owned())),
        Err(_) => Err(HostPathError::NumericTop(last.to_owned())),
    }
}

fn is_number(label: &str) -> bool {
    label.bytes().all(|byte| byte.is_ascii_digit())
}

fn check_label(label: &str) -> Result<(), HostPathError> {
    let is_good = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '-' | '_');
    match label.chars().find(|&c| !is_good(c)) {
        None => Ok(()),
        Some(found @ 'A'..='Z') => Err(HostPathError::UpperCase { label: label.to_owned(), found }),
        Some(found) => Err(HostPathError::Character { label: label.to_owned(), found }),
    }
}

fn check_ipv6(host: &str) -> Result<(), HostPathError> {
    let Some((address, rest)) = host[1..].split_once(']') else {
        return Err(HostPathError::Bracket(host.to_owned()));
    };
    let form = address.parse::<Ipv6Addr>().ok().map(ipv6);
    match rest {
        "" if form.as_deref() == Some(host) => Ok(()),
        "" => Err(HostPathError::Ipv6(host.to_owned(), form)),
        rest if rest.starts_with(':') => Err(HostPathError::Port(host.to_owned())),
        _ => Err(HostPathError::Ipv6(host.to_owned(), None)),
    }
}

/// The one valid form of an address, in brackets. It is std's, except that std writes mapped IPv4 addresses with dots.
fn ipv6(address: Ipv6Addr) -> String {
    match address.segments() {
        [0, 0, 0, 0, 0, 0xffff, high, low] => format!("[::ffff:{high:x}:{low:x}]"),
        _ => format!("[{address}]"),
    }
}

/// The parts of a checked host in the order of a key, which has dots between them.
pub(super) fn key_labels(host: &str, kind: Kind) -> impl Iterator<Item = &str> {
    let (name, address) = match kind {
        Kind::Name => (Some(host), None),
        Kind::Address => (None, Some(host)),
    };
    name.into_iter().flat_map(|name| name.rsplit('.')).chain(address)
}

/// The kind of a checked host.
pub(super) fn kind(host: &str) -> Kind {
    let last = host.rsplit('.').next().unwrap_or(host);
    if host.starts_with('[') || is_number(last) { Kind::Address } else { Kind::Name }
}

/// A checked host as it is in a key.
pub(super) fn reversed(host: &str) -> String {
    let mut reversed = String::with_capacity(host.len());
    for label in key_labels(host, kind(host)) {
        if !reversed.is_empty() {
            reversed.push('.');
        }
        reversed.push_str(label);
    }
    reversed
}

/// Returns the host from its form in a key, checked.
pub(super) fn from_key(reversed: &str) -> Result<String, HostPathError> {
    if reversed.starts_with('[') || reversed.parse::<Ipv4Addr>().is_ok() {
        check(reversed)?;
        return Ok(reversed.to_owned());
    }
    let labels: Vec<_> = reversed.rsplit('.').collect();
    let host = labels.join(".");
    match check(&host) {
        // Numbers that are an address only backwards.
        Ok(Kind::Address) | Err(HostPathError::Ipv4(_)) => Err(HostPathError::Ipv4(reversed.to_owned())),
        Ok(Kind::Name) => Ok(host),
        Err(error) => Err(error),
    }
}

/// A domain and all its subdomains, to select pages by: `name_under(&domain)` of a [`HostPath`](crate::HostPath) field.
///
/// ```
/// use rowkey::Domain;
///
/// let apache: Domain = "apache.org".parse()?;
/// assert!(apache.contains("kafka.apache.org") && apache.contains("apache.org"));
/// assert!(!apache.contains("apache-foo.org") && !apache.contains("apache2.org"));
/// assert!(Domain::parse("10.0.0.1").is_err());
/// # Ok::<(), rowkey::HostPathError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Domain(String);

impl Domain {
    /// Parses a name, as in `apache.org`.
    ///
    /// # Errors
    /// If it is not a valid host of a [`HostPath`](crate::HostPath), or is an address.
    pub fn parse(name: &str) -> Result<Self, HostPathError> {
        match check(name)? {
            Kind::Name => Ok(Self(name.to_owned())),
            Kind::Address => Err(HostPathError::Address(name.to_owned())),
        }
    }

    /// The name as people write it, not reversed.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether a host is this domain or one of its subdomains. `false` for an invalid host, such as one that
    /// ends in a dot.
    pub fn contains(&self, host: &str) -> bool {
        host.strip_suffix(&self.0).is_some_and(|before| before.is_empty() || before.ends_with('.'))
    }
}

impl FromStr for Domain {
    type Err = HostPathError;

    fn from_str(name: &str) -> Result<Self, HostPathError> {
        Self::parse(name)
    }
}

impl TryFrom<&str> for Domain {
    type Error = HostPathError;

    fn try_from(name: &str) -> Result<Self, HostPathError> {
        Self::parse(name)
    }
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_have_one_form() {
        for (host, due) in [
            ("apache.org", "org.apache"),
            ("localhost", "localhost"),
            ("-a_.b-", "b-.-a_"),
            ("1.a", "a.1"),
            ("10.0.0.1", "10.0.0.1"),
            ("[::]", "[::]"),
            ("[::ffff:102:304]", "[::ffff:102:304]"),
            ("[::ffff:0:0]", "[::ffff:0:0]"),
            ("[::102:304]", "[::102:304]"),
            ("[1:0:0:2::3]", "[1:0:0:2::3]"),
            ("[1::2:0:0:3:4]", "[1::2:0:0:3:4]"),
            ("[1:0:2:3:4:5:6:7]", "[1:0:2:3:4:5:6:7]"),
        ] {
            check(host).unwrap();
            assert_eq!(reversed(host), due);
            assert_eq!(from_key(due).unwrap(), host);
        }
    }

    #[test]
    fn errors_say_which_label_and_why() {
        for (host, due) in [
            ("", "there is no host before the path"),
            ("a..b", "label 2 of \"a..b\" is empty"),
            ("a.b.", "the host \"a.b.\" ends in a dot: remove it"),
            ("a.b..", "label 3 of \"a.b..\" is empty"),
            ("a.bC.d", "the label \"bC\" has 'C' in upper case: write the host in lower case"),
            ("bücher.de", "the label \"bücher\" has 'ü': only a-z, 0-9, - and _ are valid"),
            ("a.org?q", "the label \"org?q\" has '?': only a-z, 0-9, - and _ are valid"),
            ("a.b.7", "the last label, \"7\", is a number: only addresses end in one"),
            (
                "10.0.0.01",
                "\"10.0.0.01\" is not a valid IPv4 address: write four numbers up to 255, without leading zeros",
            ),
            ("7", "\"7\" is not a valid IPv4 address: write four numbers up to 255, without leading zeros"),
            ("[::0]", "\"[::0]\" is not a valid IPv6 address in its shortest form: write \"[::]\""),
            ("[A::]", "\"[A::]\" is not a valid IPv6 address in its shortest form: write \"[a::]\""),
            ("[fe80::1%eth0]", "\"[fe80::1%eth0]\" is not a valid IPv6 address in its shortest form"),
            ("[::1", "the bracket of \"[::1\" is not closed"),
            ("[::1]:80", "\"[::1]:80\" has a port: a host path has none"),
            ("a.b:80", "\"a.b:80\" has a port: a host path has none"),
            ("me@a.b", "\"me@a.b\" has a user before the host: a host path has none"),
            ("http://me@a.b", "\"http://me@a.b\" begins with a scheme: a host path begins with the host"),
        ] {
            assert_eq!(check(host).unwrap_err().to_string(), due);
        }
        assert_eq!(from_key("01.0.0.10"), Err(HostPathError::Ipv4("01.0.0.10".into())));
        assert_eq!(from_key("1.apache"), Err(HostPathError::NumericTop("1".into())));
        assert!(from_key("org:80.apache").is_err());
    }
}
