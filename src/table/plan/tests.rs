//! Every plan against all keys, filtered one by one.

use std::cmp::{Ordering, Reverse};

use super::{Plan, Start};
use crate::keys::cursor::Cursor;
use crate::keys::error::CursorError;
use crate::keys::fingerprint::Fingerprint;
use crate::keys::prefix::{Select, Selection};
use crate::{OwnedKey, RowKey};

/// The fields of a key.
type Fields = (u8, u8, &'static str);

const NAMES: [&str; 5] = ["", "a", "a\0", "ab", "b"];

/// All keys there are, in no order.
fn all() -> impl Iterator<Item = Fields> {
    (0..4).flat_map(|a| [0, 1, 254, 255].into_iter().flat_map(move |b| NAMES.map(|name| (a, b, name))))
}

/// Those at which a scan is begun: each in the long run, else each second, some of them in each selection.
fn tried() -> impl Iterator<Item = Fields> {
    all().step_by(rowkey_testkit::every(2))
}

/// The order of the fields: the second is descending.
fn order(x: Fields, y: Fields) -> Ordering {
    (x.0, Reverse(x.1), x.2).cmp(&(y.0, Reverse(y.1), y.2))
}

/// A selection, and what it holds.
type Selected<K> = (Selection<K>, fn(Fields) -> bool);

trait Key: OwnedKey {
    fn of(fields: Fields) -> Self;
    fn selections() -> Vec<Selected<Self>>;
}

macro_rules! keys {
    ($($(#[$attribute:meta])* $key:ident;)*) => {$(
        #[derive(RowKey, Clone, Debug, PartialEq)]
        $(#[$attribute])*
        struct $key {
            a: u8,
            #[rowkey(desc)]
            b: u8,
            name: String,
        }

        impl Key for $key {
            fn of((a, b, name): Fields) -> Self {
                Self { a, b, name: name.into() }
            }

            fn selections() -> Vec<Selected<Self>> {
                let prefix = $key::prefix;
                vec![
                    ((..).select(), |_| true),
                    (prefix().a(2).select(), |(a, ..)| a == 2),
                    (prefix().a(3).b(255).select(), |(a, b, _)| (a, b) == (3, 255)),
                    (prefix().a(1).b(1).name("a").select(), |key| key == (1, 1, "a")),
                    (prefix().a_range(1..3), |(a, ..)| (1..3).contains(&a)),
                    (prefix().a(2).b_range(1..255), |(a, b, _)| a == 2 && (1..255).contains(&b)),
                    (prefix().a_in([0, 2, 3]), |(a, ..)| a != 1),
                    (prefix().a(0).b_in([0, 254]), |(a, b, _)| a == 0 && [0, 254].contains(&b)),
                    (prefix().a(3).b(0).name_starts_with("a"), |(a, b, name)| (a, b) == (3, 0) && name.starts_with('a')),
                    (prefix().a_in([0_u8; 0]), |_| false),
                ]
            }
        }
    )*};
}
keys! {
    Plain;
    #[rowkey(salt(buckets = 5))]
    Salted;
    #[rowkey(salt(buckets = 300, by(a), hash = java, format = hex))]
    SaltedByFirst;
}

fn after(x: Fields, y: Fields, reverse: bool) -> bool {
    order(x, y) == if reverse { Ordering::Less } else { Ordering::Greater }
}

/// All keys, with their bytes.
fn encoded<K: Key>() -> Vec<(Fields, Vec<u8>)> {
    all().map(|key| (key, K::of(key).encode())).collect()
}

/// The keys of a plan, of those given; its form is checked.
fn planned(plan: &Plan, keys: &[(Fields, Vec<u8>)]) -> Vec<Fields> {
    let salt = |key: &[u8]| key.get(..plan.salt).map(<[u8]>::to_vec);
    let mut buckets: Vec<_> = plan.buckets.iter().map(|ranges| salt(ranges[0].start())).collect();
    for (ranges, bucket) in plan.buckets.iter().zip(&buckets) {
        assert!(bucket.is_some() && ranges.iter().all(|range| salt(range.start()) == *bucket));
        assert!(ranges.windows(2).all(|pair| pair[0].end().is_some_and(|end| end < pair[1].start())));
    }
    buckets.dedup();
    assert_eq!(buckets.len(), plan.buckets.len(), "one list a bucket");
    let holds = |key: &[u8]| plan.buckets.iter().any(|ranges| ranges.iter().any(|range| range.contains(key)));
    keys.iter().filter(|(_, bytes)| holds(bytes)).map(|(key, _)| *key).collect()
}

fn check<K: Key>() {
    let keys = encoded::<K>();
    let cursor = |key| Cursor::new(K::LAYOUT.fingerprint(), &K::of(key).encode());
    for (selection, selected) in K::selections() {
        assert_eq!(tried().any(selected), all().any(selected), "one of each selection is tried");
        for reverse in [false, true] {
            let check = |start: Start<K>, follows: &dyn Fn(Fields) -> bool| {
                let plan = Plan::new(&selection, &start, reverse, &[]).unwrap();
                let due: Vec<_> = all().filter(|&key| selected(key) && follows(key)).collect();
                assert_eq!(planned(&plan, &keys), due, "{reverse}");
            };
            check(Start::First, &|_| true);
            check(Start::Bound(None), &|_| false);
            for key in tried() {
                check(Start::Key { key: K::of(key).encode(), itself: false }, &|row| after(row, key, reverse));
                check(Start::Key { key: K::of(key).encode(), itself: true }, &|row| !after(key, row, reverse));
                if selected(key) {
                    check(Start::Cursor(cursor(key)), &|row| after(row, key, reverse));
                } else {
                    let outside = Plan::new(&selection, &Start::Cursor(cursor(key)), reverse, &[]);
                    assert_eq!(outside, Err(CursorError::OutsideScan));
                }
            }
            for (passed, holds) in K::selections() {
                let some = all().any(holds);
                check(Start::Selection(passed.clone()), &|row| {
                    some && all().filter(|&key| holds(key)).all(|key| after(row, key, reverse))
                });
            }
        }
    }
}

#[test]
fn a_plan_holds_the_selected_keys_from_its_start_on() {
    check::<Plain>();
    check::<Salted>();
    check::<SaltedByFirst>();
}

fn check_groups<K: Key>() {
    let keys = encoded::<K>();
    for reverse in [false, true] {
        for (group, holds) in K::selections() {
            for key in tried() {
                let start = Start::after_group(&K::of(key).encode(), &group, reverse);
                let plan = Plan::new(&Selection::<K>::all(), &start, reverse, &[]).unwrap();
                // The range that the key is in: what is held between it and the next key that is not.
                let in_range = |row: Fields| {
                    let (low, high) = if order(key, row).is_le() { (key, row) } else { (row, key) };
                    holds(key) && all().filter(|&k| order(k, low).is_ge() && order(k, high).is_le()).all(holds)
                };
                let due: Vec<_> = all().filter(|&row| after(row, key, reverse) && !in_range(row)).collect();
                assert_eq!(planned(&plan, &keys), due);
            }
        }
    }
}

#[test]
fn after_a_group_comes_what_is_after_the_range_that_its_row_is_in() {
    check_groups::<Plain>();
    check_groups::<Salted>();
    check_groups::<SaltedByFirst>();
}

#[test]
fn cursors_are_checked() {
    let plan = |cursor: Cursor, earlier: &[Fingerprint]| {
        Plan::new::<Salted>(&Selection::all(), &Start::Cursor(cursor), false, earlier).map(drop)
    };
    let (fingerprint, other) = (Salted::LAYOUT.fingerprint(), Plain::LAYOUT.fingerprint());
    let key = Salted::of((1, 2, "a")).encode();
    assert_eq!(plan(Cursor::new(fingerprint, &key), &[]), Ok(()));
    let refused = Err(CursorError::OtherLayout { found: other, expected: fingerprint });
    assert_eq!(plan(Cursor::new(other, &key), &[]), refused);
    assert_eq!(plan(Cursor::new(other, &key), &[Fingerprint(7), other]), Ok(()));
    for cut in 0..key.len() {
        assert!(matches!(plan(Cursor::new(fingerprint, &key[..cut]), &[]), Err(CursorError::NotAKey(_))), "{cut}");
    }
    let mut wrong_salt = key.clone();
    wrong_salt[0] = (wrong_salt[0] + 1) % 5;
    assert!(matches!(plan(Cursor::new(fingerprint, &wrong_salt), &[]), Err(CursorError::NotAKey(_))));
}
