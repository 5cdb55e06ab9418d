//! What is written to `Cells` and read from it at random, and the stores beneath.

use std::sync::Arc;
use std::time::Duration;

use rowkey::conformance::{ModelCell, WideModel};
use rowkey::store::{Batch, Database, RowBatch, Scan, Store, SubStore};
use rowkey::wide::{
    CellIter, Cells, Column, Columns, Compare, Condition, FamilySchema, Mutation, TableSchema, WideStore,
};
use rowkey::{KeyRange, Memory};
use rowkey_testkit::{Random, Restrict};

/// What the clock of the tables says.
pub(crate) const NOW: i64 = 1000;
const FAMILIES: [&str; 4] = ["a", "ab", "b", "t"];

fn kept(family: &str) -> FamilySchema {
    match family {
        "a" => FamilySchema::new().max_versions(2),
        "ab" => FamilySchema::new(),
        "b" => FamilySchema::new().max_versions(u32::MAX).ttl(Duration::MAX),
        _ => FamilySchema::new().max_versions(3).min_versions(1).ttl(Duration::from_millis(500)),
    }
}

pub(crate) fn schema() -> TableSchema {
    FAMILIES.iter().fold(TableSchema::new(), |schema, family| schema.family(*family, kept(family)))
}

/// What is drawn for wide rows.
pub(crate) trait Draw {
    /// Few bytes, those that are escaped and those next to them among them.
    fn bytes(&mut self, least: u64) -> Vec<u8>;

    fn at(&mut self) -> i64;
}

impl Draw for Random {
    fn bytes(&mut self, least: u64) -> Vec<u8> {
        (0..least + self.below(3)).map(|_| self.one_of(&[0, 1, 2, b'a', 0xfe, 0xff])).collect()
    }

    fn at(&mut self) -> i64 {
        let near = self.one_of(&[0, 490, 990]);
        if self.chance(20) { self.one_of(&[0, 500, 501, NOW, i64::MAX]) } else { near + self.below(20) as i64 }
    }
}

/// A column, of few where they are to have many versions.
pub(crate) fn column(random: &mut Random, few: bool) -> Column {
    let family = random.one_of(&FAMILIES);
    let qualifier =
        if few { random.one_of(&[&b""[..], b"\0", b"a", b"a\0", b"\xff"]).to_vec() } else { random.bytes(0) };
    Column::from((family, qualifier))
}

/// Rows of few and of many columns, of few and of many versions, and what hides them.
pub(crate) fn written(random: &mut Random, most: u64) -> (WideModel, Vec<(Vec<u8>, Mutation)>) {
    let mut model = WideModel::new(&schema(), &over(memory()).guarantees());
    let mut mutations = Vec::new();
    for _ in 0..1 + random.below(6) {
        let row = random.bytes(1);
        let few = random.chance(3);
        let deletes = random.one_of(&[3, 30, 300]);
        let writes = if random.chance(2) { random.below(8) } else { random.below(most) };
        let mut mutation = Mutation::new();
        for _ in 0..writes {
            let (column, at) = (column(random, few), random.at());
            if !random.chance(deletes) {
                let value = random.one_of(&[&b""[..], b"1", b"2"]).to_vec();
                mutation = mutation.put_at(column, at, value);
                continue;
            }
            mutation = match random.below(8) {
                0 => mutation.delete_family_until(column.family, at),
                1..4 => mutation.delete_column_until(column, at),
                _ => mutation.delete_version(column, at),
            };
        }
        model.mutate(&row, &mutation, NOW);
        mutations.push((row, mutation));
    }
    (model, mutations)
}

fn compare(random: &mut Random) -> (Compare, Vec<u8>) {
    use Compare::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
    let compare = random.one_of(&[Less, LessOrEqual, Equal, NotEqual, GreaterOrEqual, Greater]);
    (compare, random.one_of(&[&b""[..], b"1", b"2"]).to_vec())
}

pub(crate) fn columns(random: &mut Random, timed: bool) -> Columns {
    let mut columns = Columns::all().versions(random.one_of(&[0, 1, 1, 1, 2, 3, u32::MAX]));
    for _ in 0..random.below(5) {
        let few = random.chance(2);
        let Column { family, qualifier } = column(random, few);
        columns = match random.below(5) {
            0 => columns.family(family),
            1 | 2 => columns.column((family, qualifier)),
            3 => columns.qualifier_prefix(family, qualifier),
            _ => columns.qualifier_range(family, qualifier..random.bytes(0)),
        };
    }
    if timed && random.chance(3) {
        columns = columns.time(random.at()..random.at());
    }
    if random.chance(4) {
        let (compare, given) = compare(random);
        columns = columns.value(compare, given);
    }
    if random.chance(4) {
        let (column, (compare, given)) = (column(random, true), compare(random));
        let absent = random.chance(3);
        columns = columns.rows_where(if absent {
            Condition::absent(column)
        } else {
            Condition::value(column, compare, given)
        });
    }
    if random.chance(4) {
        columns = columns.offset(random.one_of(&[0, 1, 2, 5, 40, u64::MAX]));
    }
    if random.chance(4) {
        columns = columns.limit(random.one_of(&[0, 1, 2, 5, 40, u64::MAX]));
    }
    if random.chance(6) {
        columns = columns.first_only();
    }
    if random.chance(3) {
        columns = columns.piece(random.one_of(&[1, 2, 3, 7, 100, usize::MAX]));
    }
    columns
}

pub(crate) fn scan_of(random: &mut Random) -> Scan {
    let mut ranges = Vec::new();
    for _ in 0..random.below(4) {
        let end = if random.chance(3) { None } else { Some(random.bytes(0)) };
        ranges.extend(KeyRange::new(random.bytes(0), end));
    }
    let scan = if random.chance(2) { Scan::all() } else { Scan::new(ranges) };
    let limit = if random.chance(2) { None } else { Some(random.one_of(&[0, 1, 2, 3, u64::MAX])) };
    scan.reverse(random.chance(2)).limit(limit).batch_rows(random.one_of(&[1, 2, 3, 256, usize::MAX]))
}

pub(crate) type RowCells = (Vec<u8>, Vec<ModelCell>);

pub(crate) fn cells_of(bytes: &[u8]) -> Vec<ModelCell> {
    CellIter::new(bytes).map(|cell| (cell.column(), cell.timestamp, cell.value.to_vec())).collect()
}

/// A scan's rows, their pieces put together.
pub(crate) fn rows_of(store: &dyn WideStore, scan: &Scan, columns: &Columns) -> Vec<RowCells> {
    let (mut rows, mut batch, mut found) = (store.scan(scan, columns), RowBatch::new(), Vec::<RowCells>::new());
    loop {
        rows.next_batch(&mut batch).unwrap();
        assert!(batch.len() <= scan.batch_rows);
        if batch.is_empty() {
            return found;
        }
        for (row, cells) in batch.iter() {
            let cells = cells_of(cells);
            assert!(!cells.is_empty() && columns.piece.is_none_or(|piece| cells.len() <= piece.get()));
            match found.last_mut().filter(|(last, _)| last == row) {
                Some((_, all)) => {
                    assert_eq!(all.len() % columns.piece.unwrap().get(), 0, "all pieces but the last are full");
                    all.extend(cells);
                }
                None => found.push((row.to_vec(), cells)),
            }
        }
    }
}

pub(crate) fn memory() -> Arc<dyn Store> {
    Memory::new().table("t").unwrap()
}

pub(crate) fn over(store: Arc<dyn Store>) -> Cells {
    Cells::over(store, schema()).unwrap().with_clock(|| NOW)
}

/// A store whose scans do not skip.
fn without_skips(store: Arc<dyn Store>) -> Restrict<dyn Store> {
    let promised = store.guarantees();
    Restrict::store(store, promised).without_skips()
}

/// The same rows in Memory, beside others in one table, and in a store that does not skip.
pub(crate) fn tables(mutations: &[(Vec<u8>, Mutation)]) -> Vec<Cells> {
    let shared = SubStore::new(memory());
    let stores = [memory(), shared.table("t\0").unwrap(), Arc::new(without_skips(memory()))];
    for neighbour in ["t", "t\0\0"] {
        shared.table(neighbour).unwrap().write(Batch::new().put(b"\0", "").put(b"\xff", "")).unwrap();
    }
    let tables = stores.map(over);
    tables.iter().for_each(|table| table.mutate_many(mutations).unwrap());
    tables.into()
}

pub(crate) fn entries(store: &dyn Store) -> Vec<(Vec<u8>, Vec<u8>)> {
    let (mut rows, mut batch, mut found) = (store.scan(&Scan::all()), RowBatch::new(), Vec::new());
    loop {
        rows.next_batch(&mut batch).unwrap();
        if batch.is_empty() {
            return found;
        }
        found.extend(batch.iter().map(|(key, value)| (key.to_vec(), value.to_vec())));
    }
}
