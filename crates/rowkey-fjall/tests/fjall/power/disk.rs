//! The states that a disk may have after a power loss: all that was synced, and any of the rest.
//!
//! Data: of each page, the last content that was synced or any that it had later. Names and lengths: a prefix of the
//! changes, as in the journal of ext4 (`data=ordered`), which a sync of any file ends; or, as POSIX has it, such a
//! prefix for each directory and each file, which a sync of that one alone ends.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::Random;
use super::trace::Call;

const PAGE: u64 = 4096;

type Page = Rc<[u8; PAGE as usize]>;

/// A page's content that was synced last, and later ones, each with the number of the call that made it.
type Contents = Vec<(usize, Page)>;

#[derive(Default)]
struct Inode {
    pages: BTreeMap<u64, Contents>,
    len: u64,
    /// The number of changes of names and lengths after the last one of this file.
    changed: usize,
}

/// The order in which changes of names and lengths come to the disk.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Order {
    Ext4,
    Posix,
}

/// The directory or file that a change belongs to, in the order of POSIX.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Place {
    Directory(PathBuf),
    File(usize),
}

enum Change {
    Create(PathBuf, usize),
    Mkdir(PathBuf),
    Rename(PathBuf, PathBuf),
    Remove(PathBuf),
    Len(usize, u64),
}

impl Change {
    fn place(&self) -> Place {
        match self {
            Self::Create(path, _) | Self::Mkdir(path) | Self::Remove(path) | Self::Rename(_, path) => {
                Place::Directory(path.parent().expect("a directory").to_owned())
            }
            Self::Len(inode, _) => Place::File(*inode),
        }
    }
}

#[derive(Default)]
pub(super) struct Disk {
    inodes: Vec<Inode>,
    names: HashMap<PathBuf, usize>,
    /// With the number of the call.
    changes: Vec<(usize, Change)>,
    /// The number of the changes that are on the disk.
    durable: usize,
    /// The same, of those of one directory or file.
    durable_in: HashMap<Place, usize>,
}

impl Disk {
    /// The state after these calls.
    pub(super) fn after(calls: &[Call]) -> Self {
        let mut disk = Self::default();
        for (number, call) in calls.iter().enumerate() {
            disk.call(number, call);
        }
        disk
    }

    fn call(&mut self, number: usize, call: &Call) {
        match call {
            Call::Open { path, truncates } => match self.names.get(path) {
                Some(&inode) if *truncates => self.set_len(number, inode, 0),
                Some(_) => {}
                None => {
                    self.names.insert(path.clone(), self.inodes.len());
                    self.changes.push((number, Change::Create(path.clone(), self.inodes.len())));
                    self.inodes.push(Inode { changed: self.changes.len(), ..Inode::default() });
                }
            },
            Call::Write { path, at, bytes } => {
                let inode = self.names[path];
                let (mut at, mut bytes) = (*at, bytes.as_slice());
                let end = at + bytes.len() as u64;
                while !bytes.is_empty() {
                    let within = (at % PAGE) as usize;
                    let (now, later) = bytes.split_at(bytes.len().min(PAGE as usize - within));
                    self.inodes[inode].change(number, at / PAGE, |page| {
                        page[within..within + now.len()].copy_from_slice(now);
                    });
                    at += now.len() as u64;
                    bytes = later;
                }
                if end > self.inodes[inode].len {
                    self.change_len(number, inode, end);
                }
            }
            Call::SetLen { path, len } => self.set_len(number, self.names[path], *len),
            Call::Mkdir(path) => self.changes.push((number, Change::Mkdir(path.clone()))),
            Call::Rename(from, to) => {
                let inode = self.names.remove(from).expect("a file");
                self.names.insert(to.clone(), inode);
                self.changes.push((number, Change::Rename(from.clone(), to.clone())));
                self.inodes[inode].changed = self.changes.len();
            }
            Call::Remove(path) => {
                self.names.remove(path);
                self.changes.push((number, Change::Remove(path.clone())));
            }
            Call::Sync { path, data_only, began } => self.sync(path, *data_only, *began),
            Call::Said(_) => {}
        }
    }

    fn set_len(&mut self, number: usize, inode: usize, len: u64) {
        let cut: Vec<u64> = self.inodes[inode].pages.range(len / PAGE..).map(|(page, _)| *page).collect();
        for page in cut {
            let from = len.saturating_sub(page * PAGE) as usize;
            self.inodes[inode].change(number, page, |page| page[from..].fill(0));
        }
        self.change_len(number, inode, len);
    }

    fn change_len(&mut self, number: usize, inode: usize, len: u64) {
        self.changes.push((number, Change::Len(inode, len)));
        self.inodes[inode].len = len;
        self.inodes[inode].changed = self.changes.len();
    }

    /// A sync of data alone ends the journal of names and lengths only if those of the file changed.
    fn sync(&mut self, path: &Path, data_only: bool, began: usize) {
        let inode = self.names.get(path).copied();
        let before = self.changes.partition_point(|(number, _)| *number < began);
        let place = inode.map_or_else(|| Place::Directory(path.to_owned()), Place::File);
        self.durable_in.insert(place, before);
        if let Some(inode) = inode {
            let inode = &mut self.inodes[inode];
            for contents in inode.pages.values_mut() {
                let later = contents.partition_point(|(number, _)| *number < began);
                contents.drain(..later.saturating_sub(1));
                contents.first_mut().filter(|(number, _)| *number < began).into_iter().for_each(|synced| synced.0 = 0);
            }
            if data_only {
                self.durable = self.durable.max(inode.changed.min(before));
                return;
            }
        }
        self.durable = self.durable.max(before);
    }

    /// Makes a directory of what is left after a power loss now.
    pub(super) fn lose_power(&self, order: Order, random: &mut Random, root: &Path, to: &Path) {
        let all = self.changes.len();
        let last = self.durable + random.below(all - self.durable + 1);
        let mut last_in = HashMap::new();
        let (mut names, mut lens) = (BTreeMap::new(), HashMap::new());
        for (number, (_, change)) in self.changes.iter().enumerate() {
            let place = change.place();
            let durable = self.durable_in.get(&place).copied().unwrap_or_default();
            let last_in = *last_in.entry(place).or_insert_with(|| durable + random.below(all - durable + 1));
            if number >= if order == Order::Ext4 { last } else { last_in } {
                continue;
            }
            match change {
                Change::Create(path, inode) => _ = names.insert(path.as_path(), Some(*inode)),
                Change::Mkdir(path) => _ = names.insert(path, None),
                Change::Rename(from, to) => {
                    let inode = names.remove(from.as_path()).expect("a file");
                    names.insert(to, inode);
                }
                Change::Remove(path) => _ = names.remove(path.as_path()),
                Change::Len(inode, len) => _ = lens.insert(*inode, *len),
            }
        }
        let directories: Vec<_> = names.iter().filter(|(_, inode)| inode.is_none()).map(|(path, _)| *path).collect();
        let directories: BTreeSet<_> = directories.into_iter().chain([root]).collect();
        names.retain(|path, _| {
            path.ancestors().skip(1).take_while(|path| path.starts_with(root)).all(|path| directories.contains(path))
        });
        let luck = random.below(5);
        for (path, inode) in names {
            let path = to.join(path.strip_prefix(root).expect("a path in the directory"));
            let Some(inode) = inode else {
                fs::create_dir(path).expect("a directory");
                continue;
            };
            let (file, len) = (File::create(path).expect("a file"), lens.get(&inode).copied().unwrap_or_default());
            for (page, contents) in &self.inodes[inode].pages {
                let kept = match random.below(4) < luck {
                    true => contents.len() - 1,
                    false => random.below(contents.len()),
                };
                file.write_all_at(&*contents[kept].1, page * PAGE).expect("a page");
            }
            file.set_len(len).expect("a length");
        }
    }
}

impl Inode {
    fn change(&mut self, number: usize, page: u64, change: impl FnOnce(&mut [u8])) {
        let contents = self.pages.entry(page).or_insert_with(|| vec![(0, Rc::new([0; PAGE as usize]))]);
        let mut now = contents.last().map_or([0; PAGE as usize], |(_, page)| **page);
        change(&mut now);
        contents.push((number, Rc::new(now)));
    }
}
