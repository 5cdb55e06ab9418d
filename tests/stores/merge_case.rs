//! Merges: sources as scripts, what must come of them by sorting, and every way to drive a merge of them.

use proptest::collection::vec;
use proptest::prelude::*;
use rowkey::merge::{BatchMerge, Merge, MergedRows, Step};
use rowkey::store::{RowBatch, Rows};
use rowkey::{Error, ErrorKind};

pub(crate) type Row = (Vec<u8>, Vec<u8>);

/// A sorted source: its rows, whether it fails after them, and the row that its error names.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub(crate) rows: Vec<Row>,
    pub(crate) fails: bool,
    pub(crate) place: Option<Vec<u8>>,
}

impl Script {
    /// Fails at this row.
    fn fail_at(&mut self, row: usize) {
        self.place = self.rows.get(row).map(|(key, _)| key.clone());
        self.rows.truncate(row);
        self.fails = true;
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) sources: Vec<Script>,
    pub(crate) salt: usize,
    pub(crate) reverse: bool,
    pub(crate) limit: Option<u64>,
}

pub(crate) fn rest(key: &[u8], salt: usize) -> &[u8] {
    key.get(salt..).unwrap_or(&[])
}

impl Case {
    fn order(&self, a: &[u8], b: &[u8]) -> std::cmp::Ordering {
        let order = rest(a, self.salt).cmp(rest(b, self.salt));
        if self.reverse { order.reverse() } else { order }
    }

    /// What the merge must hand out: a failure comes at its place, else after the last row of its source, or before
    /// everything.
    pub(crate) fn expected(&self) -> Vec<Result<Row, String>> {
        let mut rows: Vec<(usize, usize)> = self
            .sources
            .iter()
            .enumerate()
            .flat_map(|(source, script)| {
                let places = usize::from(script.place.is_some());
                (0..script.rows.len() + places).map(move |row| (source, row))
            })
            .collect();
        let key = |&(source, row): &(usize, usize)| {
            let script = &self.sources[source];
            script.rows.get(row).map(|(key, _)| key).or(script.place.as_ref()).unwrap()
        };
        rows.sort_by(|a, b| self.order(key(a), key(b)).then(a.cmp(b)));

        let mut expected = Vec::new();
        let limit = self.limit.unwrap_or(u64::MAX) as usize;
        if limit == 0 {
            return expected;
        }
        if let Some(source) =
            self.sources.iter().position(|script| script.fails && script.place.is_none() && script.rows.is_empty())
        {
            return vec![Err(failure(source))];
        }
        for (source, row) in rows {
            let script = &self.sources[source];
            let Some(of_row) = script.rows.get(row) else {
                expected.push(Err(failure(source)));
                break;
            };
            expected.push(Ok(of_row.clone()));
            if expected.len() == limit {
                break;
            }
            if script.fails && script.place.is_none() && row + 1 == script.rows.len() {
                expected.push(Err(failure(source)));
                break;
            }
        }
        expected
    }

    /// The same sources, of whose errors none names a row: none of the items of iterators does.
    pub(crate) fn unplaced(&self) -> Self {
        let mut unplaced = self.clone();
        unplaced.sources.iter_mut().for_each(|script| script.place = None);
        unplaced
    }

    pub(crate) fn iterators(&self) -> Vec<impl Iterator<Item = Result<Row, String>> + use<>> {
        let script = |(source, script): (usize, &Script)| {
            let end = script.fails.then(|| Err(failure(source)));
            let mut over = false;
            script.rows.clone().into_iter().map(Ok).chain(end).chain(std::iter::from_fn(move || {
                assert!(!std::mem::replace(&mut over, true), "read again after its end");
                None
            }))
        };
        self.sources.iter().enumerate().map(script).collect()
    }

    pub(crate) fn scans(&self, batch_rows: &[usize]) -> Vec<Box<dyn Rows>> {
        let batch_rows = |source| batch_rows.get(source % batch_rows.len().max(1)).copied().unwrap_or(1);
        (self.sources.iter().enumerate())
            .map(|(source, script)| {
                Box::new(Scripted {
                    rows: script.rows.clone().into_iter(),
                    failure: script.fails.then(|| failure(source)),
                    place: script.place.clone(),
                    batch_rows: batch_rows(source),
                    over: false,
                }) as Box<dyn Rows>
            })
            .collect()
    }

    pub(crate) fn merged(&self, batch_rows: &[usize]) -> MergedRows {
        MergedRows::new(self.scans(batch_rows)).salt(self.salt).reverse(self.reverse).limit(self.limit)
    }
}

pub(crate) fn failure(source: usize) -> String {
    format!("source {source} failed")
}

pub(crate) struct Scripted {
    pub(crate) rows: std::vec::IntoIter<Row>,
    pub(crate) failure: Option<String>,
    pub(crate) place: Option<Vec<u8>>,
    pub(crate) batch_rows: usize,
    pub(crate) over: bool,
}

impl Rows for Scripted {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        assert!(!self.over, "read again after its end");
        batch.clear();
        self.rows.by_ref().take(self.batch_rows).for_each(|(key, value)| batch.push(&key, &value));
        if batch.is_empty() {
            self.over = true;
            return self.failure.take().map_or(Ok(()), |text| match self.place.take() {
                Some(row) => Err(Error::engine_at(ErrorKind::Other, row, text)),
                None => Err(Error::engine(text)),
            });
        }
        Ok(())
    }
}

pub(crate) fn text(error: &Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

pub(crate) fn by_row(mut merged: MergedRows) -> Vec<Result<Row, String>> {
    let mut rows = Vec::new();
    loop {
        match merged.next_row() {
            Ok(Some((key, value))) => rows.push(Ok((key.to_vec(), value.to_vec()))),
            Ok(None) => break,
            Err(error) => rows.push(Err(text(&error))),
        }
    }
    assert!(matches!(merged.next_row(), Ok(None)));
    rows
}

pub(crate) fn by_batch(rows: &mut dyn Rows, most: usize) -> Vec<Result<Row, String>> {
    let mut all = Vec::new();
    let mut batch = RowBatch::new();
    batch.push(b"left over", b"");
    loop {
        match rows.next_batch(&mut batch) {
            Ok(()) if batch.is_empty() => break,
            Ok(()) => {
                assert!(batch.len() <= most, "a batch of {}", batch.len());
                all.extend(batch.iter().map(|(key, value)| Ok((key.to_vec(), value.to_vec()))));
            }
            Err(error) => {
                assert!(batch.is_empty());
                all.push(Err(text(&error)));
            }
        }
    }
    rows.next_batch(&mut batch).unwrap();
    assert!(batch.is_empty());
    all
}

/// Sources of many rows of a few ids, each of a few times, of which the first bytes are alike as a rule.
pub(crate) fn ids_and_times() -> impl Strategy<Value = Case> {
    let time = prop_oneof![9 => Just(0x0180_0000), 1 => any::<u32>()];
    let row = (0..12_u64, time, any::<u8>(), 0..5_usize);
    (vec(row, 300..900), prop_oneof![Just(1), Just(256), any::<u32>().prop_map(u64::from)], any::<bool>()).prop_map(
        |(rows, stride, reverse)| {
            let mut case = sources(&[&[][..]; 5]);
            (case.salt, case.reverse) = (1, reverse);
            for (id, time, last, to) in rows {
                let id = (1_000 + id).wrapping_mul(stride).to_be_bytes();
                let key = [&[to as u8][..], b"id", &id, &time.to_be_bytes(), &[0, last]].concat();
                case.sources[to].rows.push((key, Vec::new()));
            }
            let mut sorted = case.clone();
            for script in &mut sorted.sources {
                script.rows.sort_by(|(a, _), (b, _)| case.order(a, b));
            }
            sorted
        },
    )
}

/// Keys that meet: few bytes to choose from, often a long prefix in common, sometimes shorter than the salt.
pub(crate) fn key() -> impl Strategy<Value = Vec<u8>> {
    let byte = || prop_oneof![Just(0_u8), Just(1), Just(0x7f), Just(0xff)];
    prop_oneof![
        vec(byte(), 0..4),
        vec(byte(), 0..12),
        vec(byte(), 0..4).prop_map(|end| [&[0xff; 9][..], &end].concat()),
        any::<u16>().prop_map(|n| [&[7; 10][..], &n.to_be_bytes()].concat()),
        any::<[u8; 9]>().prop_map(Vec::from),
    ]
}

pub(crate) fn case() -> impl Strategy<Value = Case> {
    // Each key goes to the source of the key before it, or to another.
    let rows = prop_oneof![
        vec((key(), any::<[u8; 3]>(), 0..8_usize), 0..80),
        vec((key(), any::<[u8; 3]>(), prop_oneof![9 => Just(usize::MAX), 1 => 0..8_usize]), 0..120),
    ];
    (
        rows,
        0..8_usize,
        0..4_usize,
        any::<bool>(),
        prop_oneof![Just(None), (0..60_u64).prop_map(Some)],
        vec((0..12_usize, any::<bool>()), 8),
    )
        .prop_map(|(mut rows, sources, salt, reverse, limit, fails)| {
            let mut case = Case { sources: Vec::new(), salt, reverse, limit };
            case.sources = (0..sources).map(|_| Script { rows: Vec::new(), fails: false, place: None }).collect();
            rows.sort_by(|a, b| case.order(&with_salt(a, salt), &with_salt(b, salt)));
            let mut to = 0;
            for (number, row) in rows.iter().enumerate() {
                to = if row.2 == usize::MAX { to } else { row.2 };
                if let Some(script) = case.sources.get_mut(to) {
                    script.rows.push((with_salt(row, salt), number.to_be_bytes().to_vec()));
                }
            }
            for (script, &(fail, is_placed)) in case.sources.iter_mut().zip(&fails) {
                script.fails = fail < 4;
                match fail {
                    0..3 if is_placed => script.fail_at(fail * 5),
                    0..3 => script.rows.truncate(fail * 5),
                    _ => {}
                }
            }
            case
        })
}

pub(crate) fn with_salt((key, bytes, _): &(Vec<u8>, [u8; 3], usize), salt: usize) -> Vec<u8> {
    // A short key may have no more than a part of the salt.
    if key.len() == 1 { bytes[..salt.min(1)].to_vec() } else { [&bytes[..salt], key].concat() }
}

pub(crate) fn rows(keys: &[&str]) -> Vec<Row> {
    keys.iter().map(|key| (key.as_bytes().to_vec(), Vec::new())).collect()
}

pub(crate) fn sources(keys: &[&[&str]]) -> Case {
    let sources = keys.iter().map(|keys| Script { rows: rows(keys), fails: false, place: None }).collect();
    Case { sources, salt: 0, reverse: false, limit: None }
}

pub(crate) fn keys(rows: Vec<Result<Row, String>>) -> Vec<Result<String, String>> {
    rows.into_iter().map(|row| row.map(|(key, _)| String::from_utf8(key).unwrap())).collect()
}

/// Drives the machine by hand: what is wanted is read in any order, what was read is handed over any time later, and
/// steps are asked for meanwhile. `choices` say how; they are taken in turn, over and over. With `most` by batches of
/// so many rows.
pub(crate) fn by_hand(
    case: &Case,
    batch_rows: &[usize],
    choices: &[usize],
    most: Option<usize>,
) -> Vec<Result<Row, String>> {
    let mut choices = choices.iter().copied().cycle();
    let mut choose = move |n: usize| choices.next().unwrap_or(0) % n;
    let mut scans = case.scans(batch_rows);
    let mut answers: Vec<Option<Result<(), Error>>> = scans.iter().map(|_| None).collect();
    let mut merge = BatchMerge::new(scans.len()).salt(case.salt).reverse(case.reverse).limit(case.limit);
    assert!((0..scans.len()).all(|source| !merge.wants(source)), "nothing is wanted before the first step");

    let (mut found, mut last, mut read) = (Vec::new(), Vec::new(), 0);
    let (mut batch, mut is_late) = (RowBatch::new(), false);
    loop {
        let step = match most {
            None => merge.step(),
            Some(most) => merge.fill(&mut batch, most, usize::MAX),
        };
        assert_eq!(merge.rows_read(), read);
        let waits_for = match step {
            Ok(Step::Done) => break,
            Ok(Step::Row) => {
                if let (None, Some((key, value))) = (most, merge.row()) {
                    batch.push(key, value);
                }
                assert!(!batch.is_empty() && batch.len() <= most.unwrap_or(1));
                found.extend(batch.iter().map(|(key, value)| Ok((key.to_vec(), value.to_vec()))));
                last = batch.iter().last().map(|(key, _)| key.to_vec()).unwrap_or_default();
                assert_eq!(merge.last_key(), last);
                batch.clear();
                assert!((0..scans.len()).all(|source| !merge.wants(source)), "nothing is wanted before the next step");
                continue;
            }
            Err(error) => {
                assert!(batch.is_empty());
                found.push(Err(text(&error)));
                continue;
            }
            Ok(Step::Feed(source)) => source,
        };
        assert!(merge.row().is_none());
        assert!(merge.wants(waits_for));
        let wanted: Vec<usize> = (0..scans.len()).filter(|&source| merge.wants(source)).collect();
        // What was not asked for changes nothing.
        let other = choose(scans.len());
        if !merge.wants(other) {
            assert!(merge.batch(other).is_none());
            merge.feed(other, [Ok(()), Err(Error::engine("not wanted"))].into_iter().nth(choose(2)).unwrap());
        }
        let source = wanted[choose(wanted.len())];
        match answers[source].take() {
            Some(answer) => {
                read += merge.batch(source).map_or(0, |batch| batch.len() as u64 * u64::from(answer.is_ok()));
                merge.feed(source, answer);
            }
            None if choose(3) == 0 && !is_late => is_late = true,
            None => {
                is_late = false;
                let into = merge.batch(source).unwrap();
                assert!(into.is_empty());
                if choose(2) == 0 {
                    *into = RowBatch::new();
                }
                answers[source] = Some(scans[source].next_batch(into));
            }
        }
        if most.is_none() {
            assert_eq!(merge.last_key(), last);
        }
    }
    for source in 0..scans.len() {
        assert!(!merge.wants(source) && merge.batch(source).is_none());
        merge.feed(source, Err(Error::engine("after the end")));
        assert!(matches!(merge.step(), Ok(Step::Done)) && merge.row().is_none());
    }
    assert_eq!((merge.last_key(), merge.rows_read()), (last.as_slice(), read));
    found
}

/// What every driver makes of a case.
pub(crate) fn by_all(case: &Case, batch_rows: &[usize]) -> Vec<(String, Vec<Result<Row, String>>)> {
    let mut all = vec![
        ("row by row".to_owned(), by_row(case.merged(batch_rows))),
        ("in batches".to_owned(), by_batch(&mut case.merged(batch_rows), 256)),
    ];
    if case.sources.iter().all(|script| script.place.is_none()) {
        let merge = Merge::new(case.iterators()).salt(case.salt).reverse(case.reverse).limit(case.limit);
        all.push(("iterators".to_owned(), merge.collect()));
    }
    for choices in [&[0][..], &[1], &[2, 1, 0], &[1, 2, 3, 5, 7, 11], &[5, 4, 3, 2, 1, 0, 1]] {
        all.push((format!("by hand {choices:?}"), by_hand(case, batch_rows, choices, None)));
        all.push((format!("batches by hand {choices:?}"), by_hand(case, batch_rows, choices, Some(3))));
    }
    all
}
