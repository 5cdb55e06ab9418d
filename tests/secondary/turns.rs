//! A database without transactions whose clients take turns: a test says which client does its next operation, so each
//! interleaving can be made to happen, and made again.

use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use rowkey::store::{
    Atomicity, Batch, CallOptions, Database, DatabaseId, Guarantees, NewTable, Readable, RowBatch, Rows, Scan, Store,
    TableId,
};
use rowkey::{Error, KeyRange, Memory};

/// Where a client is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// Its operations are not counted.
    Free,
    Running,
    /// Before its next operation.
    Paused,
    Ended,
}

#[derive(Debug)]
struct State {
    at: At,
    dead: bool,
}

/// A client of the database.
#[derive(Clone)]
pub(crate) struct Client {
    memory: Arc<dyn Database>,
    turn: Arc<(Mutex<State>, Condvar)>,
}

/// What the client of a number does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leg {
    /// So many operations, or fewer if it ends.
    Go(usize, u64),
    /// No further operation succeeds.
    Kill(usize),
}

impl Client {
    pub(crate) fn new(memory: &Memory) -> Self {
        let state = State { at: At::Free, dead: false };
        Self { memory: Arc::new(memory.clone()), turn: Arc::new((Mutex::new(state), Condvar::new())) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.turn.0.lock().unwrap()
    }

    fn set(&self, at: At) {
        self.state().at = at;
        self.turn.1.notify_all();
    }

    fn wait_while(&self, mut waits: impl FnMut(At) -> bool) -> MutexGuard<'_, State> {
        let wait = self.turn.1.wait_timeout_while(self.state(), Duration::from_secs(120), |state| waits(state.at));
        let (state, waited) = wait.unwrap();
        assert!(!waited.timed_out(), "a client has waited for two minutes");
        state
    }

    fn pass(&self) -> Result<(), Error> {
        if self.state().at != At::Free {
            self.set(At::Paused);
        }
        match self.wait_while(|at| at == At::Paused).dead {
            true => Err(Error::engine("the process is dead")),
            false => Ok(()),
        }
    }

    /// Does one operation; `false` if it has ended.
    fn step(&self) -> bool {
        if self.wait_while(|at| at == At::Running).at == At::Ended {
            return false;
        }
        self.set(At::Running);
        drop(self.wait_while(|at| at == At::Running));
        true
    }
}

/// Ends a client's turns also where its work panics.
struct Ends<'c>(&'c Client);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.set(At::Ended);
    }
}

pub(crate) type Work<'w, T> = Box<dyn FnOnce() -> T + Send + 'w>;

/// What each client does.
pub(crate) type Works<'w, T> = Vec<(&'w Client, Work<'w, T>)>;

/// Works of clients, one operation of one of them at a time: leg by leg, then each to its end in turn. Returns what they
/// returned, and whether every leg was gone to its end.
pub(crate) fn interleave<T: Send>(works: Works<'_, T>, legs: &[Leg]) -> (Vec<T>, bool) {
    let clients: Vec<&Client> = works.iter().map(|(client, _)| *client).collect();
    clients.iter().for_each(|client| client.set(At::Running));
    thread::scope(|scope| {
        let threads: Vec<_> = works
            .into_iter()
            .map(|(client, work)| {
                scope.spawn(move || {
                    let _ends = Ends(client);
                    work()
                })
            })
            .collect();
        let mut whole = true;
        for &leg in legs {
            match leg {
                Leg::Go(client, steps) => whole &= (0..steps).all(|_| clients[client].step()) || steps == u64::MAX,
                Leg::Kill(client) => {
                    whole &= clients[client].wait_while(|at| at == At::Running).at != At::Ended;
                    clients[client].state().dead = true;
                }
            }
        }
        clients.iter().for_each(|client| while client.step() {});
        (threads.into_iter().map(|thread| thread.join().unwrap()).collect(), whole)
    })
}

impl Database for Client {
    fn id(&self) -> DatabaseId {
        self.memory.id()
    }

    fn options(&self) -> &CallOptions {
        self.memory.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn Database> {
        Arc::new(Self { memory: self.memory.with_options(options), turn: Arc::clone(&self.turn) })
    }

    fn guarantees(&self) -> Guarantees {
        let mut guarantees = self.memory.guarantees();
        guarantees.transactions = false;
        guarantees.batch = Atomicity::Row;
        guarantees
    }

    fn table(&self, name: &str) -> Result<Arc<dyn Store>, Error> {
        Ok(Arc::new(ClientStore { client: self.clone(), store: self.memory.table(name)? }))
    }

    fn open_table(&self, name: &str) -> Result<Arc<dyn Store>, Error> {
        Ok(Arc::new(ClientStore { client: self.clone(), store: self.memory.open_table(name)? }))
    }

    fn create_table(&self, name: &str, new: &NewTable) -> Result<Arc<dyn Store>, Error> {
        self.pass()?;
        Ok(Arc::new(ClientStore { client: self.clone(), store: self.memory.create_table(name, new)? }))
    }

    fn tables(&self) -> Result<Vec<String>, Error> {
        self.memory.tables()
    }

    fn drop_table(&self, name: &str) -> Result<(), Error> {
        self.memory.drop_table(name)
    }

    fn write(&self, batches: &[(&str, &Batch)]) -> Result<(), Error> {
        self.pass()?;
        self.memory.write(batches)
    }
}

struct ClientStore {
    client: Client,
    store: Arc<dyn Store>,
}

impl Readable for ClientStore {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        self.client.pass()?;
        self.store.get(key)
    }

    fn scan(&self, scan: &Scan) -> Box<dyn Rows> {
        Box::new(ClientRows { client: self.client.clone(), rows: self.store.scan(scan) })
    }
}

impl Store for ClientStore {
    fn id(&self) -> &TableId {
        self.store.id()
    }

    fn options(&self) -> &CallOptions {
        self.store.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn Store> {
        Arc::new(Self { client: self.client.clone(), store: self.store.with_options(options) })
    }

    fn guarantees(&self) -> Guarantees {
        self.client.guarantees()
    }

    fn write(&self, batch: &Batch) -> Result<(), Error> {
        self.client.pass()?;
        self.store.write(batch)
    }

    fn increment(&self, key: &[u8], by: i64) -> Result<i64, Error> {
        self.client.pass()?;
        self.store.increment(key, by)
    }

    fn compare_and_write(&self, key: &[u8], expected: Option<&[u8]>, new: Option<&[u8]>) -> Result<bool, Error> {
        self.client.pass()?;
        self.store.compare_and_write(key, expected, new)
    }

    fn delete_ranges(&self, ranges: &[KeyRange]) -> Result<(), Error> {
        self.client.pass()?;
        self.store.delete_ranges(ranges)
    }
}

struct ClientRows {
    client: Client,
    rows: Box<dyn Rows>,
}

impl Rows for ClientRows {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        batch.clear();
        self.client.pass()?;
        self.rows.next_batch(batch)
    }
}
