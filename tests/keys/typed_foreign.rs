//! Keys of other programs by their Rust types: the layout, the bytes and the ranges are those of the untyped layout.

use std::cmp::Ordering;
use std::fmt::Debug;
use std::ops::Bound;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use rowkey::encode::Micros;
use rowkey::foreign::{
    Before, BeforeBytes, BeforeLast, BigEndian, Char, CharText, Constant, ConstantBytes, Decimal, Fdb, FdbAny, FdbUuid,
    FdbVersionstamp, Groups, HexBytes, JavaText, JavaUtf, Literal, LittleEndian, Optional, Ordered, OrderedBigEndian,
    Segment, SegmentBefore, Str, ToEnd, Uint, Until, UpTo, UpperHex, UpperHexBytes, ZeroPadded, ZeroPaddedText,
};
use rowkey::untyped::FieldValues;
use rowkey::{KeyRange, LayoutBuf, OwnedKey, RowKey, Select, Selection, Value, laws};
use rowkey_testkit::unhex;

/// A key of fields that each have an encoding.
macro_rules! key {
    ($name:ident: $($field:ident: $type:ty $([$($with:tt)+])?;)+) => {
        #[derive(RowKey, Debug, Clone, PartialEq)]
        struct $name {
            $($(#[rowkey($($with)+)])? $field: $type,)+
        }
    };
}

/// Checks the golden vectors of a key's layout.
fn golden<K: OwnedKey + Debug>() {
    let shape = K::LAYOUT.shape();
    let layout = LayoutBuf::from(&K::LAYOUT);
    assert_eq!(shape.parse::<LayoutBuf>().unwrap().fingerprint(), layout.fingerprint());
    let vectors = include_str!("../golden/foreign.tsv").lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let mut found = 0;
    for row in vectors.filter(|row| row[0] == shape) {
        let [_, json, hex, fingerprint] = row.as_slice() else { panic!("{row:?}") };
        let key = K::decode(&unhex(hex)).unwrap();
        assert_eq!(key.encode(), unhex(hex), "{row:?}");
        let values = layout.values_from_json(&serde_json::from_str(json).unwrap()).unwrap();
        assert_eq!(layout.decode(&key.encode()).unwrap(), values, "{row:?}");
        assert_eq!(K::explain(&key.encode()).error, None);
        assert_eq!(layout.fingerprint().to_string(), *fingerprint);
        found += 1;
    }
    assert!(found > 0, "{shape} has no golden vector");
}

macro_rules! golden {
    ($($name:ident $fields:tt)+) => {
        #[test]
        fn golden_vectors() {
            $({
                golden!(@ $name $fields);
                golden::<$name>();
            })+
        }
    };
    (@ $name:ident { $($fields:tt)+ }) => { key!($name: $($fields)+); };
}
const MOST_5: u128 = (1 << 40) - 1;

golden! {
    LeI16 { a: i16 [with = LittleEndian]; }
    LeI32 { a: i32 [with = LittleEndian]; }
    LeI64 { a: i64 [with = LittleEndian]; }
    LeI128 { a: i128 [with = LittleEndian]; }
    LeU16 { a: u16 [with = LittleEndian]; }
    LeU32 { a: u32 [with = LittleEndian]; }
    LeU64 { a: u64 [with = LittleEndian]; }
    LeU128 { a: u128 [with = LittleEndian]; }
    BeI8 { a: i8 [with = BigEndian]; }
    BeI16 { a: i16 [with = BigEndian]; }
    BeI32 { a: i32 [with = BigEndian]; }
    BeI64 { a: i64 [with = BigEndian]; }
    BeI128 { a: i128 [with = BigEndian]; }
    Uint1 { a: u8 [with = Uint<1>]; }
    Uint1Desc { a: u8 [desc, with = Uint<1>]; }
    Uint5 { a: UpTo<MOST_5> [with = Uint<5>]; }
    Uint5Desc { a: UpTo<MOST_5> [desc, with = Uint<5>]; }
    Uint7 { a: UpTo<{ u64::MAX as u128 >> 8 }> [with = Uint<7>]; }
    Uint16 { a: u128 [with = Uint<16>]; }
    Zero { a: () [with = Constant<'\0'>]; b: u8; }
    Eight { a: () [with = ConstantBytes<Digits>]; b: String [with = ToEnd<Str>]; }
    Rest { a: String [with = BeforeLast<Str, 3>]; b: u8; c: u16; }
    InGroups { a: Vec<u8> [with = Groups]; b: u8; }
    InGroupsDesc { a: Vec<u8> [desc, with = Groups]; }
    OfJava { a: JavaText [with = JavaUtf]; b: u8; }
    Padded { a: CharText<3> [with = Char<3>]; b: u8; }
    PaddedDesc { a: CharText<3> [desc, with = Char<3>]; }
    Zeros { a: ZeroPaddedText<3> [with = ZeroPadded<3>]; b: u8; }
    ZerosDesc { a: ZeroPaddedText<7> [desc, with = ZeroPadded<7>]; }
    UpperNumber { a: u64 [with = Before<UpperHex<16>, '-'>]; }
    UpperBytes { a: Vec<u8> [with = ToEnd<UpperHexBytes>]; }
    Page { a: Segment<'#'> [with = Until<Str, '#'>]; b: Option<String> [with = Optional<ToEnd<Str>, '#'>]; }
    AfterNumber { a: u32; b: Option<Vec<u8>> [with = Optional<ToEnd<HexBytes>, '\0'>]; }
    OrderedInt { a: i64 [with = Ordered]; }
    OrderedThree { a: String [with = Ordered]; b: i64 [with = Ordered]; c: Vec<u8> [with = Ordered]; }
    OrderedTime { a: Micros [with = Ordered]; b: String [with = Ordered]; }
    OrderedBig { a: String [with = Ordered]; b: i64 [with = OrderedBigEndian]; c: String [with = Ordered]; }
}

struct Digits;

impl Literal for Digits {
    const BYTES: &'static [u8] = b"12345678";
}

/// Of FoundationDB's design and bindings, as `fdb_tuple` has them.
#[test]
fn tuples_of_foundationdb() {
    key!(Tuple:
        a: Vec<u8> [with = Fdb]; b: String [with = Fdb]; c: i32 [with = Fdb]; d: () [with = Fdb]; e: f32 [with = Fdb];
        f: f64 [with = Fdb]; g: bool [with = Fdb]; h: [u8; 16] [with = FdbUuid]; i: [u8; 10] [with = FdbVersionstamp];
        j: [u8; 12] [with = FdbVersionstamp]; k: FdbAny [with = Fdb]; l: u64 [with = Fdb];);
    let tuple = Tuple {
        a: unhex("666f6f00626172"),
        b: "FÔO\0bar".into(),
        c: -5_551_212,
        d: (),
        e: -42.0,
        f: f64::from_bits(0x4009_1eb8_51eb_851f),
        g: true,
        h: [7; 16],
        i: *b"0123456789",
        j: *b"0123456789ab",
        k: Value::Enum(5, vec![Value::Enum(0, vec![]), Value::Enum(20, vec![Value::Signed(0)])]).try_into().unwrap(),
        l: u64::MAX,
    };
    let parts = [
        "01666f6f00ff62617200 0246c3944f00ff62617200 11ab4b93 00 203dd7ffff 21c0091eb851eb851f 27 30",
        &"07".repeat(16),
        "32 30313233343536373839 33 303132333435363738396162 0500ff1400 1cffffffffffffffff",
    ];
    assert_eq!(tuple.encode(), unhex(&parts.concat().replace(' ', "")));
    assert_eq!(Tuple::decode(&tuple.encode()).unwrap(), tuple);
    let shape = "fdb[bytes], fdb[text], fdb[int], fdb[null], fdb[f32], fdb[f64], fdb[bool], fdb[uuid], \
                 fdb[versionstamp80], fdb[versionstamp], fdb[any], fdb[int]";
    assert_eq!(Tuple::LAYOUT.shape(), shape);
    key!(Small: a: u8 [with = Fdb];);
    let error = Small::decode(&unhex("160100")).unwrap_err().to_string();
    assert_eq!(error, "Small.a at byte 0: found 256, it fits into the field's type");
    assert!(FdbAny::try_from(Value::Enum(5, vec![Value::Bool(true)])).is_err());
}

#[test]
fn what_is_not_written_is_refused_where_it_is_made() {
    let reason = |error: rowkey::foreign::WrongText| error.to_string();
    assert_eq!(
        reason("a ".parse::<CharText<3>>().unwrap_err()),
        "\"a \" is not a value of the field: it is printable ASCII, no longer than the field, and without blanks at its end"
    );
    assert!("abcd".parse::<CharText<3>>().is_err() && "é".parse::<CharText<3>>().is_err());
    assert!("a\t".parse::<CharText<3>>().is_err() && "".parse::<CharText<3>>().is_ok());
    assert!("ü\0".parse::<ZeroPaddedText<3>>().is_err() && "üü".parse::<ZeroPaddedText<3>>().is_err());
    assert!("ü ".parse::<ZeroPaddedText<3>>().is_ok() && "".parse::<ZeroPaddedText<3>>().is_ok());
    let longest = "\0".repeat(32_767);
    assert!(longest.parse::<JavaText>().is_ok());
    assert!((longest + "é").parse::<JavaText>().is_err());
    key!(Id: a: UpTo<1000> [with = Uint<3>];);
    let error = Id::decode(&[0, 4, 0]).unwrap_err().to_string();
    assert_eq!(error, "Id.a at byte 0: found 1024, it fits into the field's type");
    key!(Tag: a: () [with = Constant<'t'>]; b: u8;);
    let error = Tag::decode(b"u\x01").unwrap_err().to_string();
    assert_eq!(error, "Tag.a at byte 0: found 75, it is the field's constant");
}

key!(Tidb: tag: () [with = Constant<'t'>]; table: i64; name: Vec<u8> [with = Groups]; at: u32 [desc, with = Uint<4>];);
key!(Phoenix: code: CharText<3> [with = Char<3>]; note: CharText<2> [desc, with = Char<2>]; n: u8;);
key!(Flurry: app: JavaText [with = JavaUtf]; at: i16 [with = BigEndian]; n: u16 [with = LittleEndian];);
key!(Jaeger: tag: () [with = Constant<'s'>]; service: String [with = BeforeLast<Str, 3>]; at: u8; id: [u8; 2];);
key!(Tuple: name: String [with = Fdb]; bytes: Vec<u8> [with = Fdb]; n: i32 [with = Fdb]; last: String [with = Fdb];);
key!(Joined: name: String [with = Ordered]; bytes: Vec<u8> [with = Ordered]; n: i64 [with = Ordered];);
key!(Texts: a: String [with = Ordered]; b: String [with = Ordered]; c: String [with = Ordered];);
key!(Delimited:
    site: SegmentBefore<Colons> [with = BeforeBytes<Str, Colons>]; host: SegmentBefore<Aba> [with = BeforeBytes<Str, Aba>];
    id: Vec<u8> [with = BeforeBytes<UpperHexBytes, Colons>];
    n: u16 [with = BeforeBytes<Decimal, Colons>];);
key!(Variant: site: u8; page: Segment<'#'> [with = Until<Str, '#'>]; n: Option<String> [with = Optional<ToEnd<Str>, '#'>];);
key!(Open: a: u8; b: String [with = ToEnd<Str>];);

struct Colons;

impl Literal for Colons {
    const BYTES: &'static [u8] = b"::";
}

/// A beginning of it is at its own end.
struct Aba;

impl Literal for Aba {
    const BYTES: &'static [u8] = b"aba";
}

fn delimited() -> impl Strategy<Value = Delimited> {
    let fields = ("[a:]{0,4}", "[ab]{0,5}", vec(any::<u8>(), 0..2), any::<u16>());
    fields.prop_filter_map("a delimiter", |(site, host, id, n)| {
        Some(Delimited { site: site.parse().ok()?, host: host.parse().ok()?, id, n })
    })
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![select(&[0, 1, 2, 0xff][..]), any::<u8>()];
    prop_oneof![vec(byte.clone(), 0..3), vec(byte, 7..10)]
}

fn text() -> impl Strategy<Value = String> {
    select(&["", "", "\0", "\0\0", "\u{1}", "\0\u{1}", "a", "a\0", "a\0b", "a\u{1}", "a\u{2}", "ÿ", "😀"][..])
        .prop_map(str::to_owned)
}

fn padded<const N: usize>() -> impl Strategy<Value = CharText<N>> {
    let texts = ["", "a", "a b", "a !", "!", " a", "b", "ab"].iter().filter_map(|text| text.parse().ok());
    select(texts.collect::<Vec<CharText<N>>>())
}

fn tidb() -> impl Strategy<Value = Tidb> {
    (-1..2_i64, bytes(), any::<u32>()).prop_map(|(table, name, at)| Tidb { tag: (), table, name, at })
}

fn phoenix() -> impl Strategy<Value = Phoenix> {
    (padded(), padded(), 0..2_u8).prop_map(|(code, note, n)| Phoenix { code, note, n })
}

fn tuple() -> impl Strategy<Value = Tuple> {
    let n = prop_oneof![-1..2_i32, any::<i32>()];
    (text(), bytes(), n, text()).prop_map(|(name, bytes, n, last)| Tuple { name, bytes, n, last })
}

fn joined() -> impl Strategy<Value = Joined> {
    let n = prop_oneof![-70..70_i64, any::<i64>()];
    (text(), bytes(), n).prop_map(|(name, bytes, n)| Joined { name, bytes, n })
}

fn texts() -> impl Strategy<Value = Texts> {
    (text(), text(), text()).prop_map(|(a, b, c)| Texts { a, b, c })
}

fn variant() -> impl Strategy<Value = Variant> {
    let n = proptest::option::of(select(&["", "\0", "a", "a#", "#", "b", "ÿ"][..]).prop_map(str::to_owned));
    let page = select(&["", "a", "a!", "a\"", "a$", "ab", "b"][..]);
    (0..2_u8, page, n).prop_map(|(site, page, n)| Variant { site, page: page.parse().unwrap(), n })
}

fn open() -> impl Strategy<Value = Open> {
    (0..2_u8, text()).prop_map(|(a, b)| Open { a, b })
}

fn by_tidb(a: &Tidb, b: &Tidb) -> Ordering {
    a.table.cmp(&b.table).then_with(|| a.name.cmp(&b.name)).then_with(|| b.at.cmp(&a.at))
}

fn by_phoenix(a: &Phoenix, b: &Phoenix) -> Ordering {
    a.code.cmp(&b.code).then_with(|| b.note.cmp(&a.note)).then(a.n.cmp(&b.n))
}

fn by_tuple(a: &Tuple, b: &Tuple) -> Ordering {
    a.name.cmp(&b.name).then_with(|| a.bytes.cmp(&b.bytes)).then(a.n.cmp(&b.n)).then_with(|| a.last.cmp(&b.last))
}

fn by_joined(a: &Joined, b: &Joined) -> Ordering {
    a.name.cmp(&b.name).then_with(|| a.bytes.cmp(&b.bytes)).then(a.n.cmp(&b.n))
}

fn by_texts(a: &Texts, b: &Texts) -> Ordering {
    (&a.a, &a.b, &a.c).cmp(&(&b.a, &b.b, &b.c))
}

#[test]
fn the_laws_hold() {
    laws::key(tidb(), by_tidb);
    laws::key(phoenix(), by_phoenix);
    laws::key(tuple(), by_tuple);
    laws::key(joined(), by_joined);
    laws::key(texts(), by_texts);
    laws::key(open(), |a, b| (a.a, &a.b).cmp(&(b.a, &b.b)));
    laws::key(delimited(), |a, b| (&a.site, &a.host, &a.id, a.n).cmp(&(&b.site, &b.host, &b.id, b.n)));
    laws::key(variant(), |a, b| (a.site, &a.page, &a.n).cmp(&(b.site, &b.page, &b.n)));
    // Their bytes have no order: what is unequal is unequal.
    let flurry = (text(), any::<i16>(), any::<u16>());
    let flurry = flurry.prop_map(|(app, at, n)| Flurry { app: app.parse().unwrap(), at, n });
    laws::key(flurry, |a, b| (&a.app, a.at, a.n).cmp(&(&b.app, b.at, b.n)));
    let jaeger = (text(), 0..2_u8, any::<[u8; 2]>());
    let jaeger = jaeger.prop_map(|(service, at, id)| Jaeger { tag: (), service, at, id });
    laws::key(jaeger, |a, b| (&a.service, a.at, a.id).cmp(&(&b.service, b.at, b.id)));
}

/// Checks that ranges hold the due keys alone.
fn hold<K: OwnedKey + Debug>(ranges: &[KeyRange], keys: &[K], due: impl Fn(&K) -> bool) -> Result<(), TestCaseError> {
    for key in keys {
        let found = KeyRange::any_contains(ranges, &key.encode());
        prop_assert_eq!(found, due(key), "{:?} in {:?}", key, ranges);
    }
    Ok(())
}

/// The ranges of the untyped layout.
fn untyped<K: RowKey>(leading: &[Value], next: Option<FieldValues>) -> Vec<KeyRange> {
    let layout = LayoutBuf::from(&K::LAYOUT);
    let ranges = layout.ranges_by_bucket(leading, next.as_ref()).unwrap();
    KeyRange::merged(ranges.into_iter().flatten().collect())
}

fn text_of(text: &str) -> Value {
    Value::Text(text.into())
}

/// Bounds of each kind, of two values in any order.
fn bounds<T: Clone>(low: &T, high: &T, kinds: (bool, bool)) -> (Bound<T>, Bound<T>) {
    let bound = |value: &T, is_included| match is_included {
        true => Bound::Included(value.clone()),
        false => Bound::Excluded(value.clone()),
    };
    (bound(low, kinds.0), bound(high, kinds.1))
}

fn between(low: Ordering, high: Ordering, kinds: (bool, bool)) -> bool {
    (low.is_gt() || kinds.0 && low.is_eq()) && (high.is_lt() || kinds.1 && high.is_eq())
}

proptest! {
    #[test]
    fn ranges_of_tuples(keys in vec(tuple(), 2..8), kinds in any::<(bool, bool)>()) {
        let (one, other) = (&keys[0], &keys[1]);
        let fixed = Tuple::prefix().name(one.name.clone()).ranges();
        prop_assert_eq!(&fixed, &untyped::<Tuple>(&[text_of(&one.name)], None));
        hold(&fixed, &keys, |key| key.name == one.name)?;
        let fixed = Tuple::prefix().name(&one.name).bytes(&one.bytes).ranges();
        hold(&fixed, &keys, |key| key.name == one.name && key.bytes == one.bytes)?;
        let whole = Tuple::prefix().name(&one.name).bytes(&one.bytes).n(one.n).last(&one.last).ranges();
        hold(&whole, &keys, |key| key == one)?;
        let of_two = Tuple::prefix().name_in([&one.name, &other.name]).ranges();
        hold(&of_two, &keys, |key| key.name == one.name || key.name == other.name)?;
        let ranges = Tuple::prefix().name_range(bounds(&one.name, &other.name, kinds)).ranges();
        let (low, high) = bounds(&text_of(&one.name), &text_of(&other.name), kinds);
        prop_assert_eq!(&ranges, &untyped::<Tuple>(&[], Some(FieldValues::Between(low, high))));
        hold(&ranges, &keys, |key| between(key.name.cmp(&one.name), key.name.cmp(&other.name), kinds))?;
        let ranges = Tuple::prefix().name(&one.name).bytes(&one.bytes).n(one.n).last_range(&other.last..).ranges();
        hold(&ranges, &keys, |key| {
            (&key.name, &key.bytes, key.n) == (&one.name, &one.bytes, one.n) && key.last >= other.last
        })?;
        let begins = Tuple::prefix().name(&one.name).bytes_starts_with(&other.bytes[..other.bytes.len().min(1)]).ranges();
        hold(&begins, &keys, |key| key.name == one.name && key.bytes.starts_with(&other.bytes[..other.bytes.len().min(1)]))?;
        let whole = Selection::<Tuple>::between(bounds(one, other, kinds)).ranges();
        hold(&whole, &keys, |key| between(by_tuple(key, one), by_tuple(key, other), kinds))?;
    }

    #[test]
    fn ranges_of_joined_keys(keys in vec(joined(), 2..8), kinds in any::<(bool, bool)>()) {
        let (one, other) = (&keys[0], &keys[1]);
        prop_assert_eq!(Joined::prefix().ranges(), [KeyRange::all()]);
        let fixed = Joined::prefix().name(&one.name).ranges();
        prop_assert_eq!(&fixed, &untyped::<Joined>(&[text_of(&one.name)], None));
        hold(&fixed, &keys, |key| key.name == one.name)?;
        let of_two = Joined::prefix().name(&one.name).bytes_in([&one.bytes, &other.bytes]).ranges();
        hold(&of_two, &keys, |key| key.name == one.name && (key.bytes == one.bytes || key.bytes == other.bytes))?;
        let ranges = Joined::prefix().name_range(bounds(&one.name, &other.name, kinds)).ranges();
        let (low, high) = bounds(&text_of(&one.name), &text_of(&other.name), kinds);
        prop_assert_eq!(&ranges, &untyped::<Joined>(&[], Some(FieldValues::Between(low, high))));
        hold(&ranges, &keys, |key| between(key.name.cmp(&one.name), key.name.cmp(&other.name), kinds))?;
        let ranges = Joined::prefix().name(&one.name).bytes_range(bounds(&one.bytes, &other.bytes, kinds)).ranges();
        hold(&ranges, &keys, |key| {
            key.name == one.name && between(key.bytes.cmp(&one.bytes), key.bytes.cmp(&other.bytes), kinds)
        })?;
        let start: String = other.name.chars().take(1).collect();
        let begins = Joined::prefix().name_starts_with(start.as_str()).ranges();
        prop_assert_eq!(&begins, &untyped::<Joined>(&[], Some(FieldValues::StartsWith(text_of(&start)))));
        hold(&begins, &keys, |key| key.name.starts_with(&start))?;
        let whole = Selection::<Joined>::between(bounds(one, other, kinds)).ranges();
        hold(&whole, &keys, |key| between(by_joined(key, one), by_joined(key, other), kinds))?;
    }

    #[test]
    fn ranges_of_joined_texts(keys in vec(texts(), 2..8), kinds in any::<(bool, bool)>()) {
        let (one, other) = (&keys[0], &keys[1]);
        let values = [text_of(&one.a), text_of(&one.b), text_of(&one.c)];
        let prefix = Texts::prefix().a(&one.a).b(&one.b);
        prop_assert_eq!(prefix.clone().ranges(), untyped::<Texts>(&values[..2], None));
        hold(&prefix.clone().ranges(), &keys, |key| (&key.a, &key.b) == (&one.a, &one.b))?;
        prop_assert_eq!(prefix.clone().c(&one.c).ranges(), [KeyRange::point(one.encode())]);
        let ranges = prefix.c_range(bounds(&one.c, &other.c, kinds)).ranges();
        hold(&ranges, &keys, |key| {
            (&key.a, &key.b) == (&one.a, &one.b) && between(key.c.cmp(&one.c), key.c.cmp(&other.c), kinds)
        })?;
        let whole = Selection::<Texts>::between(bounds(one, other, kinds)).ranges();
        hold(&whole, &keys, |key| between(by_texts(key, one), by_texts(key, other), kinds))?;
    }

    #[test]
    fn ranges_of_groups(keys in vec(tidb(), 2..8), kinds in any::<(bool, bool)>()) {
        let (one, other) = (&keys[0], &keys[1]);
        let table = Tidb::prefix().tag(()).table(one.table);
        let ranges = table.clone().name_range(bounds(&one.name, &other.name, kinds)).ranges();
        hold(&ranges, &keys, |key| {
            key.table == one.table && between(key.name.cmp(&one.name), key.name.cmp(&other.name), kinds)
        })?;
        for len in 0..other.name.len() {
            let start = &other.name[..len];
            let begins = table.clone().name_starts_with(start).ranges();
            let leading = [Value::Tuple(vec![]), Value::Signed(one.table.into())];
            prop_assert_eq!(&begins, &untyped::<Tidb>(&leading, Some(FieldValues::StartsWith(Value::Bytes(start.into())))));
            hold(&begins, &keys, |key| key.table == one.table && key.name.starts_with(start))?;
        }
        let later = table.name(&one.name).at_range(other.at..).ranges();
        hold(&later, &keys, |key| key.table == one.table && key.name == one.name && key.at >= other.at)?;
    }

    #[test]
    fn ranges_of_an_optional_field(keys in vec(variant(), 2..8), start in "[a#]{0,2}", kinds in any::<(bool, bool)>()) {
        let (one, other) = (&keys[0], &keys[1]);
        let site = Value::Unsigned(one.site.into());
        let is_of = |key: &Variant| key.site == one.site && key.page == one.page;
        let of_page = Variant::prefix().site(one.site).page(&one.page);
        let leading = [site.clone(), text_of(&one.page)];
        prop_assert_eq!(&of_page.clone().ranges(), &untyped::<Variant>(&leading, None));
        hold(&of_page.clone().ranges(), &keys, is_of)?;
        hold(&of_page.clone().n(&one.n).ranges(), &keys, |key| key == one)?;
        let ranges = of_page.clone().n_range(bounds(&one.n, &other.n, kinds)).ranges();
        let value = |n: &Option<String>| Value::Option(n.as_deref().map(|n| Box::new(text_of(n))));
        let (low, high) = bounds(&value(&one.n), &value(&other.n), kinds);
        prop_assert_eq!(&ranges, &untyped::<Variant>(&leading, Some(FieldValues::Between(low, high))));
        hold(&ranges, &keys, |key| is_of(key) && between(key.n.cmp(&one.n), key.n.cmp(&other.n), kinds))?;
        let ranges = of_page.clone().n_range(&other.n..).ranges();
        hold(&ranges, &keys, |key| is_of(key) && key.n >= other.n)?;
        let begins = of_page.n_starts_with(start.as_str()).ranges();
        hold(&begins, &keys, |key| is_of(key) && key.n.as_ref().is_some_and(|n| n.starts_with(&start)))?;
        let pages = Variant::prefix().site(one.site).page_in([&one.page, &other.page]).ranges();
        hold(&pages, &keys, |key| key.site == one.site && (key.page == one.page || key.page == other.page))?;
        let begins = Variant::prefix().site(one.site).page_starts_with(start.as_str()).ranges();
        hold(&begins, &keys, |key| key.site == one.site && key.page.starts_with(&start))?;
    }

    #[test]
    fn ranges_of_beginnings_before_delimiters(keys in vec(delimited(), 2..8), site in "[a:]{0,3}", host in "[ab]{0,4}") {
        let one = &keys[0];
        let begins = Delimited::prefix().site_starts_with(site.as_str()).ranges();
        hold(&begins, &keys, |key| key.site.starts_with(&site))?;
        if !site.contains("::") {
            let start = FieldValues::StartsWith(text_of(&site));
            prop_assert_eq!(&begins, &untyped::<Delimited>(&[], Some(start)));
        }
        let begins = Delimited::prefix().site(&one.site).host_starts_with(host.as_str()).ranges();
        hold(&begins, &keys, |key| key.site == one.site && key.host.starts_with(&host))?;
    }

    #[test]
    fn ranges_of_padded_text(keys in vec(phoenix(), 2..8), kinds in any::<(bool, bool)>()) {
        let (one, other) = (&keys[0], &keys[1]);
        let ranges = Phoenix::prefix().code_range(bounds(&one.code, &other.code, kinds)).ranges();
        hold(&ranges, &keys, |key| between(key.code.cmp(&one.code), key.code.cmp(&other.code), kinds))?;
        for start in ["", " ", "a", "a ", "a  ", "a b", "!", "abcd", "é"] {
            let begins = Phoenix::prefix().code_starts_with(start).ranges();
            hold(&begins, &keys, |key| key.code.starts_with(start))?;
            let begins = Phoenix::prefix().code(&one.code).note_starts_with(start).ranges();
            hold(&begins, &keys, |key| key.code == one.code && key.note.starts_with(start))?;
        }
    }

    #[test]
    fn ranges_of_keys_whose_last_field_ends_with_them(keys in vec(open(), 2..8), kinds in any::<(bool, bool)>()) {
        let (one, other) = (&keys[0], &keys[1]);
        let whole = Selection::<Open>::between(bounds(one, other, kinds)).ranges();
        hold(&whole, &keys, |key| {
            between((key.a, &key.b).cmp(&(one.a, &one.b)), (key.a, &key.b).cmp(&(other.a, &other.b)), kinds)
        })?;
    }
}
