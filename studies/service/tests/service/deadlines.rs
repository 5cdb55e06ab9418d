//! Requests that are late, too many, or cancelled by a stop, on an engine that stands still.

use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use rowkey::Memory;
use rowkey::nonblocking::{AsyncDatabase, Unblock};
use rowkey::store::Database;
use rowkey_service::{Limits, serve};
use rowkey_testkit::{Cue, Cued, Fate, Op};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::{Client, Visit};

/// Operations of the engine stand before it while it is shut.
#[derive(Clone, Default)]
struct Gate(Arc<(Mutex<(bool, u32)>, Condvar)>);

impl Gate {
    fn set(&self, is_shut: bool) {
        self.0.0.lock().unwrap().0 = is_shut;
        self.0.1.notify_all();
    }

    /// Waits until so many operations stand before it.
    fn wait_for(&self, standing: u32) {
        drop(self.0.1.wait_while(self.0.0.lock().unwrap(), |state| state.1 < standing).unwrap());
    }
}

impl Cue for Gate {
    fn before(&self, _: Op) -> Fate {
        let mut state = self.0.0.lock().unwrap();
        state.1 += 1;
        self.0.1.notify_all();
        let mut state = self.0.1.wait_while(state, |state| state.0).unwrap();
        state.1 -= 1;
        Fate::Done
    }
}

/// Runs `with` beside a service in this process, and then stops it.
fn beside(limits: Limits, with: impl FnOnce(&Client, &Gate, oneshot::Sender<()>) + Send) {
    let gate = Gate::default();
    let engine = Cued::over(Arc::new(Memory::new()) as Arc<dyn Database>, gate.clone());
    let db: Arc<dyn AsyncDatabase> = Arc::new(Unblock::new(engine));
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let client = Client::new(&listener.local_addr().unwrap().to_string());
    let (stop, stopped) = oneshot::channel();
    thread::scope(|scope| {
        let served = scope.spawn(|| {
            runtime.block_on(async { serve(db, listener, limits, async { drop(stopped.await) }).await.unwrap() });
        });
        with(&client, &gate, stop);
        served.join().unwrap();
    });
}

fn visit(at: i64) -> Visit {
    Visit { user: "ada".into(), at, page: "/".into() }
}

const LONG: Duration = Duration::from_secs(600);

#[test]
fn a_late_request_is_a_timeout_and_the_service_goes_on() {
    let limits = Limits { timeout: Duration::from_millis(30), requests: 9, grace: LONG };
    beside(limits, |client, gate, stop| {
        assert_eq!(client.add(&visit(1)), Some(201));
        gate.set(true);
        assert_eq!(client.get("/users/visits", &[("user", "ada")]).0, 504);
        // Whether a write that has begun is applied is not known.
        assert_eq!(client.add(&visit(2)), Some(500));
        gate.set(false);
        assert_eq!(client.all("/users/visits", ("user", "ada"), "9").last(), Some(&visit(1)));
        stop.send(()).unwrap();
    });
}

#[test]
fn requests_beyond_the_limit_are_refused() {
    let limits = Limits { timeout: LONG, requests: 2, grace: LONG };
    beside(limits, |client, gate, stop| {
        // The service has opened its tables.
        assert_eq!(client.add(&visit(0)), Some(201));
        gate.set(true);
        thread::scope(|scope| {
            let standing: Vec<_> = (1..3).map(|at| scope.spawn(move || client.clone().add(&visit(at)))).collect();
            gate.wait_for(2);
            assert_eq!(client.add(&visit(3)), Some(503));
            gate.set(false);
            for request in standing {
                assert_eq!(request.join().unwrap(), Some(201));
            }
        });
        assert_eq!(client.hits("/"), 3);
        stop.send(()).unwrap();
    });
}

#[test]
fn a_stop_cancels_what_takes_too_long() {
    let limits = Limits { timeout: LONG, requests: 9, grace: Duration::from_millis(30) };
    beside(limits, |client, gate, stop| {
        assert_eq!(client.add(&visit(0)), Some(201));
        gate.set(true);
        thread::scope(|scope| {
            let read = scope.spawn(|| client.get("/users/visits", &[("user", "ada")]).0);
            gate.wait_for(1);
            stop.send(()).unwrap();
            assert_eq!(read.join().unwrap(), 503);
        });
        gate.set(false);
    });
}
