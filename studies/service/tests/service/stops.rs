//! The end of the program.

use std::io::{ErrorKind, Read};
use std::net::TcpStream;
use std::thread::scope;

use rowkey_service::Limits;
use rowkey_testkit::Op;

use super::bounds::{Gate, gated, long_list};
use super::writes::load;
use super::{LIMITS, LOG, PATIENT, Place, until};

#[test]
fn after_sigterm_under_load_every_acknowledged_visit_is_there() {
    is_there_after_sigterm(&Place::directory());
}

pub(crate) fn is_there_after_sigterm(place: &Place) {
    let mut program = place.start(&[]);
    let address = program.address.clone();
    let acknowledged = load(&address, &LOG, 100, || program.terminate());
    assert!(program.ended().success());
    assert!((500..LOG.len()).contains(&acknowledged.len()), "{} acknowledged", acknowledged.len());
    let program = place.start(&[]);
    let stored = program.client().stored(&LOG);
    assert!(stored.is_superset(&acknowledged), "lost: {:?}", acknowledged.difference(&stored));
}

#[test]
fn a_request_that_has_begun_is_finished_and_no_other_is_accepted() {
    let gate = Gate::default();
    let mut served = gated(&gate, LIMITS);
    gate.hold(&[Op::Write]);
    scope(|scope| {
        let client = served.client();
        let begun = scope.spawn(move || client.post(&LOG[..1], PATIENT).unwrap());
        gate.wait_for(Op::Write);
        served.stop();
        until("connections are refused", || match TcpStream::connect(&served.address) {
            Err(refused) => {
                assert_eq!(refused.kind(), ErrorKind::ConnectionRefused);
                Some(())
            }
            Ok(_) => None,
        });
        assert!(!begun.is_finished() && !served.has_ended());
        gate.hold(&[]);
        assert_eq!(begun.join().unwrap().0, 201);
        until("the service ends", || served.has_ended().then_some(()));
    });
}

#[test]
fn a_request_that_does_not_end_is_cancelled_with_an_error() {
    let gate = Gate::default();
    let mut served = gated(&gate, Limits { finish_ms: 1, ..LIMITS });
    gate.hold(&[Op::Rows, Op::Write]);
    let [writer, reader] = [served.client(), served.client()];
    scope(|scope| {
        let writes = scope.spawn(|| writer.post(&LOG[..1], PATIENT).unwrap());
        let reads = scope.spawn(|| reader.ask("/visitors/192.0.2.250/visits", None).unwrap());
        gate.wait_for(Op::Write);
        gate.wait_for(Op::Rows);
        served.stop();
        let (status, body) = reads.join().unwrap();
        assert_eq!((status, body["error"].as_str().unwrap()), (503, "cancelled: scan, table \"visits\""));
        // It is not known whether it will be written.
        let (status, body) = writes.join().unwrap();
        assert_eq!(status, 504, "{body}");
        assert!(body["error"].as_str().unwrap().contains("unknown"), "{body}");
        until("the service ends", || served.has_ended().then_some(()));
        gate.hold(&[]);
    });
}

#[test]
fn a_client_that_reads_nothing_does_not_keep_the_program_from_its_end() {
    ends_before_its_client(&Place::directory());
}

pub(crate) fn ends_before_its_client(place: &Place) {
    let mut program = place.start(&["--finish-ms", "100"]);
    let (client, list) = (program.client(), long_list());
    client.store(&list, 256);
    let mut stream = client.stream(&list[0].visitor);
    stream.read_exact(&mut [0; 1000]).unwrap();
    program.terminate();
    assert!(program.ended().success());
    // The client learns that this is not all.
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).unwrap_err();
    let program = place.start(&[]);
    assert_eq!(program.client().streamed(&list[0].visitor), list);
}
