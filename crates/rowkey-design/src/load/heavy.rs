//! Heavy values of which a salt or hash is taken: what has one of them is in one bucket, wherever they are in the key.

use super::{by, divided, hashes, shares};
use crate::facts::{FieldFacts, KeyFacts};

/// Values that are so many times as frequent as even ones are uneven.
pub(crate) const UNEVEN: f64 = 1.2;

/// The fields beside these that are hashed, and whose values are uneven, where their hashes are so too; none where the
/// values of one are not known, which may divide those of the others.
pub(super) fn heavy_hashed(key: &KeyFacts<'_>, before: &[usize]) -> Vec<usize> {
    let rest: Vec<usize> = by(key).into_iter().filter(|field| !before.contains(field)).collect();
    let are_hashes_uneven = |hashes| divided(key, before, hashes).most * hashes > UNEVEN;
    if shares(key, &rest).is_none() || !hashes(key).is_some_and(are_hashes_uneven) {
        return Vec::new();
    }
    let is_heavy = |field: &FieldFacts<'_>| {
        let spread = field.spread.filter(|_| field.growth.is_none());
        spread.is_some_and(|spread| spread.p_max * spread.distinct > UNEVEN)
    };
    rest.into_iter().filter(|field| key.fields.get(*field).is_some_and(is_heavy)).collect()
}
