//! `bool`.
//!
//! ```text
//! false   00
//! true    01
//! ```

use crate::keys::encode::scalar;
use crate::keys::layout::Scalar;

scalar!(bool, Scalar::Bool,
self, w => w.byte(u8::from(*self)),
r => {
    let at = r.offset();
    match r.byte()? {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(r.unknown_byte(at, "a bool", &[0, 1])),
    }
});

#[cfg(test)]
mod tests {
    use crate::keys::encode::Field;

    #[test]
    fn two_is_no_bool() {
        let error = bool::decode(&mut crate::keys::encode::Reader::new(&[2])).unwrap_err();
        assert_eq!(error.to_string(), "at byte 0: found 02, a bool is 00 or 01");
    }
}
