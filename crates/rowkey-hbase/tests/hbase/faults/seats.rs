//! Guests and their seats: a table with an index that is unique, written by all processes.

use std::collections::BTreeMap;
use std::time::Duration;

use rowkey::Error;
use rowkey::secondary::{Primary, Secondary};
use rowkey_testkit::Random;

use super::held::{Held, Late};
use super::load::{Load, Plains, TIMEOUT, in_time};

/// Fewer seats than guests, so that they come into each other's way.
const SEATS: u64 = 48;
/// The guests of a process.
const GUESTS: u32 = 32;

/// Longer than any write: none stalls.
const STALLED: Duration = Duration::from_secs(2 * TIMEOUT.as_secs());

/// A guest's seat, and a number that makes the value unique: `7/123`.
type Seat = String;

pub(super) struct Seats {
    guests: Primary<u32, Seat, Plains>,
    by_seat: Secondary<u64, (), u32, Seat, Plains>,
}

fn seat(value: &str) -> u64 {
    value.split_once('/').unwrap().0.parse().unwrap()
}

impl Seats {
    pub(super) fn open(database: &Plains) -> Self {
        let mut guests = Primary::open(database.clone(), "guests").unwrap().write_timeout(STALLED);
        let by_seat = guests.secondary("guests.by_seat", |_: &u32, value: &Seat| [(seat(value), ())]).unwrap();
        Self { guests, by_seat }
    }

    /// Seats guests until the load is over. Returns what their rows may have.
    pub(super) fn write(&self, load: &Load, process: u16) -> BTreeMap<u32, Held<Seat>> {
        let guests = self.guests.with_options(&in_time());
        let mut random = Random(100 + u64::from(process));
        let own = u32::from(process) * GUESTS..u32::from(process + 1) * GUESTS;
        let mut held: BTreeMap<_, _> = own.clone().map(|guest| (guest, Held::new(Late::Hides))).collect();
        for turn in 0.. {
            if load.is_over() {
                break;
            }
            let guest = own.start + random.below(u64::from(GUESTS)) as u32;
            let row = held.get_mut(&guest).unwrap();
            let found = load.blocking("a get of a guest", TIMEOUT, || guests.get(&guest));
            if let Some(found) = load.read("guests", found) {
                load.found("guests", guest, row, &found);
            }
            let value = (!random.chance(4)).then(|| format!("{}/{process}.{turn}", random.below(SEATS)));
            let result = load.blocking("a write of a guest", TIMEOUT, || match &value {
                Some(value) => guests.put(&guest, value),
                None => guests.delete(&guest),
            });
            match result {
                Err(Error::SecondaryConflict { .. }) => load.add("guests without a seat", 1),
                result => row.wrote(value, load.wrote("guests", result.err().as_ref())),
            }
        }
        held
    }

    /// Reads by the index until the load is over: it never leads to a guest with another seat.
    pub(super) fn read(&self, load: &Load) {
        let by_seat = self.by_seat.with_options(&in_time());
        let mut random = Random(200);
        while !load.is_over() {
            let place = random.below(SEATS);
            let found = load.blocking("a get by seat", TIMEOUT, || by_seat.get_row(&place));
            if let Some(Some((guest, value))) = load.read("guests by seat", found) {
                assert_eq!(seat(&value), place, "guest {guest}");
            }
            let mut rows = by_seat.scan_rows(..);
            let mut last = None;
            while let Some(row) = load.blocking("a scan by seat", TIMEOUT, || rows.next()) {
                let Some((place, (guest, value))) = load.read("guests by seat", row) else { break };
                assert_eq!(seat(&value), place, "guest {guest}");
                assert!(last < Some(place), "{place} after {last:?}");
                last = Some(place);
            }
        }
    }

    /// Checks the rows of this process.
    pub(super) fn check(&self, load: &Load, held: &BTreeMap<u32, Held<Seat>>) {
        for (guest, held) in held {
            load.found("guests", *guest, held, &self.guests.get(guest).unwrap());
        }
    }

    /// Checks the whole, after what writes of unknown outcome left was repaired.
    pub(super) fn check_all(&self) {
        let repaired = self.by_seat.rebuild().write_timeout(Duration::ZERO).run().unwrap();
        let verified = self.by_seat.verify().write_timeout(Duration::ZERO).run().unwrap();
        println!("guests by seat, rebuilt: {repaired}; verified: {verified}");
        assert!(verified.is_clean(), "{verified}");
        let guests: BTreeMap<_, _> = self.guests.table().scan(..).collect::<Result<_, Error>>().unwrap();
        let seats: BTreeMap<_, _> = guests.iter().map(|(guest, value)| (seat(value), *guest)).collect();
        assert_eq!(seats.len(), guests.len(), "two guests have one seat: {guests:?}");
        let found = self.by_seat.scan_rows(..).map(|row| row.map(|(place, (guest, _))| (place, guest)));
        assert_eq!(found.collect::<Result<BTreeMap<_, _>, _>>().unwrap(), seats);
    }
}
