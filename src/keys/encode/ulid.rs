//! ULIDs (feature `ulid`): their sixteen bytes.
//!
//! ```text
//! Ulid 01ARZ3NDEKTSV4RRFFQ69G5FAV    01 56 3e 3a b5 d3 d6 76 4c 61 ef b9 93 02 bd 5b      the time, then a random number
//! ```

use ulid::Ulid;

use crate::keys::encode::scalar;
use crate::keys::layout::Scalar;

scalar!(Ulid, Scalar::ByteArray(16), self, w => w.array(self.to_bytes()), r => r.array().map(Self::from_bytes));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::encode::tests::{refused, vector};

    #[test]
    fn vectors() {
        let ulid = Ulid::from_string("01ARZ3NDEKTSV4RRFFQ69G5FAV").unwrap();
        vector(ulid, "01563e3ab5d3d6764c61efb99302bd5b", "fea9c1c54a2c2989b39e10466cfd42a4");
        refused::<Ulid>("01563e3ab5d3d6764c61efb99302bd");
    }
}
