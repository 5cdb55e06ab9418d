//! What the derive makes: bytes, layouts, decoding, prefixes, for every kind of key.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::marker::PhantomData;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::num::{NonZero, Saturating, Wrapping};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rowkey::encode::{Encoding, IntoField, RawField, RawOf, Reader, Sink, Writer};
use rowkey::geo::{QuadKey, Tile};
use rowkey::prefix::tuple_prefix;
use rowkey::{
    Bucket, DecodeError, HostPath, KeyRange, LayoutBuf, List, Micros, Millis, Nanos, RowKey, Seconds, Select, Selection,
};

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Recent actions of a user, newest first.
#[derive(RowKey, Debug, Clone, PartialEq)]
struct Action {
    user: u64,
    #[rowkey(desc)]
    at: i64,
    event: u32,
}

#[test]
fn named_struct() {
    let action = Action { user: 42, at: 1, event: 7 };
    assert_eq!(hex(&action.encode()), "000000000000002a7ffffffffffffffe00000007");
    assert_eq!(Action::decode(&action.encode()).unwrap(), action);
    assert_eq!(Action::LAYOUT.shape(), "u64, i64 desc, u32");
    assert_eq!(Action::WIDTH, 20);
    assert_eq!(action.to_array().to_vec(), action.encode());
    let mut buf = [0; 20];
    action.encode_into(&mut buf).unwrap();
    assert_eq!(buf, action.to_array());
    let error = action.encode_into(&mut buf[1..]).unwrap_err();
    assert_eq!(error.to_string(), "the key has 20 bytes, but the buffer has 19");
    let mut two = action.encode();
    action.encode_to(&mut two);
    assert_eq!(two, [action.encode(), action.encode()].concat());
}

#[derive(RowKey, Debug, Clone, PartialEq)]
struct Pair(u8, #[rowkey(desc)] String);

#[derive(RowKey, Debug, Clone, PartialEq)]
#[rowkey(transparent)]
struct Email(String);

#[derive(RowKey, Debug, Clone, PartialEq)]
struct Wrapped(String);

#[derive(RowKey, Debug, Clone, PartialEq)]
enum Event {
    #[rowkey(tag = 7)]
    Login {
        user: u64,
        #[rowkey(desc)]
        at: i16,
    },
    #[rowkey(tag = 1)]
    Boot,
    #[rowkey(tag = 200)]
    Crash(String, u8),
}

#[derive(RowKey, Debug, Clone, Copy, PartialEq)]
#[repr(u8)]
enum Kind {
    Low = 3,
    High = 1,
}

#[derive(RowKey, Debug, Clone, PartialEq)]
struct Nested {
    #[rowkey(desc)]
    pair: Pair,
    mail: Email,
    wrapped: Wrapped,
    event: Event,
    #[rowkey(nulls_last)]
    maybe: Option<u8>,
    #[rowkey(desc, nulls_first)]
    other: Option<Kind>,
    nothing: PhantomData<String>,
    tags: List<(u8, Kind)>,
}

#[test]
fn nested() {
    let key = Nested {
        pair: Pair(1, "a".into()),
        mail: Email("m".into()),
        wrapped: Wrapped("w".into()),
        event: Event::Login { user: 5, at: -1 },
        maybe: None,
        other: Some(Kind::Low),
        nothing: PhantomData,
        tags: List(vec![(1, Kind::High)]),
    };
    let bytes = key.encode();
    assert_eq!(hex(&bytes), "fe61006d0077000700000000000000058000 02fefc0101 01 00".replace(' ', ""));
    assert_eq!(Nested::decode(&bytes).unwrap(), key);
    assert_eq!(
        Nested::LAYOUT.shape(),
        "(u8, text desc) desc, text, (text), enum{1: (), 7: (u64, i16 desc), 200: (text, u8)}, \
         option<u8> nulls_last, option<enum{1: (), 3: ()}> desc nulls_first, list<(u8, enum{1: (), 3: ()})>"
    );
    let layout = LayoutBuf::from(&Nested::LAYOUT);
    assert_eq!(layout.encode(&layout.decode(&bytes).unwrap()).unwrap(), bytes);
    assert_eq!(LayoutBuf::from_json(&layout.to_json()).unwrap(), layout);
    assert_eq!(Kind::WIDTH, 1);
}

#[test]
fn errors_name_key_field_offset_and_find() {
    let mut bytes = Nested {
        pair: Pair(1, "a".into()),
        mail: Email("m".into()),
        wrapped: Wrapped("w".into()),
        event: Event::Login { user: 5, at: -1 },
        maybe: None,
        other: None,
        nothing: PhantomData,
        tags: List(vec![]),
    }
    .encode();
    bytes.truncate(12);
    let error = Nested::decode(&bytes).unwrap_err();
    assert_eq!(error.to_string(), "Nested.event.Login.user at byte 12: the key ends here, expected 4 more bytes");
    assert_eq!(LayoutBuf::from(&Nested::LAYOUT).decode(&bytes).unwrap_err(), error);
    let error = Event::decode(&[9]).unwrap_err();
    assert_eq!(error.to_string(), "Event at byte 0: found 09, the tag is 01 or 07 or c8");
    let error = Action::decode(&[0; 21]).unwrap_err();
    assert_eq!(error.to_string(), "Action at byte 20: 1 bytes are left after the last field, from 00 on");
}

#[derive(RowKey, Debug, Clone, PartialEq)]
struct Page<'a> {
    host: Cow<'a, str>,
    #[rowkey(raw)]
    path: &'a str,
}

#[test]
fn borrowed() {
    let key = Page { host: "a.b".into(), path: "/x\0" }.encode();
    assert_eq!(key, b"a.b\0/x\0");
    let page = Page::decode(&key).unwrap();
    assert!(matches!(page.host, Cow::Borrowed("a.b")));
    assert_eq!(page.path, "/x\0");
    let ranges = Page::prefix().host("a.b").path_range("/a".."/b").ranges();
    assert_eq!(ranges, [KeyRange::new(*b"a.b\0/a", Some(*b"a.b\0/b")).unwrap()]);
    let one = Page::prefix().host("a.b".to_owned()).path("/a").ranges();
    assert_eq!(one, [KeyRange::point(*b"a.b\0/a")]);
    let under = Page::prefix().host("a.b").path_starts_with("/a").ranges();
    assert_eq!(under, [KeyRange::prefix(*b"a.b\0/a")]);
}

#[derive(RowKey, Debug, Clone, PartialEq)]
struct Device<'a> {
    mac: &'a [u8; 2],
    port: Option<&'a [u8; 1]>,
    hour: u8,
}

#[test]
#[expect(clippy::needless_borrows_for_generic_args, reason = "references are taken, too")]
fn borrowed_arrays() {
    let key = Device { mac: b"ab", port: Some(b"c"), hour: 7 }.encode();
    let device = Device::decode(&key).unwrap();
    assert_eq!(device, Device { mac: b"ab", port: Some(b"c"), hour: 7 });
    let due = [KeyRange::prefix(*b"ab\x01c")];
    assert_eq!(Device::prefix().mac(b"ab").port(Some(b"c")).ranges(), due);
    assert_eq!(Device::prefix().mac(*b"ab").port(Some(*b"c")).ranges(), due);
    assert_eq!(Device::prefix().mac(device.mac).port(device.port).ranges(), due);
    assert_eq!(Device::prefix().mac(&device.mac).port(&device.port).ranges(), due);
    let range = [KeyRange::new(*b"ab", Some(*b"ac")).unwrap()];
    assert_eq!(Device::prefix().mac_range(b"ab"..b"ac").ranges(), range);
    assert_eq!(Device::prefix().mac_in([b"ab"..b"ac"]).ranges(), range);
    assert_eq!(Device::prefix().mac_in([b"ab"]).ranges(), [KeyRange::prefix(*b"ab")]);
    assert_eq!(Selection::<&[u8; 2]>::between(b"ab"..b"ac").ranges(), range);
}

/// A prefix takes a field's own type and a reference to it, whatever the type.
#[test]
fn every_field_is_a_value_for_itself() {
    fn takes<T>()
    where
        T: rowkey::encode::Field + IntoField<T>,
        for<'x> &'x T: IntoField<T>,
    {
    }
    macro_rules! takes {
        ($($type:ty),* $(,)?) => {$( takes::<$type>(); )*};
    }
    takes! {
        u8, i128, f32, f64, bool, char, NonZero<u16>, Wrapping<i8>, Saturating<u8>, Reverse<u8>, (),
        String, Box<str>, Rc<str>, Arc<str>, Cow<'static, str>, &'static str,
        Vec<u8>, Box<[u8]>, Rc<[u8]>, Arc<[u8]>, Cow<'static, [u8]>, &'static [u8],
        [u8; 4], &'static [u8; 4], Box<u8>, Rc<u8>, Arc<u8>, Box<&'static [u8; 4]>,
        IpAddr, Ipv4Addr, Ipv6Addr, SystemTime, Duration, Seconds, Millis, Micros, Nanos, Bucket<Millis, 60>,
        Option<u8>, Option<&'static str>, Option<&'static [u8; 4]>, List<u8>, List<&'static [u8; 4]>,
        (u8,), (&'static [u8; 4], &'static str), HostPath, QuadKey<3>, Tile,
        Action, Email, Event, Nested, Link<'static>, Device<'static>,
        rowkey::UrlKey, uuid::Uuid, ulid::Ulid, rust_decimal::Decimal, bytes::Bytes, smol_str::SmolStr,
        compact_str::CompactString, arrayvec::ArrayString<8>, jiff::Timestamp, rowkey::ChronoUtc, time::UtcDateTime,
    }
}

/// So it does where the field is raw.
#[test]
fn every_raw_field_is_a_value_for_itself() {
    fn takes<T>()
    where
        T: RawField + IntoField<RawOf<T>>,
        for<'x> &'x T: IntoField<RawOf<T>>,
    {
    }
    macro_rules! takes {
        ($($type:ty),* $(,)?) => {$( takes::<$type>(); )*};
    }
    takes! {
        String, Box<str>, Rc<str>, Arc<str>, Cow<'static, str>, &'static str,
        Vec<u8>, Box<[u8]>, Rc<[u8]>, Arc<[u8]>, Cow<'static, [u8]>, &'static [u8],
        HostPath, List<u8>, List<[u8; 4]>, List<&'static [u8; 4]>, Email, Wrapped, rust_decimal::Decimal, bytes::Bytes,
        smol_str::SmolStr, compact_str::CompactString, arrayvec::ArrayString<8>,
    }
}

#[derive(RowKey, Debug, Clone, PartialEq)]
struct Link<'a>(&'a str, Cow<'a, [u8]>);

#[derive(RowKey, Debug, Clone, PartialEq)]
struct Generic<T, const N: usize> {
    id: T,
    bytes: [u8; N],
}

#[test]
fn generic() {
    let key = Generic { id: 7u16, bytes: [1, 2, 3] };
    assert_eq!(key.encode(), [0, 7, 1, 2, 3]);
    assert_eq!(Generic::decode(&key.encode()).unwrap(), key);
    assert_eq!(Generic::<u16, 3>::WIDTH, 5);
    assert_eq!(Generic::<String, 1>::LAYOUT.shape(), "text, bytes[1]");
    assert_eq!(Generic::<u16, 3>::prefix().id(7).ranges(), [KeyRange::prefix([0, 7])]);
}

fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

#[derive(RowKey, Debug, Clone, PartialEq)]
#[rowkey(salt(buckets = 16, by(user, day), hash = md5, format = hex))]
struct Salted {
    user: String,
    #[rowkey(desc)]
    at: u32,
    day: u16,
}

#[derive(RowKey, Debug, Clone, PartialEq)]
#[rowkey(salt(buckets = 300, hash("fnv1a", fnv)))]
struct OwnHash {
    id: u32,
}

#[derive(RowKey, Debug, Clone, PartialEq)]
#[rowkey(hashed(bytes = 4, by(user)), prefix = ScatteredBy)]
struct Scattered {
    user: u64,
    at: u64,
}

#[test]
fn salt_and_digest() {
    let key = Salted { user: "a".into(), at: 1, day: 2 };
    assert_eq!(Salted::LAYOUT.shape(), "salt(16 md5 hex by 0 2) text, u32 desc, u16");
    let by_layout = LayoutBuf::from(&Salted::LAYOUT);
    let bytes = key.encode();
    assert_eq!(by_layout.encode(&by_layout.decode(&bytes).unwrap()).unwrap(), bytes);
    assert_eq!(Salted::decode(&bytes).unwrap(), key);
    assert_eq!(Salted::prefix().user("a").ranges().len(), 16);
    let one = Salted::prefix().user("a").at(1).day(2).ranges();
    assert_eq!(one, [KeyRange::point(bytes.clone())]);
    let mut wrong = bytes.clone();
    wrong[0] = b'G';
    let error = Salted::decode(&wrong).unwrap_err();
    assert!(error.to_string().starts_with("Salted at byte 0: found salt 47, this key's is 3"), "{error}");

    assert_eq!(OwnHash::LAYOUT.shape(), "salt(300 fnv1a) u32");
    let key = OwnHash { id: 9 };
    assert_eq!(u64::from(u16::from_be_bytes([key.to_array()[0], key.to_array()[1]])), fnv(&[0, 0, 0, 9]) % 300);
    assert_eq!(OwnHash::decode(&key.encode()).unwrap(), key);
    assert_eq!(OwnHash::prefix().id_in([1, 2]).ranges().len(), 2);
    assert_eq!(OwnHash::prefix().id_in([1..2, 2..3]).ranges().len(), 300);

    let key = Scattered { user: 1, at: 2 };
    let _: ScatteredBy<1> = Scattered::prefix().user(1);
    assert_eq!(Scattered::LAYOUT.shape(), "md5(4 by 0) u64, u64");
    let ranges = Scattered::prefix().user(1).at_range(1..).ranges();
    assert!(ranges.len() == 1 && ranges[0].contains(&key.encode()));
    assert_eq!(Scattered::prefix().ranges(), [KeyRange::all()]);
    assert_eq!(Scattered::decode(&key.encode()).unwrap(), key);
}

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
    fn describe(id: &u32) -> String {
        format!("#{id}")
    }
}

#[derive(RowKey, Debug, Clone, Copy, PartialEq)]
#[rowkey(transparent)]
struct Uid(#[rowkey(with = U24)] u32);

#[derive(RowKey, Debug, Clone, PartialEq)]
struct Metric {
    uid: Uid,
    #[rowkey(with = U24, desc)]
    other: u32,
}

/// An encoding that says a wrong width.
struct Liar;

impl Encoding<u32> for Liar {
    const SHAPE: &'static str = "liar";
    const WIDTH: Option<usize> = Some(3);
    fn encode<S: Sink>(id: &u32, w: &mut Writer<'_, S>) {
        w.array(id.to_be_bytes());
    }
    fn decode(r: &mut Reader<'_>) -> Result<u32, DecodeError> {
        r.array().map(u32::from_be_bytes)
    }
}

#[derive(RowKey, Debug, Clone, PartialEq)]
struct Lied {
    #[rowkey(with = Liar)]
    id: u32,
    behind: u8,
}

#[test]
fn a_wrong_width_loses_no_byte_and_is_told() {
    let key = Lied { id: 7, behind: 9 }.encode();
    assert_eq!(key, [0, 0, 0, 7, 9]);
    let error = Lied::decode(&key).unwrap_err();
    assert_eq!(error.to_string(), "Lied at byte 5: found 5 bytes, expected the width that the key's fields state");
}

/// Text in this many bytes, padded with blanks.
struct Pad<const N: usize>;

impl<const N: usize> Encoding<String> for Pad<N> {
    const SHAPE: &'static str = "padded";
    const WIDTH: Option<usize> = Some(N);

    fn encode<S: Sink>(text: &String, w: &mut Writer<'_, S>) {
        w.bytes(format!("{text:N$}").as_bytes());
    }

    fn decode(r: &mut Reader<'_>) -> Result<String, DecodeError> {
        Ok(String::from_utf8_lossy(&r.bytes(N)?).trim_end().to_owned())
    }
}

/// A path is written as in an expression, or as in a type.
#[derive(RowKey, Debug, PartialEq)]
struct Padded {
    #[rowkey(with = Pad<4>, desc)]
    a: String,
    #[rowkey(with = Pad::<3>)]
    b: String,
    #[rowkey(desc, with = self::Pad<2>)]
    c: String,
}

#[test]
fn with_a_generic_encoding() {
    let key = Padded { a: "a".into(), b: "b".into(), c: "c".into() };
    assert_eq!(key.encode(), [&b"a   ".map(|b| !b)[..], b"b  ", &b"c ".map(|b| !b)].concat());
    assert_eq!(Padded::decode(&key.encode()).unwrap(), key);
    assert_eq!(Padded::WIDTH, 9);
}

#[test]
fn with() {
    let key = Metric { uid: Uid(7), other: 1 };
    assert_eq!(key.encode(), [0, 0, 7, 255, 255, 254]);
    assert_eq!(Metric::WIDTH, 6);
    assert_eq!(Metric::decode(&key.encode()).unwrap(), key);
    assert_eq!(Metric::LAYOUT.shape(), "u24, u24 desc");
    assert!(Metric::explain(&key.encode()).to_string().contains("#1"));
    assert_eq!(
        Metric::prefix().uid(Uid(7)).other_range(1..=2).ranges(),
        [KeyRange::new([0, 0, 7, 255, 255, 253], Some([0, 0, 7, 255, 255, 255]),).unwrap()]
    );
}

#[test]
fn prefixes_of_nested_keys_enums_and_tuples() {
    let pair = Nested::prefix().pair_prefix(Pair::prefix()._0(1)).ranges();
    assert_eq!(pair, [KeyRange::prefix([0xfe])]);
    let pair = Nested::prefix().pair_prefix(Pair::prefix()._0(1)._1_starts_with("a")).ranges();
    assert_eq!(pair, [KeyRange::prefix([0xfe, b'a'])]);
    let login = Event::prefix().login().user(5).at_range(..0).ranges();
    assert_eq!(login, [KeyRange::new([7, 0, 0, 0, 0, 0, 0, 0, 5, 0x80], Some([7, 0, 0, 0, 0, 0, 0, 0, 6])).unwrap()]);
    assert_eq!(Event::prefix().boot().ranges(), [KeyRange::prefix([1])]);
    assert_eq!(Event::prefix().ranges(), [KeyRange::all()]);
    let tuple = tuple_prefix::<(u8, String)>()._0(1)._1_in(["a", "b"]).ranges();
    assert_eq!(tuple, [KeyRange::prefix(*b"\x01a\0"), KeyRange::prefix(*b"\x01b\0")]);
    let last = Nested::prefix()
        .pair(Pair(1, "a".into()))
        .mail(Email("m".into()))
        .wrapped_prefix(Wrapped::prefix()._0_starts_with("w"))
        .ranges();
    assert_eq!(last, [KeyRange::prefix(*b"\xfea\0m\0w")]);
}

type Options10<T> = Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<T>>>>>>>>>>;
type Options50<T> = Options10<Options10<Options10<Options10<Options10<T>>>>>;

#[derive(RowKey)]
struct Deep(Options50<Options50<(Before,)>>);

#[derive(RowKey)]
struct Deeper(Options50<Options50<(After,)>>);

#[derive(RowKey)]
#[repr(u8)]
enum Before {
    A = 1,
}

#[derive(RowKey)]
#[repr(u8)]
enum After {
    A = 1,
    B = 2,
}

/// The shape that a table is kept by is read again, however deep a key's types are nested.
#[test]
fn a_table_of_the_deepest_keys_is_opened_again() {
    let db = rowkey::Memory::new();
    let open = || rowkey::Table::<Deep, (), _>::open(&db, "deep");
    open().unwrap();
    open().unwrap();
    let layout: LayoutBuf = Deep::LAYOUT.shape().parse().unwrap();
    assert_eq!(layout.shape(), Deep::LAYOUT.shape());
    assert_eq!(Deep::explain(&[1; 101]).error, None);
    // One variant more: what is kept is compared with what is given.
    rowkey::Table::<Deeper, (), _>::open(&db, "deep").unwrap();
    assert!(open().is_err());
}
