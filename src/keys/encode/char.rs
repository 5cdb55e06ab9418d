//! `char`, as its scalar value in a `u32`.
//!
//! ```text
//! 'a'   00 00 00 61
//! ```

use crate::keys::encode::scalar;
use crate::keys::layout::Scalar;

scalar!(char, Scalar::Char,
self, w => w.array(u32::from(*self).to_be_bytes()),
r => {
    let at = r.offset();
    let scalar = u32::from_be_bytes(r.array()?);
    char::from_u32(scalar)
        .ok_or_else(|| r.bad_value(at, format!("{scalar:#x}"), "a char is a Unicode scalar value: up to 0x10ffff and not a surrogate"))
});

#[cfg(test)]
mod tests {
    use crate::keys::encode::tests::refused;

    #[test]
    fn surrogates_are_refused() {
        refused::<char>("0000d800");
        refused::<char>("00110000");
    }
}
