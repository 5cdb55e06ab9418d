//! Names and units of a key's fields: what the key's shape does not contain.
//!
//! Stored as text with one line per field and per variant, sorted by place:
//!
//! ```text
//! 0 host
//! 1 at milliseconds
//! 2 event|action             renamed; it was `action` before
//! 2#5 Login                  the variant with the tag 5
//! 2#5.0 user parameters(8)
//! 3 uid width(3)             the width of an encoding of the user's own; `width(any)` if values differ in it
//! ```
//!
//! Tables from before widths were stored have none; they take that of the first program that opens them.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use crate::keys::layout::{FieldLayout, Layout, Type};

/// The fields of a key, by place: names, units, parameters of encodings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct KeyFields(BTreeMap<Place, KeyField>);

/// The prefix of a width among the details.
const WIDTH: &str = "width(";

#[derive(Clone, Debug, PartialEq, Eq)]
struct KeyField {
    /// The name, then earlier names. Empty: the field has no name, only a place.
    names: Vec<String>,
    /// Units and parameters, from the outermost type inwards.
    details: Vec<String>,
    /// The width of an encoding of the user's own, as text.
    width: Option<String>,
}

/// The place of a field or a variant in a key. Options and lists do not add a step.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Place(Vec<Step>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    /// A field, by index.
    Field(u32),
    /// A variant, by tag.
    Variant(u8),
}

impl Place {
    fn then(&self, step: Step) -> Self {
        Self(self.0.iter().copied().chain([step]).collect())
    }

    fn parent(&self) -> &[Step] {
        self.0.split_last().map_or(&[], |(_, parent)| parent)
    }
}

impl KeyField {
    fn shares_a_name(&self, other: &Self) -> bool {
        self.names.is_empty() || other.names.first().is_none_or(|name| self.names.contains(name))
    }

    /// A plain `i64` has no unit, so it agrees with any. So does a field without a width.
    fn agrees_in_details(&self, other: &Self) -> bool {
        let widths = [&self.width, &other.width];
        (self.details.is_empty() || other.details.is_empty() || self.details == other.details)
            && (widths.contains(&&None) || self.width == other.width)
    }

    /// The details that another field does not have.
    fn beside(&self, other: &Self) -> String {
        match &self.width {
            Some(width) if self.details == other.details => width.clone(),
            _ => self.details.join(" "),
        }
    }
}

impl KeyFields {
    pub(crate) fn of(layout: &Layout) -> Self {
        let mut fields = Self::default();
        fields.add(&Place::default(), layout.fields);
        fields
    }

    fn add(&mut self, place: &Place, fields: &[FieldLayout]) {
        for (index, field) in (0..).zip(fields) {
            let place = place.then(Step::Field(index));
            let named = field.name != format!("_{index}");
            let names = named.then(|| escaped(field.name)).into_iter().collect();
            let mut added = KeyField { names, details: Vec::new(), width: None };
            self.add_type(&place, field.ty, &mut added);
            self.0.insert(place, added);
        }
    }

    fn add_type(&mut self, place: &Place, ty: &Type, field: &mut KeyField) {
        match ty {
            Type::Scalar(_) => {}
            Type::Option(inner) | Type::List(inner) => self.add_type(place, inner, field),
            Type::Measured { unit, ty } => {
                field.details.push(unit.to_string());
                self.add_type(place, ty, field);
            }
            Type::Custom { parameters, width, .. } => {
                if !parameters.is_empty() {
                    let parameters: Vec<_> = parameters.iter().map(u64::to_string).collect();
                    field.details.push(format!("parameters({})", parameters.join(",")));
                }
                let width = width.map_or_else(|| "any".to_owned(), |width| width.to_string());
                field.width = Some(format!("{WIDTH}{width})"));
            }
            Type::Tuple(fields) => self.add(place, fields),
            Type::Enum(variants) => {
                for variant in *variants {
                    let place = place.then(Step::Variant(variant.tag));
                    self.add(&place, variant.fields);
                    self.0.insert(
                        place,
                        KeyField { names: vec![escaped(variant.name)], details: Vec::new(), width: None },
                    );
                }
            }
        }
    }

    /// These fields, completed by `given`: names where there were none, new variants.
    ///
    /// # Errors
    ///
    /// The differences.
    pub(crate) fn completed_by(&self, given: &Self) -> Result<Self, String> {
        let mut completed = self.clone();
        let mut differences = Vec::new();
        for (place, field) in &given.0 {
            let Some(stored) = completed.0.get_mut(place) else {
                completed.0.insert(place.clone(), field.clone());
                continue;
            };
            if !stored.shares_a_name(field) {
                differences.push(self.another_name(place, field.names.first().map_or("", String::as_str)));
            }
            if !stored.agrees_in_details(field) {
                let (path, stored, given) = (self.path(place), stored.beside(field), field.beside(stored));
                differences.push(format!(
                    "field {path:?} has {stored} in the table and {given} in the program: keep what the table has, or write a \
                     new table"
                ));
            }
            if stored.names.is_empty() {
                stored.names.clone_from(&field.names);
            }
            if stored.details.is_empty() {
                stored.details.clone_from(&field.details);
            }
            if stored.width.is_none() {
                stored.width.clone_from(&field.width);
            }
        }
        if differences.is_empty() { Ok(completed) } else { Err(differences.join("; ")) }
    }

    /// The message for a name that a field does not have: it is another field's name, or a new one.
    fn another_name(&self, place: &Place, given: &str) -> String {
        let path = self.path(place);
        if self.beside(place).any(|other| other.names.iter().any(|name| name == given)) {
            return format!(
                "field {given:?} is where the table has {path:?}: put the fields back in the table's order, or write a new table"
            );
        }
        format!(
            "field {path:?} of the table is called {given:?} in the program: if it is the same field, call \
             rename_field({path:?}, {given:?})"
        )
    }

    /// The other fields of the same struct, or the other variants of the same enum.
    fn beside<'f>(&'f self, place: &'f Place) -> impl Iterator<Item = &'f KeyField> {
        let beside = move |other: &&Place| *other != place && other.parent() == place.parent();
        self.0.iter().filter(move |(other, _)| beside(other)).map(|(_, field)| field)
    }

    /// Returns whether these can replace `stored`: every field of `stored` still has its name, now or as an earlier
    /// name.
    pub(crate) fn follow(&self, stored: &Self) -> bool {
        stored.0.iter().all(|(place, stored)| {
            self.0.get(place).is_some_and(|field| field.shares_a_name(stored) && field.agrees_in_details(stored))
        })
    }

    /// Renames a field or a variant, and keeps the old name as an earlier one.
    ///
    /// # Errors
    ///
    /// The reason why the path or the name is invalid.
    pub(crate) fn rename(&mut self, path: &str, name: &str) -> Result<(), String> {
        let found: Vec<_> = self.0.keys().filter(|place| self.path(place) == path).cloned().collect();
        let [place] = found.as_slice() else {
            let known: Vec<_> = self.0.keys().map(|place| self.path(place)).collect();
            return Err(format!("there is no field {path:?}; the fields are {}", known.join(", ")));
        };
        if name.starts_with(|first: char| first.is_ascii_digit())
            || !name.chars().all(|c| c.is_alphanumeric() || c == '_')
        {
            return Err(format!(
                "{name:?} is not a valid name: a name has letters, digits and `_`, and does not begin with a digit"
            ));
        }
        if name.is_empty() {
            return Err("a name is not empty".to_owned());
        }
        // With a name that another field had, a program could take one field for the other.
        if self.beside(place).any(|other| other.names.iter().any(|taken| taken == name)) {
            return Err(format!("{name:?} is, or was, the name of another field beside {path:?}"));
        }
        if let Some(field) = self.0.get_mut(place) {
            field.names.retain(|known| known != name);
            field.names.insert(0, name.to_owned());
        }
        Ok(())
    }

    /// The names on the path to a place, joined by dots. If the key is one unnamed enum or tuple, its own name is left
    /// out before those of its parts.
    fn path(&self, place: &Place) -> String {
        let is_part = |field: &KeyField| place.0.len() > 1 && field.names.is_empty();
        let one = !self.0.contains_key(&Place(vec![Step::Field(1)]));
        let first = if one && self.0.get(&Place(vec![Step::Field(0)])).is_some_and(is_part) { 2 } else { 1 };
        let names = (first..=place.0.len()).map(|len| {
            let field = self.0.get(&Place(place.0[..len].to_vec()));
            let name = field.and_then(|field| field.names.first().cloned());
            name.unwrap_or_else(|| match place.0[len - 1] {
                Step::Field(index) => format!("_{index}"),
                Step::Variant(tag) => format!("#{tag}"),
            })
        });
        names.collect::<Vec<_>>().join(".")
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().enumerate().try_for_each(|(at, step)| match step {
            Step::Field(index) if at == 0 => write!(f, "{index}"),
            Step::Field(index) => write!(f, ".{index}"),
            Step::Variant(tag) => write!(f, "#{tag}"),
        })
    }
}

impl FromStr for Place {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut place = Self::default();
        for part in text.split('.') {
            let mut steps = part.split('#');
            let field = steps.next().ok_or(())?;
            place.0.push(Step::Field(field.parse().map_err(drop)?));
            for tag in steps {
                place.0.push(Step::Variant(tag.parse().map_err(drop)?));
            }
        }
        if place.to_string() == text { Ok(place) } else { Err(()) }
    }
}

/// Escapes the characters that separate names in the text. Rust names have none of them; a layout written by hand may.
fn escaped(name: &str) -> String {
    let special = |c: char| matches!(c, '%' | '|') || c.is_whitespace() || c.is_control();
    let escape = |c: char| if special(c) { format!("%{:02x}", u32::from(c)) } else { c.to_string() };
    if name == "_" { "%5f".to_owned() } else { name.chars().map(escape).collect() }
}

impl fmt::Display for KeyFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, KeyField { names, details, width }) in &self.0 {
            write!(f, "{place} {}", if names.is_empty() { "_".to_owned() } else { names.join("|") })?;
            details.iter().chain(width).try_for_each(|detail| write!(f, " {detail}"))?;
            writeln!(f)?;
        }
        Ok(())
    }
}

impl FromStr for KeyFields {
    /// The line that does not parse.
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let read = |line: &str| {
            let mut words = line.split(' ');
            let place: Place = words.next()?.parse().ok()?;
            let names = match words.next()? {
                "_" => Vec::new(),
                names => names.split('|').map(str::to_owned).collect(),
            };
            let (width, details) = words.map(str::to_owned).partition::<Vec<_>, _>(|word| word.starts_with(WIDTH));
            Some((place, KeyField { names, details, width: width.into_iter().next() }))
        };
        text.lines().map(|line| read(line).ok_or_else(|| line.to_owned())).collect::<Result<_, _>>().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::layout::Scalar;

    fn fields(text: &str) -> KeyFields {
        text.parse().unwrap()
    }

    #[test]
    fn text_comes_back_and_nothing_else_is_taken() {
        let text = "0 host|site\n1 at milliseconds\n2 _\n2#5 Login\n2#5.0 user bucket(60) seconds\n2#255.3#0 Deep\n";
        assert_eq!(fields(text).to_string(), text);
        for broken in
            ["x host", "0", "", "00 host", "0. host", "#1 Login", "0#256 x", "0#1#2 x y\n1", "4294967296 x", "-1 x"]
        {
            let line = broken.lines().last().unwrap_or_default();
            match broken.parse::<KeyFields>() {
                Err(told) => assert_eq!(told, line),
                Ok(parsed) => assert!(broken.is_empty() && parsed == KeyFields::default(), "{broken:?}"),
            }
        }
    }

    #[test]
    fn a_name_of_any_characters_stays_one() {
        const PLAIN: &Type = &Type::Scalar(Scalar::U8);
        for name in ["a b", "a|b", "a%20b", "\n", "_", "\u{85}\u{2028}", "\0"] {
            let named = [FieldLayout::new(name, PLAIN), FieldLayout::new("other", PLAIN)];
            let mut by_hand = KeyFields::default();
            by_hand.add(&Place::default(), &named);
            let back = fields(&by_hand.to_string());
            assert_eq!(back, by_hand, "{name:?}");
            assert!(back.completed_by(&fields("0 plain\n1 other\n")).is_err());
            assert!(fields("0 plain\n1 other\n").rename("plain", name).is_err() || name == "_");
        }
    }

    #[test]
    fn a_width_is_kept_and_a_table_from_before_takes_one() {
        let old = fields("0 uid parameters(8)\n1 at\n");
        let given = fields("0 uid parameters(8) width(3)\n1 at width(any)\n");
        assert_eq!(old.completed_by(&given).unwrap(), given);
        assert_eq!(given.completed_by(&old).unwrap(), given);
        for other in
            ["0 uid parameters(8) width(4)\n1 at width(any)\n", "0 uid parameters(8) width(3)\n1 at width(8)\n"]
        {
            let told = given.completed_by(&fields(other)).unwrap_err();
            assert!(told.contains("width(") && told.contains("keep what the table has"), "{told}");
            assert!(!fields(other).follow(&given));
        }
    }

    #[test]
    fn what_is_completed_stays_as_it_is() {
        let stored = fields("0 a|b\n1 _\n2 c seconds\n");
        let given = fields("0 b\n1 name\n2 _\n3 new milliseconds\n");
        let completed = stored.completed_by(&given).unwrap();
        assert_eq!(completed.to_string(), "0 a|b\n1 name\n2 c seconds\n3 new milliseconds\n");
        assert_eq!(completed.completed_by(&given).unwrap(), completed);
        assert_eq!(completed.completed_by(&stored).unwrap(), completed);
        assert!(completed.follow(&stored) && !given.follow(&completed));
    }
}
