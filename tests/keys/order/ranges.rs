//! Law 5 for typed prefixes: byte ranges hold exactly what a filter over the logical values holds.

use std::cmp::Ordering;
use std::fmt::Debug;
use std::ops::Bound;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use rowkey::prefix::tuple_prefix;
use rowkey::{KeyRange, List, RowKey, Select, Selection};
use rust_decimal::Decimal;

use super::prove::{Proof, prove};

/// Holds a selection against a filter over the rows.
fn holds<K: RowKey + Debug>(rows: &[K], selects: impl Select<K>, filter: impl Fn(&K) -> bool) -> Proof {
    holds_selection(rows, selects.select(), &filter)
}

fn holds_selection<K: RowKey + Debug>(rows: &[K], selection: Selection<K>, filter: &dyn Fn(&K) -> bool) -> Proof {
    let mut expected = Vec::new();
    for row in rows {
        expected.push(Expected { key: row.encode(), is_in: filter(row), row });
    }
    holds_ranges(&expected, &(&selection).ranges(), &selection.ranges_by_bucket())
}

struct Expected<'a> {
    key: Vec<u8>,
    is_in: bool,
    row: &'a dyn Debug,
}

fn holds_ranges(rows: &[Expected<'_>], ranges: &[KeyRange], by_bucket: &[Vec<KeyRange>]) -> Proof {
    for range in ranges {
        prop_assert!(range.end().is_none_or(|end| range.start() < end), "an empty range in {ranges:?}");
    }
    for pair in ranges.windows(2) {
        prop_assert!(pair[0].end().is_some_and(|end| end < pair[1].start()), "not merged: {ranges:?}");
    }
    prop_assert!(by_bucket.iter().all(|ranges| !ranges.is_empty()));
    for Expected { key, is_in, row } in rows {
        let in_buckets = by_bucket.iter().filter(|ranges| ranges.iter().any(|range| range.contains(key))).count();
        let found = ranges.iter().any(|range| range.contains(key));
        prop_assert_eq!(found, *is_in, "{:?} is {:02x?}, ranges {:?}", row, key, ranges);
        prop_assert_eq!(in_buckets, usize::from(found), "by bucket {:?}", by_bucket);
    }
    Ok(())
}

type Bounds<T> = (Bound<T>, Bound<T>);

fn bounds<T: Clone + Debug + 'static>(value: impl Strategy<Value = T> + Clone + 'static) -> BoxedStrategy<Bounds<T>> {
    let bound = prop_oneof![
        3 => value.clone().prop_map(Bound::Included),
        3 => value.prop_map(Bound::Excluded),
        1 => Just(Bound::Unbounded),
    ]
    .boxed();
    (bound.clone(), bound).boxed()
}

fn within<T>(value: &T, (low, high): &Bounds<T>, compare: impl Fn(&T, &T) -> Ordering) -> bool {
    let above = match low {
        Bound::Included(low) => compare(value, low).is_ge(),
        Bound::Excluded(low) => compare(value, low).is_gt(),
        Bound::Unbounded => true,
    };
    above
        && match high {
            Bound::Included(high) => compare(value, high).is_le(),
            Bound::Excluded(high) => compare(value, high).is_lt(),
            Bound::Unbounded => true,
        }
}

fn text() -> BoxedStrategy<String> {
    vec(select(&['\0', '\u{1}', '\u{2}', 'a', 'b', '\u{10ffff}'][..]), 0..3)
        .prop_map(|chars| chars.into_iter().collect())
        .boxed()
}

fn number() -> BoxedStrategy<i8> {
    select(&[i8::MIN, i8::MIN + 1, -1, 0, 1, i8::MAX][..]).boxed()
}

fn many<T: Debug>(item: impl Strategy<Value = T>) -> impl Strategy<Value = Vec<T>> {
    vec(item, 1..12)
}

#[derive(RowKey, Debug, Clone)]
struct Visit {
    host: String,
    #[rowkey(desc)]
    at: i8,
    #[rowkey(desc)]
    tag: String,
    last: u8,
}

fn visits() -> impl Strategy<Value = Vec<Visit>> {
    let last = select(&[0u8, 1, 254, 255][..]);
    many((text(), number(), text(), last).prop_map(|(host, at, tag, last)| Visit { host, at, tag, last }))
}

test! {
    ascending_and_descending_fields(
        rows in visits(), pick in any::<prop::sample::Index>(), start in text(), hosts in bounds(text()),
        ats in bounds(number()), tags in bounds(text()), some in vec(number(), 0..3), more in vec(bounds(text()), 0..3),
    ) {
        let it = pick.get(&rows).clone();
        let (host, at) = (&it.host, it.at);
        holds(&rows, Visit::prefix(), |_| true)?;
        holds(&rows, .., |_| true)?;
        holds(&rows, Visit::prefix().host_range(hosts.clone()), |r| within(&r.host, &hosts, Ord::cmp))?;
        holds(&rows, Visit::prefix().host_range(..=host), |r| r.host <= *host)?;
        holds(&rows, Visit::prefix().host_range(host..), |r| r.host >= *host)?;
        holds(&rows, Visit::prefix().host_range(..), |_| true)?;
        holds(&rows, Visit::prefix().host_starts_with(start.as_str()), |r| r.host.starts_with(&start))?;
        holds(&rows, Visit::prefix().host_in([host.clone(), start.clone()]), |r| r.host == *host || r.host == start)?;
        holds(&rows, Visit::prefix().host_in(more.clone()), |r| more.iter().any(|b| within(&r.host, b, Ord::cmp)))?;
        let h = || Visit::prefix().host(host);
        holds(&rows, h(), |r| r.host == *host)?;
        holds(&rows, h().at_range(ats), |r| r.host == *host && within(&r.at, &ats, Ord::cmp))?;
        holds(&rows, h().at_range(at..), |r| r.host == *host && r.at >= at)?;
        holds(&rows, h().at_range(..at), |r| r.host == *host && r.at < at)?;
        holds(&rows, h().at_in(some.clone()), |r| r.host == *host && some.contains(&r.at))?;
        holds(&rows, h().at_in([at..=1, -1..=at]), |r| r.host == *host && ((at..=1).contains(&r.at) || (-1..=at).contains(&r.at)))?;
        let a = || h().at(at);
        let same = |r: &Visit| r.host == *host && r.at == at;
        holds(&rows, a().tag_range(tags.clone()), |r| same(r) && within(&r.tag, &tags, Ord::cmp))?;
        holds(&rows, a().tag_starts_with(start.as_str()), |r| same(r) && r.tag.starts_with(&start))?;
        holds(&rows, a().tag_in([&it.tag, &start]), |r| same(r) && (r.tag == it.tag || r.tag == start))?;
        let t = || a().tag(&it.tag);
        holds(&rows, t().last_range(it.last..=255), |r| same(r) && r.tag == it.tag && r.last >= it.last)?;
        holds(&rows, t().last(it.last), |r| same(r) && r.tag == it.tag && r.last == it.last)?;
    }
}

macro_rules! nulls {
    ($($name:ident $test:ident $none_is_low:literal ($($attr:tt)*);)*) => {$(
        #[derive(RowKey, Debug)]
        struct $name {
            #[rowkey($($attr)*)]
            a: Option<i8>,
            b: u8,
        }

        test! {
            $test(
                rows in many((proptest::option::of(number()), any::<u8>()).prop_map(|(a, b)| $name { a, b })),
                range in bounds(proptest::option::of(number())),
                one in proptest::option::of(number()),
            ) {
                let compare = |a: &Option<i8>, b: &Option<i8>| match (a, b) {
                    (Some(a), Some(b)) => a.cmp(b),
                    (a, b) if $none_is_low => a.is_some().cmp(&b.is_some()),
                    (a, b) => a.is_none().cmp(&b.is_none()),
                };
                holds(&rows, $name::prefix().a_range(range), |r| within(&r.a, &range, compare))?;
                holds(&rows, $name::prefix().a(one), |r| r.a == one)?;
                holds(&rows, $name::prefix().a_in([one, None]), |r| r.a == one || r.a.is_none())?;
                holds(&rows, $name::prefix().a(one).b_range(7..), |r| r.a == one && r.b >= 7)?;
            }
        }
    )*};
}
nulls! {
    Ascending none_of_an_ascending_field true (nulls_first);
    AscendingLast none_last_of_an_ascending_field false (nulls_last);
    Descending none_of_a_descending_field true (desc);
    DescendingFirst none_first_of_a_descending_field false (desc, nulls_first);
}

#[derive(RowKey, Debug, Clone)]
struct Page {
    site: u8,
    #[rowkey(raw)]
    path: String,
}

#[derive(RowKey, Debug, Clone)]
struct Numbers {
    #[rowkey(raw)]
    all: List<u8>,
}

test! {
    raw_fields(
        rows in many((254..=255u8, text()).prop_map(|(site, path)| Page { site, path })),
        lists in many(vec(select(&[0u8, 1, 255][..]), 0..3).prop_map(|all| Numbers { all: List(all) })),
        paths in bounds(text()), start in text(), list in bounds(vec(select(&[0u8, 1, 255][..]), 0..3).prop_map(List)),
    ) {
        let site = |r: &Page| r.site == 255;
        let prefix = || Page::prefix().site(255);
        holds(&rows, prefix(), site)?;
        holds(&rows, prefix().path_range(paths.clone()), |r| site(r) && within(&r.path, &paths, Ord::cmp))?;
        holds(&rows, prefix().path_starts_with(start.as_str()), |r| site(r) && r.path.starts_with(&start))?;
        holds(&rows, prefix().path(&start), |r| site(r) && r.path == start)?;
        holds(&rows, prefix().path_in([start.as_str(), "a"]), |r| site(r) && (r.path == start || r.path == "a"))?;
        holds(&lists, Numbers::prefix().all_range(list.clone()), |r| within(&r.all, &list, Ord::cmp))?;
        holds(&lists, Numbers::prefix().all([1, 255]), |r| r.all.0 == [1, 255])?;
    }
}

#[derive(RowKey, Debug, Clone)]
struct Order {
    #[rowkey(desc)]
    total: Decimal,
    rate: Decimal,
    #[rowkey(raw)]
    tax: Decimal,
}

fn decimal() -> BoxedStrategy<Decimal> {
    (select(&[-101i64, -100, -99, -10, -1, 0, 1, 9, 10, 99, 100, 101][..]), 0..3u32)
        .prop_map(|(n, scale)| Decimal::new(n, scale))
        .boxed()
}

test! {
    decimals(
        rows in many((decimal(), decimal(), decimal()).prop_map(|(total, rate, tax)| Order { total, rate, tax })),
        pick in any::<prop::sample::Index>(), range in bounds(decimal()), some in decimal(),
    ) {
        let it = pick.get(&rows).clone();
        let (total, rate) = (|r: &Order| r.total == it.total, |r: &Order| r.rate == it.rate);
        let to_rate = || Order::prefix().total(it.total).rate(it.rate);
        holds(&rows, Order::prefix().total_range(range), |r| within(&r.total, &range, Ord::cmp))?;
        holds(&rows, Order::prefix().total_in([it.total, some]), |r| total(r) || r.total == some)?;
        holds(&rows, Order::prefix().total(it.total).rate_range(range), |r| {
            total(r) && within(&r.rate, &range, Ord::cmp)
        })?;
        holds(&rows, to_rate(), |r| total(r) && rate(r))?;
        holds(&rows, to_rate().tax_range(range), |r| total(r) && rate(r) && within(&r.tax, &range, Ord::cmp))?;
        holds(&rows, to_rate().tax_in([it.tax, some]), |r| {
            total(r) && rate(r) && (r.tax == it.tax || r.tax == some)
        })?;
        holds(&rows, to_rate().tax(it.tax), |r| total(r) && rate(r) && r.tax == it.tax)?;
    }
}

#[derive(RowKey, Debug, Clone, PartialEq)]
struct Pair {
    a: u8,
    #[rowkey(desc)]
    b: String,
}

fn pair_order(x: &Pair, y: &Pair) -> Ordering {
    x.a.cmp(&y.a).then(y.b.cmp(&x.b))
}

#[derive(RowKey, Debug, Clone)]
struct Outer {
    #[rowkey(desc)]
    down: Pair,
    up: Pair,
    z: u8,
}

fn pairs() -> BoxedStrategy<Pair> {
    (select(&[0u8, 1, 255][..]), text()).prop_map(|(a, b)| Pair { a, b }).boxed()
}

test! {
    nested_keys(
        rows in many((pairs(), pairs(), 0..3u8).prop_map(|(down, up, z)| Outer { down, up, z })),
        pick in any::<prop::sample::Index>(), start in text(), range in bounds(pairs()), texts in bounds(text()),
        numbers in bounds(select(&[0u8, 1, 255][..])),
    ) {
        let it = pick.get(&rows).clone();
        let (down, up) = (&it.down, &it.up);
        let p = Outer::prefix;
        holds(&rows, p().down_range(range.clone()), |r| within(&r.down, &range, pair_order))?;
        holds(&rows, p().down_in([down, up]), |r| r.down == *down || r.down == *up)?;
        holds(&rows, p().down_prefix(Pair::prefix()), |_| true)?;
        holds(&rows, p().down_prefix(Pair::prefix().a(down.a)), |r| r.down.a == down.a)?;
        holds(&rows, p().down_prefix(Pair::prefix().a_range(numbers)), |r| within(&r.down.a, &numbers, Ord::cmp))?;
        holds(&rows, p().down_prefix(Pair::prefix().a_in([0, 255])), |r| r.down.a != 1)?;
        holds(&rows, p().down_prefix(Pair::prefix().a(down.a).b_range(texts.clone())), |r| {
            r.down.a == down.a && within(&r.down.b, &texts, Ord::cmp)
        })?;
        holds(&rows, p().down_prefix(Pair::prefix().a(down.a).b_starts_with(start.as_str())), |r| {
            r.down.a == down.a && r.down.b.starts_with(&start)
        })?;
        holds(&rows, p().down_prefix(Pair::prefix().a(down.a).b(&down.b)), |r| r.down == *down)?;
        let d = || p().down(down);
        holds(&rows, d().up_range(range.clone()), |r| r.down == *down && within(&r.up, &range, pair_order))?;
        holds(&rows, d().up_prefix(Pair::prefix().a(up.a).b_range(texts.clone())), |r| {
            r.down == *down && r.up.a == up.a && within(&r.up.b, &texts, Ord::cmp)
        })?;
        holds(&rows, d().up(up).z_range(1..), |r| r.down == *down && r.up == *up && r.z >= 1)?;
    }
}

#[derive(RowKey, Debug, Clone, PartialEq)]
enum Event {
    #[rowkey(tag = 255)]
    Crash(String, #[rowkey(desc)] u8),
    #[rowkey(tag = 0)]
    Boot,
    #[rowkey(tag = 7)]
    Login {
        user: String,
        #[rowkey(desc)]
        at: i8,
    },
}

#[derive(RowKey, Debug, Clone)]
struct Log {
    #[rowkey(desc)]
    event: Event,
    #[rowkey(desc)]
    place: (u8, String),
}

fn events() -> BoxedStrategy<Event> {
    prop_oneof![
        (text(), 0..3u8).prop_map(|(why, code)| Event::Crash(why, code)),
        Just(Event::Boot),
        (text(), number()).prop_map(|(user, at)| Event::Login { user, at }),
    ]
    .boxed()
}

test! {
    enums_and_tuples(
        rows in many((events(), 0..3u8, text()).prop_map(|(event, a, b)| Log { event, place: (a, b) })),
        user in text(), ats in bounds(number()), texts in bounds(text()), tuples in bounds((0..3u8, text())),
        pick in any::<prop::sample::Index>(),
    ) {
        let login = |e: &Event, f: &dyn Fn(&String, &i8) -> bool| matches!(e, Event::Login { user, at } if f(user, at));
        let events: Vec<_> = rows.iter().map(|row| row.event.clone()).collect();
        holds(&events, Event::prefix().login().user(&user).at_range(ats), |e| {
            login(e, &|u, at| *u == user && within(at, &ats, Ord::cmp))
        })?;
        holds(&events, Event::prefix().crash(), |e| matches!(e, Event::Crash(..)))?;
        holds(&events, Event::prefix().boot(), |e| *e == Event::Boot)?;
        holds(&events, Event::prefix(), |_| true)?;
        holds(&rows, Log::prefix().event_prefix(Event::prefix().login().user_range(texts.clone())), |r| {
            login(&r.event, &|u, _| within(u, &texts, Ord::cmp))
        })?;
        holds(&rows, Log::prefix().event_prefix(Event::prefix().crash()._0_starts_with("a")), |r| {
            matches!(&r.event, Event::Crash(why, _) if why.starts_with('a'))
        })?;
        holds(&rows, Log::prefix().event_prefix(Event::prefix().boot()), |r| r.event == Event::Boot)?;
        holds(&rows, Log::prefix().event_prefix(Event::prefix()), |_| true)?;
        let it = pick.get(&rows);
        let e = || Log::prefix().event(&it.event);
        let same = |r: &Log| r.event == it.event;
        holds(&rows, e().place_range(tuples.clone()), |r| same(r) && within(&r.place, &tuples, Ord::cmp))?;
        holds(&rows, e().place_prefix(tuple_prefix()._0(1)), |r| same(r) && r.place.0 == 1)?;
        holds(&rows, e().place_prefix(tuple_prefix()._0_range(1..)), |r| same(r) && r.place.0 >= 1)?;
        holds(&rows, e().place_prefix(tuple_prefix()._0(1)._1_range(texts.clone())), |r| {
            same(r) && r.place.0 == 1 && within(&r.place.1, &texts, Ord::cmp)
        })?;
        holds(&rows, e().place_prefix(tuple_prefix()._0(1)._1_starts_with("\0")), |r| {
            same(r) && r.place.0 == 1 && r.place.1.starts_with('\0')
        })?;
        let places: Vec<_> = rows.iter().map(|row| row.place.clone()).collect();
        holds(&places, Selection::between(tuples.clone()), |p| within(p, &tuples, Ord::cmp))?;
        holds(&places, tuple_prefix()._0(2)._1_in(["", "a"]), |p| p.0 == 2 && (p.1.is_empty() || p.1 == "a"))?;
    }
}

macro_rules! salted {
    ($($name:ident $test:ident ($($attr:tt)*) |$buckets:ident| $check:expr;)*) => {$(
        #[derive(RowKey, Debug, Clone)]
        #[rowkey($($attr)*)]
        struct $name {
            user: String,
            #[rowkey(desc)]
            at: i8,
            day: u8,
        }

        test! {
            $test(
                rows in many((text(), number(), 0..3u8).prop_map(|(user, at, day)| $name { user, at, day })),
                pick in any::<prop::sample::Index>(), users in bounds(text()), ats in bounds(number()),
            ) {
                let it = pick.get(&rows).clone();
                let p = $name::prefix;
                let user = |r: &$name| r.user == it.user;
                holds(&rows, p(), |_| true)?;
                holds(&rows, p().user_range(users.clone()), |r| within(&r.user, &users, Ord::cmp))?;
                holds(&rows, p().user_in([it.user.as_str(), "a"]), |r| user(r) || r.user == "a")?;
                holds(&rows, p().user_starts_with("a"), |r| r.user.starts_with('a'))?;
                holds(&rows, p().user(&it.user), user)?;
                holds(&rows, p().user(&it.user).at_range(ats), |r| user(r) && within(&r.at, &ats, Ord::cmp))?;
                holds(&rows, p().user(&it.user).at_in([it.at, 0]), |r| user(r) && [it.at, 0].contains(&r.at))?;
                holds(&rows, p().user(&it.user).at(it.at), |r| user(r) && r.at == it.at)?;
                holds(&rows, p().user(&it.user).at(it.at).day_in([it.day, 1]), |r| {
                    user(r) && r.at == it.at && [it.day, 1].contains(&r.day)
                })?;
                holds(&rows, p().user(&it.user).at(it.at).day(it.day), |r| {
                    user(r) && r.at == it.at && r.day == it.day
                })?;
                let $buckets = |selection: Selection<$name>| selection.ranges_by_bucket().len();
                let of = (p().user(&it.user).select(), p().user(&it.user).at(it.at).day(it.day).select());
                let check: fn(usize, usize) -> bool = $check;
                prop_assert!(check($buckets(of.0), $buckets(of.1)));
            }
        }
    )*};
}
salted! {
    SaltWhole salted_whole (salt(buckets = 5)) |buckets| |user, all| user == 5 && all == 1;
    SaltUser salted_by_the_first (salt(buckets = 300, by(user))) |buckets| |user, all| user == 1 && all == 1;
    SaltDay salted_by_the_last (salt(buckets = 256, by(day))) |buckets| |user, all| user == 256 && all == 1;
    SaltHex salted_in_hex (salt(buckets = 17, by(user, day), hash = java, format = hex))
        |buckets| |user, all| user == 17 && all == 1;
}

#[derive(RowKey, Debug, Clone)]
#[rowkey(hashed(bytes = 2, by(user)))]
struct Scattered {
    user: String,
    #[rowkey(desc)]
    at: i8,
}

#[derive(RowKey, Debug, Clone)]
#[rowkey(hashed(bytes = 1))]
struct Hashed {
    user: String,
    at: i8,
}

test! {
    hashed_keys(
        rows in many((text(), number()).prop_map(|(user, at)| Scattered { user, at })),
        pick in any::<prop::sample::Index>(), ats in bounds(number()),
    ) {
        let it = pick.get(&rows).clone();
        let user = |r: &Scattered| r.user == it.user;
        holds(&rows, Scattered::prefix(), |_| true)?;
        holds(&rows, Scattered::prefix().user(&it.user), user)?;
        holds(&rows, Scattered::prefix().user(&it.user).at_range(ats), |r| user(r) && within(&r.at, &ats, Ord::cmp))?;
        holds(&rows, Scattered::prefix().user(&it.user).at_in([0, 1]), |r| user(r) && [0, 1].contains(&r.at))?;
        holds(&rows, Scattered::prefix().user(&it.user).at(it.at), |r| user(r) && r.at == it.at)?;
        let whole: Vec<_> = rows.iter().map(|r| Hashed { user: r.user.clone(), at: r.at }).collect();
        holds(&whole, Hashed::prefix(), |_| true)?;
        holds(&whole, Hashed::prefix().user(&it.user).at(it.at), |r| r.user == it.user && r.at == it.at)?;
        let point = Hashed::prefix().user(&it.user).at(it.at).ranges();
        prop_assert_eq!(point, [KeyRange::point(Hashed { user: it.user, at: it.at }.encode())]);
    }
}
