//! Strategies for random layouts, and for values of a layout: many edge cases, and rows that differ by little.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::foreign::{near_own, of_own};
use crate::keys::geo::MAX_ZOOM;
use crate::keys::layout::{Nulls, Scalar};
use crate::keys::lead::{Lead, Salt, SaltFormat, SaltHash};
use crate::keys::untyped::{CustomBuf, FieldBuf, LayoutBuf, TypeBuf, Value, VariantBuf};

/// Bytes with a meaning in the format, and their inversions.
pub(super) const BYTES: &[u8] = &[0x00, 0x01, 0x02, 0x7f, 0x80, 0xfd, 0xfe, 0xff];
const CHARS: &[char] = &[
    '\0',
    '\u{1}',
    '\u{2}',
    '.',
    '/',
    '0',
    'a',
    'b',
    '\u{7f}',
    '\u{80}',
    '\u{fe}',
    '\u{ff}',
    '\u{d7ff}',
    '\u{e000}',
    '\u{ffff}',
    '\u{10000}',
    '\u{10ffff}',
];
const DIGITS: &[char] = &['0', '1', '2', '3'];
const NANOS: &[u32] = &[0, 1, 2, 999_999_998, 999_999_999];

/// A strategy for random layouts: with nested types, attributes, salts, digests, and raw last fields.
///
/// ```
/// use rowkey::laws;
///
/// laws::layout(laws::layouts());
/// ```
pub fn layouts() -> impl Strategy<Value = LayoutBuf> {
    let raw = prop_oneof![5 => Just(None), 1 => raw_type().prop_map(Some)];
    (vec(field(types()), 1..5), raw, any::<u8>(), any::<[bool; 5]>(), salt(), 1..=16u8).prop_map(
        |(mut fields, raw, kind, by, salt, digest)| {
            if let Some(ty) = raw {
                fields.push(FieldBuf { name: String::new(), ty, desc: false, nulls: None, raw: true });
            }
            name(&mut fields);
            let (lead, by) = match kind {
                0..=59 => (Lead::Salt(salt), (0..fields.len()).filter(|&i| by.get(i) == Some(&true)).collect()),
                60..=99 => (Lead::Digest(digest), (0..usize::from(kind) % (fields.len() + 1)).collect()),
                _ => (Lead::None, Vec::new()),
            };
            LayoutBuf::checked("Random".into(), lead, by, fields).expect("random layouts are valid")
        },
    )
}

fn salt() -> impl Strategy<Value = Salt<String>> {
    // Seldom many buckets: each is a range to check.
    let buckets = prop_oneof![
        800 => select(&[1u32, 2, 3, 16, 17][..]),
        150 => 1..300u32,
        49 => select(&[256u32, 257][..]),
        1 => Just(65_536),
    ];
    (buckets, select(&SaltHash::KNOWN[..]), any::<bool>()).prop_map(|(buckets, hash, hex)| {
        let hash = SaltHash { name: hash.name.to_owned(), hash: hash.hash };
        Salt { buckets, hash, format: if hex { SaltFormat::Hex } else { SaltFormat::Binary } }
    })
}

fn name(fields: &mut [FieldBuf]) {
    fields.iter_mut().enumerate().for_each(|(i, field)| field.name = format!("_{i}"));
}

fn field(ty: impl Strategy<Value = TypeBuf>) -> impl Strategy<Value = FieldBuf> {
    (ty, any::<bool>(), any::<bool>()).prop_map(|(ty, desc, other)| {
        let nulls = match (&ty, other) {
            (TypeBuf::Option(_), true) => Some(if desc { Nulls::First } else { Nulls::Last }),
            _ => None,
        };
        FieldBuf { name: String::new(), ty, desc, nulls, raw: false }
    })
}

fn fields(ty: impl Strategy<Value = TypeBuf>) -> impl Strategy<Value = Vec<FieldBuf>> {
    vec(field(ty), 0..4).prop_map(|mut fields| {
        name(&mut fields);
        fields
    })
}

fn scalars() -> impl Strategy<Value = Scalar> {
    use Scalar::*;
    let fixed =
        [U8, U16, U32, U64, U128, I8, I16, I32, I64, I128, F32, F64, Bool, Char, IpAddr, Instant, Duration, Tile];
    prop_oneof![
        4 => select(fixed.to_vec()),
        2 => Just(Text),
        1 => Just(HostPath),
        1 => Just(Decimal),
        1 => Just(if cfg!(feature = "url") { Url } else { HostPath }),
        1 => Just(Bytes),
        1 => select(&[0usize, 1, 2, 4, 16, 17][..]).prop_map(ByteArray),
        1 => select(&[1u8, 3, 4, 13, 16, 29][..]).prop_map(QuadKey),
    ]
}

fn types() -> impl Strategy<Value = TypeBuf> {
    let own = CustomBuf::new("u24", Some(3));
    let leaf = prop_oneof![12 => scalars().prop_map(TypeBuf::Scalar), 1 => Just(TypeBuf::Custom(own))];
    leaf.prop_recursive(3, 12, 4, |inner| {
        let variants = (vec(any::<u8>(), 1..4), vec(fields(inner.clone()), 3));
        prop_oneof![
            3 => inner.clone().prop_map(|inner| TypeBuf::Option(inner.into())),
            2 => inner.clone().prop_map(|item| TypeBuf::List(item.into())),
            2 => fields(inner).prop_map(TypeBuf::Tuple),
            2 => variants.prop_map(|(mut tags, fields)| {
                tags.sort_unstable();
                tags.dedup();
                let variant = |(tag, fields): (u8, _)| VariantBuf { name: format!("V{tag}"), tag, fields };
                TypeBuf::Enum(tags.into_iter().zip(fields).map(variant).collect())
            }),
        ]
    })
}

/// Types that can be raw, in newtypes too.
fn raw_type() -> impl Strategy<Value = TypeBuf> {
    let item = scalars().prop_filter_map("of one width, and at least a byte", |scalar| match scalar.width() {
        Some(1..) => Some(TypeBuf::Scalar(scalar)),
        _ => None,
    });
    let item = item.boxed();
    let pair = vec(field(item.clone()), 1..3).prop_map(|mut fields: Vec<_>| {
        name(&mut fields);
        TypeBuf::Tuple(fields)
    });
    let plain = prop_oneof![
        Just(TypeBuf::Scalar(Scalar::Text)),
        Just(TypeBuf::Scalar(Scalar::Bytes)),
        Just(TypeBuf::Scalar(Scalar::HostPath)),
        Just(TypeBuf::Scalar(Scalar::Decimal)),
        prop_oneof![item, pair].prop_map(|item| TypeBuf::List(item.into())),
    ];
    (plain, any::<bool>()).prop_map(|(ty, newtype)| match newtype {
        true => TypeBuf::Tuple(vec![FieldBuf { name: "_0".into(), ty, desc: false, nulls: None, raw: false }]),
        false => ty,
    })
}

/// A strategy for the values of a key, one for each field, with many edge cases of every type.
pub fn values(layout: &LayoutBuf) -> BoxedStrategy<Vec<Value>> {
    of_fields(layout.fields())
}

/// A strategy for the values of several keys. They share beginnings, and some differ from another by one small step:
/// one more character, the next number, one item less.
pub fn rows(layout: &LayoutBuf) -> BoxedStrategy<Vec<Vec<Value>>> {
    let more = (any::<(Index, Index, Index)>(), any::<Option<u64>>());
    let fields = layout.fields().to_vec();
    (vec(values(layout), 1..4), vec(more, 1..4))
        .prop_map(move |(mut rows, more)| {
            for ((a, b, at), step_seed) in more {
                let at = at.index(fields.len() + 1);
                let mut row: Vec<Value> = a.get(&rows)[..at].to_vec();
                row.extend_from_slice(&b.get(&rows)[at..]);
                if let Some(seed) = step_seed {
                    let dice = &mut Dice(seed);
                    let i = dice.below(fields.len());
                    row[i] = near(&fields[i].ty, &row[i], dice);
                }
                rows.push(row);
            }
            rows
        })
        .boxed()
}

fn of_fields(fields: &[FieldBuf]) -> BoxedStrategy<Vec<Value>> {
    fields.iter().map(|field| of_type(&field.ty)).collect::<Vec<_>>().boxed()
}

fn of_type(ty: &TypeBuf) -> BoxedStrategy<Value> {
    match ty {
        TypeBuf::Scalar(scalar) => of_scalar(*scalar),
        TypeBuf::Option(inner) => {
            let some = of_type(inner).prop_map(|value| Value::Option(Some(value.into())));
            prop_oneof![1 => Just(Value::Option(None)), 3 => some].boxed()
        }
        TypeBuf::List(item) => vec(of_type(item), 0..4).prop_map(Value::List).boxed(),
        TypeBuf::Enum(variants) => {
            let of_variant = |variant: &VariantBuf| {
                let tag = variant.tag;
                of_fields(&variant.fields).prop_map(move |fields| Value::Enum(tag, fields)).boxed()
            };
            let variants: Vec<_> = variants.iter().map(of_variant).collect();
            proptest::strategy::Union::new(variants).boxed()
        }
        TypeBuf::Tuple(fields) => of_fields(fields).prop_map(Value::Tuple).boxed(),
        TypeBuf::Custom(custom) => bytes(custom.width.unwrap_or(0)..=custom.width.unwrap_or(6)),
    }
}

fn bytes(len: std::ops::RangeInclusive<usize>) -> BoxedStrategy<Value> {
    vec(prop_oneof![4 => select(BYTES), 1 => any::<u8>()], len).prop_map(Value::Bytes).boxed()
}

fn bits_of(scalar: Scalar) -> u32 {
    scalar.width().map_or(0, |width| width as u32 * 8)
}

fn of_scalar(scalar: Scalar) -> BoxedStrategy<Value> {
    use Scalar::*;
    match scalar {
        U8 | U16 | U32 | U64 | U128 => {
            let max = u128::MAX >> (128 - bits_of(scalar));
            let edges = [0, 1, 2, 0xfe, 0xff, max / 2, max / 2 + 1, max - 1, max];
            prop_oneof![select(edges.to_vec()), any::<u128>()].prop_map(move |n| Value::Unsigned(n & max)).boxed()
        }
        I8 | I16 | I32 | I64 | I128 => {
            let shift = 128 - bits_of(scalar);
            let (min, max) = (i128::MIN >> shift, i128::MAX >> shift);
            let edges = [min, min + 1, -2, -1, 0, 1, 2, max - 1, max];
            let any = any::<i128>().prop_map(move |n| n >> shift);
            prop_oneof![select(edges.to_vec()), any].prop_map(Value::Signed).boxed()
        }
        F32 => {
            let edges = [0, 1, 0x7f7f_ffff, 0x7f80_0000, 0x7f80_0001, 0x7fc0_0000, 0x7fff_ffff, 0x3f80_0000];
            let bits = (prop_oneof![select(edges.to_vec()), any::<u32>()], any::<bool>());
            bits.prop_map(|(bits, negative)| Value::F32(f32::from_bits(bits | u32::from(negative) << 31))).boxed()
        }
        F64 => {
            let edges = [0, 1, 0x7fef << 48, 0x7ff0 << 48, 0x7ff0 << 48 | 1, 0x7ff8 << 48, u64::MAX >> 1, 0x3ff0 << 48];
            let bits = (prop_oneof![select(edges.to_vec()), any::<u64>()], any::<bool>());
            bits.prop_map(|(bits, negative)| Value::F64(f64::from_bits(bits | u64::from(negative) << 63))).boxed()
        }
        Bool => any::<bool>().prop_map(Value::Bool).boxed(),
        Char => prop_oneof![select(CHARS), any::<char>()].prop_map(Value::Char).boxed(),
        Text => vec(prop_oneof![6 => select(CHARS), 1 => any::<char>()], 0..6)
            .prop_map(|chars| Value::Text(chars.into_iter().collect()))
            .boxed(),
        HostPath => host_paths().prop_map(Value::Text).boxed(),
        Url => urls().boxed(),
        Decimal => decimals().prop_map(Value::Decimal).boxed(),
        Bytes => bytes(0..=6),
        ByteArray(len) => bytes(len..=len),
        QuadKey(zoom) => digits(zoom..=zoom),
        Tile => prop_oneof![digits(0..=3), digits(0..=MAX_ZOOM), digits(MAX_ZOOM..=MAX_ZOOM)].boxed(),
        IpAddr => {
            let address = |octets: [u8; 16], is_v4: bool| match (is_v4, octets) {
                (true, [a, b, c, d, ..]) => std::net::IpAddr::V4(Ipv4Addr::new(a, b, c, d)),
                (false, octets) => std::net::IpAddr::V6(Ipv6Addr::from(octets)),
            };
            let edges = prop_oneof![Just([0; 16]), Just([0xff; 16]), any::<[u8; 16]>()];
            (edges, any::<bool>()).prop_map(move |(octets, is_v4)| Value::Ip(address(octets, is_v4))).boxed()
        }
        Instant => {
            let seconds = prop_oneof![select(&[i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX][..]), any::<i64>()];
            (seconds, nanos()).prop_map(|(seconds, nanos)| Value::Instant(seconds, nanos)).boxed()
        }
        Foreign(foreign) if foreign.values() == scalar => of_own(foreign, of_scalar),
        Foreign(foreign) => of_scalar(foreign.values()).prop_map(move |value| foreign.nearest(value)).boxed(),
        Duration => {
            let seconds = prop_oneof![select(&[0, 1, u64::MAX - 1, u64::MAX][..]), any::<u64>()];
            (seconds, nanos()).prop_map(|(s, ns)| Value::Duration(std::time::Duration::new(s, ns))).boxed()
        }
    }
}

/// The digits of a quadkey or a tile.
fn digits(zoom: std::ops::RangeInclusive<u8>) -> BoxedStrategy<Value> {
    let zoom = usize::from(*zoom.start())..=usize::from(*zoom.end());
    let digits = prop_oneof![vec(select(&['0', '3'][..]), zoom.clone()), vec(select(DIGITS), zoom)];
    digits.prop_map(|digits| Value::Text(digits.into_iter().collect())).boxed()
}

/// Few labels, so that hosts are each other's subdomains, beginnings and neighbours.
const LABELS: &[&str] = &["a", "b", "org", "a-b", "a-", "_a", "a0", "0", "-", "ab"];
const TOPS: &[&str] = &["org", "a", "b-", "o"];

fn host_paths() -> impl Strategy<Value = String> {
    let name = (vec(select(LABELS), 0..4), select(TOPS)).prop_map(|(mut labels, top)| {
        labels.push(top);
        labels.join(".")
    });
    let address =
        select(&["0.0.0.0", "10.0.0.1", "255.0.0.255", "[::]", "[::1]", "[2001:db8::7]", "[::ffff:102:304]"][..]);
    let path = vec(prop_oneof![6 => select(CHARS), 1 => any::<char>()], 0..4);
    (prop_oneof![6 => name, 1 => address.prop_map(str::to_owned)], path)
        .prop_map(|(host, path)| format!("{host}/{}", path.into_iter().collect::<String>()))
}

/// URLs from parts whose every combination is in its one valid form: a host, a path, a scheme, a port, a user.
fn urls() -> impl Strategy<Value = Value> {
    let paths = ["/", "/a", "/a.b", "/a?b=c", "/a#", "/a-", "/a0", "//", "/%00", "/a/b", "/%01?"];
    let users = ["", "a", "a:b", "a-", "aa", "%00"];
    let ports = [0, 1, 81, 8080, 65_535];
    let schemes = ["http", "https", "ftp", "redis", "a"];
    (host_paths(), select(paths.to_vec()), select(schemes.to_vec()), select(ports.to_vec()), select(users.to_vec()))
        .prop_map(|(page, path, scheme, port, user)| {
            let host = page.split('/').next().unwrap_or_default();
            let text = |text: &str| Value::Text(text.to_owned());
            Value::Tuple(vec![text(&format!("{host}{path}")), text(scheme), Value::Unsigned(port), text(user)])
        })
}

/// A page of the same site, or the same page of a subdomain or of a host that begins alike.
fn near_page(page: &str, dice: &mut Dice) -> String {
    let (host, path) = page.split_once('/').unwrap_or((page, ""));
    let is_name = host.ends_with(char::is_alphabetic) || host.ends_with('-');
    match dice.below(4) {
        0 if is_name => format!("{}.{host}/{path}", LABELS[dice.below(LABELS.len())]),
        1 if is_name => format!("{}{host}/{path}", ["0", "-", "a"][dice.below(3)]),
        2 => format!("{host}/"),
        _ => format!("{page}{}", CHARS[dice.below(CHARS.len())]),
    }
}

/// Digits with a point among them, before or after them; many begin with one another.
fn decimals() -> impl Strategy<Value = String> {
    let digits =
        prop_oneof![3 => vec(select(&['0', '1', '9'][..]), 0..5), 1 => vec(prop::char::range('0', '9'), 0..45)];
    let zeros = || prop_oneof![6 => 0..4usize, 1 => 0..80usize];
    (any::<bool>(), digits, zeros(), zeros(), any::<Index>()).prop_map(|(negative, digits, before, after, point)| {
        let digits = format!("{}{}{}", "0".repeat(before), String::from_iter(digits), "0".repeat(after));
        let (whole, fraction) = digits.split_at(point.index(digits.len() + 1));
        one_decimal(negative, whole, fraction)
    })
}

/// The one valid form of a decimal.
fn one_decimal(negative: bool, whole: &str, fraction: &str) -> String {
    let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
    let sign = if negative && !(whole.is_empty() && fraction.is_empty()) { "-" } else { "" };
    let whole = if whole.is_empty() { "0" } else { whole };
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{whole}{point}{fraction}")
}

/// Another sign, one more digit, or one less.
fn near_decimal(number: &str, dice: &mut Dice) -> String {
    let unsigned = number.trim_start_matches('-');
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let negative = unsigned.len() < number.len();
    match dice.below(4) {
        0 => one_decimal(!negative, whole, fraction),
        1 => one_decimal(negative, whole, &fraction[..fraction.len().saturating_sub(1)]),
        2 => one_decimal(negative, whole, &format!("{fraction}{}", ["01", "1", "9"][dice.below(3)])),
        _ => one_decimal(negative, &whole[..whole.len() - 1], &format!("{}{fraction}", &whole[whole.len() - 1..])),
    }
}

fn nanos() -> impl Strategy<Value = u32> {
    prop_oneof![select(NANOS), 0..1_000_000_000u32]
}

/// Random numbers from one seed, so that a step is the same each time a case runs.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        ((mixed ^ (mixed >> 29)) % n.max(1) as u64) as usize
    }
}

/// A value one small step from another, of the same type.
fn near(ty: &TypeBuf, value: &Value, dice: &mut Dice) -> Value {
    if let TypeBuf::Scalar(Scalar::Foreign(foreign)) = ty {
        return match foreign.values() {
            Scalar::Foreign(_) => {
                near_own(*foreign, value, &mut |scalar, value| near(&TypeBuf::Scalar(scalar), value, dice))
            }
            values => foreign.nearest(near(&TypeBuf::Scalar(values), value, dice)),
        };
    }
    let up = dice.below(2) == 0;
    match (ty, value) {
        (TypeBuf::Option(inner), Value::Option(Some(value))) if dice.below(3) > 0 => {
            Value::Option(Some(near(inner, value, dice).into()))
        }
        (TypeBuf::Option(_), _) => Value::Option(None),
        (TypeBuf::List(item), Value::List(values)) => {
            let mut values = values.clone();
            match (values.pop(), dice.below(3)) {
                (None | Some(_), 0) => {}
                (Some(last), 1) => values.extend([last.clone(), last]),
                (Some(last), _) => values.push(near(item, &last, dice)),
                (None, _) => {}
            }
            Value::List(values)
        }
        (TypeBuf::Enum(variants), Value::Enum(tag, values)) => {
            let variant = variants.iter().find(|variant| variant.tag == *tag);
            Value::Enum(*tag, variant.map_or_else(Vec::new, |variant| near_field(&variant.fields, values, dice)))
        }
        (TypeBuf::Tuple(fields), Value::Tuple(values)) => Value::Tuple(near_field(fields, values, dice)),
        (TypeBuf::Scalar(scalar), Value::Unsigned(n)) => {
            let max = u128::MAX >> (128 - bits_of(*scalar));
            Value::Unsigned(if up { n.wrapping_add(1) } else { n.wrapping_sub(1) } & max)
        }
        (TypeBuf::Scalar(scalar), Value::Signed(n)) => {
            let shift = 128 - bits_of(*scalar);
            let next = if up { n.wrapping_add(1) } else { n.wrapping_sub(1) };
            Value::Signed(next << shift >> shift)
        }
        (_, Value::F32(n)) => Value::F32(f32::from_bits(n.to_bits() ^ 1 << (31 * dice.below(2)))),
        (_, Value::F64(n)) => Value::F64(f64::from_bits(n.to_bits() ^ 1 << (63 * dice.below(2)))),
        (TypeBuf::Scalar(Scalar::QuadKey(_) | Scalar::Tile), Value::Text(digits)) => {
            let mut digits = digits.clone();
            let last = digits.pop();
            match (ty, up) {
                (TypeBuf::Scalar(Scalar::Tile), true) if digits.len() + 2 < usize::from(MAX_ZOOM) => {
                    digits.extend(last);
                    digits.push(DIGITS[dice.below(4)]);
                }
                (TypeBuf::Scalar(Scalar::Tile), _) => {}
                _ => digits.push(DIGITS[dice.below(4)]),
            }
            Value::Text(digits)
        }
        (TypeBuf::Scalar(Scalar::HostPath), Value::Text(page)) => Value::Text(near_page(page, dice)),
        (_, Value::Decimal(number)) => Value::Decimal(near_decimal(number, dice)),
        (_, Value::Text(text)) => {
            let mut text = text.clone();
            if !up || dice.below(2) == 0 {
                text.pop();
            }
            if up {
                text.push(CHARS[dice.below(CHARS.len())]);
            }
            Value::Text(text)
        }
        (TypeBuf::Scalar(Scalar::Bytes), Value::Bytes(bytes)) => {
            let mut bytes = bytes.clone();
            if !up || dice.below(2) == 0 {
                bytes.pop();
            }
            if up {
                bytes.push(BYTES[dice.below(BYTES.len())]);
            }
            Value::Bytes(bytes)
        }
        (_, Value::Bytes(bytes)) => {
            let (mut bytes, at) = (bytes.clone(), dice.below(bytes.len()));
            if let Some(byte) = bytes.get_mut(at) {
                *byte = BYTES[dice.below(BYTES.len())];
            }
            Value::Bytes(bytes)
        }
        (_, Value::Ip(IpAddr::V4(address))) => {
            Value::Ip(Ipv4Addr::from_bits(address.to_bits() ^ 1 << dice.below(32)).into())
        }
        (_, Value::Ip(IpAddr::V6(address))) => {
            Value::Ip(Ipv6Addr::from_bits(address.to_bits() ^ 1 << dice.below(128)).into())
        }
        (_, Value::Instant(seconds, _)) if up => Value::Instant(*seconds, NANOS[dice.below(NANOS.len())]),
        (_, Value::Instant(seconds, nanos)) => Value::Instant(seconds.wrapping_add(1), *nanos),
        (_, Value::Duration(duration)) => {
            Value::Duration(Duration::new(duration.as_secs(), NANOS[dice.below(NANOS.len())]))
        }
        (_, Value::Bool(truth)) => Value::Bool(!truth),
        (_, Value::Char(_)) => Value::Char(CHARS[dice.below(CHARS.len())]),
        (_, other) => other.clone(),
    }
}

fn near_field(fields: &[FieldBuf], values: &[Value], dice: &mut Dice) -> Vec<Value> {
    let (mut values, at) = (values.to_vec(), dice.below(values.len()));
    if let (Some(field), Some(value)) = (fields.get(at), values.get_mut(at)) {
        *value = near(&field.ty, value, dice);
    }
    values
}
