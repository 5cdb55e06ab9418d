//! Typed keys of every type and attribute, laws 1 to 6.

use std::borrow::Cow;
use std::cmp::{Ordering, Reverse};
use std::marker::PhantomData;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::num::{NonZero, Saturating, Wrapping};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use rowkey::encode::{Encoding, Reader, Sink, Writer};
use rowkey::lead::Lead;
use rowkey::moment::Moment;
use rowkey::{Bucket, ChronoUtc, DecodeError, Layout, List, Micros, Millis, Nanos, RowKey, Seconds, laws};
use rust_decimal::Decimal;
use uuid::Uuid;

/// A struct, its strategy field by field, and its law; the order is that of the fields, `desc` ones turned round.
macro_rules! law {
    ($(#[$attr:meta])* $name:ident, $test:ident {
        $($(#[$field_attr:meta])* $field:ident: $ty:ty = $strategy:expr, $compare:expr;)*
    }) => {
        #[derive(RowKey, Debug)]
        $(#[$attr])*
        struct $name {
            $($(#[$field_attr])* $field: $ty,)*
        }

        #[test]
        fn $test() {
            let keys = || ($($strategy,)*).prop_map(|($($field,)*)| $name { $($field,)* }).boxed();
            let compare = |a: &$name, b: &$name| {
                let order = Ordering::Equal;
                $(let order = order.then_with(|| {
                    let compare: fn(&$ty, &$ty) -> Ordering = $compare;
                    compare(&a.$field, &b.$field)
                });)*
                order
            };
            laws::key(keys(), compare);
            if few_buckets(&$name::LAYOUT) {
                laws::scans(keys(), compare);
            }
        }
    };
}

/// Whether a scan of all buckets is worth repeating some thousand times.
fn few_buckets(layout: &Layout) -> bool {
    !matches!(layout.lead, Lead::Salt(salt) if salt.buckets > 16)
}

fn down<T: Ord>(a: &T, b: &T) -> Ordering {
    b.cmp(a)
}

fn text() -> impl Strategy<Value = String> + Clone {
    vec(prop_oneof![select(&['\0', '\u{1}', '\u{2}', 'a', 'b', 'é', '\u{10ffff}'][..])], 0..4)
        .prop_map(|chars| chars.into_iter().collect())
}

fn bytes() -> impl Strategy<Value = Vec<u8>> + Clone {
    vec(select(&[0u8, 1, 2, 0x7f, 0x80, 0xfe, 0xff][..]), 0..4)
}

fn time() -> impl Strategy<Value = SystemTime> {
    let seconds = prop_oneof![select(&[i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX][..]), any::<i64>()];
    let time = |(seconds, nanos): (i64, u32)| {
        let whole = Duration::from_secs(seconds.unsigned_abs());
        let at = if seconds < 0 { UNIX_EPOCH.checked_sub(whole) } else { UNIX_EPOCH.checked_add(whole) };
        at.and_then(|at| at.checked_add(Duration::from_nanos(nanos.into()))).unwrap_or(UNIX_EPOCH)
    };
    (seconds, nanos()).prop_map(time)
}

fn nanos() -> impl Strategy<Value = u32> {
    prop_oneof![select(&[0u32, 1, 999_999_999][..]), 0..1_000_000_000u32]
}

fn duration() -> impl Strategy<Value = Duration> {
    (prop_oneof![select(&[0, 1, u64::MAX][..]), any::<u64>()], nanos()).prop_map(|(s, ns)| Duration::new(s, ns))
}

law! { Unsigned, unsigned {
    a: u8 = any::<u8>(), Ord::cmp;
    #[rowkey(desc)]
    b: u16 = 0..3u16, down;
    c: u32 = any::<u32>(), Ord::cmp;
    #[rowkey(desc)]
    d: u64 = any::<u64>(), down;
    e: u128 = any::<u128>(), Ord::cmp;
} }

law! { Signed, signed {
    a: i8 = any::<i8>(), Ord::cmp;
    #[rowkey(desc)]
    b: i16 = -1..2i16, down;
    c: i32 = select(&[i32::MIN, -1, 0, 1, i32::MAX][..]), Ord::cmp;
    #[rowkey(desc)]
    d: i64 = select(&[i64::MIN, -1, 0, 1, i64::MAX][..]), down;
    e: i128 = any::<i128>(), Ord::cmp;
} }

law! { Floats, floats {
    a: f32 = prop_oneof![any::<f32>(), any::<u32>().prop_map(f32::from_bits)], f32::total_cmp;
    #[rowkey(desc)]
    b: f64 = prop_oneof![select(&[-0.0, 0.0, f64::NAN, -f64::NAN][..]), any::<u64>().prop_map(f64::from_bits)],
        |a, b| b.total_cmp(a);
} }

/// Small numbers, each with several scales, and any.
fn decimal() -> impl Strategy<Value = Decimal> + Clone {
    let any = (any::<[u32; 3]>(), any::<bool>(), 0..=Decimal::MAX_SCALE)
        .prop_map(|([lo, mid, hi], negative, scale)| Decimal::from_parts(lo, mid, hi, negative, scale));
    let small = (-1_000..1_000i64, 0..5u32).prop_map(|(n, scale)| Decimal::new(n, scale));
    let powers = (0..=Decimal::MAX_SCALE, 0..=Decimal::MAX_SCALE, -2..=2i128)
        .prop_map(|(power, scale, step)| Decimal::from_i128_with_scale(10i128.pow(power) + step, scale));
    prop_oneof![small, powers, any, select(&[Decimal::MIN, Decimal::MAX, Decimal::ZERO, Decimal::NEGATIVE_ONE][..])]
}

law! { Decimals, decimals {
    a: Decimal = decimal(), Ord::cmp;
    #[rowkey(desc)]
    b: Decimal = decimal(), down;
    #[rowkey(desc)]
    c: Option<Decimal> = proptest::option::of(decimal()), |a, b| nulls(a, b, false, down);
    #[rowkey(raw)]
    d: Decimal = decimal(), Ord::cmp;
} }

law! { Small, small {
    a: bool = any::<bool>(), Ord::cmp;
    #[rowkey(desc)]
    b: bool = any::<bool>(), down;
    c: char = any::<char>(), Ord::cmp;
    #[rowkey(desc)]
    d: char = select(&['\0', '\u{d7ff}', '\u{e000}', '\u{10ffff}'][..]), down;
} }

law! { Texts, texts {
    a: String = text(), Ord::cmp;
    #[rowkey(desc)]
    b: String = text(), down;
    c: Vec<u8> = bytes(), Ord::cmp;
    #[rowkey(desc)]
    d: Vec<u8> = bytes(), down;
} }

law! { Arrays, arrays_and_addresses {
    a: [u8; 3] = any::<[u8; 3]>(), Ord::cmp;
    #[rowkey(desc)]
    b: [u8; 0] = Just([]), Ord::cmp;
    c: Ipv4Addr = any::<Ipv4Addr>(), Ord::cmp;
    #[rowkey(desc)]
    d: Ipv6Addr = any::<Ipv6Addr>(), down;
    e: IpAddr = any::<IpAddr>(), Ord::cmp;
    #[rowkey(desc)]
    f: IpAddr = any::<IpAddr>(), down;
    g: Uuid = any::<u128>().prop_map(Uuid::from_u128), Ord::cmp;
} }

/// Seconds and nanoseconds since 1970: the ends of ranges often, and those of some types alone.
fn moment(ends: &'static [(i64, u32)]) -> impl Strategy<Value = (i64, u32)> {
    let edges = vec![(-1, 999_999_999), (-1, 0), (0, 0), (0, 1), (1_483_228_799, 999_999_999)];
    prop_oneof![select(edges), select(ends), (-3..3i64, nanos()), (ends[0].0..ends[1].0, nanos())]
}

const JIFF: [(i64, u32); 2] = [(-377_705_023_201, 0), (253_402_207_200, 999_999_999)];
const YEARS_9999: [(i64, u32); 2] = [(-377_705_116_800, 0), (253_402_300_799, 999_999_999)];
const CHRONO: [(i64, u32); 2] = [(-8_334_601_228_800, 0), (8_210_266_876_799, 999_999_999)];

law! { Units, units {
    a: Seconds = any::<i64>().prop_map(Seconds), Ord::cmp;
    #[rowkey(desc)]
    b: Millis = select(&[i64::MIN, -1, 0, 1, i64::MAX][..]).prop_map(Millis), down;
    c: Micros = any::<i64>().prop_map(Micros), Ord::cmp;
    #[rowkey(desc)]
    d: Nanos = any::<i64>().prop_map(Nanos), down;
    e: Bucket<Seconds, 3600> = (-1_000_000..1_000_000i64).prop_map(|s| Bucket::floor(Seconds(s)).unwrap()), Ord::cmp;
    #[rowkey(desc)]
    f: Bucket<jiff::Timestamp, 7> =
        moment(&JIFF).prop_filter_map("in range", |(s, ns)| Bucket::floor(Moment::from_unix(s, ns).unwrap()).ok()), down;
} }

law! { Others, strings_and_ids_of_other_crates {
    a: ulid::Ulid = any::<u128>().prop_map(ulid::Ulid), Ord::cmp;
    #[rowkey(desc)]
    b: ulid::Ulid = any::<u128>().prop_map(ulid::Ulid), down;
    c: bytes::Bytes = self::bytes().prop_map(Into::into), Ord::cmp;
    #[rowkey(desc)]
    d: smol_str::SmolStr = text().prop_map(Into::into), down;
    e: compact_str::CompactString = text().prop_map(Into::into), Ord::cmp;
    #[rowkey(desc)]
    f: arrayvec::ArrayString<16> = text().prop_map(|text| arrayvec::ArrayString::from(&text).unwrap()), down;
    #[rowkey(raw)]
    g: bytes::Bytes = self::bytes().prop_map(Into::into), Ord::cmp;
} }

law! { Foreign, instants_of_other_crates {
    a: jiff::Timestamp = moment(&JIFF).prop_map(|(s, ns)| Moment::from_unix(s, ns).unwrap()), Ord::cmp;
    #[rowkey(desc)]
    b: jiff::Timestamp = moment(&JIFF).prop_map(|(s, ns)| Moment::from_unix(s, ns).unwrap()), down;
    c: ChronoUtc = moment(&CHRONO).prop_map(|(s, ns)| Moment::from_unix(s, ns).unwrap()), Ord::cmp;
    #[rowkey(desc)]
    d: ChronoUtc = moment(&CHRONO).prop_map(|(s, ns)| Moment::from_unix(s, ns).unwrap()), down;
    e: time::UtcDateTime = moment(&YEARS_9999).prop_map(|(s, ns)| Moment::from_unix(s, ns).unwrap()), Ord::cmp;
    #[rowkey(desc)]
    f: time::UtcDateTime = moment(&YEARS_9999).prop_map(|(s, ns)| Moment::from_unix(s, ns).unwrap()), down;
} }

law! { Times, times {
    a: SystemTime = time(), Ord::cmp;
    #[rowkey(desc)]
    b: SystemTime = time(), down;
    c: Duration = duration(), Ord::cmp;
    #[rowkey(desc)]
    d: Duration = duration(), down;
} }

/// None first or last, the rest in its order.
fn nulls<T>(a: &Option<T>, b: &Option<T>, first: bool, rest: impl Fn(&T, &T) -> Ordering) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => rest(a, b),
        (a, b) if first => a.is_some().cmp(&b.is_some()),
        (a, b) => a.is_none().cmp(&b.is_none()),
    }
}

law! { Nulls, nulls_on_every_side {
    a: Option<u8> = any::<Option<u8>>(), |a, b| nulls(a, b, true, Ord::cmp);
    #[rowkey(nulls_last)]
    b: Option<String> = proptest::option::of(text()), |a, b| nulls(a, b, false, Ord::cmp);
    #[rowkey(desc)]
    c: Option<String> = proptest::option::of(text()), |a, b| nulls(a, b, false, down);
    #[rowkey(desc, nulls_first)]
    d: Option<u8> = any::<Option<u8>>(), |a, b| nulls(a, b, true, down);
    #[rowkey(nulls_first)]
    e: Option<Option<bool>> = any::<Option<Option<bool>>>(), |a, b| nulls(a, b, true, Ord::cmp);
    #[rowkey(desc, nulls_last)]
    f: Option<bool> = any::<Option<bool>>(), |a, b| nulls(a, b, false, down);
} }

fn list<T: std::fmt::Debug>(items: impl Strategy<Value = T>) -> impl Strategy<Value = List<T>> {
    vec(items, 0..4).prop_map(List)
}

law! { Lists, lists {
    a: List<String> = list(text()), Ord::cmp;
    #[rowkey(desc)]
    b: List<Option<u8>> = list(any::<Option<u8>>()), down;
    c: List<List<Reverse<u8>>> = list(list((0..3u8).prop_map(Reverse))), Ord::cmp;
    d: List<()> = list(Just(())), Ord::cmp;
} }

#[derive(RowKey, Debug, Clone, PartialEq, Eq)]
struct Inner {
    name: String,
    #[rowkey(desc)]
    at: i8,
    #[rowkey(desc)]
    note: Option<String>,
}

impl Ord for Inner {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_name = self.name.cmp(&other.name).then(other.at.cmp(&self.at));
        by_name.then(nulls(&self.note, &other.note, false, down))
    }
}

impl PartialOrd for Inner {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn inner() -> impl Strategy<Value = Inner> + Clone {
    (text(), -1..2i8, proptest::option::of(text())).prop_map(|(name, at, note)| Inner { name, at, note })
}

law! { Nested, nested_keys_and_tuples {
    a: Inner = inner(), Ord::cmp;
    #[rowkey(desc)]
    b: Inner = inner(), down;
    #[rowkey(desc)]
    c: (u8, Inner) = (0..2u8, inner()), down;
    d: Reverse<(String, Reverse<Vec<u8>>)> = (text(), bytes()).prop_map(|(a, b)| Reverse((a, Reverse(b)))), Ord::cmp;
    e: (bool, ()) = (any::<bool>(), Just(())), Ord::cmp;
} }

/// Declared in another order than its tags say.
#[derive(RowKey, Debug, Clone, PartialEq)]
enum Event {
    #[rowkey(tag = 200)]
    Crash(String, #[rowkey(desc)] u8),
    #[rowkey(tag = 0)]
    Boot,
    #[rowkey(tag = 7)]
    Login {
        user: String,
        #[rowkey(desc)]
        at: i16,
    },
}

fn events() -> impl Strategy<Value = Event> + Clone {
    prop_oneof![
        (text(), any::<u8>()).prop_map(|(why, code)| Event::Crash(why, code)),
        Just(Event::Boot),
        (text(), -1..2i16).prop_map(|(user, at)| Event::Login { user, at }),
    ]
}

fn event_order(a: &Event, b: &Event) -> Ordering {
    match (a, b) {
        (Event::Boot, Event::Boot) => Ordering::Equal,
        (Event::Login { user: a, at: x }, Event::Login { user: b, at: y }) => a.cmp(b).then(y.cmp(x)),
        (Event::Crash(a, x), Event::Crash(b, y)) => a.cmp(b).then(y.cmp(x)),
        (Event::Boot, _) | (Event::Login { .. }, Event::Crash(..)) => Ordering::Less,
        _ => Ordering::Greater,
    }
}

#[derive(RowKey, Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
enum Kind {
    Low = 1,
    High = 255,
}

#[test]
fn an_enum_is_a_key() {
    laws::key(events(), event_order);
}

law! { Enums, enums {
    a: Event = events(), event_order;
    #[rowkey(desc)]
    b: Event = events(), |a, b| event_order(b, a);
    #[rowkey(desc)]
    c: Kind = select(&[Kind::Low, Kind::High][..]), down;
} }

#[derive(RowKey, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[rowkey(transparent)]
struct Email(String);

#[derive(RowKey, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Wrapped(List<u8>);

law! { Newtypes, newtypes_and_wrappers {
    a: Email = text().prop_map(Email), Ord::cmp;
    #[rowkey(desc)]
    b: Email = text().prop_map(Email), down;
    #[rowkey(desc)]
    c: Wrapped = list(any::<u8>()).prop_map(Wrapped), down;
    d: Reverse<String> = text().prop_map(Reverse), Ord::cmp;
    e: Wrapping<i16> = any::<i16>().prop_map(Wrapping), Ord::cmp;
    #[rowkey(desc)]
    f: Saturating<u8> = any::<u8>().prop_map(Saturating), down;
    g: NonZero<i32> = any::<NonZero<i32>>(), Ord::cmp;
    #[rowkey(desc)]
    h: NonZero<u8> = any::<NonZero<u8>>(), down;
} }

law! { Pointers, pointers {
    a: Box<str> = text().prop_map(Into::into), Ord::cmp;
    #[rowkey(desc)]
    b: Rc<str> = text().prop_map(Into::into), down;
    c: Arc<[u8]> = bytes().prop_map(Into::into), Ord::cmp;
    #[rowkey(desc)]
    d: Box<u16> = any::<Box<u16>>(), down;
    e: Rc<String> = text().prop_map(Into::into), Ord::cmp;
    f: Arc<Option<i8>> = any::<Option<i8>>().prop_map(Into::into), Ord::cmp;
} }

#[derive(RowKey, Debug)]
struct Generic<T, const N: usize> {
    id: T,
    nothing: PhantomData<fn() -> T>,
    #[rowkey(desc)]
    tail: [u8; N],
}

#[test]
fn generic_keys() {
    let keys = (text(), any::<[u8; 2]>()).prop_map(|(id, tail)| Generic { id, nothing: PhantomData, tail });
    laws::key(keys, |a, b| a.id.cmp(&b.id).then(b.tail.cmp(&a.tail)));
}

#[test]
fn plain_fields_are_keys() {
    laws::key((text(), inner(), any::<u8>()), Ord::cmp);
    laws::key(any::<i128>(), Ord::cmp);
    laws::key(decimal(), Ord::cmp);
    laws::key(list(bytes()), Ord::cmp);
    laws::key(
        (
            any::<[u8; 1]>(),
            any::<bool>(),
            text(),
            any::<i8>(),
            bytes(),
            any::<char>(),
            any::<u16>(),
            text(),
            text(),
            0..2u8,
        ),
        Ord::cmp,
    );
}

#[derive(RowKey, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Page<'a> {
    host: Cow<'a, str>,
    user: Cow<'a, [u8]>,
    id: &'a [u8; 2],
    #[rowkey(raw)]
    path: &'a str,
}

#[test]
fn borrowed_keys() {
    let page = |(host, user, path)| Page { host: Cow::Owned(host), user: Cow::Owned(user), id: b"\x00\xff", path };
    let paths = select(&["", "/", "/a", "/a\0", "/a\u{1}", "/b", "é"][..]);
    laws::borrowed_key((text(), bytes(), paths).prop_map(page), Ord::cmp);
}

law! { RawText, raw_text {
    a: u8 = 0..2u8, Ord::cmp;
    #[rowkey(raw)]
    b: String = text(), Ord::cmp;
} }

law! { RawBytes, raw_bytes_alone {
    #[rowkey(raw)]
    a: Vec<u8> = bytes(), Ord::cmp;
} }

law! { RawList, raw_list {
    a: String = text(), Ord::cmp;
    #[rowkey(raw)]
    b: List<(i16, Reverse<bool>)> = list((any::<i16>(), any::<bool>().prop_map(Reverse))), Ord::cmp;
} }

law! { RawTransparent, raw_transparent {
    #[rowkey(desc)]
    a: bool = any::<bool>(), down;
    #[rowkey(raw)]
    b: Email = text().prop_map(Email), Ord::cmp;
} }

fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

macro_rules! salted {
    ($($name:ident $test:ident ($($attr:tt)*);)*) => {$(
        law! { #[rowkey($($attr)*)] $name, $test {
            user: String = text(), Ord::cmp;
            #[rowkey(desc)]
            at: i16 = -1..2i16, down;
            day: Vec<u8> = bytes(), Ord::cmp;
        } }
    )*};
}
salted! {
    SaltXxh3 salt_xxh3 (salt(buckets = 16));
    SaltXxh64 salt_xxh64 (salt(buckets = 7, hash = xxh64, by(user)));
    SaltMd5 salt_md5 (salt(buckets = 256, hash = md5, by(at), format = hex));
    SaltJava salt_java (salt(buckets = 257, hash = java, by(user, day)));
    SaltHex salt_hex (salt(buckets = 16, by(at, day), format = hex));
    SaltLongHex salt_long_hex (salt(buckets = 65_536, by(day), format = hex));
    SaltMany salt_many (salt(buckets = 65_536));
    SaltOne salt_one (salt(buckets = 1, by(user)));
    SaltOwn salt_own (salt(buckets = 300, hash("fnv1a", fnv), by(user)));
    DigestWhole digest_whole (hashed());
    DigestShort digest_short (hashed(bytes = 1, by(user)));
    DigestTwo digest_two (hashed(bytes = 4, by(user, at)));
}

law! { #[rowkey(salt(buckets = 4, by(site)))] SaltRaw, salt_before_raw {
    site: u8 = 0..3u8, Ord::cmp;
    #[rowkey(raw)]
    path: String = text(), Ord::cmp;
} }

struct U24;

impl Encoding<u32> for U24 {
    const SHAPE: &'static str = "u24";
    const WIDTH: Option<usize> = Some(3);
    fn encode<S: Sink>(id: &u32, w: &mut Writer<'_, S>) {
        let [_, a, b, c] = id.to_be_bytes();
        w.array([a, b, c]);
    }
    fn decode(r: &mut Reader<'_>) -> Result<u32, DecodeError> {
        r.array().map(|[a, b, c]| u32::from_be_bytes([0, a, b, c]))
    }
}

/// A number in as few bytes as it needs, their count before them.
struct Short;

impl Encoding<u32> for Short {
    const SHAPE: &'static str = "short";
    fn encode<S: Sink>(n: &u32, w: &mut Writer<'_, S>) {
        let zeros = n.leading_zeros() as usize / 8;
        w.byte(4 - zeros as u8);
        w.bytes(&n.to_be_bytes()[zeros..]);
    }
    fn decode(r: &mut Reader<'_>) -> Result<u32, DecodeError> {
        let at = r.offset();
        let len = r.byte()?;
        if len > 4 {
            return Err(r.unknown_byte(at, "the length", &[0, 1, 2, 3, 4]));
        }
        let bytes = r.bytes(len.into())?;
        match bytes.first() {
            Some(0) => Err(r.bad_value(at, "a leading zero", "a number has no more bytes than it needs")),
            _ => Ok(bytes.iter().fold(0, |n, &byte| n << 8 | u32::from(byte))),
        }
    }
}

fn numbers() -> impl Strategy<Value = u32> {
    (any::<u32>(), 0..32u32).prop_map(|(n, shift)| n >> shift)
}

#[test]
fn encodings_of_one_s_own() {
    laws::encoding::<U24, u32>(0..1u32 << 24, Ord::cmp);
    laws::encoding::<Short, u32>(numbers(), Ord::cmp);
}

law! { Own, keys_with_encodings_of_one_s_own {
    #[rowkey(with = Short)]
    a: u32 = numbers(), Ord::cmp;
    #[rowkey(with = U24, desc)]
    b: u32 = 0..1u32 << 24, down;
    #[rowkey(with = Short, desc)]
    c: u32 = numbers(), down;
} }

mod broken {
    //! The laws find what is wrong.

    use super::*;

    fn broken(law: &str, prove: fn()) {
        let panic = std::panic::catch_unwind(prove).expect_err(law);
        let told = panic.downcast_ref::<String>().map_or("", String::as_str);
        assert!(told.contains(law), "{law} is not in: {told}");
    }

    macro_rules! encoding {
        ($name:ident, $width:expr, $n:ident, $w:ident => $encode:expr, $r:ident => $decode:expr) => {
            struct $name;
            impl Encoding<u16> for $name {
                const SHAPE: &'static str = "broken";
                const WIDTH: Option<usize> = $width;
                fn encode<S: Sink>($n: &u16, $w: &mut Writer<'_, S>) {
                    $encode
                }
                fn decode($r: &mut Reader<'_>) -> Result<u16, DecodeError> {
                    $decode
                }
            }
        };
    }
    encoding!(LittleEndian, None, n, w => w.array(n.to_le_bytes()), r => r.array().map(u16::from_le_bytes));
    encoding!(Lossy, None, n, w => w.array((n | 1).to_be_bytes()), r => r.array().map(u16::from_be_bytes));
    encoding!(Lenient, None, n, w => w.array([(*n > 9).into(), (*n >> 8) as u8, *n as u8]), r => {
        r.array().map(|[_, a, b]| u16::from_be_bytes([a, b]))
    });
    encoding!(WrongWidth, Some(3), n, w => w.array(n.to_be_bytes()), r => r.array().map(u16::from_be_bytes));
    encoding!(Unended, None, n, w => w.bytes(&n.to_be_bytes()[usize::from(*n < 256)..]), r => {
        let Ok(first) = r.byte() else { return Ok(0) };
        Ok(r.byte().map_or(first.into(), |second| u16::from_be_bytes([first, second])))
    });

    #[test]
    fn encodings() {
        broken("law 1 (order)", || laws::encoding::<LittleEndian, u16>(any::<u16>(), Ord::cmp));
        broken("law 2 (round trip)", || laws::encoding::<Lossy, u16>(any::<u16>(), Ord::cmp));
        broken("law 3 (one form)", || laws::encoding::<Lenient, u16>(any::<u16>(), Ord::cmp));
        broken("law 2 (round trip)", || laws::encoding::<WrongWidth, u16>(any::<u16>(), Ord::cmp));
        broken("is broken", || laws::encoding::<Unended, u16>(any::<u16>(), Ord::cmp));
    }

    #[test]
    fn a_comparator_that_forgets_desc() {
        let keys = || inner().prop_map(|inner| (0u8, inner));
        broken("law 1 (order)", || laws::key((0..2u8, inner()), |a, b| a.1.at.cmp(&b.1.at)));
        laws::key(keys(), Ord::cmp);
    }
}
