//! A secondary table as bytes: what follows from a primary row, and who claims a key.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::claim::Claims;
use crate::store::error::{Access, Error};
use crate::store::{CallOptions, Readable, Store};

/// Secondary keys and values that follow from one primary row.
pub(super) type Entries = BTreeMap<Vec<u8>, Vec<u8>>;

/// Computes the entries of a primary row from its key and value.
pub(super) type Derive = dyn Fn(&[u8], &[u8]) -> Result<Entries, Error> + Send + Sync;

/// A secondary table with its types erased.
pub(super) struct Follower {
    pub(super) name: Arc<str>,
    pub(super) store: Arc<dyn Store>,
    pub(super) derive: Arc<Derive>,
}

impl Follower {
    /// The same table with these options.
    pub(super) fn with_options(&self, options: &CallOptions) -> Arc<Self> {
        let (name, derive) = (Arc::clone(&self.name), Arc::clone(&self.derive));
        Arc::new(Self { name, store: self.store.with_options(options), derive })
    }

    /// The entries of a row; none if there is no row.
    pub(super) fn entries(&self, primary: &[u8], value: Option<&[u8]>) -> Result<Entries, Error> {
        value.map_or_else(|| Ok(Entries::new()), |value| (self.derive)(primary, value))
    }

    /// The value that the primary row has now under a secondary key.
    pub(super) fn derived(&self, rows: &dyn Readable, primary: &[u8], key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        let value = rows.get(primary)?;
        Ok(self.entries(primary, value.as_deref())?.remove(key))
    }

    pub(super) fn claims(&self, key: &[u8], bytes: Option<&[u8]>) -> Result<Claims, Error> {
        let unread =
            |source| Error::Value { table: self.name.to_string(), key: key.to_vec(), access: Access::Read, source };
        Claims::parse(bytes).map_err(unread)
    }

    #[cold]
    pub(super) fn busy(&self, key: &[u8], holder: &[u8], claimant: &[u8]) -> Error {
        Error::SecondaryBusy {
            table: (*self.name).into(),
            key: key.to_vec(),
            holder: holder.to_vec(),
            claimant: claimant.to_vec(),
        }
    }

    #[cold]
    pub(super) fn conflict(&self, key: &[u8], holder: &[u8], claimant: &[u8]) -> Error {
        Error::SecondaryConflict {
            table: self.name.to_string(),
            key: key.to_vec(),
            holder: holder.to_vec(),
            claimant: claimant.to_vec(),
        }
    }
}
