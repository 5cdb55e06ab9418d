//! Hosts: the rules for one, and its form in a key.
//!
//! ```text
//! kafka.apache.org   org.apache.kafka     labels reversed, so that a domain stands before all that is under it
//! 10.0.0.1           10.0.0.1             addresses as they are, in the one form that each has
//! [2001:db8::7]      [2001:db8::7]
//! ```

use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// Why a text is no host path, or its host no host: which label, and what is wrong with it.
///
/// ```
/// use rowkey::HostPath;
///
/// let error = HostPath::parse("www.Apache.org/").unwrap_err();
/// assert_eq!(error.to_string(), "the label \"Apache\" has 'A' in upper case: a host is written in lower case");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HostPathError {
    /// No `/` follows the host: only in keys, as a text without one is read as if it had it.
    #[error("no / follows the host {0:?}")]
    NoSlash(String),
    /// There is nothing before the path.
    #[error("there is no host before the path")]
    NoHost,
    /// Nothing stands between two dots, or before the first.
    #[error("label {number} of {host:?} is empty")]
    EmptyLabel {
        /// The host.
        host: String,
        /// Which label, counted from 1 on the left.
        number: usize,
    },
    /// The host ends in a dot, which is the root's in DNS. `apache.org.` and `apache.org` are one host, which a key has in one
    /// form: without it.
    #[error("the host {0:?} ends in a dot: take it off")]
    TrailingDot(String),
    /// A label has an upper-case letter. It is not folded: the user decides what is the same.
    #[error("the label {label:?} has {found:?} in upper case: a host is written in lower case")]
    UpperCase {
        /// The label.
        label: String,
        /// Its first upper-case letter.
        found: char,
    },
    /// A label has a character that labels have not.
    #[error("the label {label:?} has {found:?}: only a-z, 0-9, - and _ stand in one")]
    Character {
        /// The label.
        label: String,
        /// The first such character.
        found: char,
    },
    /// The last label of a name is a number.
    #[error("the last label, {0:?}, is a number: only addresses end in one")]
    NumericTop(String),
    /// Numbers and dots that are no IPv4 address in its one form.
    #[error("{0:?} is no IPv4 address: that is four numbers to 255 without leading zeros")]
    Ipv4(String),
    /// What stands in brackets is no IPv6 address in its one form.
    #[error("{0:?} is no IPv6 address in the form that has to be used{hint}", hint = hint(.1))]
    Ipv6(String, Option<String>),
    /// A bracket that is not closed.
    #[error("the bracket of {0:?} is not closed")]
    Bracket(String),
    /// A URL, scheme and all.
    #[error("{0:?} begins with a scheme: a host path begins with the host")]
    Scheme(String),
    /// There is a port.
    #[error("{0:?} has a port: a host path has none")]
    Port(String),
    /// There is a user before the host.
    #[error("{0:?} has a user before the host: a host path has none")]
    UserInfo(String),
    /// The host is an address where a name is due.
    #[error("{0} is an address: there are no domains under it")]
    Address(String),
}

fn hint(form: &Option<String>) -> String {
    form.as_ref().map(|form| format!(", which is {form:?}")).unwrap_or_default()
}

/// Whether a host is a name, whose labels are reversed in a key, or an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Name,
    Address,
}

/// The host that a text begins with, up to the path. A URL is all host, so that the check tells that it is one.
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
        // The one behind the last dot.
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

/// The one form of an address in brackets. It is std's, but for the dots that std gives mapped IPv4 addresses.
fn ipv6(address: Ipv6Addr) -> String {
    match address.segments() {
        [0, 0, 0, 0, 0, 0xffff, high, low] => format!("[::ffff:{high:x}:{low:x}]"),
        _ => format!("[{address}]"),
    }
}

/// The parts of a checked host in the order that a key has them; dots stand between.
pub(super) fn key_labels(host: &str, kind: Kind) -> impl Iterator<Item = &str> {
    let (name, address) = match kind {
        Kind::Name => (Some(host), None),
        Kind::Address => (None, Some(host)),
    };
    name.into_iter().flat_map(|name| name.rsplit('.')).chain(address)
}

/// The kind of a host that was checked before.
pub(super) fn kind(host: &str) -> Kind {
    let last = host.rsplit('.').next().unwrap_or(host);
    if host.starts_with('[') || is_number(last) { Kind::Address } else { Kind::Name }
}

/// A host as a key has it.
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

/// A host that stands in a key, turned back and checked.
pub(super) fn from_key(reversed: &str) -> Result<String, HostPathError> {
    if reversed.starts_with('[') || reversed.parse::<Ipv4Addr>().is_ok() {
        check(reversed)?;
        return Ok(reversed.to_owned());
    }
    let labels: Vec<_> = reversed.rsplit('.').collect();
    let host = labels.join(".");
    match check(&host) {
        // Numbers that are an address backwards only.
        Ok(Kind::Address) | Err(HostPathError::Ipv4(_)) => Err(HostPathError::Ipv4(reversed.to_owned())),
        Ok(Kind::Name) => Ok(host),
        Err(error) => Err(error),
    }
}

/// A domain: a host that is a name, and stands for itself and every subdomain.
///
/// What [`HostPath`](crate::HostPath) fields take in `name_under`.
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
    /// Checks a name: the rules are those of a [`HostPath`](crate::HostPath)'s host, addresses are refused, and so is a dot at
    /// the end.
    pub fn parse(name: &str) -> Result<Self, HostPathError> {
        match check(name)? {
            Kind::Name => Ok(Self(name.to_owned())),
            Kind::Address => Err(HostPathError::Address(name.to_owned())),
        }
    }

    /// The name as people write it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether a host is this domain or a subdomain of it. A text that is no host, as one that ends in a dot, is not.
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
            ("a.b.", "the host \"a.b.\" ends in a dot: take it off"),
            ("a.b..", "label 3 of \"a.b..\" is empty"),
            ("a.bC.d", "the label \"bC\" has 'C' in upper case: a host is written in lower case"),
            ("bücher.de", "the label \"bücher\" has 'ü': only a-z, 0-9, - and _ stand in one"),
            ("a.org?q", "the label \"org?q\" has '?': only a-z, 0-9, - and _ stand in one"),
            ("a.b.7", "the last label, \"7\", is a number: only addresses end in one"),
            ("10.0.0.01", "\"10.0.0.01\" is no IPv4 address: that is four numbers to 255 without leading zeros"),
            ("7", "\"7\" is no IPv4 address: that is four numbers to 255 without leading zeros"),
            ("[::0]", "\"[::0]\" is no IPv6 address in the form that has to be used, which is \"[::]\""),
            ("[A::]", "\"[A::]\" is no IPv6 address in the form that has to be used, which is \"[a::]\""),
            ("[fe80::1%eth0]", "\"[fe80::1%eth0]\" is no IPv6 address in the form that has to be used"),
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
