//! The description of a table or a family, as HBase prints it, from joined lines.

use std::collections::HashSet;

use super::super::Reading;
use super::super::draft::{Draft, Family};
use super::family::Given;
use super::joined::{Row, Width};
use super::maps::{Fault, Maps, Pair, Parsed, Quoting, Value, Word};
use super::{attributes, family};
use crate::quote;

/// The parts of a table in a row: its name, its attributes, and each family's options.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Table {
    pub(super) name: Word,
    pub(super) attributes: Vec<Pair>,
    pub(super) families: Vec<Vec<Pair>>,
}

impl Table {
    /// Reads `'t', {TABLE_ATTRIBUTES => {…}}, {NAME => 'f', …}`, or `{NAME => 't', FAMILIES => [{NAME => 'f', …}]}` of
    /// HBase 0.9.
    pub(super) fn of(text: &str) -> Parsed<Self> {
        let mut maps = Maps::new(text, Quoting::Printed);
        maps.space();
        if maps.rest().starts_with('{') {
            let pairs = maps.map()?;
            if !maps.is_at_end() {
                return maps.fault("the end of the description");
            }
            return Self::of_map(pairs);
        }
        let mut table = Self { name: maps.word()?, attributes: Vec::new(), families: Vec::new() };
        while maps.mark(",") {
            let start = maps.at;
            let mut pairs = maps.attributes()?;
            if pairs.first().is_some_and(|pair| pair.key.bytes == b"NAME") {
                maps.at = start;
                pairs = maps.map()?;
                table.families.push(pairs);
            } else {
                table.attributes.extend(pairs);
            }
        }
        if maps.is_at_end() { Ok(table) } else { maps.fault("`, {` or the end of the description") }
    }

    fn of_map(pairs: Vec<Pair>) -> Parsed<Self> {
        let mut table = Self {
            name: Word { bytes: Vec::new(), at: 0..0, quoted: false },
            attributes: Vec::new(),
            families: Vec::new(),
        };
        let mut has_families = false;
        for pair in pairs {
            match (&*pair.key.bytes, pair.value) {
                (b"NAME", Value::Word(name)) => table.name = name,
                (b"FAMILIES", Value::List(families)) => {
                    has_families = true;
                    for family in families {
                        let Value::Map(family) = family else {
                            return Err(Fault { at: pair.arrow.end, expected: "a list of families" });
                        };
                        table.families.push(family);
                    }
                }
                (_, value) => table.attributes.push(Pair { key: pair.key, arrow: pair.arrow, value }),
            }
        }
        if has_families { Ok(table) } else { Err(Fault { at: 0, expected: "FAMILIES, or the name of a table" }) }
    }
}

/// Reads the options of one family, which has a row of its own.
///
/// HBase does not escape a name. Where a key is there twice, the name has one of them: it ends at the one quote from
/// which on each key is there once and the versions too, which HBase always prints.
pub(super) fn family_row(text: &str) -> Parsed<Vec<Pair>> {
    let read = |skipped: usize| {
        let mut maps = Maps::new(text, Quoting::Printed).skip_ends(skipped);
        let pairs = maps.map()?;
        if maps.is_at_end() { Ok(pairs) } else { maps.fault("the end of the family") }
    };
    let first = read(0)?;
    let Some(twice) = twice(&first) else { return Ok(first) };
    let at = twice.at.start;
    let later = (1..64).map_while(|skipped| read(skipped).ok());
    let has_versions = |pairs: &Vec<Pair>| pairs.iter().any(|pair| pair.key.bytes == b"VERSIONS");
    let mut whole = later.filter(|pairs| self::twice(pairs).is_none() && has_versions(pairs));
    match (whole.next(), whole.next()) {
        (Some(pairs), None) => Ok(pairs),
        _ => Err(Fault { at, expected: "each option once" }),
    }
}

/// An option that is there twice.
fn twice(pairs: &[Pair]) -> Option<&Word> {
    let mut seen = HashSet::new();
    pairs.iter().map(|pair| &pair.key).find(|key| !seen.insert(&key.bytes))
}

/// Notes the words of a description, in which no blank is lost.
pub(super) fn words(row: &mut Row<'_>, pairs: &[Pair]) {
    for pair in pairs {
        row.is_word(&pair.key.at);
        row.is_word(&pair.arrow);
        match &pair.value {
            Value::Word(value) => {
                if is_of_words(pair, value) {
                    row.is_word(&value.at);
                }
            }
            Value::Map(pairs) => words(row, pairs),
            Value::List(_) => {}
        }
    }
}

fn is_of_words(pair: &Pair, value: &Word) -> bool {
    let key = pair.key.text();
    // The path of a coprocessor's jar may have blanks.
    let has_jar = key.to_ascii_lowercase().starts_with("coprocessor") && !value.bytes.starts_with(b"|");
    !has_jar && (family::is_of_words(&key) || attributes::is_of_words(&key))
}

/// A reader of rows of one output.
pub(super) struct Told<'r> {
    pub(super) width: Width,
    pub(super) reading: &'r mut Reading,
}

impl Told<'_> {
    /// Notes a table's attributes.
    pub(super) fn attributes(&mut self, row: &Row<'_>, pairs: &[Pair], draft: &mut Draft) {
        for pair in pairs {
            let key = pair.key.text();
            match &pair.value {
                Value::Map(pairs) if key == "TABLE_ATTRIBUTES" => self.attributes(row, pairs, draft),
                _ => {
                    for (key, value) in self.entries(row, pair) {
                        attributes::note(draft, &key, &value);
                    }
                }
            }
        }
    }

    /// The keys and values of a pair: of a map, each with the map's name before it. A value that may have lost a blank
    /// shows where its lines broke.
    fn entries(&self, row: &Row<'_>, pair: &Pair) -> Vec<(String, String)> {
        let key = row.word(&pair.key.at);
        match &pair.value {
            Value::Word(word) if is_of_words(pair, word) => vec![(key, row.word(&word.at))],
            Value::Word(word) => vec![(key, row.exact(&word.at, self.width).0)],
            Value::List(_) => vec![(key, "a list".to_owned())],
            Value::Map(pairs) => {
                // What old versions call so is the same.
                let key = if key == "CONFIG" { "METADATA".to_owned() } else { key };
                let entries = pairs.iter().flat_map(|pair| {
                    let exact = row.exact(&pair.key.at, self.width).0;
                    self.entries(row, pair).into_iter().map(move |(_, value)| (exact.clone(), value))
                });
                entries.map(|(inner, value)| (format!("{key}: {inner}"), value)).collect()
            }
        }
    }

    /// The family of its options; none if it has what no design can say.
    pub(super) fn family(&mut self, row: &Row<'_>, pairs: &[Pair]) -> Option<Family> {
        if let Some(twice) = twice(pairs) {
            let message = format!("{} is there twice", quote::terminal(&twice.text()));
            self.reading.problem(row.place(twice.at.clone()), message, "paste what HBase prints, as it is");
            return None;
        }
        let mut family: Option<Family> = None;
        let (mut given, mut places) = (Vec::new(), Vec::new());
        for pair in pairs {
            let key = pair.key.text();
            let at = row.place(pair.key.at.clone());
            match &pair.value {
                Value::Word(name) if key == "NAME" => family = Some(Family::new(self.name(row, name)?)),
                Value::Word(value) if family::is_of_words(&key) => {
                    places.push(at);
                    given.push(Given { key, value: row.word(&value.at) });
                }
                Value::Word(_) if family::note_secret(family.as_mut()?, &key) => {}
                Value::Map(_) if ["METADATA", "CONFIGURATION", "CONFIG"].contains(&key.as_str()) => {
                    for (key, value) in self.entries(row, pair) {
                        let (map, inner) = key.split_once(": ").unwrap_or(("", &key));
                        family::note(family.as_mut()?, map, inner, &value);
                    }
                }
                _ => {
                    let message =
                        format!("{} is no option of a family that HBase is known to print", quote::terminal(&key));
                    self.reading.problem(at, message, "if it is one, remove it in the text");
                    return None;
                }
            }
        }
        let Some(mut family) = family else {
            self.reading.problem(row.place(0..1), "this family has no NAME", "paste the whole line: {NAME => 'd', …}");
            return None;
        };
        let refused = family::options(&mut family, &given);
        for i in &refused {
            let message = format!("a design has no {} => '{}'", given[*i].key, quote::terminal(&given[*i].value));
            let help = "change it in the text to one that a design has, or remove it there";
            self.reading.problem(places[*i].clone(), message, help);
        }
        refused.is_empty().then_some(family)
    }

    /// The name of a family, if no blank of it can be lost.
    fn name(&mut self, row: &Row<'_>, name: &Word) -> Option<String> {
        let (text, doubtful) = row.exact(&name.at, self.width);
        if doubtful {
            let message = format!(
                "the line breaks in the name of a family, and may have lost a blank: {}",
                quote::terminal(&text)
            );
            let help = "make the terminal wider, or paste what `hbase shell -n` or the web interface prints";
            self.reading.problem(row.place(name.at.clone()), message, help);
            return None;
        }
        Some(text)
    }
}

/// Notes where a row cannot be read.
pub(super) fn fault_at(row: &Row<'_>, fault: &Fault, reading: &mut Reading) {
    let found: String = row.text.get(fault.at..).unwrap_or("").chars().take(24).collect();
    let found = if found.is_empty() { "the end".to_owned() } else { format!("`{}`", quote::terminal(&found)) };
    let message = format!("this is not what HBase prints of a table: {} expected, found {found}", fault.expected);
    let help = "paste the whole output, each line as it is, or what `hbase shell -n` prints";
    reading.problem(row.place(fault.at..fault.at), message, help);
}
