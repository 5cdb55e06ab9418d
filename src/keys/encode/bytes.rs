//! `bytes::Bytes` (feature `bytes`): bytes of any length.
//!
//! ```text
//! Bytes [00, ff, 01]    01 01 ff 01 02 00
//! ```

use bytes::Bytes;

use crate::keys::encode::text::content;

content! {
    [] Bytes as [u8] => Self, |content, _| Ok(content.into_owned().into());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::encode::tests::{refused, vector};

    #[test]
    fn vectors() {
        vector(Bytes::new(), "00", "ff");
        vector(Bytes::from_static(&[0, 0xff, 1]), "0101ff010200", "fefe00fefdff");
        refused::<Bytes>("0103");
    }
}
