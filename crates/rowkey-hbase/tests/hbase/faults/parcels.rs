//! Parcels whose table is migrated to another number of buckets, while all processes write them.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use rowkey::migrate::{Conversion, Migration, Phase};
use rowkey::store::CallOptions;
use rowkey::{Error, ErrorKind, RowKey, Table};
use rowkey_testkit::Random;

use super::held::{Held, Late};
use super::load::{Load, Plains, TIMEOUT, in_time};

mod old {
    #[derive(rowkey::RowKey, Debug)]
    #[rowkey(salt(buckets = 4))]
    pub(super) struct Parcel {
        pub(super) number: u32,
    }
}

#[derive(RowKey, Debug)]
#[rowkey(salt(buckets = 8))]
struct Parcel {
    number: u32,
}

/// The parcels of a process, and those that nobody writes, which have higher numbers.
const PARCELS: u32 = 30;
const FIXED: std::ops::Range<u32> = 1000..1200;

/// Longer than any write.
const STALLED: Duration = Duration::from_secs(2 * TIMEOUT.as_secs());
/// The timeout of a step, which waits for the locks that writes of unknown outcome left.
const STEP: Duration = Duration::from_secs(15);

pub(super) struct Parcels(Migration<old::Parcel, String, Parcel, String, Plains>);

impl Parcels {
    /// Creates the table that is to be migrated.
    pub(super) fn create(database: &Plains) {
        let table = Table::<old::Parcel, String, _>::open(database.clone(), "parcels").unwrap();
        FIXED.for_each(|number| table.put(&old::Parcel { number }, &"stays".to_owned()).unwrap());
    }

    pub(super) fn open(database: &Plains) -> Self {
        let keys =
            Conversion::keys(|old::Parcel { number }| Parcel { number }, |Parcel { number }| old::Parcel { number });
        let migration = Migration::open(database.clone(), "more buckets", "parcels", "parcels.8", keys);
        Self(migration.unwrap().lock_timeout(STALLED))
    }

    /// Writes parcels until the load is over. Returns what their rows may have.
    pub(super) fn write(&self, load: &Load, process: u16) -> BTreeMap<u32, Held<String>> {
        let parcels = self.0.with_options(&in_time());
        let mut random = Random(300 + u64::from(process));
        let own = u32::from(process) * PARCELS..u32::from(process + 1) * PARCELS;
        let mut held: BTreeMap<_, _> = own.clone().map(|number| (number, Held::new(Late::IsNothing))).collect();
        for turn in 0.. {
            if load.is_over() {
                break;
            }
            let number = own.start + random.below(u64::from(PARCELS)) as u32;
            let row = held.get_mut(&number).unwrap();
            let found = load.blocking("a get of a parcel", TIMEOUT, || parcels.get(&Parcel { number }));
            if let Some(found) = load.read("parcels", found) {
                load.found("parcels", number, row, &found);
            }
            let value = (!random.chance(4)).then(|| format!("{process}.{turn}"));
            let result = load.blocking("a write of a parcel", TIMEOUT, || match &value {
                Some(value) => parcels.put(&Parcel { number }, value),
                None => parcels.delete(&Parcel { number }),
            });
            row.wrote(value, load.wrote("parcels", result.err().as_ref()));
        }
        held
    }

    /// Takes the steps that this process is told to take, each until it is done.
    pub(super) fn step(&self, load: &Load, steps: &Receiver<String>) {
        loop {
            match steps.recv_timeout(Duration::from_millis(50)) {
                Ok(step) => {
                    while let Err(error) = self.take(load, &step) {
                        assert!(
                            matches!(
                                error.kind(),
                                ErrorKind::Busy | ErrorKind::DeadlineExceeded | ErrorKind::OutcomeUnknown
                            ),
                            "{step}: {error:?}"
                        );
                        load.add(format!("{step} again"), 1);
                    }
                    load.add(step, 1);
                }
                Err(RecvTimeoutError::Timeout) if !load.is_over() => {}
                Err(_) => return,
            }
        }
    }

    fn take(&self, load: &Load, step: &str) -> Result<(), Error> {
        let parcels = self.0.with_options(&CallOptions::new().timeout(STEP));
        match step {
            "copy" => {
                // Slowly, so that there are faults meanwhile.
                parcels.backfill().batch_rows(10).run_watched(|_| {
                    std::thread::sleep(Duration::from_millis(100));
                    ControlFlow::Continue(())
                })?;
                Ok(())
            }
            "cut over" => {
                while parcels.phase()? == Phase::Copied {
                    let verified = parcels.verify().run()?;
                    if verified.differences() > 0 {
                        load.add("parcels that differ", verified.differences());
                        parcels.repair().run()?;
                    }
                }
                load.blocking("a cut over", STEP, || parcels.cut_over())
            }
            "finish" => load.blocking("a finish", STEP, || parcels.finish()),
            _ => panic!("{step}"),
        }
    }

    /// Checks the rows of this process.
    pub(super) fn check(&self, load: &Load, held: &BTreeMap<u32, Held<String>>) {
        for (number, held) in held {
            load.found("parcels", *number, held, &self.0.get(&Parcel { number: *number }).unwrap());
        }
    }

    /// Checks that only the new table is there, with all parcels.
    pub(super) fn check_all(&self, database: &Plains) {
        assert_eq!(self.0.phase().unwrap(), Phase::Finished);
        assert!(matches!(Table::<old::Parcel, String, _>::open(database.clone(), "parcels"), Err(Error::Moved { .. })));
        let table = Table::<Parcel, String, _>::open(database.clone(), "parcels.8").unwrap();
        let rows: Vec<_> = table.scan(..).collect::<Result<_, Error>>().unwrap();
        assert!(rows.is_sorted_by_key(|(Parcel { number }, _)| *number));
        let fixed = rows.iter().filter(|(Parcel { number }, value)| FIXED.contains(number) && value == "stays");
        assert_eq!(fixed.count(), FIXED.len());
        println!("{} parcels are migrated", rows.len());
    }
}
