//! Laws of transactions with competing writes between their reads and their write.
//!
//! The body of a transaction is where a law can stop an operation half way: after its reads, another thread begins a
//! competing call, and is given time. A store that locks blocks that call until the transaction is over. A store that
//! detects conflicts at the end lets it through, and calls the body again. Either way the result must be that of one
//! after the other.

use std::cell::Cell;
use std::fmt::Debug;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use super::laws::{Model, Row, done, holds, read, read_on};
use crate::keys::range::KeyRange;
use crate::store::{Atomicity, Batch, Database, Readable, Scan, Store};

/// The time for which a body waits for an operation that would return at once if it were alone. A store that locks
/// makes it wait this long.
const PATIENCE: Duration = Duration::from_millis(20);

/// Number of tries: the thread of an operation that has begun may have been descheduled before it did anything.
const TIMES: u8 = 2;

const WAITS: u8 = 0;
const CALLS: u8 = 1;
const RETURNED: u8 = 2;

/// Runs `transact`, and `rival` in another thread from when the body asks for it. The body continues when the rival has
/// returned, or has been running for `patience`.
fn at_once<R, A: Send>(
    patience: Duration,
    rival: &(dyn Fn() -> A + Sync),
    transact: &dyn Fn(&dyn Fn()) -> R,
) -> (R, A) {
    let state = AtomicU8::new(WAITS);
    thread::scope(|scope| {
        let (begin, begun) = channel::<()>();
        let state = &state;
        let running = scope.spawn(move || {
            // An error means that the sender is gone: the body was never called, or failed.
            let _ = begun.recv();
            state.store(CALLS, Ordering::SeqCst);
            let answer = rival();
            state.store(RETURNED, Ordering::SeqCst);
            answer
        });
        let called_before = Cell::new(false);
        let let_rival_in = || {
            if called_before.replace(true) {
                return;
            }
            let _ = begin.send(());
            // Polled: waking this thread would take the processor from the rival right before its call.
            let nap = || thread::sleep(Duration::from_micros(200));
            while state.load(Ordering::SeqCst) == WAITS {
                nap();
            }
            let called = Instant::now();
            while state.load(Ordering::SeqCst) == CALLS && called.elapsed() < patience {
                nap();
            }
        };
        let read = transact(&let_rival_in);
        drop(begin);
        (read, running.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

/// A transaction, a competing call, and the effect of each on a state `S`. The rows that the transaction read (`R`),
/// the result of the call (`A`), and the final state must be those of one after the other.
struct Pair<'p, S, R, A> {
    law: &'p str,
    rival_is: &'p str,
    start: S,
    set: &'p dyn Fn(&S),
    transact: &'p dyn Fn(&dyn Fn()) -> R,
    as_transact: &'p dyn Fn(&mut S) -> R,
    rival: &'p (dyn Fn() -> A + Sync),
    as_rival: &'p dyn Fn(&mut S) -> A,
    end: &'p dyn Fn() -> S,
}

impl<S: Clone + PartialEq + Debug, R: PartialEq + Debug, A: PartialEq + Debug + Send> Pair<'_, S, R, A> {
    fn hold(&self) {
        (self.set)(&self.start);
        let alone = Instant::now();
        (self.rival)();
        let patience = PATIENCE + 4 * alone.elapsed().min(Duration::from_millis(250));
        for _ in 0..TIMES {
            (self.set)(&self.start);
            let (read, answer) = at_once(patience, self.rival, self.transact);
            let is = (read, answer, (self.end)());
            let mut after = self.start.clone();
            let (read, answer) = ((self.as_transact)(&mut after), (self.as_rival)(&mut after));
            let transaction_first = (read, answer, after);
            let mut after = self.start.clone();
            let (answer, read) = ((self.as_rival)(&mut after), (self.as_transact)(&mut after));
            let rival_first = (read, answer, after);
            let one_after_the_other = is == transaction_first || is == rival_first;
            // Inside the call: before Rust 1.89 the arguments of a `format_args!` live no longer than its statement.
            holds(
                self.law,
                one_after_the_other,
                format_args!(
                    "what a transaction read, what {} returned at the same time, and what is stored: it is {is:?}, it should \
                     be {transaction_first:?}, or {rival_first:?}",
                    self.rival_is
                ),
            );
        }
    }
}

fn number(value: Option<Vec<u8>>) -> i64 {
    value.map_or(0, |bytes| bytes.try_into().map_or(i64::MIN, i64::from_be_bytes))
}

fn put(key: &str, number: i64) -> Batch {
    std::mem::take(Batch::new().put(key, number.to_be_bytes()))
}

fn as_put(model: &mut Model, key: &str, number: i64) {
    model.insert(key.into(), number.to_be_bytes().to_vec());
}

/// A counter, and a row that another transaction adds after its reads.
pub(super) fn one_table(store: &dyn Store) {
    let guarantees = store.guarantees();
    if !guarantees.transactions {
        return;
    }
    let law = "lost-transaction";
    let counter = |model: &Model| number(model.get(&b"counter"[..]).cloned());
    let of_view = |view: &dyn Readable| number(done(law, view.get(b"counter")));
    let get = |view: &dyn Readable| -> Vec<Row> {
        let rows = ["counter", "other"].map(|key| Some((key.into(), done(law, view.get(key.as_bytes()))?)));
        rows.into_iter().flatten().collect()
    };
    let scan = |view: &dyn Readable| read_on(&mut *view.scan(&Scan::all()), &Scan::all());
    for by_scan in [false, true] {
        let look = |view: &dyn Readable| if by_scan { scan(view) } else { get(view) };
        let transact = |let_rival_in: &dyn Fn()| {
            let mut read = Vec::new();
            let mut body = |view: &dyn Readable| {
                read = vec![look(view)];
                let_rival_in();
                read.push(look(view));
                Ok(put("counter", of_view(view) + 10))
            };
            done(law, store.transact(&mut body));
            read
        };
        let as_transact = |model: &mut Model| {
            let rows: Vec<Row> = model.clone().into_iter().collect();
            let sum = counter(model) + 10;
            as_put(model, "counter", sum);
            vec![rows; 2]
        };
        let set = |model: &Model| {
            let mut batch = std::mem::take(Batch::new().delete("other"));
            for (key, value) in model {
                batch.put(key.as_slice(), value.as_slice());
            }
            done(law, store.write(&batch));
        };
        let hold = |rival_is: &str, rival: &(dyn Fn() -> i64 + Sync), as_rival: &dyn Fn(&mut Model) -> i64| {
            let mut start = Model::new();
            as_put(&mut start, "counter", 5);
            let end = || read(store, &Scan::all()).into_iter().collect();
            let (set, transact, as_transact, end) = (&set, &transact, &as_transact, &end);
            Pair { law, rival_is, start, set, transact, as_transact, rival, as_rival, end }.hold();
        };
        if guarantees.increment {
            hold("an increment", &|| done(law, store.increment(b"counter", 1)), &|model| {
                let sum = counter(model) + 1;
                as_put(model, "counter", sum);
                sum
            });
        }
        if guarantees.compare_and_write {
            let (five, hundred) = (5_i64.to_be_bytes(), 100_i64.to_be_bytes());
            let compare_and_write = || {
                let answer = store.compare_and_write(b"counter", Some(&five), Some(&hundred));
                i64::from(done(law, answer))
            };
            hold("a compare-and-write", &compare_and_write, &|model| {
                let is = counter(model) == 5;
                if is {
                    as_put(model, "counter", 100);
                }
                i64::from(is)
            });
        }
        let mut batch = put("counter", 100);
        let whole = guarantees.batch >= Atomicity::Table;
        if whole {
            batch.put("other", 200_i64.to_be_bytes());
        }
        hold("a batch", &|| done(law, store.write(&batch).map(|()| 0)), &|model| {
            as_put(model, "counter", 100);
            if whole {
                as_put(model, "other", 200);
            }
            0
        });
        let doomed = [KeyRange::point("counter")];
        hold("a deleted range", &|| done(law, store.delete_ranges(&doomed).map(|()| 0)), &|model| {
            model.remove(&b"counter"[..]);
            0
        });
        let copy = || {
            let mut found = 0;
            let mut body = |view: &dyn Readable| {
                found = of_view(view);
                Ok(put("other", found))
            };
            done(law, store.transact(&mut body));
            found
        };
        hold("another transaction", &copy, &|model| {
            let found = counter(model);
            as_put(model, "other", found);
            found
        });
    }
}

/// A number in each of two tables.
type Two = [i64; 2];

pub(super) fn across_tables(database: &dyn Database) {
    let guarantees = database.guarantees();
    if !guarantees.transactions || guarantees.batch < Atomicity::Database {
        return;
    }
    let law = "transaction-across-tables";
    let (a, b) = (done(law, database.table("a")), done(law, database.table("b")));
    let of_view = |view: &dyn Readable| number(done(law, view.get(b"k")));
    let both = |views: &[&dyn Readable]| [of_view(views[0]), of_view(views[1])];
    let write = |[of_a, of_b]: Two| {
        let (of_a, of_b) = (put("k", of_a), put("k", of_b));
        done(law, database.write(&[("b", &of_b), ("a", &of_a)]));
    };
    // Each is computed from the other.
    let transact = |let_rival_in: &dyn Fn()| {
        let mut read = Vec::new();
        let mut body = |views: &[&dyn Readable]| {
            read = vec![both(views)];
            let_rival_in();
            let [of_a, of_b] = both(views);
            read.push([of_a, of_b]);
            Ok(vec![put("k", of_b + 10), put("k", of_a + 20)])
        };
        done(law, database.transact(&["a", "b"], &mut body));
        read
    };
    let as_transact = |state: &mut Two| {
        let read = *state;
        *state = [read[1] + 10, read[0] + 20];
        vec![read; 2]
    };
    let end = || [number(done(law, a.get(b"k"))), number(done(law, b.get(b"k")))];
    let hold = |rival_is: &str, rival: &(dyn Fn() -> Two + Sync), as_rival: &dyn Fn(&mut Two) -> Two| {
        let (set, transact, as_transact, end) = (&|start: &Two| write(*start), &transact, &as_transact, &end);
        Pair { law, rival_is, start: [5, 7], set, transact, as_transact, rival, as_rival, end }.hold();
    };
    let write_both = || {
        write([100, 200]);
        [0; 2]
    };
    hold("a batch across tables", &write_both, &|state| {
        *state = [100, 200];
        [0; 2]
    });
    let swap = || {
        let mut found = [0; 2];
        let mut body = |views: &[&dyn Readable]| {
            let [of_b, of_a] = both(views);
            found = [of_a, of_b];
            Ok(vec![put("k", of_a), put("k", of_b)])
        };
        done(law, database.transact(&["b", "a"], &mut body));
        found
    };
    hold("another transaction", &swap, &|state| {
        let found = *state;
        state.swap(0, 1);
        found
    });
    let of_one = |table: &dyn Store| {
        let mut found = 0;
        let mut body = |view: &dyn Readable| {
            found = of_view(view);
            Ok(put("k", found + 1))
        };
        done(law, table.transact(&mut body));
        [found; 2]
    };
    hold("a transaction of the first table", &|| of_one(&*a), &|state| {
        state[0] += 1;
        [state[0] - 1; 2]
    });
    hold("a transaction of the second table", &|| of_one(&*b), &|state| {
        state[1] += 1;
        [state[1] - 1; 2]
    });
    let put_one = || {
        done(law, b.write(&put("k", 300)));
        [0; 2]
    };
    hold("a write to one table", &put_one, &|state| {
        state[1] = 300;
        [0; 2]
    });
    if guarantees.increment {
        hold("an increment", &|| [done(law, a.increment(b"k", 1)); 2], &|state| {
            state[0] += 1;
            [state[0]; 2]
        });
    }
}
