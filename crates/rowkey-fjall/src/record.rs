//! A record of the bytes of each journal that are on the disk, in a file of the database's directory.
//!
//! The bytes that it covers were synced, so a power loss can't have changed them: if they are fewer or different now,
//! that is damage. The record is written when a database was opened and when it is closed, after the journals were
//! synced. An older one, or none, is right too: it covers less.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use fjall::PersistMode;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::error::guarded;
use crate::files::{journal_numbers, journal_path, sync_directory};
use crate::journal::{Broken, read_batch};

/// The name of the record, and of one that is being written.
pub(crate) const NAME: &str = "synced";
pub(crate) const NEW: &str = "synced.new";
const FIRST_LINE: &str = "rowkey-fjall 1";

/// The bytes of the journals that are on the disk.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Record {
    /// By number of the journal: the number of bytes, and their xxh3.
    pub(crate) journals: BTreeMap<u64, (u64, u64)>,
    /// The journals may lack writes up to this sequence number that are in files of tables: they were cut off on
    /// demand.
    pub(crate) lacks: Option<u64>,
}

impl Record {
    /// The record of a directory. One that can't be read is as none.
    pub(crate) fn read(directory: &Path) -> Self {
        std::fs::read_to_string(directory.join(NAME)).ok().and_then(|text| Self::parse(&text)).unwrap_or_default()
    }

    fn parse(text: &str) -> Option<Self> {
        let (body, sum) = text.strip_suffix('\n')?.rsplit_once("\nsum ")?;
        if u64::from_str_radix(sum, 16).ok()? != xxh3_64(body.as_bytes()) {
            return None;
        }
        let mut lines = body.lines();
        if lines.next()? != FIRST_LINE {
            return None;
        }
        let mut record = Self::default();
        for line in lines {
            match *line.split(' ').collect::<Vec<_>>() {
                ["journal", number, len, hash] => {
                    let hash = u64::from_str_radix(hash, 16).ok()?;
                    record.journals.insert(number.parse().ok()?, (len.parse().ok()?, hash));
                }
                ["lacks", sequence] => record.lacks = Some(sequence.parse().ok()?),
                _ => return None,
            }
        }
        Some(record)
    }

    fn to_text(&self) -> String {
        let mut text = FIRST_LINE.to_owned();
        for (number, (len, hash)) in &self.journals {
            _ = write!(text, "\njournal {number} {len} {hash:x}");
        }
        if let Some(sequence) = self.lacks {
            _ = write!(text, "\nlacks {sequence}");
        }
        let sum = xxh3_64(text.as_bytes());
        _ = writeln!(text, "\nsum {sum:x}");
        text
    }

    /// Replaces the record of a directory at once. After a power loss it is this one or the one before.
    fn write(&self, directory: &Path) -> io::Result<()> {
        let new = directory.join(NEW);
        let written = File::create(&new).and_then(|mut file| {
            file.write_all(self.to_text().as_bytes())?;
            file.sync_all()
        });
        let replaced = written.and_then(|()| std::fs::rename(&new, directory.join(NAME)));
        replaced.inspect_err(|_| _ = std::fs::remove_file(&new))
    }

    /// Removes the record of a directory, before something that it covers is cut off.
    pub(crate) fn remove(directory: &Path) -> io::Result<()> {
        match std::fs::remove_file(directory.join(NAME)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => sync_directory(directory),
        }
    }
}

/// The part of a journal that was read.
#[derive(Clone, Default)]
pub(crate) struct Progress {
    len: u64,
    hash: Xxh3,
}

impl Progress {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let mut progress = Self::default();
        progress.add(bytes);
        progress
    }

    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    fn add(&mut self, bytes: &[u8]) {
        self.len += bytes.len() as u64;
        self.hash.update(bytes);
    }

    /// Reads the batches that were written since.
    fn go_on(&mut self, mut journal: File) -> io::Result<()> {
        const PIECE: u64 = 64 << 10;
        journal.seek(SeekFrom::Start(self.len))?;
        let (mut bytes, mut piece) = (Vec::new(), PIECE);
        loop {
            let read = (&journal).take(piece).read_to_end(&mut bytes)?;
            let mut at = 0;
            let more = loop {
                match read_batch(&bytes[at..]) {
                    Ok(batch) => at += batch.len,
                    Err(broken) => break matches!(broken, Broken::Short),
                }
            };
            self.add(&bytes[..at]);
            bytes.drain(..at);
            if read == 0 || !more {
                return Ok(());
            }
            // A long batch is not read again for every piece.
            piece = PIECE.max(bytes.len() as u64);
        }
    }
}

/// Keeps the record of an open database. Dropped with it.
pub(crate) struct Recorder {
    db: fjall::Database,
    directory: PathBuf,
    journals: BTreeMap<u64, Progress>,
    stored: Record,
    lacks: Option<u64>,
}

impl Recorder {
    /// Begins with what was read when the database was opened.
    pub(crate) fn new(
        db: fjall::Database,
        directory: PathBuf,
        journals: BTreeMap<u64, Progress>,
        lacks: Option<u64>,
    ) -> Self {
        let stored = Record::read(&directory);
        Self { db, directory, journals, stored, lacks }
    }

    /// Syncs the journals, and records how far they go.
    pub(crate) fn record(&mut self) -> io::Result<()> {
        let mut record = Record { journals: BTreeMap::new(), lacks: self.lacks };
        let numbers = journal_numbers(&self.directory)?;
        self.journals.retain(|number, _| numbers.contains(number));
        for number in numbers {
            let journal = match File::open(journal_path(&self.directory, number)) {
                // The engine removes a journal whose rows are all in files.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                journal => journal?,
            };
            let progress = self.journals.entry(number).or_default();
            progress.go_on(journal)?;
            if progress.len > 0 {
                record.journals.insert(number, (progress.len, progress.hash.digest()));
            }
        }
        if record == self.stored {
            return Ok(());
        }
        guarded(|| self.db.persist(PersistMode::SyncAll)).map_err(io::Error::other)?;
        record.write(&self.directory)?;
        self.stored = record;
        Ok(())
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        // The record that is there covers less, and is right.
        _ = self.record();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_as_it_was_written_or_not_at_all() {
        let directory = tempfile::tempdir().unwrap();
        let (path, journals) = (directory.path(), BTreeMap::from([(0, (17, 0xfe)), (12, (64 << 20, 7))]));
        assert_eq!(Record::read(path), Record::default());
        for record in [Record::default(), Record { journals, lacks: Some(1 << 40) }] {
            record.write(path).unwrap();
            assert_eq!(Record::read(path), record);
            assert_eq!(std::fs::read_dir(path).unwrap().count(), 1);
            let text = record.to_text();
            for at in 0..text.len() {
                assert_eq!(Record::parse(&text[..at]), None);
                for bit in 0..7 {
                    let mut changed = text.clone().into_bytes();
                    changed[at] ^= 1 << bit;
                    let read = Record::parse(&String::from_utf8(changed).unwrap());
                    assert!(read.is_none_or(|read| read == record), "bit {bit} of byte {at} of {text:?}");
                }
            }
        }
        Record::remove(path).unwrap();
        Record::remove(path).unwrap();
        assert_eq!(Record::read(path), Record::default());
    }
}
