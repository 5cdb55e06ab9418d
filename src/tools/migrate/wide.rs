//! Copies of wide tables under other keys: cells with their timestamps, and nothing stored about it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::conversion::{Between, Conversion, Convert};
use super::phase::Task;
use crate::keys::cursor::Cursor;
use crate::keys::error::CursorError;
use crate::keys::key::OwnedKey;
use crate::store::error::Error;
use crate::store::options::Within;
use crate::store::{RowBatch, Rows};
use crate::table::{WideTable, stored_key};
use crate::tools::job::{Batch, Bounds, Checkpoint, Difference, DifferenceKind, Job, Work};
use crate::tools::piece::Piece;
use crate::wide::{Cell, Columns, Edit, Mutation, Row, WideStore};

/// A copy of a wide table under other keys, while any program writes the old table. Nothing is stored in the database
/// but the rows of the new table, so both may be tables that [another program keeps](WideTable::external).
///
/// Cells keep their timestamps. So a backfill can be repeated, and never replaces a newer version in the new table.
///
/// 1. [`backfill`](Self::backfill), while programs write the old table.
/// 2. Stop its writers, and carry over what they have written since: by [`backfill_since`](Self::backfill_since), or by
///    [`repair`](Self::repair), which carries deletes too and reads both tables.
/// 3. [`verify`](Self::verify). Then start the writers on the new table.
///
/// ```
/// use rowkey::migrate::{Conversion, WideCopy};
/// use rowkey::wide::{CellsDatabase, Columns, FamilySchema, Mutation, TableSchema};
/// use rowkey::{Memory, RowKey, WideTable};
///
/// #[derive(RowKey)]
/// #[rowkey(salt(buckets = 20))]
/// struct Of20 {
///     id: u64,
/// }
///
/// #[derive(RowKey)]
/// #[rowkey(salt(buckets = 7))]
/// struct Of7 {
///     id: u64,
/// }
///
/// let (db, schema) = (CellsDatabase::new(Memory::new()), TableSchema::new().family("t", FamilySchema::new()));
/// let old: WideTable<Of20, _> = WideTable::open(&db, "points", &schema)?;
/// let new: WideTable<Of7, _> = WideTable::open(&db, "points.7", &schema)?;
/// old.mutate(&Of20 { id: 1 }, &Mutation::new().put_at("t:x", 1000, "a"))?;
///
/// let copy = WideCopy::new(&old, &new, Conversion::keys(|Of20 { id }| Of7 { id }, |Of7 { id }| Of20 { id }))?;
/// copy.backfill().run()?;
/// old.mutate(&Of20 { id: 2 }, &Mutation::new().put_at("t:x", 2000, "b"))?;
///
/// // The writers are stopped.
/// assert_eq!(copy.backfill_since(1500).run()?.written, 1);
/// assert!(copy.verify().run()?.is_clean());
/// assert_eq!(new.get(&Of7 { id: 2 }, &Columns::all())?.value("t:x"), Some(&b"b"[..]));
/// # Ok::<(), rowkey::Error>(())
/// ```
///
/// All versions that the stores return are copied and compared: give both tables the same families. A row is copied by
/// one mutation, and has to fit into memory. Delete markers are not copied.
#[doc(alias = "CopyTable")]
#[doc(alias = "SyncTable")]
pub struct WideCopy<K1, K2> {
    between: Between<K1, (), K2, ()>,
    old: Arc<dyn WideStore>,
    new: Arc<dyn WideStore>,
}

impl<K1, K2> fmt::Debug for WideCopy<K1, K2> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Between { old, new, .. } = &self.between;
        f.debug_struct("WideCopy").field("old", old).field("new", new).finish_non_exhaustive()
    }
}

impl<K1: OwnedKey + 'static, K2: OwnedKey + 'static> WideCopy<K1, K2> {
    /// A copy of the rows of `old` to `new`. The databases may be two.
    ///
    /// # Errors
    ///
    /// [`Error::Migration`] if the tables are the same.
    pub fn new<D1, D2>(
        old: &WideTable<K1, D1>,
        new: &WideTable<K2, D2>,
        keys: Conversion<K1, (), K2, ()>,
    ) -> Result<Self, Error> {
        let name = format!("{} to {}", old.name(), new.name());
        if old.store().id() == new.store().id() {
            return Err(Error::Migration { name, what: "its two tables are the same".to_owned() });
        }
        let (old_name, new_name) = (old.name().to_owned(), new.name().to_owned());
        let database = new.store().id().database();
        let between = Between { conversion: keys, database, name, old: old_name, new: new_name };
        Ok(Self { between, old: Arc::clone(old.store()), new: Arc::clone(new.store()) })
    }

    /// Returns a job that copies the old table's rows. Its report counts no differences.
    ///
    /// It deletes nothing, and leaves newer versions as they are, also of programs that write the new table already.
    /// Where a delete [hides later writes](crate::wide::WideGuarantees::deletes), a cell that they have deleted stays
    /// hidden for as long as the marker is there.
    #[doc(alias = "copy")]
    pub fn backfill(&self) -> Job<'_, K1, K2> {
        self.pass(Task::Backfill, None)
    }

    /// Returns a job that copies the old table's cells of this time, in milliseconds since 1970, and of later ones.
    ///
    /// Cells that were written with a timestamp have that time. Others have that of a clock: take a time from before
    /// the backfill began, less the difference of the clocks of servers.
    ///
    /// Two writes are left to a [`repair`](Self::repair), as deletes are: a version at `i64::MAX`, which no
    /// [range of times](Columns::time) contains, and a write without a timestamp that
    /// [removes later versions](crate::wide::UntimedPuts::Latest).
    #[doc(alias = "starttime")]
    pub fn backfill_since(&self, time: i64) -> Job<'_, K1, K2> {
        self.pass(Task::Backfill, Some(time))
    }

    /// Returns a job that compares the tables and names each row that differs. Rows that are written meanwhile may
    /// differ.
    pub fn verify(&self) -> Job<'_, K1, K2> {
        self.pass(Task::Verify, None)
    }

    /// Returns a job that makes each row of the new table what it is in the old one, and deletes what is not there. Not
    /// to be run once programs write the new table: it would delete what they have written.
    ///
    /// A cell stays hidden where a marker of an earlier delete hides it, as after a [`backfill`](Self::backfill). A
    /// verification names it.
    pub fn repair(&self) -> Job<'_, K1, K2> {
        self.pass(Task::Repair, None)
    }

    fn pass(&self, task: Task, since: Option<i64>) -> Job<'_, K1, K2> {
        Job::new(Pass { copy: self, task, since })
    }
}

/// All versions of all columns.
const fn every_version() -> Columns {
    Columns::all().versions(u32::MAX)
}

/// A backfill, verification or repair.
struct Pass<'c, K1, K2> {
    copy: &'c WideCopy<K1, K2>,
    task: Task,
    since: Option<i64>,
}

impl<K1, K2> fmt::Debug for Pass<'_, K1, K2> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { copy, task, since } = self;
        f.debug_struct("Pass").field("copy", copy).field("task", task).field("since", since).finish()
    }
}

impl<K1: OwnedKey + 'static, K2: OwnedKey + 'static> Work<K1, K2> for Pass<'_, K1, K2> {
    fn job(&self) -> Option<String> {
        let Between { old, new, .. } = &self.copy.between;
        let does = match (self.task, self.since) {
            (Task::Backfill, None) => "backfill".to_owned(),
            (Task::Backfill, Some(time)) => format!("backfill since {time}"),
            (Task::Verify, _) => "verify".to_owned(),
            (Task::Repair, _) => "repair".to_owned(),
        };
        Some(format!("{does} {old:?} {new:?}"))
    }

    fn batch(&mut self, at: &Checkpoint, bounds: &Bounds) -> Result<Batch<K1, K2>, Error> {
        let of_old = at.pass() == 1;
        if !of_old && self.task == Task::Backfill {
            return Err(CursorError::Malformed("a backfill has one pass").into());
        }
        let mut piece = Piece::whole(bounds.rows(), bounds.bytes);
        let (old, new) = (Within::one_call(&*self.copy.old), Within::one_call(&*self.copy.new));
        let (from, fingerprint) = match of_old {
            true => (&*old, K1::LAYOUT.fingerprint()),
            false => (&*new, K2::LAYOUT.fingerprint()),
        };
        let mut rows = from.scan(&piece.scan(at.key_of(fingerprint, |_| false)?), &self.columns(of_old));
        let (mut done, mut last, mut batch) = (Batch::default(), None, RowBatch::new());
        loop {
            rows.next_batch(&mut batch)?;
            let mut writes = Vec::new();
            for ((old_key, new_key), due, found) in self.compared(of_old, &batch, &*old, &*new)? {
                if piece.ends() {
                    break;
                }
                piece.row();
                let (kind, mutation) = difference(&due, &found);
                let read = if of_old { &due } else { &found };
                piece.bytes(old_key.len() + read.as_bytes().len());
                done.rows += 1;
                last = Some(if of_old { old_key.clone() } else { new_key.clone() });
                // Rows that both tables have were compared in the pass over the old one.
                let Some(kind) = kind.filter(|kind| of_old || *kind == DifferenceKind::Extra) else { continue };
                if self.task != Task::Backfill {
                    let source = stored_key::<K1>(&self.copy.between.old, &old_key)?;
                    let target = stored_key::<K2>(&self.copy.between.new, &new_key)?;
                    done.differences.push(Difference { kind, source, target });
                }
                if self.task != Task::Verify {
                    piece.bytes(new_key.len() + mutation.edits().iter().map(Edit::bytes).sum::<usize>());
                    writes.push((new_key, due, mutation));
                }
            }
            done.written += writes.len() as u64;
            write(&*new, writes)?;
            if batch.is_empty() || piece.ends() {
                break;
            }
        }
        done.next = match last {
            Some(last) => Some(Checkpoint::new(at.pass(), Some(Cursor::new(fingerprint, &last)))),
            None if of_old && self.task != Task::Backfill => Some(Checkpoint::new(2, None)),
            None => None,
        };
        Ok(done)
    }
}

/// A row's keys in both tables; its cells in the old one, and those that the new one has.
type Compared = ((Vec<u8>, Vec<u8>), Row, Row);

impl<K1: OwnedKey + 'static, K2: OwnedKey + 'static> Pass<'_, K1, K2> {
    /// The columns of the rows that a pass scans: of the new table's rows, only whether they are there.
    fn columns(&self, of_old: bool) -> Columns {
        match self.since {
            _ if !of_old => Columns::all().first_only(),
            Some(time) => every_version().time(time..i64::MAX),
            None => every_version(),
        }
    }

    /// Rows that were scanned, beside those of the other table. A backfill looks at no other table.
    fn compared(
        &self,
        of_old: bool,
        batch: &RowBatch,
        old: &dyn WideStore,
        new: &dyn WideStore,
    ) -> Result<Vec<Compared>, Error> {
        let convert = &self.copy.between as &dyn Convert;
        let others = batch.iter().map(|(key, _)| if of_old { convert.key(key) } else { convert.key_back(key) });
        let others = others.collect::<Result<Vec<_>, _>>()?;
        let slices: Vec<_> = others.iter().map(Vec::as_slice).collect();
        let found = match (self.task, of_old) {
            (Task::Backfill, _) => vec![Row::default(); others.len()],
            (_, true) => new.get_many(&slices, &self.columns(true))?,
            (_, false) => old.get_many(&slices, &self.columns(false))?,
        };
        let rows = batch.iter().zip(others).zip(found).map(|(((key, cells), other), found)| {
            if of_old {
                return Ok(((key.to_vec(), other), Row::from_cells(cells.to_vec()), found));
            }
            let extra = if found.is_empty() { new.get(key, &self.columns(true))? } else { Row::default() };
            Ok(((other, key.to_vec()), found, extra))
        });
        rows.collect()
    }
}

/// The difference of a row from the one that is due, and the mutation that makes it that.
fn difference(due: &Row, found: &Row) -> (Option<DifferenceKind>, Mutation) {
    let kind = match (due.is_empty(), found.is_empty()) {
        _ if due == found => return (None, Mutation::new()),
        (_, true) => DifferenceKind::Missing,
        (true, _) => DifferenceKind::Extra,
        _ => DifferenceKind::Different,
    };
    let versions = |row| -> BTreeMap<_, _> { Row::cells(row).map(|cell| (version(cell), cell.value)).collect() };
    let (due, found) = (versions(due), versions(found));
    let gone = found.keys().filter(|version| !due.contains_key(*version));
    let mutation = gone.fold(Mutation::new(), |mutation, &(family, qualifier, time)| {
        mutation.delete_version((family, qualifier), time)
    });
    let new = due.iter().filter(|(version, value)| found.get(*version) != Some(value));
    let mutation = new.fold(mutation, |mutation, (&(family, qualifier, time), &value)| {
        mutation.put_at((family, qualifier), time, value)
    });
    (Some(kind), mutation)
}

/// Writes rows: the key of each, its due cells, and the mutation that makes it these.
///
/// Puts come before deletes. A version that they replace is not deleted: where a delete hides later writes, its marker
/// would hide that version when it is due again, because the one that replaced it was deleted.
fn write(new: &dyn WideStore, mut rows: Vec<(Vec<u8>, Row, Mutation)>) -> Result<(), Error> {
    let mut is_first = true;
    while !rows.is_empty() {
        let step = |mutation: &Mutation| if is_first { puts_first(mutation) } else { mutation.clone() };
        let mutations: Vec<_> = rows.iter().map(|(key, _, mutation)| (key.clone(), step(mutation))).collect();
        new.mutate_many(&mutations)?;
        // A deleted version may uncover an older one, beyond those that its family keeps.
        rows.retain(|(.., mutation)| mutation.edits().iter().any(|edit| matches!(edit, Edit::DeleteVersion { .. })));
        if rows.is_empty() {
            break;
        }
        let keys: Vec<_> = rows.iter().map(|(key, ..)| key.as_slice()).collect();
        let found = new.get_many(&keys, &every_version())?;
        let left = rows.into_iter().zip(found).filter_map(|((key, due, before), found)| {
            let (kind, mutation) = difference(&due, &found);
            (kind.is_some() && (is_first || mutation != before)).then_some((key, due, mutation))
        });
        rows = left.collect();
        is_first = false;
    }
    Ok(())
}

/// The puts of a mutation, or if it has none, all of it.
fn puts_first(mutation: &Mutation) -> Mutation {
    let puts = mutation.edits().iter().fold(Mutation::new(), |puts, edit| match edit {
        Edit::Put { column, at: Some(at), value } => puts.put_at(column.clone(), *at, value.clone()),
        _ => puts,
    });
    if puts.is_empty() { mutation.clone() } else { puts }
}

fn version(cell: Cell<'_>) -> (&str, &[u8], i64) {
    (cell.family, cell.qualifier, cell.timestamp)
}
