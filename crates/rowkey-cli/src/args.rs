//! Arguments of several commands: values that are one of a few, and colours.

use std::io::IsTerminal;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use rowkey_design::Rule;
use rowkey_design::internal::choice::Choice;
use rowkey_design::internal::forms::KeyForm;
use rowkey_design::internal::report::Styles;

/// A parser of values by their names.
pub(crate) fn named<C: Choice>() -> impl TypedValueParser<Value = C> {
    PossibleValuesParser::new(C::ALL.iter().map(|choice| choice.name())).try_map(|name| name.parse())
}

/// The same, with what each means in the help.
pub(crate) fn described<C: Choice>() -> impl TypedValueParser<Value = C> {
    PossibleValuesParser::new(C::ALL.iter().map(described_value)).try_map(|name| name.parse())
}

/// A value with what it means in the help.
pub(crate) fn described_value<C: Choice>(choice: &C) -> PossibleValue {
    PossibleValue::new(choice.name()).help(choice.about())
}

/// The form of a key on a command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A key.
    Key(KeyForm),
    /// A row as HBase's shell or cbt prints it.
    Line,
}

/// A parser of forms, `line` among them.
pub(crate) fn form() -> impl TypedValueParser<Value = Form> {
    let line = PossibleValue::new("line").help("A row as HBase's shell or cbt prints it");
    let all = KeyForm::ALL.iter().map(described_value).chain([line]);
    PossibleValuesParser::new(all).map(|name| name.parse().map_or(Form::Line, Form::Key))
}

/// A rule by its id, in upper or lower case.
pub(crate) fn rule(id: &str) -> Result<&'static Rule, String> {
    Rule::named(&id.trim().to_ascii_uppercase()).ok_or_else(|| {
        let near = Rule::nearest(id);
        let near = near.map_or(String::new(), |rule| format!("did you mean {} ({})? ", rule.id, rule.title));
        format!("there is no rule {id:?}; {near}`rowkey rule --list` lists all")
    })
}

/// The colours of text.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

impl Color {
    /// The styles of text that goes to a stream.
    pub(crate) fn styles(self, stream: &impl IsTerminal) -> Styles {
        let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let coloured = match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => {
                stream.is_terminal() && set("NO_COLOR").is_none() && set("TERM").is_none_or(|term| term != "dumb")
            }
        };
        if coloured { Styles::Coloured } else { Styles::Plain }
    }
}
