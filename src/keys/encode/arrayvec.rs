//! `arrayvec::ArrayString` (feature `arrayvec`): text; decoding refuses text that is too long for the type.
//!
//! ```text
//! ArrayString<4> "ab"    61 62 00
//! ```

use arrayvec::ArrayString;

use crate::keys::encode::text::content;
use crate::keys::error::DecodeReason;

content! {
    [const N: usize,] ArrayString<N> as str => Self, |content, at| {
        let content = str::from_content(content, at)?;
        Self::from(&content).map_err(|_| {
            let found = format!("text of {} bytes", content.len());
            DecodeError::new(at, DecodeReason::Value { found, expected: "which does not fit into the ArrayString" })
        })
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RowKey;
    use crate::keys::encode::tests::{refused, vector};

    #[test]
    fn vectors() {
        vector(ArrayString::<2>::from("ab").unwrap(), "616200", "9e9dff");
        vector(ArrayString::<0>::new(), "00", "ff");
        refused::<ArrayString<1>>("616200");
    }

    #[test]
    fn too_long_is_told_with_its_place() {
        type Key = (u8, ArrayString<2>);
        let error = Key::decode(b"\x07abc\0").unwrap_err();
        assert_eq!((error.offset(), error.field()), (1, "_1"));
        let reason = "found text of 3 bytes, which does not fit into the ArrayString";
        assert_eq!(error.reason().to_string(), reason);
        assert!(Key::decode(b"\x07ab\0").is_ok());
        // Two bytes when its escape is undone.
        assert!(Key::decode(b"\x07a\x01\x01\0").is_ok());
    }
}
