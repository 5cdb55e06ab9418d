//! A dictionary in a store: from names to ids, and back.
//!
//! ```text
//! kind │ 00 │ 01 │ name │ 00  →  id        a name's id
//! kind │ 00 │ 02 │ id         →  name      an id's name
//! ```

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use super::IdError;
use crate::RowKey;
use crate::keys::prefix::Select;
use crate::store::catalog::moved;
use crate::store::catalog::{Given, Opened};
use crate::store::error::Error;
use crate::store::options::Within;
use crate::store::{Database, OpenMode, RowBatch, Scan, Store};
use crate::table::stored_key;

/// Short ids for names. Each name has one id, and each id one name, forever. So keys stay short, and names may be long.
///
/// Ids are the numbers from 1 on, in `BYTES` bytes, without gaps: they sort in the order in which names were added, and
/// can be fields of any key. A table can hold several kinds of names, each with its own numbers.
///
/// ```
/// use rowkey::ids::NameIds;
/// use rowkey::{Memory, RowKey};
///
/// #[derive(RowKey)]
/// struct Series {
///     metric: [u8; 3],
///     hour: u32,
/// }
///
/// let db = Memory::new();
/// let metrics: NameIds = NameIds::open(&db, "uids", "metric")?;
/// let load = metrics.id("sys.cpu.load")?;
/// assert_eq!((load, metrics.id("sys.cpu.user")?, metrics.id("sys.cpu.load")?), ([0, 0, 1], [0, 0, 2], load));
/// assert_eq!(Series { metric: load, hour: 7 }.encode(), [0, 0, 1, 0, 0, 0, 7]);
///
/// assert_eq!(metrics.name([0, 0, 2])?.as_deref(), Some("sys.cpu.user"));
/// assert_eq!(metrics.find("sys.disk")?, None);
/// assert_eq!(metrics.starting("sys.cpu.", 1)?, [("sys.cpu.load".to_owned(), load)]);
/// # Ok::<(), rowkey::ids::IdError>(())
/// ```
///
/// Write the type (`let metrics: NameIds = …`): Rust does not infer a default for `BYTES`.
///
/// Any number of handles, threads, processes and machines can add names, and any of them can be killed at any time: an
/// id is taken by one [`Store::compare_and_write`] of its row, and whoever takes the next one first completes the last.
/// A handle caches what it has read, as it never changes; if the table is written in another way, or dropped, open a
/// new handle.
#[doc(alias = "dictionary")]
#[doc(alias = "interning")]
#[doc(alias = "UID")]
pub struct NameIds<const BYTES: usize = 3> {
    store: Arc<dyn Store>,
    table: String,
    kind: String,
    known: RwLock<Known<BYTES>>,
}

/// The cache of a handle: the names and ids that it has read.
struct Known<const BYTES: usize> {
    ids: HashMap<String, [u8; BYTES]>,
    names: HashMap<[u8; BYTES], String>,
}

#[derive(RowKey)]
struct Entry<'a, const BYTES: usize> {
    kind: Cow<'a, str>,
    of: Of<'a, BYTES>,
}

#[derive(RowKey)]
enum Of<'a, const BYTES: usize> {
    #[rowkey(tag = 1)]
    Name { name: Cow<'a, str> },
    #[rowkey(tag = 2)]
    Id { id: [u8; BYTES] },
}

impl<const BYTES: usize> fmt::Debug for NameIds<BYTES> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NameIds").field("kind", &self.kind).finish_non_exhaustive()
    }
}

impl<const BYTES: usize> NameIds<BYTES> {
    /// Opens the names of one kind in a table; the table is created if it does not exist.
    ///
    /// # Errors
    /// As [`IdError::Store`]: [`Error::Layout`] if the table is of something else, or has ids of another length;
    /// [`Error::Unsupported`] if the store has no compare-and-write.
    pub fn open(db: &(impl Database + ?Sized), table: &str, kind: &str) -> Result<Self, IdError> {
        const { assert!(BYTES > 0, "an id has at least one byte") };
        let given = Given::new(&Entry::<BYTES>::LAYOUT, None);
        let within = Within::one_call(&db as &dyn Database);
        let Opened { store, .. } = moved::open(&within, table, &given, &OpenMode::OpenOrCreate, db.options())?;
        if !store.guarantees().compare_and_write {
            return Err(Error::Unsupported("compare-and-write").into());
        }
        let known = RwLock::new(Known { ids: HashMap::new(), names: HashMap::new() });
        Ok(Self { store, table: table.to_owned(), kind: kind.to_owned(), known })
    }

    /// Returns the id of a name. A name that has none gets the next one.
    ///
    /// # Errors
    /// [`IdError::NamesFull`] if all ids are taken; the store's error, as [`IdError::Store`]. After an error of the
    /// store the name may have its id: call again to find out.
    pub fn id(&self, name: &str) -> Result<[u8; BYTES], IdError> {
        let store = &*Within::one_call(&*self.store);
        if let Some(id) = self.read_id(store, name)? {
            return Ok(id);
        }
        loop {
            let last = self.last(store)?;
            if let Some((id, of)) = &last {
                // Whoever took it may have been killed before the name's row was written. So all names are found
                // except, perhaps, that of the last id. No id is taken twice, as its row is written once.
                if self.read_id(store, of)?.is_none() {
                    write(store, &self.name_key(of), id).map_err(Error::before_commit)?;
                    self.keep(of, *id);
                }
                if of == name {
                    return Ok(*id);
                }
            }
            if let Some(id) = self.read_id(store, name)? {
                return Ok(id);
            }
            let id = next(last.map_or([0; BYTES], |(id, _)| id)).ok_or(IdError::NamesFull { bytes: BYTES })?;
            if write(store, &self.id_key(id), name.as_bytes())? {
                // The id is taken: who asks again gets it.
                write(store, &self.name_key(name), &id).map_err(|error| error.after_commit(&self.table))?;
                self.keep(name, id);
                return Ok(id);
            }
        }
    }

    /// Returns the id of a name, or `None` if it has none. For a name without id it reads the table three times, as
    /// another process may be adding it. Ids are cached, their absence is not.
    ///
    /// # Errors
    /// The store's error, as [`IdError::Store`].
    pub fn find(&self, name: &str) -> Result<Option<[u8; BYTES]>, IdError> {
        let store = &*Within::one_call(&*self.store);
        if let Some(id) = self.read_id(store, name)? {
            return Ok(Some(id));
        }
        // The last id may be taken and its name's row not yet written, or written since.
        match self.last(store)? {
            Some((id, last)) if last == name => Ok(Some(id)),
            _ => self.read_id(store, name),
        }
    }

    /// Returns the name of an id, or `None` if it has none.
    ///
    /// # Errors
    /// The store's error, as [`IdError::Store`].
    pub fn name(&self, id: [u8; BYTES]) -> Result<Option<String>, IdError> {
        if let Some(name) = self.known.read().unwrap_or_else(PoisonError::into_inner).names.get(&id) {
            return Ok(Some(name.clone()));
        }
        let Some(stored) = self.store.get(&self.id_key(id))? else { return Ok(None) };
        let name = text(stored)?;
        // Not the name's id, which is cached once the name's own row is written.
        self.known.write().unwrap_or_else(PoisonError::into_inner).names.insert(id, name.clone());
        Ok(Some(name))
    }

    /// Returns the names that begin with `start`, in order, at most `most` of them, with their ids. A name that is just
    /// being added may be missing.
    ///
    /// # Errors
    /// The store's error, as [`IdError::Store`].
    pub fn starting(&self, start: &str, most: u64) -> Result<Vec<(String, [u8; BYTES])>, IdError> {
        let names = Of::<'_, BYTES>::prefix().name().name_starts_with(start);
        let scan = Scan::new(Entry::<'_, BYTES>::prefix().kind(&*self.kind).of_prefix(names).ranges()).limit(most);
        let store = Within::one_call(&*self.store);
        let (mut rows, mut batch, mut found) = (store.scan(&scan), RowBatch::new(), Vec::new());
        loop {
            rows.next_batch(&mut batch)?;
            if batch.is_empty() {
                return Ok(found);
            }
            for (key, value) in batch.iter() {
                if let Of::Name { name } = stored_key::<Entry<'_, BYTES>>(&self.table, key)?.of {
                    found.push((name.into_owned(), bytes(value)?));
                }
            }
        }
    }

    /// The last id that was taken, and its name.
    fn last(&self, store: &dyn Store) -> Result<Option<([u8; BYTES], String)>, IdError> {
        let ids = Entry::<'_, BYTES>::prefix().kind(&*self.kind).of_prefix(Of::<'_, BYTES>::prefix().id());
        let mut batch = RowBatch::new();
        store.scan(&Scan::new(ids.ranges()).reverse(true).limit(1)).next_batch(&mut batch)?;
        let Some((key, name)) = batch.get(0) else { return Ok(None) };
        match stored_key::<Entry<'_, BYTES>>(&self.table, key)?.of {
            Of::Id { id } => Ok(Some((id, text(name.to_vec())?))),
            Of::Name { .. } => Ok(None),
        }
    }

    fn read_id(&self, store: &dyn Store, name: &str) -> Result<Option<[u8; BYTES]>, IdError> {
        if let Some(id) = self.known.read().unwrap_or_else(PoisonError::into_inner).ids.get(name) {
            return Ok(Some(*id));
        }
        let Some(stored) = store.get(&self.name_key(name))? else { return Ok(None) };
        let id = bytes(&stored)?;
        self.keep(name, id);
        Ok(Some(id))
    }

    fn keep(&self, name: &str, id: [u8; BYTES]) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.ids.insert(name.to_owned(), id);
        known.names.insert(id, name.to_owned());
    }

    fn name_key(&self, name: &str) -> Vec<u8> {
        let of: Of<'_, BYTES> = Of::Name { name: name.into() };
        Entry { kind: self.kind.as_str().into(), of }.encode()
    }

    fn id_key(&self, id: [u8; BYTES]) -> Vec<u8> {
        Entry { kind: self.kind.as_str().into(), of: Of::Id { id } }.encode()
    }
}

/// Writes a row if it does not exist; returns whether it did not.
fn write(store: &dyn Store, key: &[u8], value: &[u8]) -> Result<bool, Error> {
    store.compare_and_write(key, None, Some(value))
}

/// The next number, or `None` after the last.
fn next<const BYTES: usize>(mut id: [u8; BYTES]) -> Option<[u8; BYTES]> {
    for byte in id.iter_mut().rev() {
        *byte = byte.wrapping_add(1);
        if *byte != 0 {
            return Some(id);
        }
    }
    None
}

fn bytes<const BYTES: usize>(stored: &[u8]) -> Result<[u8; BYTES], IdError> {
    stored.try_into().map_err(|_| IdError::Malformed("the stored id of a name has another length"))
}

fn text(stored: Vec<u8>) -> Result<String, IdError> {
    String::from_utf8(stored).map_err(|_| IdError::Malformed("the stored name of an id is not valid UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_these_bytes() {
        let of: Of<'_, 3> = Of::Name { name: "cpu".into() };
        assert_eq!(Entry { kind: "m".into(), of }.encode(), b"m\0\x01cpu\0");
        assert_eq!(Entry { kind: "m".into(), of: Of::Id { id: [0, 1, 2] } }.encode(), b"m\0\x02\0\x01\x02");
        assert_eq!(Entry::<'_, 3>::LAYOUT.shape(), "text, enum{1: (text), 2: (bytes[3])}");
    }

    #[test]
    fn numbers_go_on_by_one() {
        for (id, due) in
            [([0, 0], Some([0, 1])), ([0, 255], Some([1, 0])), ([255, 254], Some([255; 2])), ([255; 2], None)]
        {
            assert_eq!(next(id), due);
        }
    }
}
