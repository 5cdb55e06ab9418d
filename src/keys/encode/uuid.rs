//! UUIDs (feature `uuid`): their sixteen bytes (RFC 9562).
//!
//! ```text
//! 00112233-4455-6677-8899-aabbccddeeff   00 11 22 33 44 55 66 77 88 99 aa bb cc dd ee ff
//! ```

use uuid::Uuid;

use crate::keys::encode::scalar;
use crate::keys::layout::Scalar;

scalar!(Uuid, Scalar::ByteArray(16), self, w => w.array(self.into_bytes()), r => r.array().map(Self::from_bytes));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::encode::tests::vector;

    #[test]
    fn vectors() {
        let uuid = Uuid::from_u128(0x00112233_4455_6677_8899_aabbccddeeff);
        vector(uuid, "00112233445566778899aabbccddeeff", "ffeeddccbbaa99887766554433221100");
    }
}
