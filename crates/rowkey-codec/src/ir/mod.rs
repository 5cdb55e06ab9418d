//! The intermediate representation: the keys of a codec, in terms that all languages share, with the names of one.
//!
//! An emitter walks it and asks nothing else: what a language can't have was refused before, names are valid and do not
//! collide, and each enum has variants for what this format has, so that a `match` of an emitter is exhaustive.

mod build;
mod key;
mod lead;
mod text;

pub use self::build::{Refusal, Table};
pub use self::lead::{Bucket, Digest, HashFunction, Lead, Radix, Salt, SaltHash, Taken};
pub use self::text::{Beginning, DatePart, End, Form, TextField};

/// The keys of one generated package.
#[derive(Clone, Debug)]
pub struct Codec {
    /// The keys, in the order of the design.
    pub keys: Vec<Key>,
}

/// The key of one table.
#[derive(Clone, Debug)]
pub struct Key {
    /// The name of the table, as the design has it.
    pub name: String,
    /// The name of the key's type.
    pub ident: String,
    /// The name of the file, module or package of this key, without its suffix.
    pub module: String,
    /// A description, for people.
    pub about: Option<String>,
    /// The shape, in the grammar of FORMAT.md.
    pub shape: String,
    /// The shape's fingerprint: 16 hex digits.
    pub fingerprint: String,
    /// The bytes before the fields.
    pub lead: Lead,
    /// The fields, in key order.
    pub fields: Vec<Field>,
    /// The tuples and enums of the fields, each after those that it contains.
    pub types: Vec<Decl>,
    /// The names of the types of prefixes: of that which fixes no field, one field, and so on.
    pub steps: Vec<String>,
    /// True if Google's OrderedCode joins the fields: then all types are [`Type::Ordered`].
    pub is_joined: bool,
}

/// A field of a key, of a tuple, or of an enum's variant.
#[derive(Clone, Debug)]
pub struct Field {
    /// The name, as the design has it.
    pub name: String,
    /// The name in the language.
    pub ident: String,
    /// The shape of its type and its attributes, as in `i64 desc`.
    pub shape: String,
    /// The meaning of its values, if the design has it: `milliseconds since 1970`.
    pub about: Option<String>,
    /// The type.
    pub ty: Type,
    /// True if all bytes of the field are inverted: once more, if those of the tuple around it are.
    pub desc: bool,
}

/// A type of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// An integer.
    Int(Int),
    /// An IEEE float, in its total order.
    Float {
        /// 32 or 64.
        bits: u8,
    },
    /// `00` or `01`.
    Bool,
    /// A Unicode scalar value, in four bytes.
    Char,
    /// Text.
    Text(TextEnd),
    /// Bytes of any length: escaped and terminated, or up to the key's end.
    Bytes {
        /// True if they end with the key.
        raw: bool,
    },
    /// This many bytes, as they are.
    Array(usize),
    /// Sixteen bytes that the design says are a UUID.
    Uuid,
    /// A decimal number.
    Decimal {
        /// True if it ends with the key.
        raw: bool,
    },
    /// An IP address of either family, with its family before it.
    Ip,
    /// Seconds since 1970 in an `i64`, and nanoseconds.
    Instant,
    /// Seconds in a `u64`, and nanoseconds.
    Duration,
    /// A tile of this zoom.
    Quadkey(u8),
    /// A tile of any zoom.
    Tile,
    /// A host and a path, sorted by domain.
    HostPath {
        /// True if it ends with the key.
        raw: bool,
    },
    /// The same bytes in every key. Its value has no content; as a field it is no member of a record.
    Constant(Vec<u8>),
    /// A field of a text key.
    TextField(TextField),
    /// A field of a key that OrderedCode joins.
    Ordered(Ordered),
    /// None or a value.
    Option {
        /// The type of the value.
        inner: Box<Type>,
        /// The tag of None: 0, or 2 if it sorts after every value. That of a value is 1.
        none: u8,
        /// True if the inner type has a None too, so that a language with null needs a wrapper to tell the two apart.
        is_nested: bool,
    },
    /// Any number of values.
    List {
        /// Their type.
        item: Box<Type>,
        /// True if the values follow each other up to the key's end, without marks.
        raw: bool,
    },
    /// One of several variants: an index of [`Key::types`].
    Enum(usize),
    /// Several fields, one after another: an index of [`Key::types`].
    Tuple(usize),
}

/// The end of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextEnd {
    /// It is escaped, and `00` ends it.
    Escaped,
    /// It ends with the key.
    Raw,
    /// Printable ASCII, padded with blanks to this width.
    Blanks(u16),
    /// Text without zero bytes, padded with them to this width.
    Zeros(u16),
}

/// An integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Int {
    /// The bits of the type of its values: 8, 16, 32, 64 or 128.
    pub bits: u8,
    /// True if its values can be below 0.
    pub signed: bool,
    /// The number of bytes: as many as the bits have, or fewer.
    pub width: u8,
    /// The bytes.
    pub form: IntForm,
}

/// The bytes of an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntForm {
    /// Big-endian; of a signed one with the highest bit flipped.
    Sorted,
    /// Big-endian, in two's complement: a signed one.
    Big,
    /// Little-endian; a signed one in two's complement.
    Little,
}

/// The content of a field of OrderedCode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ordered {
    /// Text.
    Text,
    /// Bytes.
    Bytes,
    /// An `i64` of 1 to 10 bytes.
    Int,
    /// An `i64` in eight bytes, in two's complement.
    BigEndian,
    /// An instant, as the number of its microseconds, of 1 to 10 bytes.
    Micros,
    /// The same, in eight bytes.
    BigEndianMicros,
}

/// A type that a codec declares.
#[derive(Clone, Debug)]
pub struct Decl {
    /// The name in the language.
    pub ident: String,
    /// The place where it is used, as the design has it: `visits.at`.
    pub place: String,
    /// Its parts.
    pub kind: DeclKind,
}

/// The parts of a declared type.
#[derive(Clone, Debug)]
pub enum DeclKind {
    /// Fields, one after another.
    Tuple(Vec<Field>),
    /// Variants, ascending by tag.
    Enum(Vec<Variant>),
}

/// A variant of an enum.
#[derive(Clone, Debug)]
pub struct Variant {
    /// The name, as the layout has it.
    pub name: String,
    /// The name of its type in the language.
    pub ident: String,
    /// The name of it as a constant of its enum.
    pub constant: String,
    /// The byte before its fields.
    pub tag: u8,
    /// The fields.
    pub fields: Vec<Field>,
}

/// The order of the bytes of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// That of the values.
    Ascending,
    /// The reverse of it.
    Descending,
    /// Another one: there are no ranges of values.
    None,
}

impl Decl {
    /// Returns whether it is an enum none of whose variants has fields.
    pub fn is_plain_enum(&self) -> bool {
        matches!(&self.kind, DeclKind::Enum(variants) if variants.iter().all(|variant| variant.fields.is_empty()))
    }
}

impl Type {
    /// Returns whether the values of the type are of one that can be begun: `starts_with` has text or bytes to take.
    pub fn can_be_begun(&self) -> bool {
        match self {
            Self::Text(_) | Self::Bytes { .. } | Self::Ordered(Ordered::Text | Ordered::Bytes) => true,
            Self::TextField(field) => field.beginning().is_some(),
            _ => false,
        }
    }

    /// Returns whether a language with null has it for one of the values.
    pub fn is_nullable(&self) -> bool {
        match self {
            Self::Option { .. } => true,
            Self::TextField(field) => field.after.is_some(),
            _ => false,
        }
    }
}
