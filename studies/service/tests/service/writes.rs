//! What is stored: lists, the index, counters; under load, and after the process was killed.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread::scope;

use rowkey::Memory;
use rowkey::nonblocking::Unblock;
use rowkey::store::Database;
use rowkey_service::Visit;
use rowkey_testkit::{Cue, Cued, Fate, Op};
use tempfile::tempdir;

use super::{Client, LIMITS, LOG, PATIENT, Program, Served, counts, most_frequent, newest_first, of_page, of_visitor};

#[test]
fn pages_equal_a_model_while_others_write() {
    let directory = tempdir().unwrap();
    let program = Program::start(directory.path(), &[]);
    pages_equal_a_model(&program.address);
    let served = Served::start(Unblock::in_place(Memory::new()), LIMITS);
    pages_equal_a_model(&served.address);
}

fn pages_equal_a_model(address: &str) {
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
    let directory = tempdir().unwrap();
    let program = Program::start(directory.path(), &[]);
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
    let directory = tempdir().unwrap();
    let mut acknowledged = BTreeSet::new();
    for (visits, responses) in LOG.chunks(LOG.len().div_ceil(3)).zip([10, 50, 100]) {
        let mut program = Program::start(directory.path(), &[]);
        let address = program.address.clone();
        acknowledged.extend(load(&address, visits, responses, || program.kill()));
        let program = Program::start(directory.path(), &[]);
        let stored = program.client().stored(&LOG);
        assert!(stored.is_superset(&acknowledged), "lost: {:?}", acknowledged.difference(&stored));
        for batch in visits.chunks(5) {
            let there = batch.iter().filter(|visit| stored.contains(&visit.id)).count();
            assert!(there == 0 || there == batch.len(), "a part of a request: {there}");
        }
    }
    // Clients that did not hear of their visits send them again.
    let program = Program::start(directory.path(), &[]);
    let client = program.client();
    let stored = client.stored(&LOG).len() as u64;
    assert_eq!(client.store(&LOG, 100), (LOG.len() as u64 - stored, stored));
    assert_eq!(client.stored(&LOG).len(), LOG.len());
    for ((page, day), count) in counts(LOG.iter()) {
        assert_eq!(client.hits(page, day), count, "{page} on {day}");
    }
}

/// Lets the writes after so many fail.
#[derive(Clone)]
struct Fails(Arc<AtomicU32>, Fate);

impl Cue for Fails {
    fn before(&self, op: Op) -> Fate {
        if op != Op::Write {
            return Fate::Done;
        }
        let left = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| Some(left.saturating_sub(1)));
        match left {
            Ok(0) => Fate::Fails,
            Ok(1) => self.1,
            _ => Fate::Done,
        }
    }
}

#[test]
fn a_process_that_dies_between_any_two_writes_leaves_what_the_next_one_corrects() {
    // Three visits of two pages: the batch, two counters, and the visits are counted.
    let visits: Vec<_> = LOG.iter().filter(|visit| visit.hit.page == "/blog/").take(2).collect();
    let visits: Vec<_> = visits.into_iter().chain(LOG.iter().find(|visit| visit.hit.page == "/about.html")).collect();
    let visits: Vec<_> = visits.into_iter().cloned().collect();
    for writes in 1..=4 {
        for fate in [Fate::Fails, Fate::Unsaid] {
            let memory = Memory::new();
            let cue = Fails(Arc::new(AtomicU32::new(u32::MAX)), fate);
            let engine = Cued::over(Arc::new(memory.clone()) as Arc<dyn Database>, cue.clone());
            let dies = Served::start(Unblock::in_place(engine), LIMITS);
            cue.0.store(writes, Ordering::Relaxed);
            let (status, body) = dies.client().post(&visits, PATIENT).unwrap();
            assert_eq!(status, 500, "{body}");
            drop(dies);
            let served = Served::start(Unblock::in_place(memory), LIMITS);
            let stored = served.client().stored(&visits).len();
            assert_eq!(stored, if writes == 1 && fate == Fate::Fails { 0 } else { 3 });
            served.client().store(&visits, 3);
            assert_eq!(served.client().stored(&visits).len(), 3);
        }
    }
}
