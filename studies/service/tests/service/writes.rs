//! Stored rows: lists, the index, counters; under load, and after the process was killed.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread::scope;

use rowkey::Memory;
use rowkey::nonblocking::Unblock;
use rowkey::store::{Database, Guarantees};
use rowkey_service::Visit;
use rowkey_testkit::{Cue, Cued, Fate, Op, Restrict};

use super::{Client, LIMITS, LOG, PATIENT, Place, Served, counts, most_frequent, newest_first, of_page, of_visitor};

#[test]
fn pages_equal_a_model_while_others_write() {
    pages_equal_a_model(&Place::directory().start(&[]).address);
    let served = Served::start(Unblock::in_place(Memory::new()), LIMITS);
    pages_equal_a_model(&served.address);
}

pub(crate) fn pages_equal_a_model(address: &str) {
    let (visitor, page) = (most_frequent(|visit| &visit.visitor), most_frequent(|visit| &visit.hit.page));
    let client = Client::new(address);
    // Every other line is there from the start. Three clients write the others, and so does the reader, between pages.
    let (first, others): (Vec<&Visit>, Vec<&Visit>) = LOG.iter().partition(|visit| visit.id % 2 == 0);
    let [first, others] = [first, others].map(|visits| visits.into_iter().cloned().collect::<Vec<_>>());
    client.store(&first, 100);
    let acknowledged = Mutex::new(first.iter().map(|visit| visit.id).collect::<BTreeSet<_>>());
    let store = |client: &Client, visits: &[Visit]| {
        client.store(visits, visits.len());
        acknowledged.lock().unwrap().extend(visits.iter().map(|visit| visit.id));
    };
    let quarter = others.len().div_ceil(4);
    scope(|scope| {
        let mut quarters = others.chunks(quarter);
        let mut of_reader = quarters.next().unwrap().chunks(7);
        let writers = quarters.map(|visits| {
            scope.spawn(|| {
                let client = Client::new(address);
                visits.chunks(7).for_each(|visits| store(&client, visits));
            })
        });
        let writers: Vec<_> = writers.collect();
        let mut is_over = false;
        while !is_over {
            // A last pass comes after the last write.
            is_over = of_reader.len() == 0 && writers.iter().all(|writer| writer.is_finished());
            for (list, of_list) in [
                (of_visitor(visitor), &(|visit: &Visit| visit.visitor == visitor) as &dyn Fn(&Visit) -> bool),
                (of_page(page), &|visit: &Visit| visit.hit.page == page),
            ] {
                let before = acknowledged.lock().unwrap().clone();
                let listed = client.paged(&list, 7, || {
                    if let Some(visits) = of_reader.next() {
                        store(&client, visits);
                    }
                });
                assert_eq!(listed, newest_first(&listed), "the order of {list}");
                let ids: BTreeSet<_> = listed.iter().map(|visit| visit.id).collect();
                assert_eq!(ids.len(), listed.len(), "no visit is listed twice");
                let due = LOG.iter().filter(|visit| of_list(visit) && before.contains(&visit.id));
                due.for_each(|visit| assert!(ids.contains(&visit.id), "{visit:?} is not listed"));
                listed.iter().for_each(|visit| assert_eq!(visit, &LOG[visit.id as usize]));
            }
        }
    });
    for rows in [1, 7, 1000] {
        let expected = newest_first(LOG.iter().filter(|visit| visit.visitor == visitor));
        assert_eq!(client.paged(&of_visitor(visitor), rows, || {}), expected);
        assert_eq!(client.streamed(visitor), expected);
    }
    let expected = newest_first(LOG.iter().filter(|visit| visit.hit.page == page));
    assert_eq!(client.paged(&of_page(page), 100, || {}), expected);
    assert_eq!(client.stored(&LOG).len(), LOG.len());
}

#[test]
fn counters_are_exact_under_8_clients_that_send_every_visit_twice() {
    counters_are_exact(&Place::directory());
}

pub(crate) fn counters_are_exact(place: &Place) {
    let program = place.start(&[]);
    let batches: Vec<_> = LOG.chunks(10).collect();
    let sums = scope(|scope| {
        let clients = (0..8).map(|number| {
            let (batches, client) = (&batches, program.client());
            scope.spawn(move || {
                // Two clients send the same batches, in the same order, at about the same time.
                let its = batches.iter().skip(number / 2).step_by(4);
                its.fold((0, 0), |(new, known), batch| {
                    let sums = client.store(batch, batch.len());
                    (new + sums.0, known + sums.1)
                })
            })
        });
        let clients: Vec<_> = clients.collect();
        let sums = clients.into_iter().map(|client| client.join().unwrap());
        sums.fold((0, 0), |(new, known), sums| (new + sums.0, known + sums.1))
    });
    assert_eq!(sums, (LOG.len() as u64, LOG.len() as u64));
    let client = program.client();
    for ((page, day), count) in counts(LOG.iter()) {
        assert_eq!(client.hits(page, day), count, "{page} on {day}");
    }
}

/// 8 clients post these visits, five a request, until a request fails. `when` is called once, after so many responses.
/// Returns the ids that were acknowledged.
pub(crate) fn load(address: &str, visits: &[Visit], responses: usize, when: impl FnOnce()) -> BTreeSet<u64> {
    let (say, said) = channel();
    let batches: Vec<_> = visits.chunks(5).collect();
    scope(|scope| {
        for number in 0..8 {
            let (say, batches) = (say.clone(), &batches);
            scope.spawn(move || {
                let client = Client::new(address);
                for batch in batches.iter().skip(number).step_by(8) {
                    match client.post(batch, PATIENT) {
                        Ok((200 | 201, _)) => say.send(batch.iter().map(|visit| visit.id)).unwrap(),
                        Ok((503, _)) | Err(_) => break,
                        Ok(other) => panic!("{other:?}"),
                    }
                }
            });
        }
        drop(say);
        let mut acknowledged = BTreeSet::new();
        said.iter().take(responses).for_each(|ids| acknowledged.extend(ids));
        when();
        said.iter().for_each(|ids| acknowledged.extend(ids));
        acknowledged
    })
}

#[test]
fn the_index_and_the_counters_agree_with_the_visits_after_a_kill_under_load() {
    agree_after_a_kill(&Place::directory());
}

pub(crate) fn agree_after_a_kill(place: &Place) {
    let mut acknowledged = BTreeSet::new();
    for (visits, responses) in LOG.chunks(LOG.len().div_ceil(3)).zip([10, 50, 100]) {
        let mut program = place.start(&[]);
        let address = program.address.clone();
        acknowledged.extend(load(&address, visits, responses, || program.kill()));
        place.settle();
        let program = place.start(&[]);
        let stored = program.client().stored(&LOG);
        assert!(stored.is_superset(&acknowledged), "lost: {:?}", acknowledged.difference(&stored));
        for batch in visits.chunks(5) {
            let there = batch.iter().filter(|visit| stored.contains(&visit.id)).count();
            assert!(there == 0 || there == batch.len() || !place.is_atomic(), "a part of a request: {there}");
        }
    }
    // Clients that did not hear of their visits send them again.
    let program = place.start(&[]);
    let client = program.client();
    let stored = client.stored(&LOG).len() as u64;
    assert_eq!(client.store(&LOG, 100), (LOG.len() as u64 - stored, stored));
    assert_eq!(client.stored(&LOG).len(), LOG.len());
    for ((page, day), count) in counts(LOG.iter()) {
        assert_eq!(client.hits(page, day), count, "{page} on {day}");
    }
}

/// Lets a write fail after a number of them, and those after it too, or it alone.
#[derive(Clone)]
struct Fails {
    left: Arc<AtomicU32>,
    fate: Fate,
    for_good: bool,
}

impl Fails {
    fn never() -> Self {
        Self::with(Fate::Done, true)
    }

    /// Fails when `left` says after how many.
    fn with(fate: Fate, for_good: bool) -> Self {
        Self { left: Arc::new(AtomicU32::new(u32::MAX)), fate, for_good }
    }
}

impl Cue for Fails {
    fn before(&self, op: Op) -> Fate {
        if op != Op::Write {
            return Fate::Done;
        }
        let next = |left: u32| Some(left.saturating_sub(1));
        match self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next) {
            Ok(0) if self.for_good => Fate::Fails,
            Ok(1) => self.fate,
            _ => Fate::Done,
        }
    }
}

/// Three visits of two pages.
fn three() -> Vec<Visit> {
    let mut visits: Vec<_> = LOG.iter().filter(|visit| visit.hit.page == "/blog/").take(2).cloned().collect();
    visits.extend(LOG.iter().find(|visit| visit.hit.page == "/about.html").cloned());
    visits
}

/// `memory` with writes that fail when the cue says so. Without atomic batches each row is a write.
fn failing(memory: &Memory, cue: &Fails, is_atomic: bool) -> Unblock<Arc<dyn Database>> {
    let engine: Arc<dyn Database> = Arc::new(Cued::over(Arc::new(memory.clone()) as Arc<dyn Database>, cue.clone()));
    let guarantees = Guarantees::none().increment(true);
    Unblock::in_place(if is_atomic { engine } else { Arc::new(Restrict::database(engine, guarantees)) })
}

#[test]
fn a_process_that_dies_between_any_two_writes_leaves_what_the_next_one_corrects() {
    let visits = three();
    // An atomic batch, two counters, and the visits are counted. Or three rows in each of four tables, and two
    // counters.
    for (is_atomic, writes) in [(true, 1..=4), (false, 1..=14)] {
        for (writes, fate) in writes.flat_map(|writes| [(writes, Fate::Fails), (writes, Fate::Unsaid)]) {
            let (memory, cue) = (Memory::new(), Fails::with(fate, true));
            let dies = Served::start(failing(&memory, &cue, is_atomic), LIMITS);
            cue.left.store(writes, Ordering::Relaxed);
            let (status, body) = dies.client().post(&visits, PATIENT).unwrap();
            assert_eq!(status, 500, "{body}");
            drop(dies);
            let served = Served::start(failing(&memory, &Fails::never(), is_atomic), LIMITS);
            let stored = served.client().stored(&visits).len();
            // Of the steps before the visits' own nothing is seen.
            let due = match (is_atomic, fate) {
                (true, _) => {
                    if writes == 1 && fate == Fate::Fails {
                        0
                    } else {
                        3
                    }
                }
                (false, Fate::Fails) => writes.saturating_sub(4).min(3),
                (false, _) => writes.saturating_sub(3).min(3),
            };
            assert_eq!(stored, due as usize, "{writes} writes, {fate:?}");
            served.client().store(&visits, 3);
            assert_eq!(served.client().stored(&visits).len(), 3);
        }
    }
}

#[test]
fn visits_that_are_sent_again_after_an_error_are_listed_by_page_at_once() {
    let visits = three();
    for (writes, fate) in (1..=14).flat_map(|writes| [(writes, Fate::Fails), (writes, Fate::Unsaid)]) {
        for is_sent_again in [true, false] {
            let (memory, cue) = (Memory::new(), Fails::with(fate, false));
            let served = Served::start(failing(&memory, &cue, false), LIMITS);
            cue.left.store(writes, Ordering::Relaxed);
            assert_eq!(served.client().post(&visits, PATIENT).unwrap().0, 500);
            if is_sent_again {
                served.client().store(&visits, 3);
                assert_eq!(served.client().listed(&visits).len(), 3);
            }
            // The counters are right from the next start on.
            drop(served);
            let served = Served::start(failing(&memory, &Fails::never(), false), LIMITS);
            let stored = served.client().stored(&visits).len();
            assert!(stored == 3 || !is_sent_again, "{stored} visits");
        }
    }
}
