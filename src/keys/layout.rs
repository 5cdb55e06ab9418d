//! The layout of a key as a constant: what describes its bytes to programs that do not have its Rust type.
//!
//! [`RowKey::LAYOUT`](crate::RowKey::LAYOUT) has the names, types, directions, enum tags, and the salt or digest.
//! [`LayoutBuf`](crate::LayoutBuf) is its owned form, which also reads and writes keys.

use crate::keys::error::DecodeError;
use crate::keys::foreign::{Foreign, Order, OrderedCode, OrderedKind};
use crate::keys::lead::{Hashed, Lead};
use crate::keys::reader::Reader;
use crate::keys::span::LeadOver;

/// Reads a value of a user's own encoding, and returns it as text for [`explain`](crate::RowKey::explain).
pub type DescribeFn = fn(&mut Reader<'_>) -> Result<String, DecodeError>;

/// The layout of a key type, as a constant: see [`RowKey::LAYOUT`](crate::RowKey::LAYOUT).
#[doc(alias = "schema")]
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// The key type's name; not part of the shape.
    pub name: &'static str,
    /// The bytes before the fields: none, a salt, or a digest.
    pub lead: Lead<&'static str>,
    /// The fields, by index from 0, that the salt or digest is taken over. Empty: all fields.
    pub by: &'static [usize],
    /// The fields, in key order.
    pub fields: &'static [FieldLayout],
}

impl Layout {
    /// The width of a key in bytes, if all keys have the same.
    pub const fn width(&self) -> Option<usize> {
        match fields_width(self.fields) {
            Some(width) => Some(self.lead.width() + width),
            None => None,
        }
    }

    /// The part that a salt or a hash is taken over.
    #[inline]
    pub(crate) const fn hashed(&self) -> Hashed<'static> {
        let last = match self.by {
            [.., last] => *last,
            [] => self.fields.len().saturating_sub(1),
        };
        let delimiter = match self.fields {
            [] => 0,
            fields if last >= fields.len() => 0,
            fields => fields[last].ty.delimiter_len(),
        };
        Hashed { by: self.by, delimiter }
    }

    /// This lead, before the fields.
    pub(crate) fn lead_over<'l>(&self, lead: &'l Lead<&'static str>) -> LeadOver<'l, &'static str> {
        let until = match self.fields {
            [.., FieldLayout { ty: Type::Scalar(Scalar::Foreign(foreign)), .. }, _] => foreign.until(),
            _ => None,
        };
        LeadOver { lead, hashed: self.hashed(), fields: self.fields.len(), until }
    }

    /// Returns whether OrderedCode joins the fields.
    pub(crate) const fn is_joined(&self) -> bool {
        matches!(self.fields, [FieldLayout { ty: Type::Scalar(Scalar::Foreign(Foreign::Ordered(_))), .. }, ..])
    }

    /// The bytes between the values of a field and those that go on with one, if the field looks ahead.
    pub(crate) const fn longer(&self, field: usize) -> Option<&'static [u8]> {
        if field >= self.fields.len() {
            return None;
        }
        match self.fields[field].ty {
            Type::Scalar(Scalar::Foreign(foreign)) => foreign.longer(),
            _ => None,
        }
    }

    /// Returns the layout, checked for what a shape can express.
    ///
    /// # Panics
    /// If its types are nested too deep. In a constant that is a compile error.
    #[doc(hidden)]
    #[must_use]
    #[track_caller]
    pub const fn checked(self) -> Self {
        assert!(fields_fit(self.fields, 0), "a key's types are nested at most 128 deep: flatten some of them");
        let is_built = match &self.lead {
            Lead::Hash(prefix) => prefix.function().is_built(),
            Lead::Salt(salt) => salt.hash.hash.is_some(),
            _ => true,
        };
        assert!(is_built, "this hash is there with the feature `hashes` of rowkey: turn it on");
        match misplaced(self.fields, matches!(self.lead, Lead::None)) {
            None => {}
            Some(Foreign::Ordered(_)) => panic!(
                "OrderedCode joins all fields of a key: give each of them `Ordered` or `OrderedBigEndian`, ascending, and \
                 the key no salt and no hash"
            ),
            Some(Foreign::Fdb(_)) => panic!(
                "what is after this element of FoundationDB says where it ends: it is ascending, in the key itself, and \
                 after it is another ascending element, or nothing"
            ),
            Some(foreign) if foreign.bytes_after().is_some() => panic!(
                "a field up to the last bytes of a key is ascending, in the key itself, and the fields after it have as many \
                 bytes together: write the sum of their widths into `BeforeLast`"
            ),
            Some(foreign) if foreign.until().is_some() => panic!(
                "what is after a field that ends before a delimiter or with the key is nothing, or an optional field after \
                 the same delimiter: write `Optional` with it"
            ),
            Some(_) => {
                panic!("a field that ends with the key is the last one, and ascending: end it before a delimiter")
            }
        }
        assert!(
            inverts_orders(self.fields),
            "a `desc` field has bytes in the order of its values, and this one has not: take `desc` off the field"
        );
        self
    }
}

/// The first encoding that is not in the place of a key that it must have.
const fn misplaced(mut fields: &[FieldLayout], is_unhashed: bool) -> Option<Foreign> {
    let (mut is_first, mut are_joined) = (true, false);
    while let [field, after @ ..] = fields {
        let foreign = match field.ty {
            Type::Scalar(Scalar::Foreign(foreign)) if !field.desc => Some(*foreign),
            _ => None,
        };
        let is_joined = matches!(foreign, Some(Foreign::Ordered(_)));
        if is_first {
            are_joined = is_joined && is_unhashed;
        }
        let is_placed = match foreign {
            Some(Foreign::Ordered(_)) => are_joined,
            Some(foreign) if foreign.ends_with_key() => after.is_empty(),
            Some(foreign) if foreign.bytes_after().is_some() => match (foreign.bytes_after(), fields_width(after)) {
                (Some(bytes), Some(width)) => bytes == width,
                _ => false,
            },
            Some(foreign) if foreign.until().is_some() => match after {
                [] => true,
                [FieldLayout { ty: Type::Scalar(Scalar::Foreign(next)), .. }, ..] => next.is_after(&foreign),
                _ => false,
            },
            Some(foreign) if foreign.looks_ahead() => match after {
                [] => true,
                [next, ..] => !next.desc && matches!(next.ty, Type::Scalar(Scalar::Foreign(Foreign::Fdb(_)))),
            },
            _ => true,
        };
        match field.ty.needing_place() {
            Some(needing) if !is_placed || foreign.is_none() => return Some(needing),
            _ => {}
        }
        if are_joined && !is_joined {
            return JOINED;
        }
        (fields, is_first) = (after, false);
    }
    None
}

const JOINED: Option<Foreign> = Some(Foreign::Ordered(OrderedCode::new(OrderedKind::Text)));

/// Returns whether each descending field has bytes in the order of its values, to be inverted.
const fn inverts_orders(fields: &[FieldLayout]) -> bool {
    let mut i = 0;
    while i < fields.len() {
        if fields[i].desc && !matches!(fields[i].ty.order(), Order::Ascending) {
            return false;
        }
        let within = match fields[i].ty {
            Type::Tuple(fields) => inverts_orders(fields),
            Type::Enum(variants) => {
                let (mut j, mut all) = (0, true);
                while j < variants.len() {
                    all = all && inverts_orders(variants[j].fields);
                    j += 1;
                }
                all
            }
            _ => true,
        };
        if !within {
            return false;
        }
        i += 1;
    }
    true
}

/// Maximum depth to which types may be nested. A shape may come from somebody else, and reading it takes stack for each
/// level. The same limit holds for derived keys, so that each shape that a table keeps can be read again.
pub(crate) const MAX_DEPTH: usize = 128;

/// Returns whether fields at this depth are within [`MAX_DEPTH`]. It calls itself for structs and enums alone, because
/// the compiler limits the depth of calls.
const fn fields_fit(fields: &[FieldLayout], depth: usize) -> bool {
    let mut i = 0;
    while i < fields.len() {
        let (mut ty, mut depth) = (fields[i].ty, depth);
        while let Type::Option(inner) | Type::List(inner) = ty {
            ty = inner;
            depth += 1;
        }
        if depth >= MAX_DEPTH {
            return false;
        }
        match ty {
            Type::Tuple(fields) if !fields_fit(fields, depth + 1) => return false,
            Type::Enum(variants) => {
                let mut j = 0;
                while j < variants.len() {
                    if !fields_fit(variants[j].fields, depth + 1) {
                        return false;
                    }
                    j += 1;
                }
            }
            _ => {}
        }
        i += 1;
    }
    true
}

/// A field of a key, of an enum's variant, or of a tuple.
#[derive(Clone, Copy, Debug)]
pub struct FieldLayout {
    /// The field's name; `_0`, `_1` and so on in tuples. Not part of the shape.
    pub name: &'static str,
    /// The type of its values.
    pub ty: &'static Type,
    /// True if it is descending: every byte is inverted.
    pub desc: bool,
    /// The side where None sorts, if it is not the default: first, or last in a descending field.
    pub nulls: Option<Nulls>,
    /// True if it is written without escapes and terminator; for the last field only.
    pub raw: bool,
}

impl FieldLayout {
    /// Returns an ascending field.
    pub const fn new(name: &'static str, ty: &'static Type) -> Self {
        Self { name, ty, desc: false, nulls: None, raw: false }
    }

    /// Returns the field with this direction.
    #[must_use]
    pub const fn desc(self, desc: bool) -> Self {
        Self { desc, ..self }
    }

    /// Returns the field with None on this side.
    #[must_use]
    pub const fn nulls(self, nulls: Nulls) -> Self {
        let other = matches!((nulls, self.desc), (Nulls::Last, false) | (Nulls::First, true));
        Self { nulls: if other { Some(nulls) } else { None }, ..self }
    }

    /// Returns the field as a raw one.
    ///
    /// # Panics
    /// If its type has no raw form. In a constant that is a compile error.
    #[must_use]
    #[track_caller]
    pub const fn raw(self) -> Self {
        assert!(
            self.ty.can_be_raw(),
            "only text, bytes, host paths, decimals, and a `List` of items of one width can be raw: take `raw` off the field"
        );
        Self { raw: true, ..self }
    }
}

/// The side where None sorts in a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Nulls {
    /// Before every Some.
    First,
    /// After every Some.
    Last,
}

/// A field's type.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Type {
    /// A value without parts.
    Scalar(Scalar),
    /// None or a value.
    Option(&'static Type),
    /// Any number of values.
    List(&'static Type),
    /// One of several variants, ascending by tag.
    Enum(&'static [Variant]),
    /// Several fields: a tuple, a nested key, a newtype.
    Tuple(&'static [FieldLayout]),
    /// A number in a unit: the bytes and the shape are those of `ty`.
    Measured {
        /// The unit; not part of the shape.
        unit: Unit,
        /// The type of the number.
        ty: &'static Type,
    },
    /// A user's own [`Encoding`](crate::encode::Encoding).
    Custom {
        /// The encoding's [`SHAPE`](crate::encode::Encoding::SHAPE).
        shape: &'static str,
        /// The encoding's [`PARAMETERS`](crate::encode::Encoding::PARAMETERS); not part of the shape.
        parameters: &'static [u64],
        /// The width of a value in bytes, if all values have the same.
        width: Option<usize>,
        /// Reads one value, and returns it as text.
        describe: DescribeFn,
    },
}

impl Type {
    /// The width of a value in bytes, if all values have the same.
    pub const fn width(&self) -> Option<usize> {
        match self {
            Self::Scalar(scalar) => scalar.width(),
            Self::Option(_) | Self::List(_) => None,
            Self::Enum(variants) => {
                let mut all = None;
                let mut i = 0;
                while i < variants.len() {
                    let Some(width) = fields_width(variants[i].fields) else { return None };
                    match all {
                        Some(other) if other != 1 + width => return None,
                        _ => all = Some(1 + width),
                    }
                    i += 1;
                }
                all
            }
            Self::Tuple(fields) => fields_width(fields),
            Self::Measured { ty, .. } => ty.width(),
            Self::Custom { width, .. } => *width,
        }
    }

    /// The order of the bytes: of a type with parts that of its values, or none.
    #[doc(hidden)]
    #[must_use]
    pub const fn order(&self) -> Order {
        let (fields, mut i) = match self {
            Self::Scalar(Scalar::Foreign(foreign)) => return foreign.order(),
            Self::Option(inner) | Self::List(inner) => {
                return if matches!(inner.order(), Order::Ascending) { Order::Ascending } else { Order::None };
            }
            Self::Enum(variants) => {
                let mut i = 0;
                while i < variants.len() {
                    if !matches!(Self::Tuple(variants[i].fields).order(), Order::Ascending) {
                        return Order::None;
                    }
                    i += 1;
                }
                return Order::Ascending;
            }
            Self::Measured { ty, .. } => return ty.order(),
            Self::Tuple(fields) => (*fields, 0),
            Self::Scalar(_) | Self::Custom { .. } => return Order::Ascending,
        };
        while i < fields.len() {
            if !matches!(fields[i].ty.order(), Order::Ascending) {
                return Order::None;
            }
            i += 1;
        }
        Order::Ascending
    }

    /// The first encoding in a value that can't tell alone where it ends.
    const fn needing_place(&self) -> Option<Foreign> {
        match self {
            Self::Scalar(Scalar::Foreign(foreign)) if foreign.needs_place() => Some(*foreign),
            Self::Option(inner) | Self::List(inner) => inner.needing_place(),
            Self::Measured { ty, .. } => ty.needing_place(),
            Self::Tuple(fields) => any_needing_place(fields),
            Self::Enum(variants) => {
                let mut i = 0;
                while i < variants.len() {
                    let found = any_needing_place(variants[i].fields);
                    if found.is_some() {
                        return found;
                    }
                    i += 1;
                }
                None
            }
            Self::Scalar(_) | Self::Custom { .. } => None,
        }
    }

    /// The bytes between a value and those that go on with it, if a value can begin another one.
    #[doc(hidden)]
    #[must_use]
    pub const fn beyond(&self) -> Option<&'static [u8]> {
        match self {
            Self::Scalar(Scalar::Foreign(foreign)) => foreign.beyond(),
            Self::Tuple([.., last]) if !last.desc => last.ty.beyond(),
            _ => None,
        }
    }

    /// The length of the delimiter that ends a value, if it ends with one.
    pub(crate) const fn delimiter_len(&self) -> usize {
        match self {
            Self::Scalar(Scalar::Foreign(foreign)) => foreign.delimiter_len(),
            Self::Tuple([.., last]) => last.ty.delimiter_len(),
            _ => 0,
        }
    }

    /// Returns whether a field of this type can be `raw`.
    pub const fn can_be_raw(&self) -> bool {
        match self {
            Self::Scalar(scalar) => scalar.can_be_raw(),
            Self::List(item) => item.is_raw_item(),
            Self::Tuple([field]) => field.is_plain() && field.ty.can_be_raw(),
            Self::Measured { ty, .. } => ty.can_be_raw(),
            _ => false,
        }
    }

    /// Returns whether a raw list can have items of this type: all have the same width, of at least one byte.
    pub const fn is_raw_item(&self) -> bool {
        match self {
            Self::Scalar(scalar) => matches!(scalar.width(), Some(1..)),
            Self::Measured { ty, .. } => ty.is_raw_item(),
            Self::Tuple(fields) => {
                let mut i = 0;
                while i < fields.len() {
                    if !fields[i].ty.is_raw_item() {
                        return false;
                    }
                    i += 1;
                }
                !fields.is_empty()
            }
            _ => false,
        }
    }
}

/// The unit of a field's numbers, which its bytes do not show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unit {
    /// Seconds since 1970.
    Second,
    /// Milliseconds since 1970.
    Millisecond,
    /// Microseconds since 1970.
    Microsecond,
    /// Nanoseconds since 1970.
    Nanosecond,
    /// Instants, rounded down to a multiple of this many seconds.
    BucketOf(u32),
    /// Snowflake ids of this epoch, in milliseconds since 1970.
    SnowflakeSince(i64),
}

/// One word; tables keep it.
impl std::fmt::Display for Unit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Second => f.write_str("seconds"),
            Self::Millisecond => f.write_str("milliseconds"),
            Self::Microsecond => f.write_str("microseconds"),
            Self::Nanosecond => f.write_str("nanoseconds"),
            Self::BucketOf(seconds) => write!(f, "bucket({seconds})"),
            Self::SnowflakeSince(epoch) => write!(f, "snowflake({epoch})"),
        }
    }
}

impl FieldLayout {
    const fn is_plain(&self) -> bool {
        !self.desc && self.nulls.is_none() && !self.raw
    }
}

const fn any_needing_place(fields: &[FieldLayout]) -> Option<Foreign> {
    let mut i = 0;
    while i < fields.len() {
        let found = fields[i].ty.needing_place();
        if found.is_some() {
            return found;
        }
        i += 1;
    }
    None
}

const fn fields_width(fields: &[FieldLayout]) -> Option<usize> {
    let mut sum = 0;
    let mut i = 0;
    while i < fields.len() {
        match fields[i].ty.width() {
            Some(width) if !fields[i].raw => sum += width,
            _ => return None,
        }
        i += 1;
    }
    Some(sum)
}

/// A variant of an enum.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// Its name; not part of the shape.
    pub name: &'static str,
    /// Its tag: the byte before its fields.
    pub tag: u8,
    /// Its fields, in key order.
    pub fields: &'static [FieldLayout],
}

macro_rules! scalars {
    ($($(#[$doc:meta])* $variant:ident $shape:literal $width:expr;)*) => {
        /// A type without parts.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Scalar {
            $($(#[$doc])* $variant,)*
            /// Bytes of one length, as they are.
            ByteArray(usize),
            /// A tile of this zoom, from 1 to 29.
            QuadKey(u8),
            /// An encoding of other programs.
            Foreign(Foreign),
        }

        impl Scalar {
            /// The number of bytes of a value; `None` if it differs from value to value.
            pub const fn width(self) -> Option<usize> {
                match self {
                    $(Self::$variant => $width,)*
                    Self::ByteArray(len) => Some(len),
                    Self::QuadKey(zoom) => Some(zoom.div_ceil(4) as usize),
                    Self::Foreign(foreign) => foreign.width(),
                }
            }

            /// The scalar whose shape is this text.
            pub fn from_shape(shape: &str) -> Option<Self> {
                match shape {
                    $($shape => Some(Self::$variant),)*
                    _ if shape.starts_with("quadkey[") => {
                        (1..=crate::keys::geo::MAX_ZOOM).map(Self::QuadKey).find(|scalar| scalar.to_string() == shape)
                    }
                    _ if shape.starts_with("bytes[") => {
                        let len = shape.strip_prefix("bytes[")?.strip_suffix(']')?;
                        let len: usize = len.parse().ok()?;
                        Some(Self::ByteArray(len)).filter(|scalar| scalar.to_string() == shape)
                    }
                    _ => Foreign::from_shape(shape).map(Self::Foreign),
                }
            }
        }

        impl std::fmt::Display for Scalar {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self {
                    $(Self::$variant => f.write_str($shape),)*
                    Self::ByteArray(len) => write!(f, "bytes[{len}]"),
                    Self::QuadKey(zoom) => write!(f, "quadkey[{zoom}]"),
                    Self::Foreign(foreign) => foreign.fmt(f),
                }
            }
        }
    };
}

scalars! {
    /// `u8`.
    U8 "u8" Some(1);
    /// `u16`.
    U16 "u16" Some(2);
    /// `u32`.
    U32 "u32" Some(4);
    /// `u64`.
    U64 "u64" Some(8);
    /// `u128`.
    U128 "u128" Some(16);
    /// `i8`.
    I8 "i8" Some(1);
    /// `i16`.
    I16 "i16" Some(2);
    /// `i32`.
    I32 "i32" Some(4);
    /// `i64`.
    I64 "i64" Some(8);
    /// `i128`.
    I128 "i128" Some(16);
    /// `f32`, in the order of `total_cmp`.
    F32 "f32" Some(4);
    /// `f64`, in the order of `total_cmp`.
    F64 "f64" Some(8);
    /// `bool`.
    Bool "bool" Some(1);
    /// `char`.
    Char "char" Some(4);
    /// Text of any length.
    Text "text" None;
    /// Bytes of any length.
    Bytes "bytes" None;
    /// An IPv4 or IPv6 address.
    IpAddr "ipaddr" None;
    /// Seconds and nanoseconds since 1970.
    Instant "instant" Some(12);
    /// Seconds and nanoseconds.
    Duration "duration" Some(12);
    /// A tile of any zoom.
    Tile "tile" Some(8);
    /// A decimal number.
    Decimal "decimal" None;
    /// A host and a path, by the host's labels from the last to the first.
    HostPath "host_path" None;
    /// A URL: host and path, scheme, port, user.
    Url "url" None;
}

impl Scalar {
    pub(crate) const fn can_be_raw(self) -> bool {
        matches!(self, Self::Text | Self::Bytes | Self::HostPath | Self::Decimal)
    }
}
