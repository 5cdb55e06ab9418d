//! `compact_str::CompactString` (feature `compact_str`): text.
//!
//! ```text
//! CompactString "a\0"    61 01 01 00
//! ```

use compact_str::CompactString;

use crate::keys::encode::text::content;

content! {
    [] CompactString as str => Self, |content, at| Ok(Self::new(str::from_content(content, at)?));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::encode::tests::{refused, vector};

    #[test]
    fn vectors() {
        vector(CompactString::default(), "00", "ff");
        vector(CompactString::new("a\0"), "61010100", "9efefeff");
        refused::<CompactString>("ff00");
    }
}
