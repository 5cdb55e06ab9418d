//! Keys without their Rust type: read, write and explain them by an owned layout, as tools and migrations do.

mod check;
mod explain;
#[cfg(feature = "json")]
mod json;
mod key;
mod picture;
mod select;
#[cfg(feature = "serde")]
mod serial;
mod shape;
mod value;

pub use self::explain::{Explanation, Part};
pub use self::key::ValueError;
pub use self::select::FieldValues;
pub use self::value::Value;
use crate::keys::fingerprint::Fingerprint;
use crate::keys::foreign::{Foreign, Order, joined};
use crate::keys::layout::{DescribeFn, FieldLayout, Layout, Nulls, Scalar, Type, Variant};
use crate::keys::lead::{Hashed, Lead, Salt, SaltHash};
#[doc(hidden)]
pub use crate::keys::words;

/// A key's layout, owned: made from a key type's [`LAYOUT`](crate::RowKey::LAYOUT), from its shape, or from JSON.
///
/// It reads and writes keys without their Rust type, and the bytes are the same.
///
/// ```
/// use rowkey::{LayoutBuf, Value};
///
/// let layout: LayoutBuf = "u64, i64 desc".parse()?;
/// let key = layout.encode(&[Value::Unsigned(42), Value::Signed(1)])?;
/// assert_eq!(key, [0, 0, 0, 0, 0, 0, 0, 42, 0x7f, 255, 255, 255, 255, 255, 255, 254]);
/// assert_eq!(layout.decode(&key)?, [Value::Unsigned(42), Value::Signed(1)]);
/// assert_eq!(layout.fingerprint().to_string().len(), 16);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "schema")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayoutBuf {
    name: String,
    lead: Lead<String>,
    by: Vec<usize>,
    fields: Vec<FieldBuf>,
    /// The width of a key, computed once.
    width: Option<usize>,
}

/// One field of an owned layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldBuf {
    /// The field's name; not part of the shape.
    pub name: String,
    /// The type of its values.
    pub ty: TypeBuf,
    /// True if it is descending: every byte is inverted.
    pub desc: bool,
    /// The side where None sorts, if it is not the default: first, or last in a descending field.
    pub nulls: Option<Nulls>,
    /// True if it is written without escapes and terminator; for the last field only.
    pub raw: bool,
}

/// A field's type in an owned layout.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TypeBuf {
    /// A value without parts.
    Scalar(Scalar),
    /// None or a value.
    Option(Box<TypeBuf>),
    /// Any number of values.
    List(Box<TypeBuf>),
    /// One of several variants, ascending by tag.
    Enum(Vec<VariantBuf>),
    /// Several fields: a tuple, a nested key, a newtype.
    Tuple(Vec<FieldBuf>),
    /// A user's own encoding.
    Custom(CustomBuf),
}

/// A variant in an owned layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariantBuf {
    /// Its name; not part of the shape.
    pub name: String,
    /// Its tag: the byte before its fields.
    pub tag: u8,
    /// Its fields, in key order.
    pub fields: Vec<FieldBuf>,
}

/// A user's own encoding in an owned layout.
#[derive(Clone, Debug)]
pub struct CustomBuf {
    /// The encoding's [`SHAPE`](crate::encode::Encoding::SHAPE).
    pub shape: String,
    /// The width of a value in bytes, if all values have the same.
    pub width: Option<usize>,
    describe: Option<DescribeFn>,
}

impl PartialEq for CustomBuf {
    fn eq(&self, other: &Self) -> bool {
        (&self.shape, self.width) == (&other.shape, other.width)
    }
}

impl Eq for CustomBuf {}

impl CustomBuf {
    /// An encoding whose Rust type is not known.
    pub(crate) fn new(shape: impl Into<String>, width: Option<usize>) -> Self {
        Self { shape: shape.into(), width, describe: None }
    }

    /// For an error: the type of the format that the word may be meant to be, if nothing but the word is known.
    fn meant(&self) -> String {
        let known = self.describe.is_some() || self.width.is_some();
        match crate::keys::encode::nearest_type(&self.shape).filter(|_| !known) {
            Some(nearest) => format!("; the nearest type of the format is `{nearest}`"),
            None => String::new(),
        }
    }
}

/// Why a layout is not valid: where in it, and what is wrong there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{}{reason}", self.path, if self.path.is_empty() { "" } else { ": " })]
#[non_exhaustive]
pub struct LayoutError {
    /// The place: a path as in `fields[1].type.enum[0].tag`, or `byte 7` of a shape.
    pub path: String,
    /// The reason why it is invalid.
    pub reason: String,
}

impl LayoutError {
    fn new(path: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { path: path.into(), reason: reason.into() }
    }
}

impl LayoutBuf {
    /// The layout of these fields after this lead, which is taken over the fields in `by`, or over all if `by` is
    /// empty.
    ///
    /// # Errors
    /// If no key can have this layout: the error has the path to the part that is not valid.
    ///
    /// ```
    /// use rowkey::LayoutBuf;
    /// use rowkey::lead::{Lead, Salt, SaltFormat, SaltHash};
    /// use rowkey::untyped::FieldBuf;
    ///
    /// let fields = vec![FieldBuf::new("user", "u64")?, FieldBuf::new("at", "i64 desc")?];
    /// let salt = Salt { buckets: 16, hash: SaltHash::named("xxh3"), format: SaltFormat::Binary };
    /// let layout = LayoutBuf::of_fields("Event", Lead::Salt(salt), vec![0], fields)?;
    /// assert_eq!(layout.shape(), "salt(16 xxh3 by 0) u64, i64 desc");
    /// # Ok::<(), rowkey::LayoutError>(())
    /// ```
    pub fn of_fields(
        name: impl Into<String>,
        lead: Lead<String>,
        by: Vec<usize>,
        fields: Vec<FieldBuf>,
    ) -> Result<Self, LayoutError> {
        Self::checked(name.into(), lead, by, fields)
    }

    /// The key type's name; not part of the shape.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The bytes before the fields: none, a salt, or a digest.
    pub fn lead(&self) -> &Lead<String> {
        &self.lead
    }

    /// The fields, by index from 0, that the salt or digest is taken over. Empty: all fields.
    pub fn by(&self) -> &[usize] {
        &self.by
    }

    /// The fields, in key order.
    pub fn fields(&self) -> &[FieldBuf] {
        &self.fields
    }

    /// The width of a key in bytes, if all keys have the same.
    pub fn width(&self) -> Option<usize> {
        self.width
    }

    /// The part that a salt or a hash is taken over.
    pub(crate) fn hashed(&self) -> Hashed<'_> {
        let last = self.by.last().and_then(|last| self.fields.get(*last)).or(self.fields.last());
        let delimiter = last.map_or(0, |field| field.ty.delimiter_len());
        Hashed { by: &self.by, delimiter }
    }

    /// The key's shape, in the grammar of FORMAT.md: all that determines the bytes of keys, without names.
    pub fn shape(&self) -> String {
        self.to_string()
    }

    /// Returns whether keys sort as their values do, or in reverse, field by field. Some encodings of other programs
    /// have another order: [`Foreign::order`](crate::foreign::Foreign::order).
    ///
    /// ```
    /// use rowkey::LayoutBuf;
    ///
    /// assert!("text, dec[10]".parse::<LayoutBuf>()?.is_ordered());
    /// assert!(!"dec['#'], u8".parse::<LayoutBuf>()?.is_ordered());
    /// # Ok::<(), rowkey::LayoutError>(())
    /// ```
    pub fn is_ordered(&self) -> bool {
        self.fields.iter().all(|field| field.ty.is_ordered())
    }

    /// Returns whether this layout reads every key of `older`, with the same values: the two differ only in variants
    /// that enums have here and not in `older`.
    ///
    /// ```
    /// use rowkey::LayoutBuf;
    ///
    /// let before: LayoutBuf = "u64, enum{1: (), 2: (text)}".parse()?;
    /// let after: LayoutBuf = "u64, enum{1: (), 2: (text), 5: (u8)}".parse()?;
    /// assert!(after.extends(&before) && !before.extends(&after));
    /// # Ok::<(), rowkey::LayoutError>(())
    /// ```
    pub fn extends(&self, older: &Self) -> bool {
        let mut known = self.clone();
        forget_new_variants(&mut known.fields, &older.fields);
        known.shape() == older.shape()
    }

    /// The same fields without a lead.
    #[cfg(feature = "laws")]
    pub(crate) fn without_lead(&self) -> Self {
        Self::new(self.name.clone(), Lead::None, Vec::new(), self.fields.clone())
    }

    /// Returns whether empty fields at the end of a key are left out.
    fn drops_empty_ends(&self) -> bool {
        matches!(self.fields.last().and_then(FieldBuf::foreign), Some(Foreign::Ordered(_)))
    }

    /// The length of a key, or of its beginning, of which all fields were written.
    fn key_len(&self, written: &[u8]) -> usize {
        if self.drops_empty_ends() { joined::len(written) } else { written.len() }
    }

    fn new(name: String, lead: Lead<String>, by: Vec<usize>, mut fields: Vec<FieldBuf>) -> Self {
        for (i, field) in fields.iter_mut().enumerate() {
            if let TypeBuf::Scalar(Scalar::Foreign(foreign)) = &mut field.ty {
                *foreign = foreign.placed(i);
            }
        }
        let width = fields_width(&fields).and_then(|width| width.checked_add(lead.width()));
        Self { name, lead, by, fields, width }
    }
}

fn forget_new_variants(fields: &mut [FieldBuf], older: &[FieldBuf]) {
    for (field, older) in fields.iter_mut().zip(older) {
        field.ty.forget_new_variants(&older.ty);
    }
}

fn fields_width(fields: &[FieldBuf]) -> Option<usize> {
    fields.iter().try_fold(0usize, |sum, field| {
        if field.raw {
            return None;
        }
        sum.checked_add(field.ty.width()?)
    })
}

impl FieldBuf {
    const fn is_plain(&self) -> bool {
        !self.desc && self.nulls.is_none() && !self.raw
    }

    /// The encoding of another program, if it is one.
    pub(crate) const fn foreign(&self) -> Option<&Foreign> {
        match &self.ty {
            TypeBuf::Scalar(Scalar::Foreign(foreign)) => Some(foreign),
            _ => None,
        }
    }

    /// Returns whether a key can begin with another one because of this field.
    #[cfg(feature = "laws")]
    pub(crate) fn can_begin_another(&self) -> bool {
        self.ends_with_key() || self.foreign().is_some_and(Foreign::needs_place)
    }

    /// Returns whether a value ends with the key: it has no end of its own.
    pub(crate) const fn ends_with_key(&self) -> bool {
        match self.foreign() {
            Some(foreign) => foreign.ends_with_key(),
            None => self.raw,
        }
    }
}

impl TypeBuf {
    /// The width of a value in bytes, if all values have the same.
    pub fn width(&self) -> Option<usize> {
        match self {
            Self::Scalar(scalar) => scalar.width(),
            Self::Option(_) | Self::List(_) => None,
            Self::Enum(variants) => {
                let mut widths = variants.iter().map(|variant| fields_width(&variant.fields));
                let first = widths.next()??;
                widths.all(|width| width == Some(first)).then_some(first)?.checked_add(1)
            }
            Self::Tuple(fields) => fields_width(fields),
            Self::Custom(custom) => custom.width,
        }
    }

    fn is_ordered(&self) -> bool {
        self.all_foreign(&|foreign| foreign.order() != Order::None)
    }

    /// Returns whether this holds of all encodings of other programs within.
    fn all_foreign(&self, holds: &dyn Fn(&Foreign) -> bool) -> bool {
        let all = |fields: &[FieldBuf]| fields.iter().all(|field| field.ty.all_foreign(holds));
        match self {
            Self::Scalar(Scalar::Foreign(foreign)) => holds(foreign),
            Self::Scalar(_) | Self::Custom(_) => true,
            Self::Option(inner) | Self::List(inner) => inner.all_foreign(holds),
            Self::Enum(variants) => variants.iter().all(|variant| all(&variant.fields)),
            Self::Tuple(fields) => all(fields),
        }
    }

    /// Returns whether the bytes of all parts are in the order of their values.
    fn is_ascending(&self) -> bool {
        self.all_foreign(&|foreign| foreign.order() == Order::Ascending)
    }

    /// The length of the delimiter that ends a value, if it ends with one.
    fn delimiter_len(&self) -> usize {
        match self {
            Self::Scalar(Scalar::Foreign(foreign)) => foreign.delimiter_len(),
            Self::Tuple(fields) => fields.last().map_or(0, |last| last.ty.delimiter_len()),
            _ => 0,
        }
    }

    fn forget_new_variants(&mut self, older: &Self) {
        match (self, older) {
            (Self::Option(inner), Self::Option(older)) | (Self::List(inner), Self::List(older)) => {
                inner.forget_new_variants(older);
            }
            (Self::Enum(variants), Self::Enum(older)) => {
                variants.retain(|variant| older.iter().any(|older| older.tag == variant.tag));
                for (variant, older) in variants.iter_mut().zip(older) {
                    forget_new_variants(&mut variant.fields, &older.fields);
                }
            }
            (Self::Tuple(fields), Self::Tuple(older)) => forget_new_variants(fields, older),
            _ => {}
        }
    }

    fn can_be_raw(&self) -> bool {
        match self {
            Self::Scalar(scalar) => scalar.can_be_raw(),
            Self::List(item) => item.is_raw_item(),
            Self::Tuple(fields) => {
                matches!(fields.as_slice(), [field] if field.is_plain() && field.ty.can_be_raw())
            }
            _ => false,
        }
    }

    fn is_raw_item(&self) -> bool {
        match self {
            Self::Scalar(scalar) => matches!(scalar.width(), Some(1..)),
            Self::Tuple(fields) => !fields.is_empty() && fields.iter().all(|field| field.ty.is_raw_item()),
            _ => false,
        }
    }
}

impl From<&Layout> for LayoutBuf {
    fn from(layout: &Layout) -> Self {
        Self::new(
            layout.name.to_owned(),
            owned_lead(layout.lead),
            layout.by.to_vec(),
            layout.fields.iter().map(FieldBuf::from).collect(),
        )
    }
}

fn owned_lead(lead: Lead<&str>) -> Lead<String> {
    match lead {
        Lead::None => Lead::None,
        Lead::Digest(bytes) => Lead::Digest(bytes),
        Lead::Hash(prefix) => Lead::Hash(prefix),
        Lead::Salt(Salt { buckets, hash, format }) => {
            Lead::Salt(Salt { buckets, hash: SaltHash { name: hash.name.to_owned(), hash: hash.hash }, format })
        }
    }
}

impl From<&FieldLayout> for FieldBuf {
    fn from(&FieldLayout { name, ty, desc, nulls, raw }: &FieldLayout) -> Self {
        Self { name: name.to_owned(), ty: ty.into(), desc, nulls, raw }
    }
}

impl From<&Variant> for VariantBuf {
    fn from(variant: &Variant) -> Self {
        Self {
            name: variant.name.to_owned(),
            tag: variant.tag,
            fields: variant.fields.iter().map(FieldBuf::from).collect(),
        }
    }
}

impl From<&Type> for TypeBuf {
    fn from(ty: &Type) -> Self {
        match ty {
            Type::Scalar(scalar) => Self::Scalar(*scalar),
            Type::Option(inner) => Self::Option(Box::new((*inner).into())),
            Type::List(item) => Self::List(Box::new((*item).into())),
            Type::Enum(variants) => Self::Enum(variants.iter().map(VariantBuf::from).collect()),
            Type::Tuple(fields) => Self::Tuple(fields.iter().map(FieldBuf::from).collect()),
            Type::Measured { ty, .. } => (*ty).into(),
            Type::Custom { shape, width, describe, .. } => {
                Self::Custom(CustomBuf { shape: (*shape).to_owned(), width: *width, describe: Some(*describe) })
            }
        }
    }
}

impl Layout {
    /// The key's shape, in the grammar of FORMAT.md: all that determines the bytes of keys, without names.
    pub fn shape(&self) -> String {
        LayoutBuf::from(self).shape()
    }

    /// The shape's fingerprint, which tables and cursors keep.
    pub fn fingerprint(&self) -> Fingerprint {
        LayoutBuf::from(self).fingerprint()
    }
}

impl LayoutBuf {
    /// The shape's fingerprint: XXH3-64 of its UTF-8 bytes.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&self.shape())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_new_variants_extend_a_layout() {
        let extends = |after: &str, before: &str| {
            after.parse::<LayoutBuf>().unwrap().extends(&before.parse::<LayoutBuf>().unwrap())
        };
        let before = "salt(4 xxh3) option<enum{2: (enum{1: ()})}> desc, text";
        assert!(extends(before, before));
        assert!(extends("salt(4 xxh3) option<enum{1: (u8), 2: (enum{0: (), 1: ()}), 3: ()}> desc, text", before));
        for other in [
            "salt(8 xxh3) option<enum{2: (enum{1: ()})}> desc, text",
            "salt(4 xxh3) option<enum{2: (enum{1: ()})}>, text",
            "salt(4 xxh3) option<enum{2: (enum{1: ()})}> desc, text, u8",
            "salt(4 xxh3) option<enum{2: (enum{1: ()})}> desc",
            "salt(4 xxh3) option<enum{1: (enum{1: ()})}> desc, text",
            "salt(4 xxh3) option<enum{2: (enum{1: (u8)}), 3: ()}> desc, text",
            "salt(4 xxh3) option<enum{2: (enum{0: ()}), 3: ()}> desc, text",
            "salt(4 xxh3) list<enum{2: (enum{1: ()})}> desc, text",
        ] {
            assert!(!extends(other, before), "{other}");
        }
    }
}
