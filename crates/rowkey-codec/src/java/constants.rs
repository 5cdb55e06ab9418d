//! The constants of a generated class: bytes, numbers and patterns that several places of it use.

use std::collections::BTreeMap;

use super::source::{Source, bytes, literal};
use crate::ir::DatePart;

/// The constants of a class, by name: type, and expression.
#[derive(Default)]
pub(super) struct Constants(BTreeMap<String, (&'static str, String)>);

impl Constants {
    /// The name of bytes.
    pub(super) fn bytes(&mut self, of: &[u8]) -> String {
        self.named(name_of_bytes(of), "KeyBytes", bytes(of))
    }

    /// The number that others are taken from, of so many bits.
    pub(super) fn most(&mut self, most: u128, bits: u8) -> String {
        match bits {
            // The bits of a number without a sign.
            64 => format!("{}L", most as i64),
            _ => self.named(format!("MOST_{most}"), "BigInteger", format!("new BigInteger(\"{most}\")")),
        }
    }

    /// The name of a date's pattern.
    pub(super) fn date(&mut self, parts: &[DatePart]) -> String {
        let pattern = literal(&pattern(parts));
        let known = self.0.iter().find(|(_, (_, of))| of.contains(&format!("({pattern})")));
        let name = known.map_or_else(|| format!("DATE_{}", self.0.len()), |(name, _)| name.clone());
        self.named(name, "DatePattern", format!("DatePattern.of({pattern})"))
    }

    fn named(&mut self, name: String, ty: &'static str, of: String) -> String {
        self.0.insert(name.clone(), (ty, of));
        name
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn write(&self, to: &mut Source) {
        for (name, (ty, of)) in &self.0 {
            let (head, argument) = of.split_once('(').unwrap_or((of, ")"));
            let argument = argument.trim_end_matches(')').to_owned();
            to.assign(&format!("private static final {ty} {name}"), head, &[argument]);
        }
    }
}

/// The name of bytes that a class has as a constant.
pub(super) fn name_of_bytes(of: &[u8]) -> String {
    let digits: String = of.iter().map(|byte| format!("{byte:02X}")).collect();
    format!("BYTES_{digits}")
}

/// The pattern of a date, in letters of Java's `DateTimeFormatter`.
fn pattern(parts: &[DatePart]) -> String {
    let part = |part: &DatePart| match part {
        DatePart::Year => "yyyy".to_owned(),
        DatePart::Month => "MM".to_owned(),
        DatePart::Day => "dd".to_owned(),
        DatePart::DayOfYear => "DDD".to_owned(),
        DatePart::Hour => "HH".to_owned(),
        DatePart::Minute => "mm".to_owned(),
        DatePart::Second => "ss".to_owned(),
        DatePart::Fraction(digits) => "S".repeat((*digits).into()),
        DatePart::Literal(char) if char.is_ascii_alphabetic() => format!("'{char}'"),
        DatePart::Literal(char) => char.to_string(),
    };
    parts.iter().map(part).collect()
}
