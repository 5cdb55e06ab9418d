//! Reading of TOML values into the types of a design: all problems at once, each with its place. The JSON Schema comes
//! from the same declarations.

use indexmap::IndexMap;
use serde_json::{Value as Json, json};
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::bounds::Bounds;
use crate::problem::{Located, Problem, Span};

pub(crate) type Node<'a, 'i> = &'a Spanned<DeValue<'i>>;

/// One file while it is read.
pub(crate) struct Reading<'p> {
    pub(crate) file: usize,
    pub(crate) problems: &'p mut Vec<Problem>,
}

impl Reading<'_> {
    pub(crate) fn place<T>(&self, at: &Spanned<T>) -> Span {
        let span = at.span();
        Span { file: self.file, start: span.start, end: span.end }
    }

    pub(crate) fn problem<T>(&mut self, at: &Spanned<T>, message: impl Into<String>, help: impl Into<String>) {
        let help = Some(help.into()).filter(|help: &String| !help.is_empty());
        let place = self.place(at);
        self.problems.push(Problem { place, message: message.into(), help });
    }

    pub(crate) fn wrong_type(&mut self, node: Node<'_, '_>, expected: &str, help: impl Into<String>) {
        let found = described(node.get_ref());
        self.problem(node, format!("expected {expected}, found {found}"), help);
    }
}

/// A value as a message names it.
pub(crate) fn described(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("the text {text:?}"),
        DeValue::Integer(number) => format!("the number {number}"),
        DeValue::Float(number) => format!("the number {number}"),
        DeValue::Boolean(truth) => truth.to_string(),
        DeValue::Datetime(date) => format!("the date {date}"),
        DeValue::Array(_) => "an array".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}

/// Reads a whole text; none where it is not valid, which is noted.
pub(crate) fn read<T: FromToml>(text: &str, reading: &mut Reading<'_>) -> Option<T> {
    let (table, errors) = DeTable::parse_recoverable(text);
    let valid = errors.is_empty();
    for error in errors {
        let span = error.span().unwrap_or(0..0);
        let place = Span { file: reading.file, start: span.start, end: span.end };
        reading.problems.push(Problem { place, message: error.message().to_owned(), help: None });
    }
    let span = table.span();
    let node = Spanned::new(span, DeValue::Table(table.into_inner()));
    let file = T::from_toml(&node, reading);
    file.filter(|_| valid)
}

/// A scalar as a file has it; none of arrays and tables.
fn scalar(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(format!("{text:?}")),
        DeValue::Integer(number) => Some(number.to_string()),
        DeValue::Float(number) => Some(number.to_string()),
        DeValue::Boolean(truth) => Some(truth.to_string()),
        DeValue::Datetime(date) => Some(date.to_string()),
        DeValue::Array(_) | DeValue::Table(_) => None,
    }
}

/// The help where a text is due.
fn in_quotes(value: &DeValue<'_>) -> String {
    match scalar(value) {
        Some(scalar) => format!("write it in quotes: `\"{scalar}\"`"),
        None => "write one text".to_owned(),
    }
}

/// The help where an array is due.
fn in_brackets(value: &DeValue<'_>) -> String {
    match scalar(value) {
        Some(scalar) => format!("write it in brackets: `[{scalar}]`"),
        None => "there can be several: write its name in two pairs of brackets, `[[…]]`".to_owned(),
    }
}

/// The help where named things are due.
fn by_name(value: &DeValue<'_>) -> String {
    let name = value.as_array().and_then(|array| array.iter().find_map(|item| item.get_ref().as_str()));
    match (scalar(value), name) {
        (Some(scalar), _) => format!("write the name of each: `{{ NAME = {scalar} }}`"),
        (None, Some(name)) => format!("write the name of each: `{{ {name} = … }}`"),
        (None, None) => "each has its name in brackets: write `[….NAME]`, in one pair".to_owned(),
    }
}

/// A type of values in a design file.
pub(crate) trait FromToml: Sized {
    /// Reads a value; where it is not valid, notes why and returns none.
    fn from_toml(node: Node<'_, '_>, reading: &mut Reading<'_>) -> Option<Self>;

    /// The same, of fewer numbers than its type has.
    fn from_toml_in(_bounds: Bounds, node: Node<'_, '_>, reading: &mut Reading<'_>) -> Option<Self> {
        Self::from_toml(node, reading)
    }

    /// The value where the file has none; none if it has to have one.
    fn absent() -> Option<Self> {
        None
    }

    /// The JSON Schema of its values.
    fn schema() -> Json;

    /// The same, of fewer numbers than its type has.
    fn schema_in(_bounds: Bounds) -> Json {
        Self::schema()
    }
}

impl FromToml for bool {
    fn from_toml(node: Node<'_, '_>, reading: &mut Reading<'_>) -> Option<Self> {
        let truth = node.get_ref().as_bool();
        if truth.is_none() {
            reading.wrong_type(node, "`true` or `false`", "");
        }
        truth
    }

    fn schema() -> Json {
        json!({"type": "boolean"})
    }
}

impl FromToml for String {
    fn from_toml(node: Node<'_, '_>, reading: &mut Reading<'_>) -> Option<Self> {
        let text = node.get_ref().as_str();
        if text.is_none() {
            reading.wrong_type(node, "text in quotes", in_quotes(node.get_ref()));
        }
        text.map(str::to_owned)
    }

    fn schema() -> Json {
        json!({"type": "string"})
    }
}

impl<T: FromToml> FromToml for Option<T> {
    fn from_toml(node: Node<'_, '_>, reading: &mut Reading<'_>) -> Option<Self> {
        // What is not valid is noted. The rest is read on, to note all at once.
        Some(T::from_toml(node, reading))
    }

    fn from_toml_in(bounds: Bounds, node: Node<'_, '_>, reading: &mut Reading<'_>) -> Option<Self> {
        Some(T::from_toml_in(bounds, node, reading))
    }

    fn absent() -> Option<Self> {
        Some(None)
    }

    fn schema() -> Json {
        T::schema()
    }

    fn schema_in(bounds: Bounds) -> Json {
        T::schema_in(bounds)
    }
}

impl<T: FromToml> FromToml for Located<T> {
    fn from_toml(node: Node<'_, '_>, reading: &mut Reading<'_>) -> Option<Self> {
        let place = reading.place(node);
        T::from_toml(node, reading).map(|value| Self { value, place })
    }

    fn from_toml_in(bounds: Bounds, node: Node<'_, '_>, reading: &mut Reading<'_>) -> Option<Self> {
        let place = reading.place(node);
        T::from_toml_in(bounds, node, reading).map(|value| Self { value, place })
    }

    fn schema() -> Json {
        T::schema()
    }

    fn schema_in(bounds: Bounds) -> Json {
        T::schema_in(bounds)
    }
}

impl<T: FromToml> FromToml for Vec<T> {
    fn from_toml(node: Node<'_, '_>, reading: &mut Reading<'_>) -> Option<Self> {
        let Some(array) = node.get_ref().as_array() else {
            reading.wrong_type(node, "an array", in_brackets(node.get_ref()));
            return None;
        };
        Some(array.iter().filter_map(|item| T::from_toml(item, reading)).collect())
    }

    fn absent() -> Option<Self> {
        Some(Self::new())
    }

    fn schema() -> Json {
        json!({"type": "array", "items": T::schema()})
    }
}

/// Named things in the order of the file; the place is that of the name.
pub type Named<T> = IndexMap<String, Located<T>>;

impl<T: FromToml> FromToml for Named<T> {
    fn from_toml(node: Node<'_, '_>, reading: &mut Reading<'_>) -> Option<Self> {
        named(node, reading, T::from_toml)
    }

    fn from_toml_in(bounds: Bounds, node: Node<'_, '_>, reading: &mut Reading<'_>) -> Option<Self> {
        named(node, reading, |node, reading| T::from_toml_in(bounds, node, reading))
    }

    fn absent() -> Option<Self> {
        Some(Self::new())
    }

    fn schema() -> Json {
        json!({"type": "object", "additionalProperties": T::schema()})
    }

    fn schema_in(bounds: Bounds) -> Json {
        json!({"type": "object", "additionalProperties": T::schema_in(bounds)})
    }
}

fn named<T>(
    node: Node<'_, '_>,
    reading: &mut Reading<'_>,
    read: impl Fn(Node<'_, '_>, &mut Reading<'_>) -> Option<T>,
) -> Option<Named<T>> {
    let Some(table) = node.get_ref().as_table() else {
        reading.wrong_type(node, "a table", by_name(node.get_ref()));
        return None;
    };
    let item = |(name, node): (&Spanned<DeString<'_>>, _)| {
        let (place, told) = (reading.place(name), reading.problems.len());
        let value = read(node, reading);
        if value.is_none() && node.get_ref().as_table().is_none() {
            let is_due = |problem: &&mut Problem| problem.message.starts_with("expected a table");
            reading.problems[told..].iter_mut().filter(is_due).for_each(|problem| {
                problem.help = Some(format!("a name is due here: `[….NAME]`, with `{}` in it", name.get_ref()))
            });
        }
        value.map(|value| (name.get_ref().to_string(), Located { value, place }))
    };
    Some(table.iter().filter_map(item).collect())
}

/// The keys of a table while a record is read from it.
pub(crate) struct Keys<'a, 'i> {
    node: Node<'a, 'i>,
    table: &'a DeTable<'i>,
    known: &'static [&'static str],
}

impl<'a, 'i> Keys<'a, 'i> {
    pub(crate) fn of(node: Node<'a, 'i>, known: &'static [&'static str], reading: &mut Reading<'_>) -> Option<Self> {
        let Some(table) = node.get_ref().as_table() else {
            let help = match node.get_ref() {
                DeValue::Array(_) => "there is one: write its name in one pair of brackets, `[…]`".to_owned(),
                _ => format!("write `{{ {} = … }}`; known: {}", known.first().unwrap_or(&""), known.join(", ")),
            };
            reading.wrong_type(node, "a table", help);
            return None;
        };
        Some(Self { node, table, known })
    }

    /// The value of a key: none if it is not valid, or absent where it has to be there.
    pub(crate) fn read<T: FromToml>(&self, key: &str, bounds: Option<Bounds>, reading: &mut Reading<'_>) -> Option<T> {
        if let Some((_, node)) = self.table.iter().find(|(name, _)| name.get_ref() == key) {
            return match bounds {
                Some(bounds) => T::from_toml_in(bounds, node, reading),
                None => T::from_toml(node, reading),
            };
        }
        let absent = T::absent();
        if absent.is_none() {
            reading.problem(self.node, format!("`{key}` is missing"), format!("add `{key} = …`"));
        }
        absent
    }

    /// Notes the keys that no record has.
    pub(crate) fn refuse_unknown(&self, hints: &[Hint], reading: &mut Reading<'_>) {
        for (name, _) in self.table.iter() {
            if !self.known.contains(&&**name.get_ref()) {
                unknown(name, "key", self.known, hints, reading);
            }
        }
    }
}

/// The text to write in place of a word that is known elsewhere.
pub(crate) type Hint = fn(&str) -> Option<&'static str>;

/// Notes a word that is not one of those that are known, with what to write in its place, or the nearest of these.
pub(crate) fn unknown<T: AsRef<str>>(
    at: &Spanned<T>,
    what: &str,
    known: &[&str],
    hints: &[Hint],
    reading: &mut Reading<'_>,
) {
    let word = at.get_ref().as_ref();
    let hint = hints.iter().find_map(|hint| hint(word)).map(str::to_owned);
    reading.problem(at, format!("unknown {what} `{word}`"), hint.unwrap_or_else(|| nearest(word, known)));
}

/// The text of one of a few words.
pub(crate) fn word(node: Node<'_, '_>, known: &[&str], reading: &mut Reading<'_>) -> Option<Spanned<String>> {
    let text = node.get_ref().as_str();
    if text.is_none() {
        reading.wrong_type(node, "text in quotes", format!("write one of: {}", known.join(", ")));
    }
    text.map(|text| Spanned::new(node.span(), text.to_owned()))
}

/// A better word: the nearest of those that are known, or all.
pub(crate) fn nearest(word: &str, known: &[&str]) -> String {
    let lower = word.to_lowercase();
    let near = known.iter().map(|known| (strsim::damerau_levenshtein(&lower, known), known)).min();
    match near {
        Some((distance, known)) if 3 * distance <= word.len() => format!("did you mean `{known}`?"),
        Some(_) => format!("known: {}", known.join(", ")),
        None => "there are none".to_owned(),
    }
}

/// Declares a table of the design file: its struct, how it is read, and its JSON Schema. A field is a key; `_` stands
/// for `.` of nested tables nowhere. Types say what may be absent; `where`, which numbers a key takes.
macro_rules! record {
    ($(
        $(#[doc = $doc:literal])*
        pub struct $name:ident $(else $hint:path)? {
            $( $(#[doc = $field_doc:literal])* $field:ident $(as $key:literal)? : $type:ty $(where $bounds:expr)?, )*
        }
    )*) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub struct $name {
            $( $(#[doc = $field_doc])* pub $field: $type, )*
        }

        impl $crate::file::node::FromToml for $name {
            fn from_toml(
                node: $crate::file::node::Node<'_, '_>,
                reading: &mut $crate::file::node::Reading<'_>,
            ) -> Option<Self> {
                const KNOWN: &[&str] = &[$( $crate::file::node::key_of!($field $(as $key)?) ),*];
                let keys = $crate::file::node::Keys::of(node, KNOWN, reading)?;
                keys.refuse_unknown(&[$($hint)?], reading);
                $( let $field = keys.read($crate::file::node::key_of!($field $(as $key)?), $crate::file::node::bounds_of!($($bounds)?), reading); )*
                Some(Self { $( $field: $field?, )* })
            }

            fn schema() -> serde_json::Value {
                let mut properties = serde_json::Map::new();
                let mut required: Vec<&str> = Vec::new();
                $(
                    let key = $crate::file::node::key_of!($field $(as $key)?);
                    let bounds: Option<$crate::file::Bounds> = $crate::file::node::bounds_of!($($bounds)?);
                    let mut schema = match bounds {
                        Some(bounds) => <$type as $crate::file::node::FromToml>::schema_in(bounds),
                        None => <$type as $crate::file::node::FromToml>::schema(),
                    };
                    let about = [$($field_doc),*].map(str::trim).join(" ");
                    if let Some(schema) = schema.as_object_mut() {
                        schema.insert("description".to_owned(), about.into());
                    }
                    properties.insert(key.to_owned(), schema);
                    if <$type as $crate::file::node::FromToml>::absent().is_none() {
                        required.push(key);
                    }
                )*
                serde_json::json!({
                    "type": "object",
                    "properties": properties,
                    "required": required,
                    "additionalProperties": false,
                })
            }
        }
    )*};
}
pub(crate) use record;

macro_rules! key_of {
    ($field:ident as $key:literal) => {
        $key
    };
    ($field:ident) => {
        stringify!($field)
    };
}
pub(crate) use key_of;

macro_rules! bounds_of {
    ($bounds:expr) => {
        Some($bounds)
    };
    () => {
        None
    };
}
pub(crate) use bounds_of;

/// Declares the words of a setting: its enum, how it is read, and its JSON Schema.
macro_rules! words {
    ($(
        $(#[doc = $doc:literal])*
        pub enum $name:ident ($what:literal) $(else $hint:path)? {
            $( $(#[doc = $word_doc:literal])* $variant:ident = $word:literal, )*
        }
    )*) => {$(
        $crate::choice::choices! {
            $(#[doc = $doc])*
            pub enum $name {
                $( $(#[doc = $word_doc])* $variant = $word, )*
            }
        }

        impl $crate::file::node::FromToml for $name {
            fn from_toml(
                node: $crate::file::node::Node<'_, '_>,
                reading: &mut $crate::file::node::Reading<'_>,
            ) -> Option<Self> {
                const KNOWN: &[&str] = &[$($word),*];
                let word = $crate::file::node::word(node, KNOWN, reading)?;
                let found = word.get_ref().parse().ok();
                if found.is_none() {
                    $crate::file::node::unknown(&word, $what, KNOWN, &[$($hint)?], reading);
                }
                found
            }

            fn schema() -> serde_json::Value {
                serde_json::json!({"enum": [$($word),*]})
            }
        }
    )*};
}
pub(crate) use words;
