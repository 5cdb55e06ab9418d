//! Law 1: the bytes after the salt sort two keys of a layout as their values sort.

use fastrand::Rng;
use rowkey::laws;

use crate::keys::Pool;
use crate::{Fault, hex};

/// All pairs of some keys.
pub fn pool(rng: &mut Rng) -> Result<u64, Fault> {
    let Pool { layout, rows, keys } = Pool::new(rng, 200)?;
    let lead = layout.lead().width();
    let mut pairs = 0;
    for (i, (a, a_key)) in rows.iter().zip(&keys).enumerate() {
        for (b, b_key) in rows.iter().zip(&keys).take(i) {
            pairs += 1;
            let (due, found) = (laws::compare(&layout, a, b), a_key[lead..].cmp(&b_key[lead..]));
            if due != found {
                return Err(format!(
                    "{layout}: {a:?} is {due:?} to {b:?}, but {} {found:?} {}",
                    hex(a_key),
                    hex(b_key)
                ));
            }
        }
    }
    Ok(pairs)
}
