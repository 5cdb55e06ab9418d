//! Expressions with arguments, as ruff and black lay them out: on one line, or each argument on its own.

use super::text::WIDTH;

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Call {
    /// One without parts to break at.
    Plain(String),
    /// Something with a list of arguments: what opens it, and what closes it.
    Of(String, Vec<Call>, &'static str),
    /// One behind a name and `=`, or a key and `: `.
    Behind(String, Box<Call>),
}

impl Call {
    pub(super) fn plain(text: impl Into<String>) -> Self {
        Self::Plain(text.into())
    }

    pub(super) fn of(function: &str, arguments: Vec<Self>) -> Self {
        Self::Of(format!("{function}("), arguments, ")")
    }

    pub(super) fn named(name: &str, value: impl Into<String>) -> Self {
        Self::Behind(format!("{name}="), Box::new(Self::plain(value)))
    }

    pub(super) fn list(items: Vec<Self>) -> Self {
        Self::Of("[".to_owned(), items, "]")
    }

    pub(super) fn dict(items: Vec<Self>) -> Self {
        Self::Of("{".to_owned(), items, "}")
    }

    fn flat(&self) -> String {
        match self {
            Self::Plain(text) => text.clone(),
            Self::Behind(name, value) => format!("{name}{}", value.flat()),
            Self::Of(open, arguments, close) => {
                let arguments: Vec<String> = arguments.iter().map(Self::flat).collect();
                format!("{open}{}{close}", arguments.join(", "))
            }
        }
    }

    /// The length of what stands before the first place where a line can be broken.
    pub(super) fn opened(&self) -> usize {
        match self {
            Self::Plain(text) | Self::Of(text, ..) => text.len(),
            Self::Behind(name, value) => name.len() + value.opened(),
        }
    }

    /// The text behind `before` at an indent, and before `after`, without them.
    pub(super) fn laid_out(&self, indent: usize, before: usize, after: usize) -> String {
        let flat = self.flat();
        if 4 * indent + before + flat.chars().count() + after <= WIDTH {
            return flat;
        }
        match self {
            Self::Plain(_) => flat,
            Self::Of(_, arguments, _) if arguments.is_empty() => flat,
            Self::Behind(name, value) => format!("{name}{}", value.laid_out(indent, before + name.len(), after)),
            Self::Of(open, arguments, close) => {
                let (inner, outer) = (" ".repeat(4 * indent + 4), " ".repeat(4 * indent));
                let lines: String = arguments
                    .iter()
                    .map(|argument| format!("{inner}{},\n", argument.laid_out(indent + 1, 0, 1)))
                    .collect();
                format!("{open}\n{lines}{outer}{close}")
            }
        }
    }
}
