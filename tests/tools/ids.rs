//! Ids: none twice, in order, from threads and workers, whatever the clock does.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::thread;

use proptest::prelude::*;
use rowkey::ids::{BlockCounter, Flake, FlakeIds, IdError, Snowflake, SnowflakeIds, TWITTER_EPOCH, UlidIds, UuidIds};
use rowkey::store::{Database, Store};
use rowkey::{Error, Memory, Millis, RowKey};
use rowkey_testkit::{Restrict, cases};

const THREADS: usize = 16;
const NOW: i64 = 1_700_000_000_000;

/// What threads draw from one source at once, each thread's by itself and found in order.
fn drawn<T: Ord + Send>(threads: usize, each: usize, next: impl Fn() -> T + Sync) -> Vec<Vec<T>> {
    thread::scope(|scope| {
        let draw = || -> Vec<T> { (0..each).map(|_| next()).collect() };
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(draw)).collect();
        let lists: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
        assert!(lists.iter().all(|list| list.is_sorted()));
        lists
    })
}

/// Whether no number is there twice, by a bit for each that could be.
fn distinct(numbers: impl Iterator<Item = u64> + Clone) -> bool {
    let Some(least) = numbers.clone().min() else { return true };
    let mut seen: Vec<u64> = Vec::new();
    numbers.map(|number| number - least).all(|number| {
        let (word, bit) = ((number / 64) as usize, 1 << (number % 64));
        if word >= seen.len() {
            seen.resize(word + 1 + word / 2, 0);
        }
        let new = seen[word] & bit == 0;
        seen[word] |= bit;
        new
    })
}

fn tick(id: &Flake) -> u64 {
    (id.time().0 as u64) << 16 | u64::from(id.sequence())
}

#[test]
fn millions_of_flakes_of_16_threads() {
    let ids = FlakeIds::new(7).unwrap();
    let lists = drawn(THREADS, cases(2_000_000, 10_000_000) as usize / THREADS, || tick(&ids.next().unwrap()));
    assert!(distinct(lists.iter().flatten().copied()));
}

#[test]
fn millions_of_snowflakes_of_16_threads() {
    let ids = SnowflakeIds::new(7).unwrap();
    let lists = drawn(THREADS, cases(2_000_000, 10_000_000) as usize / THREADS, || u64::from(ids.next().unwrap()));
    let ticks = lists.iter().flatten().map(|id| id >> 22 << 12 | id & 0xfff);
    assert!(distinct(ticks));
    assert!(lists.iter().flatten().all(|id| id >> 12 & 0x3ff == 7));
}

#[test]
fn uuids_and_ulids_of_16_threads() {
    fn check<T: Ord + Send>(next: impl Fn() -> T + Sync) {
        let mut all: Vec<T> = drawn(THREADS, 2_000, next).into_iter().flatten().collect();
        all.sort_unstable();
        assert!(all.windows(2).all(|pair| pair[0] < pair[1]));
    }
    let (uuids, ulids) = (UuidIds::new(), UlidIds::new());
    check(|| uuids.next().unwrap());
    check(|| ulids.next().unwrap());
}

#[test]
fn two_workers_never_clash() {
    let (flakes, others) = (FlakeIds::with_clock(1, || NOW).unwrap(), FlakeIds::with_clock(2, || NOW).unwrap());
    let mut all: Vec<_> = (0..1000).flat_map(|_| [flakes.next().unwrap(), others.next().unwrap()]).collect();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 2000);

    let snowflakes = |worker| SnowflakeIds::<TWITTER_EPOCH, _>::with_clock(worker, || NOW).unwrap();
    let (snowflakes, others) = (snowflakes(0), snowflakes(1023));
    let mut all: Vec<_> = (0..1000).flat_map(|_| [snowflakes.next().unwrap(), others.next().unwrap()]).collect();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 2000);
}

/// A clock that a test sets.
#[derive(Clone)]
struct Hands(Arc<AtomicI64>);

impl Hands {
    fn at(millis: i64) -> Self {
        Self(Arc::new(AtomicI64::new(millis)))
    }

    fn set(&self, millis: i64) {
        self.0.store(millis, Ordering::Relaxed);
    }

    fn clock(&self) -> impl Fn() -> i64 + Send + Sync + use<> {
        let hands = self.0.clone();
        move || hands.load(Ordering::Relaxed)
    }
}

#[test]
fn whatever_the_clock_does_the_next_is_greater() {
    fn check<T: Ord + Copy + std::fmt::Debug>(
        hands: &Hands,
        time: impl Fn(T) -> i64,
        next: impl Fn() -> Result<T, IdError>,
    ) {
        hands.set(NOW);
        let mut last = next().unwrap();
        assert_eq!(time(last), NOW);
        // It stands still, steps on, jumps, steps back, goes on from there, and comes to where it was.
        for now in [NOW, NOW + 1, NOW + 86_400_000, NOW, NOW + 1, NOW - 86_400_000, NOW + 86_400_001, NOW + 86_400_001]
        {
            hands.set(now);
            let before = time(last);
            for _ in 0..100 {
                let id = next().unwrap();
                assert!(id > last, "{id:?} after {last:?}");
                assert_eq!(time(id), before.max(now));
                last = id;
            }
        }
        hands.set(TWITTER_EPOCH.min(-1));
        assert!(matches!(next(), Err(IdError::Time { millis: -1, .. })));
        hands.set(i64::MAX);
        assert!(matches!(next(), Err(IdError::Time { millis: i64::MAX, .. })));
        hands.set(NOW);
        assert!(next().unwrap() > last);
    }
    let hands = Hands::at(NOW);
    let flakes = FlakeIds::with_clock(3, hands.clock()).unwrap();
    check(&hands, |id: Flake| id.time().0, || flakes.next());
    let snowflakes = SnowflakeIds::with_clock(3, hands.clock()).unwrap();
    check(&hands, |id: Snowflake| id.time().0, || snowflakes.next());
    let uuids = UuidIds::with_clock(hands.clock());
    check(&hands, |id| UuidIds::time(&id).unwrap().0, || uuids.next());
    let ulids = UlidIds::with_clock(hands.clock());
    check(&hands, |id| UlidIds::time(&id).0, || ulids.next());
}

#[test]
fn a_sequence_that_is_used_up_goes_on_in_the_next_millisecond() {
    let ids = SnowflakeIds::<TWITTER_EPOCH, _>::with_clock(3, || NOW).unwrap();
    let nth = |n: u64| (Millis(NOW + (n / 4096) as i64), (n % 4096) as u16);
    // A second ahead without waiting, and on from there.
    for n in 0..4096 * 1005 {
        let id = ids.next().unwrap();
        assert_eq!((id.time(), id.sequence()), nth(n));
    }
}

#[test]
fn far_ahead_of_the_clock_a_millisecond_takes_one_whatever_the_number_of_threads() {
    let begun = std::time::Instant::now();
    let ids = SnowflakeIds::<TWITTER_EPOCH, _>::with_clock(3, || NOW).unwrap();
    drawn(8, 4096 * 1100 / 8, || u64::from(ids.next().unwrap()));
    assert!(begun.elapsed().as_millis() >= 98, "{:?}", begun.elapsed());
}

#[test]
fn a_generator_goes_on_behind_an_id() {
    let last = Flake::new(Millis(NOW + 5000), 9, u16::MAX).unwrap();
    let next = FlakeIds::with_clock(9, || NOW).unwrap().after(last).next().unwrap();
    assert_eq!((next.time(), next.sequence()), (Millis(NOW + 5001), 0));
    let last = Snowflake::<0>::new(Millis(NOW), 9, 17).unwrap();
    let next = SnowflakeIds::<0, _>::with_clock(9, || NOW - 1).unwrap().after(last).next().unwrap();
    assert_eq!((next.time(), next.sequence()), (Millis(NOW), 18));
}

#[test]
fn at_the_end_of_time_there_are_no_ids() {
    let last = Flake::new(Millis(i64::MAX), 9, 0).unwrap();
    assert!(matches!(FlakeIds::new(9).unwrap().after(last).next(), Err(IdError::Time { .. })));
    let end = (1 << 48) - 2;
    let ids = FlakeIds::with_clock(9, || NOW).unwrap().after(Flake::new(Millis(end), 9, u16::MAX - 1).unwrap());
    assert_eq!(ids.next().unwrap(), Flake::new(Millis(end), 9, u16::MAX).unwrap());
    assert!((0..3).all(|_| matches!(ids.next(), Err(IdError::Time { .. }))));

    let end = TWITTER_EPOCH + (1 << 41) - 1;
    let ids = SnowflakeIds::with_clock(9, move || end).unwrap();
    let last: Snowflake = (0..4096).map(|_| ids.next().unwrap()).last().unwrap();
    assert_eq!(last, Snowflake::new(Millis(end), 9, 4095).unwrap());
    assert!((0..3).all(|_| matches!(ids.next(), Err(IdError::Time { .. }))));
    assert!(Snowflake::<TWITTER_EPOCH>::first_of(Millis(end + 1)).is_err());
    assert!(Snowflake::<TWITTER_EPOCH>::first_of(Millis(TWITTER_EPOCH - 1)).is_err());

    let end = (1 << 48) - 2;
    let (uuids, ulids) = (UuidIds::with_clock(move || end), UlidIds::with_clock(move || end));
    assert!(uuids.next().is_ok() && ulids.next().is_ok());
}

#[test]
fn workers_out_of_range_are_refused() {
    assert!(FlakeIds::new((1 << 48) - 1).is_ok() && SnowflakeIds::new(1023).is_ok());
    let error = FlakeIds::new(1 << 48).unwrap_err();
    assert_eq!(error.to_string(), "worker 281474976710656 is out of range: the last one is 281474976710655");
    assert!(matches!(SnowflakeIds::new(1024), Err(IdError::Worker { worker: 1024, max: 1023 })));
    assert!(matches!(Snowflake::<0>::new(Millis(0), 0, 4096), Err(IdError::Sequence { .. })));
}

#[test]
fn texts_that_are_no_ids() {
    for text in [
        "",
        "0",
        "8000000000000000000000000000000000",
        "80000000000000000000000000000000",
        "+0000000000000000000000000000000",
        "0000018BCFE568000000000000070001",
    ] {
        assert!(text.parse::<Flake>().is_err(), "{text}");
    }
    for text in ["", "+1", "01", "-1", "9223372036854775808", "18446744073709551616", "1 "] {
        assert!(text.parse::<Snowflake>().is_err(), "{text}");
    }
    assert!(Flake::decode(&[0x80; 16]).is_err() && Snowflake::<0>::decode(&[0x80; 8]).is_err());
}

#[derive(RowKey, Clone, Copy, Debug, PartialEq, Eq)]
struct Made {
    flake: Flake,
    #[rowkey(desc)]
    snowflake: Snowflake,
}

#[test]
fn the_shapes_are_the_integers() {
    assert_eq!(rowkey::LayoutBuf::from(&Made::LAYOUT).to_string(), "u128, u64 desc");
}

prop_compose! {
    fn flake()(time in 0..=i64::MAX, worker in 0..1u64 << 48, sequence: u16) -> Flake {
        Flake::new(Millis(time), worker, sequence).unwrap()
    }
}

prop_compose! {
    fn snowflake()(since in 0..1i64 << 41, worker in 0..1024u16, sequence in 0..4096u16) -> Snowflake {
        Snowflake::new(Millis(TWITTER_EPOCH + since), worker, sequence).unwrap()
    }
}

#[test]
fn keys_of_ids_keep_the_laws() {
    let keys = (flake(), snowflake()).prop_map(|(flake, snowflake)| Made { flake, snowflake });
    rowkey::laws::key(keys, |a, b| a.flake.cmp(&b.flake).then(b.snowflake.cmp(&a.snowflake)));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn there_and_back(flake in flake(), snowflake in snowflake()) {
        let again = Flake::new(flake.time(), flake.worker(), flake.sequence()).unwrap();
        prop_assert_eq!(again, flake);
        prop_assert_eq!(flake.to_string().parse::<Flake>().unwrap(), flake);
        prop_assert_eq!(Flake::try_from(u128::from(flake)).unwrap(), flake);
        let again = Snowflake::new(snowflake.time(), snowflake.worker(), snowflake.sequence()).unwrap();
        prop_assert_eq!(again, snowflake);
        prop_assert_eq!(snowflake.to_string().parse::<Snowflake>().unwrap(), snowflake);
        let key = Made { flake, snowflake };
        prop_assert_eq!(Made::decode(&key.encode()).unwrap(), key);
    }

    #[test]
    fn keys_sort_by_time(a in flake(), b in flake(), c in snowflake(), d in snowflake()) {
        prop_assert_eq!(a.encode().cmp(&b.encode()), a.cmp(&b));
        prop_assert_eq!(a.to_string().cmp(&b.to_string()), a.cmp(&b));
        prop_assert!(a.time() >= b.time() || a.encode() < b.encode());
        prop_assert!(c.time() >= d.time() || c.encode() < d.encode());
        prop_assert!((a >= Flake::first_of(b.time()).unwrap()) == (a.time() >= b.time()));
    }

    #[test]
    fn every_epoch_has_its_whole_time(time in 0..1i64 << 41) {
        const LATE: i64 = i64::MAX - (1 << 41) + 1;
        prop_assert_eq!(Snowflake::<{ i64::MIN }>::first_of(Millis(i64::MIN + time)).unwrap().time().0, i64::MIN + time);
        prop_assert_eq!(Snowflake::<LATE>::first_of(Millis(LATE + time)).unwrap().time().0, LATE + time);
    }
}

#[test]
fn block_counters_of_8_threads_and_two_handles() {
    let store = Memory::new().table("counters").unwrap();
    let handles = [10, 7].map(|block| BlockCounter::new(store.clone(), "orders", block).unwrap());
    let turn = AtomicU64::new(0);
    thread::scope(|scope| {
        let draw = |handle: usize| {
            let (handles, turn) = (&handles, &turn);
            move || -> Vec<u64> {
                turn.fetch_add(1, Ordering::Relaxed);
                (0..5000).map(|_| handles[handle].next().unwrap()).collect()
            }
        };
        let threads: Vec<_> = (0..8).map(|n| scope.spawn(draw(n % 2))).collect();
        let lists: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
        assert!(lists.iter().all(|list| list.is_sorted()));
        let mut all = lists.concat();
        all.sort_unstable();
        assert!(all.windows(2).all(|pair| pair[0] < pair[1]));
        // All that was taken is given, but for what is left of each handle's last block.
        let taken = i64::from_be_bytes(store.get(b"orders").unwrap().unwrap().try_into().unwrap()) as u64;
        assert!(all.last().unwrap() < &taken && taken - 40_000 < 17, "{taken}");
    });
}

#[test]
fn a_counter_at_its_end_is_an_error_for_ever() {
    let store = Memory::new().table("counters").unwrap();
    store.increment(b"n", i64::MAX - 5).unwrap();
    let (here, there) = (BlockCounter::new(&store, "n", 4).unwrap(), BlockCounter::new(&store, "n", 1).unwrap());
    for due in 0..4 {
        assert_eq!(here.next().unwrap(), (i64::MAX - 5 + due) as u64);
    }
    assert_eq!(there.next().unwrap(), (i64::MAX - 1) as u64);
    let stands_at = |n: i64| i64::from_be_bytes(store.get(b"n").unwrap().unwrap().try_into().unwrap()) == n;
    assert!(stands_at(i64::MAX));
    for _ in 0..3 {
        assert!(matches!(here.next(), Err(IdError::Spent { .. })));
        assert!(matches!(there.next(), Err(IdError::Spent { .. })));
    }
    assert!(stands_at(i64::MIN + 4), "each handle asked once");
}

#[test]
fn block_counters_that_can_not_be() {
    let store = Memory::new().table("counters").unwrap();
    assert!(matches!(BlockCounter::new(&store, "n", 0), Err(IdError::EmptyBlock)));
    assert!(matches!(BlockCounter::new(&store, "", 1), Err(IdError::Store(Error::EmptyKey))));
    let plain = Restrict::none(Memory::new().table("plain").unwrap());
    assert!(matches!(BlockCounter::new(plain, "n", 1), Err(IdError::Store(Error::Unsupported(_)))));
    store.increment(b"below", -3).unwrap();
    assert!(matches!(BlockCounter::new(&store, "below", 2).unwrap().next(), Err(IdError::Spent { value: -1 })));
    assert!(matches!(BlockCounter::new(&store, "below", 2).unwrap().next(), Err(IdError::Spent { value: 1 })));
}
