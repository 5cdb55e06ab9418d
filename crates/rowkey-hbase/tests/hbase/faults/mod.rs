//! Faults under the load of two client processes. Whatever happens to servers, regions and connections: each row has
//! its last acknowledged value, or one of a write of unknown outcome; no increment is lost or counted twice; each scan
//! returns each row once and in order, or a typed error; an index is repaired as its documentation says; a migration
//! ends with all rows; and no call ends later than its deadline.
//!
//! By default a server is killed, regions are moved, and requests arrive after their connections were cut, each once.
//! With `ROWKEY_LONG` each of all faults is made five times.

mod counters;
mod held;
mod load;
mod making;
mod parcels;
mod rows;
mod seats;

use std::time::Duration;

use rowkey::nonblocking::Blocking;
use rowkey::wide::OneColumn;
use rowkey_testkit::is_long;

use self::load::LOAD;
use self::making::{FAULTS, Fault, Faults};
use crate::peer::Peer;
use crate::{Databases, runtime};

const PROCESSES: usize = 2;

/// Longer than the proxies of the load keep a request.
const ARRIVED: Duration = Duration::from_secs(4);

#[test]
#[ignore = "needs ROWKEY_HBASE"]
fn nothing_acknowledged_is_lost() {
    let (runtime, databases) = (runtime(), Databases::new());
    let faults: Vec<(Fault, usize)> = match is_long() {
        false => vec![(Fault::Kill, 0), (Fault::Late, 0), (Fault::Move, 0)],
        true => (0..5).flat_map(|round| FAULTS.map(|fault| (fault, round))).collect(),
    };
    runtime.block_on(Faults::cluster().start_missing());
    let (database, counters) = runtime.block_on(async {
        let database = databases.empty().await;
        rows::Wide::create(database.clone()).await;
        rows::Plain::create(OneColumn::database(database.clone())).await;
        let counters = counters::Counters::open(&database).await;
        (database, counters)
    });
    let handle = runtime.handle().clone();
    let plains = OneColumn::database(Blocking::on(database.clone(), move |future| drop(handle.spawn(future))));
    parcels::Parcels::create(&plains);
    // They create what they need.
    let (seats, parcels) = (seats::Seats::open(&plains), parcels::Parcels::open(&plains));
    let start =
        |process| Peer::start("faults::load::of_a_process", LOAD, &format!("{} {process}", database.namespace()));
    let mut making = Faults::new(&database, (0..PROCESSES).map(start).collect());
    making.peers.iter_mut().for_each(|peer| drop(peer.told("begins")));

    making.step("copy");
    for (at, &(fault, round)) in faults.iter().enumerate() {
        // The phases of the migration have faults of their own.
        if at == faults.len() / 2 {
            making.step("cut over");
        }
        if at + 1 == faults.len() {
            making.step("finish");
        }
        runtime.block_on(making.make(fault, round));
    }
    making.tell("end");
    making.peers.iter_mut().for_each(|peer| drop(peer.told("ended")));
    runtime.block_on(async {
        making.settle().await;
        tokio::time::sleep(ARRIVED).await;
    });
    making.tell("check");
    let counted: Vec<_> = making.peers.iter_mut().map(|peer| peer.told("counted")).collect();
    for (process, peer) in making.peers.iter_mut().enumerate() {
        println!("process {process}: {}", peer.told("checked"));
    }
    runtime.block_on(counters::check(&counters, &counted));
    seats.check_all();
    parcels.check_all(&plains);
    databases.end(runtime.handle());
}
