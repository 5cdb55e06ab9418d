//! The schema of a wide table: its families and its row key.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::keys::error::quoted;
use crate::keys::key::RowKey;
use crate::keys::untyped::LayoutBuf;
use crate::store::catalog::KeyFields;
use crate::store::error::Error;

/// The families of a wide table and, if its rows are typed, the shape of their keys.
///
/// A database stores it with the table. [`TableSchema::changes_to`] compares it with another one.
#[doc(alias = "TableDescriptor")]
///
/// ```
/// use std::time::Duration;
///
/// use rowkey::wide::{FamilySchema, TableSchema};
///
/// let hour = FamilySchema::new().max_versions(60).ttl(Duration::from_secs(3600));
/// let schema = TableSchema::new().family("hour", hour).family("total", FamilySchema::new());
/// assert_eq!(schema.to_string(), "\
/// family hour: max versions 60, ttl 3600000 ms
/// family total: max versions 1
/// ");
/// assert_eq!(schema.to_string().parse(), Ok(schema));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct TableSchema {
    /// The shape of the row keys, if they are typed.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub row_key: Option<String>,
    /// The names and units of the row key's fields, if they are known: one per line, as FORMAT.md describes.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub row_fields: Option<String>,
    /// Earlier shapes of the row keys, before their enums got more variants. Cursors made then are still valid.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub earlier_row_keys: Vec<String>,
    /// The families by name.
    pub families: BTreeMap<String, FamilySchema>,
}

/// The versions of a column that a family keeps: how many, and how long. Reads apply it at once, unless the store
/// [declares otherwise](super::WideGuarantees::kept_on_read).
#[doc(alias = "ColumnFamilyDescriptor")]
#[doc(alias = "HColumnDescriptor")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
#[non_exhaustive]
pub struct FamilySchema {
    /// Maximum number of versions of a column that are kept. Default: 1.
    pub max_versions: u32,
    /// Minimum number of versions kept and returned even after the TTL has expired. Default: 0. Versions that have not
    /// expired count: with 2, a column with two such versions has no expired one. Deleted versions do not count. In a
    /// [time range](super::Columns::time) the newest of that range count. Has no effect without a TTL.
    pub min_versions: u32,
    /// Time to live (TTL), in whole milliseconds: a version expires when its timestamp is this long ago. Default:
    /// never.
    pub ttl: Option<Duration>,
}

impl Default for FamilySchema {
    fn default() -> Self {
        Self::new()
    }
}

impl FamilySchema {
    /// One version, without expiry.
    pub const fn new() -> Self {
        Self { max_versions: 1, min_versions: 0, ttl: None }
    }

    /// Maximum number of versions of a column that are kept. Default: 1.
    #[must_use]
    pub const fn max_versions(mut self, versions: u32) -> Self {
        self.max_versions = versions;
        self
    }

    /// Minimum number of versions kept and returned even after the TTL has expired: see the field
    /// [`min_versions`](Self::min_versions).
    #[must_use]
    pub const fn min_versions(mut self, versions: u32) -> Self {
        self.min_versions = versions;
        self
    }

    /// Time to live: a version expires when it is this old. Parts of a millisecond are dropped. Default: never.
    #[doc(alias = "TTL")]
    #[doc(alias = "time to live")]
    #[must_use]
    pub const fn ttl(mut self, ttl: Duration) -> Self {
        let whole = match ttl.checked_sub(Duration::from_nanos((ttl.subsec_nanos() % 1_000_000) as u64)) {
            Some(whole) => whole,
            None => ttl,
        };
        self.ttl = Some(whole);
        self
    }

    /// The last timestamp that has expired at time `now`. `None` if none has.
    pub fn expired_until(&self, now: i64) -> Option<i64> {
        let ttl = i64::try_from(self.ttl?.as_millis()).ok()?;
        now.checked_sub(ttl)
    }
}

impl TableSchema {
    /// No families.
    pub const fn new() -> Self {
        Self { row_key: None, row_fields: None, earlier_row_keys: Vec::new(), families: BTreeMap::new() }
    }

    /// Adds a family, or replaces it.
    #[must_use]
    pub fn family(mut self, name: impl Into<String>, family: FamilySchema) -> Self {
        self.families.insert(name.into(), family);
        self
    }

    /// Sets the type of the row keys, as a [`WideTable`](crate::WideTable) does for the schema it is opened with.
    #[must_use]
    pub fn row_key<K: RowKey>(mut self) -> Self {
        self.row_key = Some(K::LAYOUT.shape());
        self.row_fields = Some(KeyFields::of(&K::LAYOUT).to_string());
        self
    }

    /// Renames a field of the row keys, as [`catalog::rename_field`](crate::catalog::rename_field) does in a plain
    /// table. Pass the result to [`alter`](super::WideDatabase::alter).
    ///
    /// # Errors
    ///
    /// The reason why the field or the name is invalid.
    pub fn rename_row_field(mut self, field: &str, name: &str) -> Result<Self, String> {
        let mut fields: KeyFields = self.row_fields.as_deref().unwrap_or_default().parse()?;
        fields.rename(field, name)?;
        self.row_fields = Some(fields.to_string());
        Ok(self)
    }

    /// The part about row keys only. For authors of a [`WideDatabase`](super::WideDatabase) whose engine stores
    /// families itself: store the text of this part beside them.
    #[must_use]
    pub fn of_row_keys(&self) -> Self {
        Self { families: BTreeMap::new(), ..self.clone() }
    }

    /// Checks that the schema is valid.
    ///
    /// # Errors
    ///
    /// [`Error::Family`] names the family and what is wrong with it. As in HBase, a name is 1 to 255 printable ASCII
    /// characters without blank, `:` and `/`, and does not begin with `.`. `max_versions` is at least 1 and at least
    /// `min_versions`. A TTL is at least a millisecond.
    pub fn check(&self) -> Result<(), Error> {
        let family = |name: &str, what| Err(Error::Family { name: name.to_owned(), what });
        if self.families.is_empty() {
            return family("", "a table has at least one family");
        }
        for (name, schema) in &self.families {
            let printable = name.bytes().all(|byte| byte.is_ascii_graphic() && byte != b':' && byte != b'/');
            let what = if name.is_empty() || !printable || name.starts_with('.') {
                "a family's name is printable ASCII without blank, `:` and `/`, and does not begin with `.`"
            } else if name.len() > MAX_FAMILY_NAME {
                "a family's name has at most 255 bytes"
            } else if schema.max_versions == 0 {
                "a family keeps at least one version"
            } else if schema.min_versions > schema.max_versions {
                "min_versions is greater than max_versions"
            } else if schema.ttl.is_some_and(|ttl| ttl < Duration::from_millis(1)) {
                "a TTL is at least one millisecond"
            } else {
                continue;
            };
            return family(name, what);
        }
        Ok(())
    }

    /// Returns the family of this name.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchFamily`], which lists the families there are.
    pub fn require(&self, family: &str) -> Result<&FamilySchema, Error> {
        self.families.get(family).ok_or_else(|| self.no_such(family))
    }

    pub(super) fn no_such(&self, family: &str) -> Error {
        Error::NoSuchFamily { family: family.to_owned(), known: self.families.keys().cloned().collect() }
    }

    /// The changes from this schema to `other`. If `other` has no families, the families stay.
    ///
    /// ```
    /// use rowkey::wide::{FamilySchema, TableSchema};
    ///
    /// let before = TableSchema::new().family("a", FamilySchema::new()).family("b", FamilySchema::new());
    /// let after = TableSchema::new().family("a", FamilySchema::new().max_versions(3));
    /// let changes = before.changes_to(&after);
    /// let told: Vec<_> = changes.iter().map(|change| (change.in_place, change.to_string())).collect();
    /// assert_eq!(told, [
    ///     (true, "family a: max versions 1 becomes 3".to_owned()),
    ///     (false, "family b is missing, but its cells are stored".to_owned()),
    /// ]);
    /// ```
    pub fn changes_to(&self, other: &Self) -> Vec<Change> {
        let mut changes = Vec::new();
        let mut add = |in_place, what| changes.push(Change { in_place, what });
        if self.row_key != other.row_key {
            let shape = |schema: &Self| schema.row_key.as_deref().unwrap_or("bytes").to_owned();
            let layout = |schema: &Self| schema.row_key.as_deref()?.parse::<LayoutBuf>().ok();
            let extends = layout(other).zip(layout(self)).is_some_and(|(given, stored)| given.extends(&stored));
            add(extends, format!("the row key {} becomes {}", shape(self), shape(other)));
        }
        if let Some(given) = &other.row_fields {
            match self.fields_with(given) {
                Ok((fields, _)) if self.row_fields.as_ref() == Some(&fields) => {}
                Ok((_, how)) => add(true, format!("the row key's fields are {how}")),
                Err(differences) => add(false, format!("the row key's fields: {differences}")),
            }
        }
        if other.families.is_empty() {
            return changes;
        }
        for (name, before) in &self.families {
            let Some(after) = other.families.get(name) else {
                add(false, format!("family {name} is missing, but its cells are stored"));
                continue;
            };
            let settings = before.settings().into_iter().zip(after.settings());
            for ((setting, before), (_, after)) in settings.filter(|(before, after)| before != after) {
                add(true, format!("family {name}: {setting} {before} becomes {after}"));
            }
        }
        for name in other.families.keys().filter(|name| !self.families.contains_key(*name)) {
            add(true, format!("family {name} is new"));
        }
        changes
    }

    /// Checks that a table with this schema can be opened with `given`. For authors of a
    /// [`WideDatabase`](super::WideDatabase).
    ///
    /// # Errors
    ///
    /// [`Error::Schema`] with all differences, and which of them [`alter`](super::WideDatabase::alter) can apply.
    pub fn check_opening(&self, table: &str, given: &Self) -> Result<(), Error> {
        match self.changes_to(given).as_slice() {
            [] => Ok(()),
            changes => Err(refusal(table, changes)),
        }
    }

    /// The changes that [`alter`](super::WideDatabase::alter) makes to a table with this schema. For authors of a
    /// [`WideDatabase`](super::WideDatabase).
    ///
    /// # Errors
    ///
    /// [`Error::Schema`] if one of them can't be made in place.
    pub fn check_alteration(&self, table: &str, given: &Self) -> Result<Vec<Change>, Error> {
        let changes = self.changes_to(given);
        if changes.iter().all(|change| change.in_place) { Ok(changes) } else { Err(refusal(table, &changes)) }
    }

    /// This schema after it is altered to `other`; what is known of the row keys stays known. For authors of a
    /// [`WideDatabase`](super::WideDatabase): store this schema, not `other`.
    #[must_use]
    pub fn altered_to(&self, other: &Self) -> Self {
        let mut altered = other.clone();
        if other.families.is_empty() {
            altered.families.clone_from(&self.families);
        }
        altered.row_fields = match &other.row_fields {
            Some(given) => {
                self.fields_with(given).map_or_else(|_| other.row_fields.clone(), |(fields, _)| Some(fields))
            }
            None => self.row_fields.clone(),
        };
        let before = self.row_key.iter().filter(|before| Some(*before) != other.row_key.as_ref());
        let mut earlier = self.earlier_row_keys.clone();
        for shape in before.chain(&other.earlier_row_keys) {
            if !earlier.contains(shape) {
                earlier.push(shape.clone());
            }
        }
        altered.earlier_row_keys = earlier;
        altered
    }

    /// The row key's fields, completed or renamed by `given`, and which of these it was.
    fn fields_with(&self, given: &str) -> Result<(String, &'static str), String> {
        let Some(stored) = &self.row_fields else { return Ok((given.to_owned(), "known from now on")) };
        let (stored, given): (KeyFields, KeyFields) = (stored.parse()?, given.parse()?);
        match stored.completed_by(&given) {
            Ok(completed) => Ok((completed.to_string(), "more")),
            Err(_) if given.follow(&stored) => Ok((given.to_string(), "renamed")),
            Err(differences) => Err(differences),
        }
    }
}

fn refusal(table: &str, changes: &[Change]) -> Error {
    let told = changes.iter().map(|change| {
        let how = if change.in_place { "can be altered" } else { "needs a new table" };
        format!("{change} ({how})")
    });
    Error::Schema { table: table.to_owned(), differences: told.collect::<Vec<_>>().join("; ") }
}

/// A difference between two schemas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// True if [`alter`](super::WideDatabase::alter) can make this change to a table that has rows.
    pub in_place: bool,
    what: String,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

/// The format of a row's cells has one byte for the length of a family's name.
const MAX_FAMILY_NAME: usize = u8::MAX as usize;

const ROW_KEY: &str = "row key: ";
const EARLIER: &str = "earlier row key: ";
const ROW_FIELD: &str = "row key field: ";
const MAX_VERSIONS: &str = "max versions";
const MIN_VERSIONS: &str = "min versions";
const TTL: &str = "ttl";

impl FamilySchema {
    fn settings(&self) -> [(&'static str, String); 3] {
        let ttl = self.ttl.map_or("none".to_owned(), |ttl| format!("{} ms", ttl.as_millis()));
        [(MAX_VERSIONS, self.max_versions.to_string()), (MIN_VERSIONS, self.min_versions.to_string()), (TTL, ttl)]
    }
}

/// One setting per line: the form that databases store.
impl fmt::Display for TableSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(shape) = &self.row_key {
            writeln!(f, "{ROW_KEY}{shape}")?;
        }
        self.earlier_row_keys.iter().try_for_each(|shape| writeln!(f, "{EARLIER}{shape}"))?;
        self.row_fields
            .iter()
            .flat_map(|fields| fields.lines())
            .try_for_each(|field| writeln!(f, "{ROW_FIELD}{field}"))?;
        let unsaid = FamilySchema::new().settings();
        for (name, family) in &self.families {
            write!(f, "family {name}: {MAX_VERSIONS} {}", family.max_versions)?;
            for ((setting, value), (_, unsaid)) in family.settings().into_iter().zip(&unsaid).skip(1) {
                if value != *unsaid {
                    write!(f, ", {setting} {value}")?;
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// Why a text is not a valid schema.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the schema does not parse: {}", quoted(&format_args!("{:?}", .text)))]
#[non_exhaustive]
pub struct SchemaError {
    /// The number of the line, from 1.
    pub line: usize,
    /// The line.
    pub text: String,
}

impl FromStr for TableSchema {
    type Err = SchemaError;

    fn from_str(text: &str) -> Result<Self, SchemaError> {
        let mut schema = Self::new();
        for (index, line) in text.lines().enumerate() {
            let read = if let Some(shape) = line.strip_prefix(ROW_KEY) {
                schema.row_key = Some(shape.to_owned());
                Some(())
            } else if let Some(shape) = line.strip_prefix(EARLIER) {
                schema.earlier_row_keys.push(shape.to_owned());
                Some(())
            } else if let Some(field) = line.strip_prefix(ROW_FIELD) {
                let fields = schema.row_fields.get_or_insert_default();
                fields.push_str(field);
                fields.push('\n');
                Some(())
            } else {
                line.strip_prefix("family ").and_then(|family| family.split_once(": ")).and_then(|(name, settings)| {
                    schema.families.insert(name.to_owned(), parse_family(settings)?);
                    Some(())
                })
            };
            read.ok_or_else(|| SchemaError { line: index + 1, text: line.to_owned() })?;
        }
        Ok(schema)
    }
}

fn parse_family(settings: &str) -> Option<FamilySchema> {
    let mut family = FamilySchema::new();
    for setting in settings.split(", ") {
        if let Some(versions) = setting.strip_prefix(MAX_VERSIONS) {
            family.max_versions = versions.trim_start().parse().ok()?;
        } else if let Some(versions) = setting.strip_prefix(MIN_VERSIONS) {
            family.min_versions = versions.trim_start().parse().ok()?;
        } else {
            let ttl = setting.strip_prefix(TTL)?.strip_suffix(" ms")?.trim_start();
            family.ttl = Some(from_millis(ttl.parse().ok()?)?);
        }
    }
    Some(family)
}

/// A `Duration` can have more milliseconds than a `u64`.
fn from_millis(millis: u128) -> Option<Duration> {
    let (seconds, rest) = (u64::try_from(millis / 1000).ok()?, u32::try_from(millis % 1000).ok()?);
    Some(Duration::new(seconds, rest * 1_000_000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_text_comes_back_and_nothing_else_is_taken() {
        let family = FamilySchema::new().max_versions(3).min_versions(2).ttl(Duration::from_millis(1));
        let mut schema = TableSchema::new().family("a", FamilySchema::new()).family("b-2", family);
        schema.row_key = Some("u64, enum{1: (), 2: (u8)}".to_owned());
        schema.row_fields = Some("0 user\n1 event|action\n".to_owned());
        schema.earlier_row_keys = vec!["u64, enum{1: ()}".to_owned()];
        assert_eq!(schema.to_string().parse(), Ok(schema.clone()));
        for (line, text) in [
            (1, "family a"),
            (1, "famly a: max versions 1"),
            (3, "row key: u8\n\nx"),
            (1, "family a: ttl 5"),
            (1, "family a: max versions x"),
        ] {
            let line = if text.contains("\n\n") { 2 } else { line };
            assert_eq!(text.parse::<TableSchema>().unwrap_err().line, line, "{text}");
        }
        let told = "é".repeat(1 << 20).parse::<TableSchema>().unwrap_err().to_string();
        assert!(told.starts_with("line 1 of the schema does not parse: \"é") && told.len() < 300, "{told:.300}");
        let json = serde_json::to_string(&schema).unwrap();
        assert_eq!(serde_json::from_str::<TableSchema>(&json).unwrap(), schema);
    }

    #[test]
    fn what_no_table_can_have_is_refused() {
        let one = FamilySchema::new();
        for (name, family) in [
            ("", one),
            ("a:b", one),
            ("a b", one),
            (".a", one),
            ("ä", one),
            ("a", one.max_versions(0)),
            ("a", one.min_versions(2)),
            ("a", one.ttl(Duration::ZERO)),
        ] {
            let error = TableSchema::new().family(name, family).check().unwrap_err();
            assert!(matches!(error, Error::Family { name: said, .. } if said == name));
        }
        let (longest, longer) = ("f".repeat(255), "f".repeat(256));
        TableSchema::new().family(longest, one).check().unwrap();
        let error = TableSchema::new().family(&longer, one).check().unwrap_err();
        assert!(matches!(error, Error::Family { name, what } if name == longer && what.contains("255")));
        assert!(TableSchema::new().check().is_err());
        TableSchema::new().family("a.b", one.ttl(Duration::MAX)).check().unwrap();
    }
}
