//! `smol_str::SmolStr` (feature `smol_str`): text.
//!
//! ```text
//! SmolStr "a\0"    61 01 01 00
//! ```

use smol_str::SmolStr;

use crate::keys::encode::text::content;

content! {
    [] SmolStr as str => Self, |content, at| Ok(Self::new(str::from_content(content, at)?));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::encode::tests::{refused, vector};

    #[test]
    fn vectors() {
        vector(SmolStr::default(), "00", "ff");
        vector(SmolStr::new("a\0"), "61010100", "9efefeff");
        refused::<SmolStr>("ff00");
    }
}
