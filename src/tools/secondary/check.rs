//! Verification and rebuild: both tables are read, every difference is named, and repaired if that is asked for.
//!
//! Pass 1 reads the primary table, pass 2 the secondary one.

mod look;

use std::fmt;
use std::sync::Arc;

use self::look::Look;
use super::Secondary;
use crate::keys::cursor::Cursor;
use crate::keys::key::OwnedKey;
use crate::store::Database;
use crate::store::error::Error;
use crate::store::options::Within;
use crate::store::value::RowValue;
use crate::table::stored_key;
use crate::tools::job::{Batch, Bounds, Checkpoint, Difference, Work};

pub(super) struct Check<'s, K2, V2, K, V, D> {
    pub(super) secondary: &'s Secondary<K2, V2, K, V, D>,
    pub(super) repair: bool,
}

impl<K2, V2, K, V, D> fmt::Debug for Check<'_, K2, V2, K, V, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Check").field("secondary", &self.secondary).field("repair", &self.repair).finish()
    }
}

impl<K2, V2, K, V, D> Work<K, K2> for Check<'_, K2, V2, K, V, D>
where
    K2: OwnedKey + 'static,
    V2: RowValue + 'static,
    K: OwnedKey + 'static,
    V: RowValue + 'static,
    D: Database + Clone,
{
    fn job(&self) -> Option<String> {
        let Secondary { primary, follower, .. } = self.secondary;
        let does = if self.repair { "rebuild" } else { "verify" };
        Some(format!("{does} {:?} {:?}", primary.name(), follower.name))
    }

    fn batch(&mut self, at: &Checkpoint, bounds: &Bounds) -> Result<Batch<K, K2>, Error> {
        let Secondary { primary, table, follower, timeout, .. } = self.secondary;
        let own = primary.own_database();
        // Each batch is a call.
        let db = Within::one_call(&*own);
        let rows = Within::one_call(&**primary.store());
        let follower = match &rows {
            Within::As(_) => Arc::clone(follower),
            Within::Made(rows) => follower.with_options(rows.options()),
        };
        let look = Look {
            db: &*db,
            primary: primary.name(),
            rows: &*rows,
            follower: &follower,
            limit: bounds.rows(),
            bytes: bounds.bytes,
            repair: self.repair,
            timeout: bounds.timeout.unwrap_or(*timeout),
        };
        let first = at.pass() == 1;
        let fingerprint = if first { primary.fingerprint() } else { table.fingerprint() };
        let known = |found| if first { primary.knows(found) } else { table.knows(found) };
        let seen = look.batch(first, at.key_of(fingerprint, known)?)?;
        let next = match (seen.last, first) {
            (Some(last), _) => Some(Checkpoint::new(at.pass(), Some(Cursor::new(fingerprint, &last)))),
            (None, true) => Some(Checkpoint::new(2, None)),
            (None, false) => None,
        };
        let typed = seen.findings.iter().map(|finding| {
            let source = stored_key::<K>(primary.name(), &finding.key)?;
            let target = stored_key::<K2>(&follower.name, &finding.entry)?;
            Ok(Difference { kind: finding.kind, source, target })
        });
        let differences = typed.collect::<Result<_, Error>>()?;
        Ok(Batch { rows: seen.rows, written: seen.repaired, differences, next, ..Batch::default() })
    }
}
