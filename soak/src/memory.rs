//! The store in memory under threads: each changes rows of its own and knows what they hold; some rows are everybody's.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use fastrand::Rng;
use indicatif::HumanCount;
use rowkey::store::{Batch, Database, RowBatch, Rows, Scan, Store};
use rowkey::{Error, KeyRange, Memory};

use crate::{Fault, hex};

const TABLES: [&str; 2] = ["left", "right"];
/// Rows that are always written together, in both tables.
const TWINS: u8 = 8;

/// What all threads share.
struct Shared {
    db: Memory,
    added: AtomicI64,
    version: AtomicU64,
    operations: AtomicU64,
}

type Model = BTreeMap<Vec<u8>, Vec<u8>>;
type Row = (Vec<u8>, Vec<u8>);

/// Threads on one database for some time.
pub fn soak(threads: usize, time: Duration, seed: u64) -> Result<String, Fault> {
    let shared = Shared {
        db: Memory::new(),
        added: AtomicI64::new(0),
        version: AtomicU64::new(0),
        operations: AtomicU64::new(0),
    };
    let end = Instant::now() + time;
    let faults: Vec<Fault> = std::thread::scope(|scope| {
        let work = |thread: usize| {
            let (shared, mut rng) = (&shared, Rng::with_seed(seed.wrapping_add(thread as u64)));
            scope.spawn(move || {
                own_rows(shared, thread, end, &mut rng).map_err(|fault| format!("thread {thread}: {fault}"))
            })
        };
        let handles: Vec<_> = (0..threads).map(work).collect();
        handles.into_iter().filter_map(|handle| handle.join().unwrap_or_else(|_| Err("a panic".into())).err()).collect()
    });
    if let Some(fault) = faults.into_iter().next() {
        return Err(format!("seed {seed}: {fault}"));
    }
    let (counted, added) = (counter(&shared).map_err(told)?, shared.added.into_inner());
    if counted != added {
        return Err(format!("seed {seed}: the counter of all threads is {counted}, {added} were added"));
    }
    let operations = HumanCount(shared.operations.into_inner());
    Ok(format!("{operations} operations of {threads} threads on Memory: as each thread's model has it"))
}

fn told(error: Error) -> Fault {
    error.to_string()
}

fn counter(shared: &Shared) -> Result<i64, Error> {
    let value = shared.db.table(TABLES[0])?.get(b"~count")?;
    Ok(value.and_then(|bytes| Some(i64::from_be_bytes(bytes.try_into().ok()?))).unwrap_or(0))
}

fn own_rows(shared: &Shared, thread: usize, end: Instant, rng: &mut Rng) -> Result<(), Fault> {
    let stores = [shared.db.table(TABLES[0]).map_err(told)?, shared.db.table(TABLES[1]).map_err(told)?];
    let mut models = [Model::new(), Model::new()];
    let own = [b'a' + u8::try_from(thread).unwrap_or(0)];
    while Instant::now() < end {
        for _ in 0..100 {
            let side = rng.usize(0..2);
            step(shared, &own, &*stores[side], &mut models[side], rng).map_err(told)??;
        }
        write_both(shared, &own, &mut models, rng).map_err(told)?;
        twins(shared, &*stores[rng.usize(0..2)], rng).map_err(told)??;
        shared.operations.fetch_add(102, Ordering::Relaxed);
    }
    for (store, model) in stores.iter().zip(&models) {
        let due: Vec<_> = model.iter().collect();
        let found = rows(&mut *store.scan(&Scan::new(vec![all(&own)]))).map_err(told)?;
        if !found.iter().map(|(key, value)| (key, value)).eq(due) {
            return Err(format!("{} rows at the end, {} in the model", found.len(), model.len()));
        }
    }
    Ok(())
}

fn key(own: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut key = own.to_vec();
    key.extend((0..rng.u8(0..4)).map(|_| rng.choice([0, 1, b'k', 0xff]).unwrap_or(0)));
    key
}

/// All rows of a thread.
fn all(own: &[u8]) -> KeyRange {
    KeyRange::prefix(own)
}

/// One operation on a table, and the same on its model.
fn step(
    shared: &Shared,
    own: &[u8],
    store: &dyn Store,
    model: &mut Model,
    rng: &mut Rng,
) -> Result<Result<(), Fault>, Error> {
    let at = key(own, rng);
    let value = rng.u64(..).to_be_bytes();
    let wrong =
        |what: &str, found: String, due: String| Ok(Err(format!("{what} {}: found {found}, due {due}", hex(&at))));
    match rng.u8(0..12) {
        0..=3 => {
            store.write(Batch::new().put(at.as_slice(), value))?;
            model.insert(at, value.to_vec());
        }
        4 => {
            store.write(Batch::new().delete(at.as_slice()))?;
            model.remove(&at);
        }
        5 => {
            let (found, due) = (store.get(&at)?, model.get(&at));
            if found.as_ref() != due {
                return wrong("get", format!("{found:?}"), format!("{due:?}"));
            }
        }
        6 => {
            let expected = if rng.bool() { model.get(&at).cloned() } else { Some(vec![7]) };
            let new = rng.bool().then_some(&value[..]);
            let (found, due) =
                (store.compare_and_write(&at, expected.as_deref(), new)?, expected.as_ref() == model.get(&at));
            if found != due {
                return wrong("compare and write", found.to_string(), due.to_string());
            }
            match new {
                Some(new) if due => drop(model.insert(at, new.to_vec())),
                None if due => drop(model.remove(&at)),
                _ => {}
            }
        }
        7 => {
            let before = model.get(&at).map_or(0, |bytes| bytes.as_slice().try_into().map_or(0, i64::from_be_bytes));
            let (found, due) = (store.increment(&at, 5)?, before.wrapping_add(5));
            if found != due {
                return wrong("increment", found.to_string(), due.to_string());
            }
            model.insert(at, due.to_be_bytes().to_vec());
        }
        8 => {
            shared.added.fetch_add(3, Ordering::Relaxed);
            shared.db.table(TABLES[0])?.increment(b"~count", 3)?;
        }
        9 if rng.u8(0..20) == 0 => {
            let range = some(own, rng);
            store.delete_ranges(std::slice::from_ref(&range))?;
            model.retain(|key, _| !range.contains(key));
        }
        _ => return scan(own, store, model, rng),
    }
    Ok(Ok(()))
}

/// Some rows of a thread.
fn some(own: &[u8], rng: &mut Rng) -> KeyRange {
    let (a, b) = (key(own, rng), key(own, rng));
    KeyRange::new(a, Some(b)).unwrap_or(all(own))
}

fn scan(own: &[u8], store: &dyn Store, model: &Model, rng: &mut Rng) -> Result<Result<(), Fault>, Error> {
    let range = some(own, rng);
    let end = range.end().map_or(Bound::Unbounded, Bound::Excluded);
    let mut due: Vec<_> = model.range::<[u8], _>((Bound::Included(range.start()), end)).collect();
    let (reverse, limit) = (rng.bool(), rng.bool().then(|| rng.u64(0..10)));
    if reverse {
        due.reverse();
    }
    due.truncate(limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX)));
    let scan = Scan::new(vec![range.clone()]).reverse(reverse).limit(limit).batch_rows(rng.usize(1..20));
    let found = rows(&mut *store.scan(&scan))?;
    if found.iter().map(|(key, value)| (key, value)).eq(due.iter().copied()) {
        return Ok(Ok(()));
    }
    Ok(Err(format!("{range:?}, reverse {reverse}, limit {limit:?}: found {found:?}, due {due:?}")))
}

fn rows(scan: &mut dyn Rows) -> Result<Vec<Row>, Error> {
    let (mut rows, mut batch) = (Vec::new(), RowBatch::new());
    loop {
        scan.next_batch(&mut batch)?;
        if batch.is_empty() {
            return Ok(rows);
        }
        rows.extend(batch.iter().map(|(key, value)| (key.to_vec(), value.to_vec())));
    }
}

/// A batch across both tables.
fn write_both(shared: &Shared, own: &[u8], models: &mut [Model; 2], rng: &mut Rng) -> Result<(), Error> {
    let mut batches = [Batch::new(), Batch::new()];
    for _ in 0..rng.usize(1..20) {
        let (side, at) = (rng.usize(0..2), key(own, rng));
        if rng.bool() {
            let value = rng.u64(..).to_be_bytes();
            batches[side].put(at.as_slice(), value);
            models[side].insert(at, value.to_vec());
        } else {
            batches[side].delete(at.as_slice());
            models[side].remove(&at);
        }
    }
    shared.db.write(&[(TABLES[0], &batches[0]), (TABLES[1], &batches[1])])
}

/// Writes the rows that are twins, or reads them: whoever reads finds all of them of one version.
fn twins(shared: &Shared, store: &dyn Store, rng: &mut Rng) -> Result<Result<(), Fault>, Error> {
    if rng.u8(0..4) == 0 {
        let version = shared.version.fetch_add(1, Ordering::Relaxed).to_be_bytes();
        let mut batch = Batch::new();
        for twin in 0..TWINS {
            batch.put([b'}', twin], version);
        }
        shared.db.write(&[(TABLES[0], &batch), (TABLES[1], &batch)])?;
    }
    let scan = Scan::new(vec![all(b"}")]).reverse(rng.bool()).batch_rows(rng.usize(1..4));
    let found = rows(&mut *store.scan(&scan))?;
    let is_one = found.windows(2).all(|two| two[0].1 == two[1].1);
    if is_one && (found.is_empty() || found.len() == usize::from(TWINS)) {
        return Ok(Ok(()));
    }
    Ok(Err(format!("a scan shows half a batch: {found:?}")))
}
