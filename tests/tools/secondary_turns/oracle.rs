//! What has to stand in two secondary tables with unique keys, found by comparing all rows with all claims, as bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::time::Duration;

use rowkey::jobs::{DifferenceKind, Job};
use rowkey::secondary::{Primary, Secondary};
use rowkey::store::{Database, RowBatch, Scan};
use rowkey::{Memory, RowKey, Table};

/// A row is text: its capital letter is a name and its digit a code, both unique. A name's value is the text's length.
pub(crate) struct Texts<D> {
    pub(crate) texts: Primary<u8, String, D>,
    pub(crate) by_name: Secondary<String, i64, u8, String, D>,
    pub(crate) by_code: Secondary<String, (), u8, String, D>,
}

pub(crate) fn name(text: &str) -> Option<(String, i64)> {
    text.chars().find(char::is_ascii_uppercase).map(|name| (name.to_string(), text.len() as i64))
}

pub(crate) fn code(text: &str) -> Option<(String, ())> {
    text.chars().find(char::is_ascii_digit).map(|code| (code.to_string(), ()))
}

pub(crate) fn open<D: Database + Clone>(db: D, timeout: Duration) -> Texts<D> {
    let mut texts = Primary::open(db, "texts").unwrap().write_timeout(timeout);
    let by_name = texts.secondary("texts.by_name", |_: &u8, text: &String| name(text)).unwrap();
    let by_code = texts.secondary("texts.by_code", |_: &u8, text: &String| code(text)).unwrap();
    Texts { texts, by_name, by_code }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Missing,
    Stale,
    WrongValue,
    Conflict,
}

/// In which table, how, of which row, under which key.
pub(crate) type Found = (&'static str, Kind, u8, String);

/// A claim as it is stored: its state, its row, its value.
type Claim = (u8, u8, Vec<u8>);

fn parse(mut bytes: &[u8]) -> Vec<Claim> {
    let mut claims = Vec::new();
    let take = |bytes: &mut &[u8], len: usize| {
        let (taken, rest) = bytes.split_at(len);
        *bytes = rest;
        taken.to_vec()
    };
    while !bytes.is_empty() {
        let state = take(&mut bytes, 1)[0];
        if state != 0 {
            take(&mut bytes, 16);
        }
        let mut part = || {
            let len = u64::from_be_bytes(take(&mut bytes, 8).try_into().unwrap());
            take(&mut bytes, len as usize)
        };
        let (primary, value) = (part(), part());
        claims.push((state, primary[0], value));
    }
    claims
}

fn claims(memory: &Memory, table: &str) -> BTreeMap<String, Vec<Claim>> {
    let mut scan = memory.table(table).unwrap().scan(&Scan::all());
    let (mut batch, mut all) = (RowBatch::new(), BTreeMap::new());
    loop {
        scan.next_batch(&mut batch).unwrap();
        if batch.is_empty() {
            return all;
        }
        all.extend(batch.iter().map(|(key, value)| (String::decode(key).unwrap(), parse(value))));
    }
}

pub(crate) fn rows(memory: &Memory) -> BTreeMap<u8, String> {
    Table::<u8, String, _>::open(memory, "texts").unwrap().scan(..).collect::<Result<_, _>>().unwrap()
}

const TABLES: [&str; 2] = ["texts.by_name", "texts.by_code"];

fn derived(table: &str, text: &str) -> Option<(String, Vec<u8>)> {
    if table == TABLES[0] {
        name(text).map(|(name, value)| (name, value.to_be_bytes().to_vec()))
    } else {
        code(text).map(|(code, ())| (code, Vec::new()))
    }
}

/// Whether a row has a key.
pub(crate) fn has(table: &str, text: &str, key: &str) -> bool {
    derived(table, text).is_some_and(|(due, _)| due == key)
}

/// The keys that two rows have.
pub(crate) fn twice(memory: &Memory) -> Vec<(&'static str, String)> {
    let rows = rows(memory);
    let mut twice = Vec::new();
    for table in TABLES {
        let mut seen = BTreeSet::new();
        for (key, _) in rows.values().filter_map(|text| derived(table, text)) {
            if !seen.insert(key.clone()) {
                twice.push((table, key));
            }
        }
    }
    twice
}

/// Claims of writes that have not ended.
pub(crate) fn marks(memory: &Memory) -> Vec<(&'static str, String, u8)> {
    let mut marks = Vec::new();
    for table in TABLES {
        for (key, claims) in claims(memory, table) {
            marks.extend(claims.iter().filter(|(state, ..)| *state > 1).map(|(_, row, _)| (table, key.clone(), *row)));
        }
    }
    marks
}

/// All differences, without writers.
pub(crate) fn differences(memory: &Memory) -> BTreeSet<Found> {
    let rows = rows(memory);
    let mut found = BTreeSet::new();
    for table in TABLES {
        let claims = claims(memory, table);
        let due = |row: &u8, key: &str| {
            rows.get(row).and_then(|text| derived(table, text)).filter(|(due, _)| due == key).map(|(_, value)| value)
        };
        let keys: BTreeSet<String> = rows
            .values()
            .filter_map(|text| derived(table, text))
            .map(|(key, _)| key)
            .chain(claims.keys().cloned())
            .collect();
        for key in keys {
            let claims = claims.get(&key).cloned().unwrap_or_default();
            let all: Vec<u8> = rows.keys().copied().filter(|row| due(row, &key).is_some()).collect();
            // The row with the first claim has it. Without claims the first row should have it.
            let claimed = claims.iter().find(|(state, row, _)| *state < 3 && all.contains(row)).map(|claim| claim.1);
            let holder = claimed.or(all.first().copied());
            for row in &all {
                let wrong =
                    |&(state, of, ref value): &Claim| of == *row && state < 2 && Some(value) != due(row, &key).as_ref();
                let kind = match holder {
                    Some(holder) if holder != *row => Kind::Conflict,
                    _ if claimed.is_none() => Kind::Missing,
                    _ if claims.iter().any(wrong) => Kind::WrongValue,
                    _ => continue,
                };
                found.insert((table, kind, *row, key.clone()));
            }
            let stale = claims.iter().filter(|(_, row, _)| !all.contains(row));
            found.extend(stale.map(|(_, row, _)| (table, Kind::Stale, *row, key.clone())));
        }
    }
    found
}

/// What a verification or a rebuild reports, without writers.
pub(crate) fn opened<D: Database + Clone>(db: &Texts<D>, mend: bool) -> BTreeSet<Found> {
    let mut found = run(TABLES[0], if mend { db.by_name.rebuild() } else { db.by_name.verify() });
    found.extend(run(TABLES[1], if mend { db.by_code.rebuild() } else { db.by_code.verify() }));
    found
}

fn run(table: &'static str, job: Job<'_, u8, String>) -> BTreeSet<Found> {
    let mut found = BTreeSet::new();
    let report = job
        .write_timeout(Duration::ZERO)
        .run_watched(|progress| {
            for difference in &progress.differences {
                let kind = match difference.kind {
                    DifferenceKind::Missing => Kind::Missing,
                    DifferenceKind::Extra => Kind::Stale,
                    DifferenceKind::Different => Kind::WrongValue,
                    DifferenceKind::Conflict => Kind::Conflict,
                    other => panic!("{other:?}"),
                };
                assert!(found.insert((table, kind, difference.source, difference.target.clone())), "named twice");
            }
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(report.is_clean(), found.is_empty());
    found
}

/// Every name leads to the row that has it: where two have it, to the one that a verify does not name.
pub(crate) fn names_are_read<D: Database + Clone>(db: &Texts<D>, memory: &Memory, due: &BTreeSet<Found>) {
    let rows = rows(memory);
    let wrong = |kind, row: u8, key: &str| due.contains(&(TABLES[0], kind, row, key.to_owned()));
    let mut all = Vec::new();
    for key in ["A", "B", "C", "D"] {
        let has = |row: &u8| name(&rows[row]).is_some_and(|(name, _)| name == key);
        let holder =
            rows.keys().find(|row| has(row) && !wrong(Kind::Conflict, **row, key) && !wrong(Kind::Missing, **row, key));
        let row = holder.map(|row| (*row, rows[row].clone()));
        all.extend(row.iter().map(|(_, text)| (key.to_owned(), text.len() as i64)));
        assert_eq!(db.by_name.get_row(&key.to_owned()).unwrap(), row, "{rows:?}");
        assert_eq!(db.by_name.get(&key.to_owned()).unwrap(), row.map(|(_, text)| text.len() as i64));
    }
    assert_eq!(db.by_name.scan(..).collect::<Result<Vec<_>, _>>().unwrap(), all);
}
