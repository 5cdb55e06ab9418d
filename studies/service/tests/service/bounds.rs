//! Bounds of requests: their input, their time, their number, and clients that go away.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};

use rowkey::Memory;
use rowkey::nonblocking::Unblock;
use rowkey::store::Database;
use rowkey_service::{Limits, Visit};
use rowkey_testkit::{Cue, Cued, Fate, Op};
use serde_json::{Value, json};

use super::{LIMITS, LOG, PATIENT, Place, Served, of_page, of_visitor, segment, until};

#[test]
fn what_is_not_valid_is_refused_with_its_reason() {
    refused_with_its_reason(&Place::directory());
}

pub(crate) fn refused_with_its_reason(place: &Place) {
    let program = place.start(&[]);
    let client = program.client();
    client.store(&LOG[..500], 100);
    let (visitor, page) = (&LOG[0].visitor, &LOG[0].hit.page);
    let cursor = |list: &str| client.get(&format!("{list}?rows=1"))["next"].as_str().unwrap().to_owned();
    let (of_visitors, of_pages) = (cursor(&of_visitor(visitor)), cursor(&of_page(page)));
    let mut altered = of_visitors.clone();
    altered.replace_range(20..21, if &altered[20..21] == "0" { "1" } else { "0" });
    for (after, reason) in [
        ("x", "the cursor is malformed: it is not lower-case hex"),
        (&altered, "the cursor is malformed: its checksum is wrong"),
    ] {
        let (status, body) = client.ask(&format!("{}?after={after}", of_visitor(visitor)), None).unwrap();
        assert_eq!((status, body["error"].as_str().unwrap()), (400, reason));
    }
    let other = LOG.iter().map(|visit| &visit.visitor).find(|other| *other != visitor).unwrap();
    for (list, after) in
        [(of_visitor(other), &of_visitors), (of_visitor(visitor), &of_pages), (of_page(page), &of_visitors)]
    {
        let (status, body) = client.ask(&format!("{list}?after={after}"), None).unwrap();
        assert_eq!(status, 400, "a cursor of another list: {body}");
        assert!(body["error"].as_str().unwrap().contains("cursor"), "{body}");
    }
    let mut long = LOG[501].clone();
    long.hit.page = "/".repeat(70_000);
    let (status, body) = client.post(&[LOG[500].clone(), long], PATIENT).unwrap();
    assert_eq!(status, 400, "a key that is too long: {body}");
    assert_eq!(client.stored(&LOG).len(), 500, "nothing of the batch is stored");
    for (body, status) in [("{\"id\": 1}", 422), ("[{", 400), ("[{\"id\": -1}]", 422)] {
        let path = format!("http://{}/visits", program.address);
        let post = client.agent.post(path).header("content-type", "application/json");
        let mut refused = post.send(body).unwrap();
        assert_eq!(refused.status(), status, "{body}");
        assert!(refused.body_mut().read_json::<Value>().unwrap()["error"].is_string());
    }
    for (millis, status) in [("0", 504), ("soon", 400), ("-1", 400)] {
        let path = format!("http://{}{}", program.address, of_visitor(visitor));
        let answered = client.agent.get(path).header("request-timeout-ms", millis).call().unwrap();
        assert_eq!(answered.status(), status, "a time of {millis}");
    }
    for path in ["/pages/%2F/hits?day=2024-02-30", "/pages/%2F/hits?day=9999-12-31", "/pages/%2F/hits"] {
        assert_eq!(client.ask(path, None).unwrap().0, 400, "{path}");
    }
}

/// An engine that does nothing while it is held.
#[derive(Clone, Default)]
pub(crate) struct Gate(Arc<(Mutex<Held>, Condvar)>);

#[derive(Default)]
pub(crate) struct Held {
    held: Vec<Op>,
    waiting: Vec<Op>,
}

impl Gate {
    pub(crate) fn hold(&self, ops: &[Op]) {
        self.0.0.lock().unwrap().held = ops.to_vec();
        self.0.1.notify_all();
    }

    pub(crate) fn wait_for(&self, op: Op) {
        let guard = self.0.0.lock().unwrap();
        drop(self.0.1.wait_while(guard, |held| !held.waiting.contains(&op)).unwrap());
    }
}

impl Cue for Gate {
    fn before(&self, op: Op) -> Fate {
        let mut guard = self.0.0.lock().unwrap();
        guard.waiting.push(op);
        self.0.1.notify_all();
        guard = self.0.1.wait_while(guard, |held| held.held.contains(&op)).unwrap();
        guard.waiting.retain(|waiting| *waiting != op);
        Fate::Done
    }
}

pub(crate) fn gated(gate: &Gate, limits: Limits) -> Served {
    let engine = Cued::over(Arc::new(Memory::new()) as Arc<dyn Database>, gate.clone());
    Served::start(Unblock::new(engine), limits)
}

#[test]
fn what_is_late_on_a_slow_engine_is_504_and_the_service_stays_up() {
    let gate = Gate::default();
    let held = [Op::Get, Op::Rows, Op::Write];
    late_is_504(&gated(&gate, LIMITS), |is_held| gate.hold(if is_held { &held } else { &[] }));
}

/// `hold` makes the engine wait, or lets it go on.
pub(crate) fn late_is_504(served: &Served, hold: impl Fn(bool)) {
    let client = served.client();
    let (visitor, page) = (&LOG[0].visitor, &LOG[0].hit.page);
    client.store(&LOG[1..100], 100);
    let (of_visitor, of_page) = (of_visitor(visitor), of_page(page));
    let hits = format!("/pages/{}/hits?day=2024-05-30", segment(page));
    let paths = [&of_visitor, &format!("{of_visitor}.ndjson"), &of_page, &hits];
    hold(true);
    for path in paths {
        let (status, body) = client.ask(path, Some(1)).unwrap();
        assert_eq!(status, 504, "{path}: {body}");
        assert!(body["error"].as_str().unwrap().starts_with("deadline exceeded"), "{body}");
    }
    let (status, body) = client.post(&LOG[..1], 1).unwrap();
    assert_eq!(status, 504, "{body}");
    hold(false);
    for path in paths {
        assert_eq!(client.ask(path, None).unwrap().0, 200, "{path}");
    }
    // Whether it was written then or not, it is there once after it was sent again.
    client.store(&LOG[..1], 1);
    assert_eq!(client.stored(&LOG).len(), 100);
}

#[test]
fn a_write_whose_client_goes_away_is_stored_and_counted() {
    let gate = Gate::default();
    let served = gated(&gate, LIMITS);
    gate.hold(&[Op::Write]);
    let body = json!(LOG[0]).to_string();
    let head = "POST /visits HTTP/1.1\r\nhost: service\r\ncontent-type: application/json";
    let mut client = TcpStream::connect(&served.address).unwrap();
    write!(client, "{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len()).unwrap();
    gate.wait_for(Op::Write);
    drop(client);
    gate.hold(&[]);
    // It ends within the service's stop at the latest.
    let visitor = of_visitor(&LOG[0].visitor);
    until("it is stored", || {
        let listed = served.client().get(&visitor);
        (listed["visits"][0] == json!(LOG[0])).then_some(())
    });
    let (page, day) = (&LOG[0].hit.page, LOG[0].at.to_zoned(jiff::tz::TimeZone::UTC).date());
    until("it is counted", || (served.client().hits(page, day) == 1).then_some(()));
}

/// Visits whose stream is longer than what two sockets hold.
pub(crate) fn long_list() -> Vec<Visit> {
    let agent = LOG[0].hit.agent.as_deref().unwrap().repeat(100);
    let visits = (0..8192).map(|id| {
        let mut visit = LOG[0].clone();
        visit.id = id;
        visit.hit.agent = Some(agent.clone());
        visit
    });
    visits.collect()
}

/// Counts the batches that scans read.
#[derive(Clone, Default)]
struct Batches(Arc<AtomicU64>);

impl Cue for Batches {
    fn before(&self, op: Op) -> Fate {
        if op == Op::Rows {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
        Fate::Done
    }
}

#[test]
fn a_stream_holds_a_turn_and_a_scan_until_its_client_goes_away() {
    let batches = Batches::default();
    let engine = Cued::over(Arc::new(Memory::new()) as Arc<dyn Database>, batches.clone());
    let served = Served::start(Unblock::new(engine), Limits { requests: 1, ..LIMITS });
    let (client, list) = (served.client(), long_list());
    client.store(&list, 256);
    let read = || batches.0.load(Ordering::Relaxed);
    let before = read();
    assert_eq!(client.streamed(&list[0].visitor), list);
    let whole = read() - before;

    let before = read();
    let mut stream = client.stream(&list[0].visitor);
    stream.read_exact(&mut [0; 1000]).unwrap();
    let other = served.client();
    let path = of_visitor(&LOG[1].visitor);
    let refused = other.agent.get(format!("http://{}{path}", served.address)).call().unwrap();
    assert_eq!((refused.status().as_u16(), refused.headers()["retry-after"].to_str().unwrap()), (503, "1"));
    drop(stream);
    drop(client);
    until("the turn ends", || match other.ask(&path, None).unwrap() {
        (200, _) => Some(()),
        (status, _) => {
            assert_eq!(status, 503);
            None
        }
    });
    drop(served);
    let of_part = read() - before;
    assert!(of_part < whole, "{of_part} of {whole} batches");
}
