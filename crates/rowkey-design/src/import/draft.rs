//! A design file while it is put together, and its text.

use std::collections::HashMap;
use std::fmt::Write;

use crate::format::with_schema;
use crate::quote;

/// A table.
#[derive(Default)]
pub(super) struct Draft {
    pub(super) name: String,
    /// Notes for the reader, a line each.
    pub(super) comments: Vec<String>,
    /// The fields of the key, each as `name: shape`; empty if they are not known.
    pub(super) key: Vec<String>,
    /// Settings of the table, as TOML: `salt`, `hashed`.
    pub(super) settings: Vec<(&'static str, String)>,
    pub(super) splits: Splits,
    /// The attributes of its regions, which a design says of a cluster.
    pub(super) regions: Vec<Attribute>,
    pub(super) families: Vec<Family>,
    pub(super) secondaries: Vec<Secondary>,
    /// The places of families that [`Draft::family`] made.
    pub(super) places: HashMap<String, usize>,
}

impl Draft {
    /// Returns the family of this name. Adds it if the table does not have it.
    pub(super) fn family(&mut self, name: &str) -> &mut Family {
        let place = *self.places.entry(name.to_owned()).or_insert_with(|| {
            self.families.push(Family::new(name));
            self.families.len() - 1
        });
        &mut self.families[place]
    }
}

/// An attribute of a table that has a word of `region`.
pub(super) struct Attribute {
    pub(super) name: &'static str,
    pub(super) given: String,
    pub(super) word: &'static str,
    pub(super) toml: String,
}

#[derive(Default)]
pub(super) enum Splits {
    #[default]
    None,
    Buckets,
    Keys(Vec<Vec<u8>>),
    /// A rule of the design file, and its number of regions.
    Equal(&'static str, u32),
}

impl Splits {
    /// As TOML; none if there are none.
    fn toml(&self) -> Option<String> {
        Some(match self {
            Self::None => return None,
            Self::Buckets => "\"buckets\"".to_owned(),
            Self::Equal(rule, regions) => format!("{{ {rule} = {regions} }}"),
            Self::Keys(keys) => {
                let hex = |key: &Vec<u8>| key.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
                format!("{{ keys = {} }}", list(&keys.iter().map(hex).collect::<Vec<_>>()))
            }
        })
    }
}

/// A table of the same rows under another key.
#[derive(Default)]
pub(super) struct Secondary {
    pub(super) name: String,
    pub(super) comments: Vec<String>,
    pub(super) key: Vec<String>,
    /// The salt, as TOML.
    pub(super) salt: Option<String>,
    pub(super) splits: Splits,
}

/// A family.
#[derive(Default)]
pub(super) struct Family {
    pub(super) name: String,
    pub(super) comments: Vec<String>,
    /// Its options, as TOML.
    pub(super) options: Vec<(&'static str, String)>,
    pub(super) columns: Vec<String>,
}

impl Family {
    pub(super) fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    pub(super) fn option(&mut self, name: &'static str, value: impl Into<String>) {
        let value = value.into();
        match self.options.iter_mut().find(|(known, _)| *known == name) {
            Some(known) => known.1 = value,
            None => self.options.push((name, value)),
        }
    }
}

/// The text of the file; the cluster is TOML.
pub(super) fn text(cluster: Option<&str>, drafts: &[Draft]) -> String {
    let mut text = with_schema("format = 1\n", "\n");
    text.extend(cluster);
    for draft in drafts {
        let table = quote::toml_key(&draft.name);
        _ = write!(text, "\n[table.{table}]\n");
        comments(&mut text, &draft.comments);
        if draft.key.is_empty() {
            text.push_str("# The fields of the key are not known: write them here.\nkey = [\"row: bytes raw\"]\n");
        } else {
            _ = writeln!(text, "key = {}", list(&draft.key));
        }
        for (name, value) in &draft.settings {
            _ = writeln!(text, "{name} = {value}");
        }
        if let Some(splits) = draft.splits.toml() {
            _ = writeln!(text, "splits = {splits}");
        }
        for family in &draft.families {
            _ = write!(text, "\n[table.{table}.family.{}]\n", quote::toml_key(&family.name));
            comments(&mut text, &family.comments);
            for (name, value) in &family.options {
                _ = writeln!(text, "{name} = {value}");
            }
            if !family.columns.is_empty() {
                _ = writeln!(text, "columns = {}", list(&family.columns));
            }
        }
        for secondary in &draft.secondaries {
            _ = write!(text, "\n[[table.{table}.secondary]]\n");
            comments(&mut text, &secondary.comments);
            _ = writeln!(text, "name = {}\nkey = {}", quote::toml(&secondary.name), list(&secondary.key));
            if let Some(salt) = &secondary.salt {
                _ = writeln!(text, "salt = {salt}");
            }
            if let Some(splits) = secondary.splits.toml() {
                _ = writeln!(text, "splits = {splits}");
            }
        }
    }
    text
}

fn comments(text: &mut String, comments: &[String]) {
    for comment in comments {
        _ = writeln!(text, "# {}", quote::terminal(comment));
    }
}

fn list(items: &[String]) -> String {
    let items: Vec<_> = items.iter().map(|item| quote::toml(item)).collect();
    format!("[{}]", items.join(", "))
}

/// A length of time as TOML, in the largest unit that leaves a whole number.
pub(super) fn period(millis: u64) -> String {
    const UNITS: &[(u64, &str)] = &[(86_400_000, "days"), (3_600_000, "h"), (60_000, "min"), (1000, "s")];
    let unit = UNITS.iter().find(|(unit, _)| millis.is_multiple_of(*unit));
    unit.map_or_else(|| format!("\"{millis} ms\""), |(unit, name)| format!("\"{} {name}\"", millis / unit))
}

/// A size as TOML.
pub(super) fn bytes(bytes: u64) -> String {
    format!("\"{bytes} B\"")
}
