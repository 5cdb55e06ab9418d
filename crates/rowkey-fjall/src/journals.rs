//! Checks of the journals, all together.
//!
//! The engine replays each journal up to the first byte it can't read, and cuts off the rest. That is right for a write
//! that a crash cut off. But a changed byte in the middle would silently remove every later write.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::path::Path;

use lsm_tree::AbstractTree;
use xxhash_rust::xxh3::xxh3_64;

use crate::error::FjallError;
use crate::files::{journal_path, sync_directory};
use crate::journal::{read_batch, written};
use crate::order::Order;
use crate::record::{Progress, Record};
use crate::tail::Tail;

/// The journals of a database, as they were checked.
#[derive(Default)]
pub(crate) struct Journals {
    pub(crate) read: BTreeMap<u64, Progress>,
    /// The highest sequence number.
    highest: Option<u64>,
    /// See [`Record::lacks`].
    pub(crate) lacks: Option<u64>,
}

/// The place from which the journals can't be trusted any more.
struct Fault {
    journal: u64,
    at: u64,
    what: String,
    /// True if everything from there on has to be cut off.
    cuts: bool,
}

/// Checks the journals with these numbers, in their order. Cuts off the rest of writes that did not reach the disk; and
/// with `truncate` what is behind a fault.
pub(crate) fn check(
    directory: &Path,
    numbers: &[u64],
    registered: &BTreeSet<u64>,
    truncate: bool,
) -> Result<Journals, FjallError> {
    let record = Record::read(directory);
    let last_recorded = record.journals.keys().next_back().copied();
    let mut order = Order::new(registered);
    let mut journals = Journals { lacks: record.lacks, ..Journals::default() };
    for (place, &number) in numbers.iter().enumerate() {
        let later = &numbers[place + 1..];
        let mut bytes = fs::read(journal_path(directory, number)).map_err(FjallError::Disk)?;
        bytes.truncate(written(&bytes));
        let synced = record.journals.get(&number).copied().unwrap_or_default();
        let (end, fault) = check_one(&bytes, &mut order, later.is_empty(), synced);
        journals.read.insert(number, Progress::of(&bytes[..end]));
        let next = later.first().copied().or(last_recorded);
        let fault = match fault {
            Some((what, cuts)) => Some(Fault { journal: number, at: end as u64, what, cuts }),
            None if next.is_some_and(|next| next > number + 1 || (later.is_empty() && next > number)) => {
                Some(Fault { journal: number + 1, at: 0, what: "is not there".to_owned(), cuts: true })
            }
            None if later.is_empty() && end < bytes.len() => {
                set_len(directory, number, end as u64).map_err(FjallError::Disk)?;
                None
            }
            None => None,
        };
        if let Some(fault) = fault {
            let here = if fault.journal == number { bytes.len() as u64 - fault.at } else { 0 };
            let later = if fault.cuts { later } else { &[] };
            let cuts = fault.cuts;
            cut(directory, fault, here, later, truncate)?;
            if cuts {
                break;
            }
        }
    }
    journals.highest = order.highest;
    Ok(journals)
}

/// Checks one journal without the zeros at its end. Its first `synced` bytes have this `hash`. Returns the length that
/// can be read, and the error there with whether what follows can't be kept.
fn check_one(
    journal: &[u8],
    order: &mut Order<'_>,
    is_last: bool,
    (synced, hash): (u64, u64),
) -> (usize, Option<(String, bool)>) {
    let mut at = 0;
    while let Ok(batch) = read_batch(&journal[at..]) {
        if !order.follows(&batch) {
            let what = format!("has a sequence number out of order in the write that begins at byte {at}");
            return (at, Some((what, true)));
        }
        at += batch.len;
    }
    let read = at as u64;
    let fault = match Tail::of(journal, at) {
        // Every journal but the last was synced before the next one was begun.
        Tail::Torn if is_last && read >= synced => None,
        Tail::Damage | Tail::Torn => Some((format!("is broken in the write that begins at byte {at}"), true)),
        Tail::Nothing | Tail::CutOff if read < synced => {
            Some((format!("ends at byte {at} of {synced} that were synced"), true))
        }
        Tail::Nothing | Tail::CutOff => None,
    };
    let is_another = || synced > 0 && xxh3_64(&journal[..synced as usize]) != hash;
    let fault = fault.or_else(|| {
        is_another().then(|| (format!("is another one in its first {synced} bytes than when it was synced"), false))
    });
    (at, fault)
}

/// Cuts the journals off at a fault, if that is allowed. `here` are the bytes from there on in the same journal.
fn cut(directory: &Path, fault: Fault, here: u64, later: &[u64], allowed: bool) -> Result<(), FjallError> {
    let Fault { journal, at, what, .. } = fault;
    let mut bytes = here;
    for &later in later {
        bytes += written(&fs::read(journal_path(directory, later)).map_err(FjallError::Disk)?) as u64;
    }
    if !allowed {
        return Err(FjallError::Journal { path: journal_path(directory, journal), what, at, cut: bytes });
    }
    let cut = || {
        Record::remove(directory)?;
        // The last one first: what is left is the beginning of the journals.
        for &later in later.iter().rev() {
            fs::remove_file(journal_path(directory, later))?;
            sync_directory(directory)?;
        }
        if here > 0 { set_len(directory, journal, at) } else { Ok(()) }
    };
    cut().map_err(FjallError::Disk)
}

fn set_len(directory: &Path, journal: u64, len: u64) -> io::Result<()> {
    let journal = File::options().write(true).open(journal_path(directory, journal))?;
    journal.set_len(len)?;
    journal.sync_all()
}

impl Journals {
    /// Checks that no file of a table has a later write than the journals: they are synced before files are written.
    pub(crate) fn reach_tables(
        &mut self,
        db: &fjall::Database,
        directory: &Path,
        truncate: bool,
    ) -> Result<(), FjallError> {
        let (Some((&first, _)), Some((&last, progress))) = (self.read.first_key_value(), self.read.last_key_value())
        else {
            return Ok(());
        };
        // The first journals are removed when all their rows are in files: the others may have no write yet.
        if self.highest.is_none() && first > 0 {
            return Ok(());
        }
        let Ok(keyspaces) = db.supervisor.keyspaces.read() else { return Ok(()) };
        let in_files = keyspaces.values().filter_map(|keyspace| keyspace.tree.get_highest_persisted_seqno()).max();
        if in_files <= self.highest.max(self.lacks) {
            return Ok(());
        }
        if truncate {
            self.lacks = in_files;
            return Ok(());
        }
        let (at, path) = (progress.len(), journal_path(directory, last));
        let what = "ends before a write that is in a table's file".to_owned();
        Err(FjallError::Journal { path, what, at, cut: 0 })
    }
}
