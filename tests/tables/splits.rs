//! Split points: HBase's own, byte for byte; regions that tile; quantiles that are even.

use proptest::collection::{btree_map, btree_set, vec};
use proptest::prelude::*;
use rowkey::splits::{Splits, SplitsError, Weight};
use rowkey::store::{Batch, Database, Store};
use rowkey::{KeyRange, Memory, RowKey};
use rowkey_testkit::{cases, unhex};

fn made_by_hbase() -> impl Iterator<Item = Vec<&'static str>> {
    include_str!("splits.tsv").lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect())
}

#[test]
fn hbase_s_own() {
    let mut lines = 0;
    for line in made_by_hbase().filter(|line| line[0] != "text") {
        let regions: u32 = line[3].parse().unwrap();
        let splits = match (line[0], line[1], line[2]) {
            ("hex", "", "") => Splits::hex(regions),
            ("decimal", "", "") => Splits::decimal(regions),
            ("uniform", "", "") => Splits::uniform(regions),
            ("hex", first, last) => Splits::hex_in(regions, first, last),
            ("decimal", first, last) => Splits::decimal_in(regions, first, last),
            other => panic!("{other:?}"),
        };
        assert_eq!(splits.unwrap().to_hex().trim_end().replace('\n', ","), line[4], "{line:?}");
        lines += 1;
    }
    assert_eq!(lines, 50);
}

#[test]
fn bytes_as_hbase_writes_them() {
    let line = made_by_hbase().find(|line| line[0] == "text").unwrap();
    let all = Splits::new([unhex(line[4])]).unwrap();
    // Ruby has its own way with these two between double quotes.
    let due = line[5].replace('"', "\\x22").replace('#', "\\x23");
    assert_eq!(all.to_string(), format!("[\"{due}\"]"));
}

#[derive(RowKey)]
#[rowkey(salt(buckets = 300))]
struct Wide {
    id: u32,
}

#[derive(RowKey)]
#[rowkey(salt(buckets = 20, format = hex))]
struct Hexed {
    id: u32,
}

#[derive(RowKey)]
#[rowkey(hashed(bytes = 1))]
struct Digested {
    id: u32,
}

#[derive(RowKey)]
struct Bare {
    id: u32,
}

#[test]
fn of_salts_and_digests() {
    assert_eq!(Splits::of_key::<Hexed>(3).unwrap().to_string(), r#"["06", "0d"]"#);
    let buckets = Splits::of_buckets::<Wide>().unwrap();
    assert_eq!((buckets.regions(), buckets.iter().last()), (300, Some(&[1, 43][..])));
    assert_eq!(Splits::of_key::<Wide>(300).unwrap(), buckets);
    assert_eq!(Splits::of_key::<Digested>(4).unwrap().to_string(), r#"["@", "\x80", "\xC0"]"#);
    assert_eq!(Splits::of_key::<Digested>(1).unwrap(), Splits::default());
    for id in 0..2000 {
        let key = Wide { id }.encode();
        assert_eq!(buckets.region_of(&key), usize::from(u16::from_be_bytes([key[0], key[1]])));
    }
    assert!(matches!(Splits::of_key::<Wide>(301), Err(SplitsError::TooManyRegions { keys: Some(300), .. })));
    assert!(matches!(Splits::of_key::<Wide>(0), Err(SplitsError::NoRegions)));
    assert!(matches!(Splits::of_key::<Digested>(0), Err(SplitsError::NoRegions)));
    assert!(matches!(Splits::of_key::<Digested>(257), Err(SplitsError::TooManyRegions { .. })));
    assert!(matches!(Splits::of_buckets::<Digested>(), Err(SplitsError::NotSpread { .. })));
    let error = Splits::of_key::<Bare>(2).unwrap_err();
    assert_eq!(
        error.to_string(),
        "keys of Bare have no salt or digest: their layout does not tell how they are spread"
    );
}

#[test]
fn what_is_refused() {
    assert!(matches!(Splits::hex(0), Err(SplitsError::NoRegions)));
    assert!(matches!(Splits::uniform(0), Err(SplitsError::NoRegions)));
    assert!(matches!(Splits::hex_in(2, "ff", "ff"), Err(SplitsError::Order { .. })));
    assert!(matches!(Splits::hex_in(2, "ff", "0f"), Err(SplitsError::Order { .. })));
    assert!(matches!(Splits::decimal_in(2, "0", "a"), Err(SplitsError::NotANumber { base: 10, .. })));
    assert!(matches!(Splits::decimal_in(2, "", "1"), Err(SplitsError::NotANumber { .. })));
    assert!(matches!(Splits::decimal_in(2, "", ""), Err(SplitsError::NotANumber { .. })));
    assert!(matches!(Splits::decimal_in(2, "000", "10"), Err(SplitsError::NotANumber { .. })));
    assert_eq!(Splits::decimal_in(10, "0", "9").unwrap().regions(), 10);
    let error = Splits::decimal_in(11, "0", "9").unwrap_err();
    assert_eq!(error.to_string(), "there are not enough keys for 11 regions");
    assert!(matches!(Splits::uniform_in(2, &KeyRange::point("a")), Err(SplitsError::TooManyRegions { .. })));
    let after_all = KeyRange::from_start([0xff; 12]);
    assert_eq!(Splits::uniform_in(2, &after_all).unwrap().to_hex(), "ffffffffffffffffffffffff80\n");
    let error = Splits::from_sample(3, [("a", 1), ("a", 1), ("b", 9)]).unwrap_err();
    assert_eq!(error.to_string(), "there are not enough keys for 3 regions: 2");
    assert!(matches!(Splits::from_sample(1, [("", 1)]), Err(SplitsError::Empty)));
    assert!(matches!(Splits::from_sample(0, [("a", 1)]), Err(SplitsError::NoRegions)));
    assert_eq!(Splits::from_sample(1, [("a", 1); 0]).unwrap(), Splits::default());
    assert!(matches!(Splits::new(["a", ""]), Err(SplitsError::Empty)));
}

#[test]
fn texts_that_are_no_lists() {
    for (text, at) in [
        ("", 0),
        ("[", 1),
        ("[\"a\"", 4),
        ("[\"a\",]", 5),
        ("['a']", 1),
        ("[\"\\x1\"]", 2),
        ("[\"\\n\"]", 2),
        ("[\"#{x}\"]", 2),
        ("[\"a\"] b", 6),
    ] {
        match text.parse::<Splits>() {
            Err(SplitsError::Text { at: found, .. }) => assert_eq!(found, at, "{text}"),
            other => panic!("{text}: {other:?}"),
        }
    }
    assert!(matches!(Splits::from_hex("01\n 0g\n"), Err(SplitsError::Text { at: 4, .. })));
    assert!(matches!(Splits::from_hex("01\n012"), Err(SplitsError::Text { at: 3, .. })));
    assert_eq!(" [ \"\\\\\\\"\" ,\"é#1\"] ".parse::<Splits>().unwrap().to_string(), r#"["\x5C\x22", "\xC3\xA9\x231"]"#);
    assert_eq!("[]".parse::<Splits>().unwrap(), Splits::default());
}

#[test]
fn a_large_store_is_thinned() {
    let store = Memory::new().table("rows").unwrap();
    for chunk in 0..20u32 {
        let mut batch = Batch::new();
        for n in 0..1000 {
            batch.put((chunk * 1000 + n).to_be_bytes(), [0; 4]);
        }
        store.write(&batch).unwrap();
    }
    for (regions, weight) in [(2, Weight::Rows), (3, Weight::Bytes), (7, Weight::Rows)] {
        let splits = Splits::from_store(regions, &store, &KeyRange::all(), weight).unwrap();
        let starts: Vec<u32> = splits.iter().map(|key| u32::from_be_bytes(key.try_into().unwrap())).collect();
        assert_eq!(starts.len() as u32, regions - 1);
        for (i, start) in (1..).zip(starts) {
            assert!(start.abs_diff(20_000 * i / regions) <= 16, "{start}");
        }
    }
}

fn keys() -> impl Strategy<Value = Vec<u8>> {
    vec(prop_oneof![Just(0u8), Just(b'"'), Just(b'#'), Just(b'\\'), Just(b'x'), Just(0xff), any::<u8>()], 1..5)
}

/// What holds of all split points.
fn check(splits: &Splits, probes: &[Vec<u8>]) {
    let keys: Vec<_> = splits.iter().collect();
    assert!(keys.iter().all(|key| !key.is_empty()) && keys.windows(2).all(|pair| pair[0] < pair[1]));
    let ranges = splits.ranges();
    assert_eq!(ranges.len(), splits.regions());
    assert_eq!(ranges[0].start(), b"");
    assert_eq!(ranges[ranges.len() - 1].end(), None);
    assert!(ranges.windows(2).all(|pair| pair[0].end() == Some(pair[1].start())));
    for key in keys.into_iter().chain(probes.iter().map(Vec::as_slice)) {
        let region = splits.region_of(key);
        let found: Vec<_> = (0..ranges.len()).filter(|&i| ranges[i].contains(key)).collect();
        assert_eq!(found, [region]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases(64, 256)) })]

    #[test]
    fn regions_tile(list in btree_set(keys(), 0..8), probes in vec(keys(), 0..20)) {
        check(&Splits::new(list).unwrap(), &probes);
    }

    #[test]
    fn texts_there_and_back(list in btree_set(keys(), 0..8)) {
        let splits = Splits::new(list).unwrap();
        prop_assert_eq!(&splits.to_string().parse::<Splits>().unwrap(), &splits);
        prop_assert_eq!(&Splits::from_hex(&splits.to_hex()).unwrap(), &splits);
    }

    #[test]
    fn any_text_is_read_or_refused(text: String, marked in "[\\[\\]\"\\\\x,# a0]{0,12}") {
        for text in [text, marked] {
            let _ = (text.parse::<Splits>(), Splits::from_hex(&text));
        }
    }

    #[test]
    fn parts_tile_a_range(list in btree_set(keys(), 0..8), a in keys(), b in proptest::option::of(keys()), probes in vec(keys(), 20)) {
        let splits = Splits::new(list).unwrap();
        let Some(range) = KeyRange::new(a, b) else { return Ok(()) };
        let parts = splits.parts(&range);
        prop_assert_eq!(parts[0].start(), range.start());
        prop_assert_eq!(parts[parts.len() - 1].end(), range.end());
        prop_assert!(parts.windows(2).all(|pair| pair[0].end() == Some(pair[1].start())));
        for part in &parts {
            let region = splits.region_of(part.start());
            prop_assert!(probes.iter().filter(|key| part.contains(key)).all(|key| splits.region_of(key) == region));
        }
    }

    #[test]
    fn even_points(regions in 1..60u32, a in keys(), b in proptest::option::of(keys()), probes in vec(keys(), 5)) {
        for splits in [Splits::uniform(regions), Splits::hex(regions), Splits::decimal(regions)] {
            let splits = splits.unwrap();
            prop_assert_eq!(splits.regions(), regions as usize);
            check(&splits, &probes);
        }
        let Some(range) = KeyRange::new(a, b) else { return Ok(()) };
        match Splits::uniform_in(regions, &range) {
            Ok(splits) => {
                check(&splits, &[]);
                prop_assert_eq!(splits.parts(&range).len(), regions as usize);
            }
            Err(SplitsError::TooManyRegions { .. }) => {
                let end = range.end().unwrap();
                prop_assert!(end.strip_prefix(range.start()).is_some_and(|more| more.iter().all(|&byte| byte == 0)));
            }
            Err(other) => prop_assert!(false, "{other}"),
        }
    }

    #[test]
    fn equal_weights_differ_by_one(keys in btree_set(keys(), 1..60), regions in 1..20u32, shuffle: bool) {
        let mut sample: Vec<_> = keys.iter().map(|key| (key.clone(), 1)).collect();
        if shuffle {
            sample.reverse();
        }
        match Splits::from_sample(regions, sample) {
            Ok(splits) => {
                check(&splits, &[]);
                let mut rows = vec![0u64; regions as usize];
                keys.iter().for_each(|key| rows[splits.region_of(key)] += 1);
                prop_assert!(rows.iter().max().unwrap() - rows.iter().min().unwrap() <= 1, "{rows:?}");
            }
            Err(error) => prop_assert!(regions as usize > keys.len(), "{error}"),
        }
    }

    #[test]
    fn no_region_is_heavier_than_the_mean_by_more_than_a_key(
        sample in btree_map(keys(), prop_oneof![0..10u64, 0..1000u64], 1..60),
        regions in 1..20u32,
    ) {
        let regions = regions.min(sample.len() as u32);
        let splits = Splits::from_sample(regions, sample.clone()).unwrap();
        prop_assert_eq!(splits.regions(), regions as usize);
        let (mut weights, mut keys) = (vec![0u64; regions as usize], vec![0u64; regions as usize]);
        for (key, weight) in &sample {
            weights[splits.region_of(key)] += weight;
            keys[splits.region_of(key)] += 1;
        }
        let (whole, heaviest) = (sample.values().sum::<u64>(), *sample.values().max().unwrap());
        prop_assert!(weights.iter().all(|weight| weight * u64::from(regions) <= whole + (heaviest + 1) * u64::from(regions)));
        prop_assert!(keys.iter().all(|&keys| keys > 0));
    }

    #[test]
    fn any_weight(weights in vec(any::<u64>(), 1..9), regions in 1..9u32) {
        let keys = weights.len();
        let result = Splits::from_sample(regions, (1..=9u8).map(|n| [n]).zip(weights));
        prop_assert_eq!(result.is_ok(), regions as usize <= keys);
    }

    #[test]
    fn a_store_s_own(rows in btree_map(keys(), vec(any::<u8>(), 0..20), 1..60), regions in 1..9u32) {
        let store = Memory::new().table("rows").unwrap();
        let mut batch = Batch::new();
        for (key, value) in &rows {
            batch.put(key.clone(), value.clone());
        }
        store.write(&batch).unwrap();
        let regions = regions.min(rows.len() as u32);
        let (all, ones) = (KeyRange::all(), rows.keys().map(|key| (key.clone(), 1)));
        let by_rows = Splits::from_store(regions, &store, &all, Weight::Rows).unwrap();
        prop_assert_eq!(by_rows, Splits::from_sample(regions, ones).unwrap());
        let bytes = rows.iter().map(|(key, value)| (key.clone(), (key.len() + value.len()) as u64));
        let by_bytes = Splits::from_store(regions, &*store, &all, Weight::Bytes).unwrap();
        prop_assert_eq!(by_bytes, Splits::from_sample(regions, bytes).unwrap());
    }
}
