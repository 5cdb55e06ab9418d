//! The place in a design where something is to be completed: the path of keys to it, and what of it is there.

/// The thing that is to be completed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Wanted {
    #[default]
    Key,
    Header,
    Value,
    /// Nothing: a comment, or a text of several lines.
    Nothing,
}

/// A place in a design.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// The keys from the top to it.
    pub(super) path: Vec<String>,
    pub(super) wanted: Wanted,
    /// True in a header of two brackets.
    pub(super) is_list: bool,
    /// The beginning that is there, with the quote that it begins with.
    pub(super) word: String,
    /// The keys that are beside it already.
    pub(super) has: Vec<String>,
}

impl Place {
    /// The beginning that is there, without a quote.
    pub(super) fn begun(&self) -> &str {
        self.word.trim_start_matches(['"', '\''])
    }

    /// The quote of the string that it is in.
    pub(super) fn quote(&self) -> Option<char> {
        self.word.chars().next().filter(|first| matches!(first, '"' | '\''))
    }
}
