//! A database without transactions whose clients take turns: a test says which client does its next operation, so each
//! interleaving can be made to happen, and made again.

use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use rowkey::Memory;
use rowkey::store::{Atomicity, Database};
use rowkey_testkit::{Cue, Cued, Fate, Op, Restrict};

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
pub(crate) type Client = Cued<dyn Database, Turn>;

/// Whose turn it is.
#[derive(Clone)]
pub(crate) struct Turn(Arc<(Mutex<State>, Condvar)>);

/// What the client of a number does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leg {
    /// So many operations, or fewer if it ends.
    Go(usize, u64),
    /// No further operation succeeds.
    Kill(usize),
}

pub(crate) fn client(memory: &Memory) -> Client {
    let promised = memory.guarantees().transactions(false).batch(Atomicity::Row);
    let state = State { at: At::Free, dead: false };
    let turn = Turn(Arc::new((Mutex::new(state), Condvar::new())));
    Cued::over(Arc::new(Restrict::database(Arc::new(memory.clone()), promised)), turn)
}

impl Turn {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.0.lock().unwrap()
    }

    fn set(&self, at: At) {
        self.state().at = at;
        self.0.1.notify_all();
    }

    fn wait_while(&self, mut waits: impl FnMut(At) -> bool) -> MutexGuard<'_, State> {
        let wait = self.0.1.wait_timeout_while(self.state(), Duration::from_secs(120), |state| waits(state.at));
        let (state, waited) = wait.unwrap();
        assert!(!waited.timed_out(), "a client has waited for two minutes");
        state
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

impl Cue for Turn {
    fn before(&self, op: Op) -> Fate {
        if matches!(op, Op::Open | Op::List | Op::Drop) {
            return Fate::Done;
        }
        if self.state().at != At::Free {
            self.set(At::Paused);
        }
        if self.wait_while(|at| at == At::Paused).dead { Fate::Fails } else { Fate::Done }
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

/// Works of clients, one operation of one of them at a time: leg by leg, then each to its end in turn. Returns what
/// they returned, and whether every leg was gone to its end.
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
