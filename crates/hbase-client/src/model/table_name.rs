//! Names of tables.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use crate::model::names::{InvalidName, LONGEST_KEY};
use crate::pb;

/// The name of a table, with its namespace: `default` if it is not given.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TableName {
    namespace: Arc<str>,
    name: Arc<str>,
}

const DEFAULT: &str = "default";
pub(crate) const SYSTEM: &str = "hbase";

impl TableName {
    /// The table of a namespace.
    pub fn new(namespace: impl AsRef<str>, name: impl AsRef<str>) -> Self {
        Self { namespace: namespace.as_ref().into(), name: name.as_ref().into() }
    }

    /// The table that tells which regions there are.
    pub(crate) fn meta() -> Self {
        Self::new(SYSTEM, "meta")
    }

    pub(crate) fn is_meta(&self) -> bool {
        self.is_system() && &*self.name == "meta"
    }

    pub(crate) fn is_system(&self) -> bool {
        &*self.namespace == SYSTEM
    }

    /// The namespace.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// The name within the namespace.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The most bytes of a split key of this table. A region's name, which has the key, is the key of a row of
    /// `hbase:meta`: `table,key,milliseconds.digest.`. With a longer one the creation of a table fails in the middle,
    /// and no table of that name can be created afterwards.
    pub fn longest_split_key(&self) -> usize {
        const REST: usize = ",,1700000000000.d41d8cd98f00b204e9800998ecf8427e.".len();
        LONGEST_KEY.saturating_sub(self.namespace.len() + ":".len() + self.name.len() + REST)
    }

    /// Checks that a table can have this name.
    pub(crate) fn check(&self) -> Result<(), InvalidName> {
        let name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        let wrong = self.name.is_empty()
            || self.name.len() > LONGEST
            || self.name.starts_with(['.', '-'])
            || !self.name.chars().all(name)
            || check_namespace(&self.namespace).is_err();
        match wrong {
            true => Err(InvalidName(format!(
                "no table can be named {self:?}: a name has up to 255 bytes, of letters, digits, `_`, `-` and `.`, and \
                 begins with neither of the last two; a namespace has letters, digits and `_`"
            ))),
            false => Ok(()),
        }
    }

    pub(crate) fn from_pb(name: &pb::TableName) -> Option<Self> {
        let text = |bytes| std::str::from_utf8(bytes).ok();
        Some(Self::new(text(&name.namespace)?, text(&name.qualifier)?))
    }

    pub(crate) fn to_pb(&self) -> pb::TableName {
        let bytes = |text: &str| Bytes::copy_from_slice(text.as_bytes());
        pb::TableName { namespace: bytes(&self.namespace), qualifier: bytes(&self.name) }
    }
}

/// Names are those of folders, which the usual file systems bound. HBase does not check it, and then tries to create
/// the folder again and again.
const LONGEST: usize = 255;

/// Checks that a namespace can have this name.
pub(crate) fn check_namespace(name: &str) -> Result<(), InvalidName> {
    match !name.is_empty() && name.len() <= LONGEST && name.chars().all(|c| c.is_alphanumeric() || c == '_') {
        true => Ok(()),
        false => Err(InvalidName(format!(
            "no namespace can be named {name:?}: a name has up to 255 bytes, of letters, digits and `_`"
        ))),
    }
}

impl From<&str> for TableName {
    /// Reads `name` or `namespace:name`.
    fn from(text: &str) -> Self {
        let (namespace, name) = text.split_once(':').unwrap_or((DEFAULT, text));
        Self::new(namespace, name)
    }
}

impl From<String> for TableName {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

impl From<&TableName> for TableName {
    fn from(name: &TableName) -> Self {
        name.clone()
    }
}

impl fmt::Display for TableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.namespace {
            DEFAULT => f.write_str(&self.name),
            namespace => write!(f, "{namespace}:{}", self.name),
        }
    }
}

impl fmt::Debug for TableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_have_a_namespace() {
        assert_eq!(TableName::from("t"), TableName::new("default", "t"));
        assert_eq!(TableName::from("n:t"), TableName::new("n", "t"));
        assert_eq!(TableName::from("n:t").to_string(), "n:t");
        assert_eq!(TableName::from("default:t").to_string(), "t");
        assert!(TableName::from("hbase:meta").is_meta() && !TableName::from("meta").is_meta());
    }

    #[test]
    fn hbase_has_rules_for_names() {
        for good in ["t", "n:t", "a.b-c_d", "_t", "tabelle_ä", "n_1:t"] {
            assert!(TableName::from(good).check().is_ok(), "{good}");
        }
        for wrong in ["", ":t", "n:", "a b", "../t", ".t", "-t", "a:b:c", "n.1:t"] {
            assert!(TableName::from(wrong).check().is_err(), "{wrong}");
        }
        let long = |bytes| "n".repeat(bytes);
        assert!(TableName::new(long(255), long(255)).check().is_ok());
        assert!(TableName::new("n", long(256)).check().is_err() && TableName::new(long(256), "t").check().is_err());
    }
}
