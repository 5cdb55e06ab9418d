//! The service on Bigtable's emulator: `servers/bigtable/test` starts it and runs these.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::spawn;

use rowkey::wide::OneColumn;
use rowkey_bigtable::{Bigtable, BigtableOptions};

use super::bounds::{late_is_504, refused_with_its_reason};
use super::stops::{ends_before_its_client, is_there_after_sigterm};
use super::writes::{agree_after_a_kill, counters_are_exact, pages_equal_a_model};
use super::{LIMITS, Place, Served};

#[test]
#[ignore = "needs BIGTABLE_EMULATOR_HOST"]
fn pages_equal_a_model_while_others_write() {
    pages_equal_a_model(&Place::instance().start(&[]).address);
}

#[test]
#[ignore = "needs BIGTABLE_EMULATOR_HOST"]
fn counters_are_exact_under_8_clients_that_send_every_visit_twice() {
    counters_are_exact(&Place::instance());
}

#[test]
#[ignore = "needs BIGTABLE_EMULATOR_HOST"]
fn the_index_and_the_counters_agree_with_the_visits_after_a_kill_under_load() {
    agree_after_a_kill(&Place::instance());
}

#[test]
#[ignore = "needs BIGTABLE_EMULATOR_HOST"]
fn what_is_not_valid_is_refused_with_its_reason() {
    refused_with_its_reason(&Place::instance());
}

#[test]
#[ignore = "needs BIGTABLE_EMULATOR_HOST"]
fn after_sigterm_under_load_every_acknowledged_visit_is_there() {
    is_there_after_sigterm(&Place::instance());
}

#[test]
#[ignore = "needs BIGTABLE_EMULATOR_HOST"]
fn a_client_that_reads_nothing_does_not_keep_the_program_from_its_end() {
    ends_before_its_client(&Place::instance());
}

/// A line to the emulator that carries nothing while it is held.
#[derive(Clone, Default)]
struct Line(Arc<(Mutex<bool>, Condvar)>);

impl Line {
    /// Returns the address of its near end.
    fn to(&self, emulator: String) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let line = self.clone();
        spawn(move || {
            for near in listener.incoming() {
                let (near, far) = (near.unwrap(), TcpStream::connect(&emulator).unwrap());
                let ends = [(near.try_clone(), far.try_clone()), (Ok(far), Ok(near))];
                for (from, to) in ends {
                    let line = line.clone();
                    spawn(move || line.carry(from.unwrap(), to.unwrap()));
                }
            }
        });
        address
    }

    fn carry(&self, mut from: TcpStream, mut to: TcpStream) {
        let mut bytes = [0; 1 << 16];
        while let Ok(read @ 1..) = from.read(&mut bytes) {
            let held = self.0.0.lock().unwrap();
            drop(self.0.1.wait_while(held, |held| *held).unwrap());
            if to.write_all(&bytes[..read]).is_err() {
                break;
            }
        }
        let _ = to.shutdown(Shutdown::Write);
    }

    fn hold(&self, is_held: bool) {
        *self.0.0.lock().unwrap() = is_held;
        self.0.1.notify_all();
    }
}

#[test]
#[ignore = "needs BIGTABLE_EMULATOR_HOST"]
fn what_is_late_is_504_and_the_service_stays_up() {
    let Place::Instance(instance) = Place::instance() else { unreachable!() };
    let (options, line) = (BigtableOptions::new("p", instance), Line::default());
    let address = line.to(std::env::var("BIGTABLE_EMULATOR_HOST").unwrap());
    let connected = async { OneColumn::database(Bigtable::connect(options.emulator(address)).await.unwrap()) };
    late_is_504(&Served::start_on(connected, LIMITS), |is_held| line.hold(is_held));
}
