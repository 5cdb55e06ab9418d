//! From layouts to the representation.

use rowkey::foreign::{Binary, Endian, Foreign, OrderedKind};
use rowkey::layout::Scalar;
use rowkey::untyped::{FieldBuf, TypeBuf, VariantBuf};
use rowkey::{LayoutBuf, LayoutError};
use rowkey_design::internal::TableDesign;
use rowkey_design::internal::choice::Choice;
use rowkey_design::internal::design::Meaning;

use super::{Decl, DeclKind, Field, Int, IntForm, Key, Lead, Ordered, TextEnd, TextField, Type, Variant};

/// A table whose key gets a codec.
#[derive(Clone, Debug)]
pub struct Table {
    layout: LayoutBuf,
    about: Option<String>,
    meanings: Vec<Option<Meaning>>,
}

/// Why a key has no generated code: where in it, and what of it can't be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: `{what}` has no generated code: {why}")]
pub struct Refusal {
    /// The place: the table and the names of fields, joined by dots.
    pub place: String,
    /// The word of the shape.
    pub what: String,
    /// The reason.
    pub why: &'static str,
}

impl Table {
    /// The table of a layout.
    pub fn new(layout: LayoutBuf) -> Self {
        Self { layout, about: None, meanings: Vec::new() }
    }

    /// The table of a layout as JSON, as FORMAT.md has it.
    ///
    /// # Errors
    /// If it is no layout.
    pub fn of_json(json: &str) -> Result<Self, LayoutError> {
        LayoutBuf::from_json(json).map(Self::new)
    }

    /// A table of a design, and the tables of its rows under other keys.
    pub fn of_design(design: &TableDesign) -> Vec<Self> {
        let meaning = |field: &FieldBuf| design.table.means.get(&field.name).map(|meaning| **meaning);
        let with = |layout: &LayoutBuf, about| {
            let meanings = layout.fields().iter().map(meaning).collect();
            Self { layout: layout.clone(), about, meanings }
        };
        let first = with(&design.layout, design.table.about.clone());
        let of = format!("The rows of {} under another key.", design.name.as_str());
        let others = design.secondary.iter().map(|layout| with(layout, Some(of.clone())));
        std::iter::once(first).chain(others).collect()
    }

    /// The name of the table.
    pub fn name(&self) -> &str {
        self.layout.name()
    }

    /// The layout of its keys.
    pub fn layout(&self) -> &LayoutBuf {
        &self.layout
    }
}

impl Key {
    /// The key of a table, without names.
    pub(crate) fn of(table: &Table) -> Result<Self, Refusal> {
        Building::key(table)
    }
}

/// A key that is being built.
struct Building {
    place: String,
    types: Vec<Decl>,
}

impl Building {
    fn key(table: &Table) -> Result<Key, Refusal> {
        let Table { layout, about, meanings } = table;
        let mut building = Self { place: layout.name().to_owned(), types: Vec::new() };
        let mut fields = building.fields(layout.fields())?;
        for (field, meaning) in fields.iter_mut().zip(meanings) {
            let Some(meaning) = meaning else { continue };
            field.about = Some(meaning.about());
            let is_uuid = matches!(meaning, Meaning::Uuid4 | Meaning::Uuid7);
            if is_uuid && field.ty == Type::Array(16) {
                field.ty = Type::Uuid;
            }
        }
        let last = layout.by().last().map_or(layout.fields().last(), |last| layout.fields().get(*last));
        let cut = last.map_or(0, |field| delimiter_len(&field.ty));
        let lead = Lead::of(layout.lead(), layout.by(), cut).map_err(|(what, why)| building.refusal(what, why))?;
        let is_joined = matches!(fields.as_slice(), [Field { ty: Type::Ordered(_), .. }, ..]);
        Ok(Key {
            name: layout.name().to_owned(),
            ident: String::new(),
            module: String::new(),
            about: about.clone(),
            shape: layout.shape(),
            fingerprint: layout.fingerprint().to_string(),
            lead,
            fields,
            types: building.types,
            steps: Vec::new(),
            is_joined,
        })
    }

    fn refusal(&self, what: impl Into<String>, why: &'static str) -> Refusal {
        Refusal { place: self.place.clone(), what: what.into(), why }
    }

    fn fields(&mut self, fields: &[FieldBuf]) -> Result<Vec<Field>, Refusal> {
        fields.iter().map(|field| self.field(field)).collect()
    }

    fn field(&mut self, field: &FieldBuf) -> Result<Field, Refusal> {
        let outer = self.place.len();
        self.place += ".";
        self.place += &field.name;
        let ty = self.field_type(field)?;
        self.place.truncate(outer);
        let shape = field.to_string();
        Ok(Field { name: field.name.clone(), ident: String::new(), shape, about: None, ty, desc: field.desc })
    }

    fn field_type(&mut self, field: &FieldBuf) -> Result<Type, Refusal> {
        let mut ty = self.ty(&field.ty, field.raw)?;
        if let (Type::Option { none, .. }, true) = (&mut ty, field.nulls.is_some()) {
            // A layout has it only where it is not the default.
            *none = 2;
        }
        Ok(ty)
    }

    fn ty(&mut self, ty: &TypeBuf, raw: bool) -> Result<Type, Refusal> {
        Ok(match ty {
            TypeBuf::Scalar(scalar) => self.scalar(*scalar, raw)?,
            TypeBuf::Option(inner) => {
                let inner = Box::new(self.ty(inner, false)?);
                Type::Option { none: 0, is_nested: inner.is_nullable(), inner }
            }
            TypeBuf::List(item) => Type::List { item: Box::new(self.ty(item, false)?), raw },
            TypeBuf::Enum(variants) => {
                let variants = variants.iter().map(|variant| self.variant(variant)).collect::<Result<_, _>>()?;
                Type::Enum(self.declared(DeclKind::Enum(variants)))
            }
            TypeBuf::Tuple(fields) => {
                let raw_within = |field: &FieldBuf| FieldBuf { raw, ..field.clone() };
                let fields: Vec<FieldBuf> = match raw {
                    true => fields.iter().map(raw_within).collect(),
                    false => fields.clone(),
                };
                let fields = self.fields(&fields)?;
                Type::Tuple(self.declared(DeclKind::Tuple(fields)))
            }
            TypeBuf::Custom(custom) => {
                return Err(self.refusal(&custom.shape, "an encoding of a user's own is code that is not here"));
            }
            _ => return Err(self.refusal(ty.to_string(), NO_CODE)),
        })
    }

    fn variant(&mut self, variant: &VariantBuf) -> Result<Variant, Refusal> {
        let outer = self.place.len();
        self.place += ".";
        self.place += &variant.name;
        let fields = self.fields(&variant.fields)?;
        self.place.truncate(outer);
        let (ident, constant) = (String::new(), String::new());
        Ok(Variant { name: variant.name.clone(), ident, constant, tag: variant.tag, fields })
    }

    fn declared(&mut self, kind: DeclKind) -> usize {
        self.types.push(Decl { ident: String::new(), place: self.place.clone(), kind });
        self.types.len() - 1
    }

    fn scalar(&self, scalar: Scalar, raw: bool) -> Result<Type, Refusal> {
        let int = |bits, signed| Type::Int(Int { bits, signed, width: bits / 8, form: IntForm::Sorted });
        Ok(match scalar {
            Scalar::U8 => int(8, false),
            Scalar::U16 => int(16, false),
            Scalar::U32 => int(32, false),
            Scalar::U64 => int(64, false),
            Scalar::U128 => int(128, false),
            Scalar::I8 => int(8, true),
            Scalar::I16 => int(16, true),
            Scalar::I32 => int(32, true),
            Scalar::I64 => int(64, true),
            Scalar::I128 => int(128, true),
            Scalar::F32 => Type::Float { bits: 32 },
            Scalar::F64 => Type::Float { bits: 64 },
            Scalar::Bool => Type::Bool,
            Scalar::Char => Type::Char,
            Scalar::Text => Type::Text(if raw { TextEnd::Raw } else { TextEnd::Escaped }),
            Scalar::Bytes => Type::Bytes { raw },
            Scalar::ByteArray(len) => Type::Array(len),
            Scalar::Decimal => Type::Decimal { raw },
            Scalar::IpAddr => Type::Ip,
            Scalar::Instant => Type::Instant,
            Scalar::Duration => Type::Duration,
            Scalar::QuadKey(zoom) => Type::Quadkey(zoom),
            Scalar::Tile => Type::Tile,
            Scalar::HostPath => Type::HostPath { raw },
            Scalar::Url => {
                return Err(self.refusal(
                    "url",
                    "its one form needs a parser of WHATWG's URL standard; store a \
                                                `host_path`, or text",
                ));
            }
            Scalar::Foreign(foreign) => return self.foreign(foreign),
            other => return Err(self.refusal(other.to_string(), NO_CODE)),
        })
    }

    fn foreign(&self, foreign: Foreign) -> Result<Type, Refusal> {
        let no_code = |why| Err(self.refusal(foreign.to_string(), why));
        Ok(match foreign {
            Foreign::Text(field) => match TextField::of(field) {
                Some(field) => Type::TextField(field),
                None => return no_code(NO_CODE),
            },
            Foreign::Binary(number) => Type::Int(binary(&number)),
            Foreign::Constant(bytes) => Type::Constant(bytes.as_bytes().to_vec()),
            Foreign::Ordered(field) => Type::Ordered(match field.kind() {
                OrderedKind::Text => Ordered::Text,
                OrderedKind::Bytes => Ordered::Bytes,
                OrderedKind::Int => Ordered::Int,
                OrderedKind::BigEndian => Ordered::BigEndian,
                OrderedKind::Micros => Ordered::Micros,
                OrderedKind::BigEndianMicros => Ordered::BigEndianMicros,
                _ => return no_code(NO_CODE),
            }),
            Foreign::Char(width) => Type::Text(TextEnd::Blanks(width.get())),
            Foreign::ZeroPadded(width) => Type::Text(TextEnd::Zeros(width.get())),
            Foreign::Fdb(_) => return no_code("FoundationDB has bindings for each language that write its tuples"),
            Foreign::Groups => return no_code("TiDB's own clients write its keys"),
            Foreign::JavaUtf => return no_code("it is Java's own `DataOutput.writeUTF`"),
            _ => return no_code(NO_CODE),
        })
    }
}

const NO_CODE: &str = "it is not one of the encodings that the generated code has";

fn binary(number: &Binary) -> Int {
    let (width, signed) = (number.width() as u8, number.is_signed());
    let form = match number.endian() {
        Endian::Little => IntForm::Little,
        Endian::Big if signed => IntForm::Big,
        Endian::Big => IntForm::Sorted,
    };
    Int { bits: 8 * width.next_power_of_two(), signed, width, form }
}

/// The length of the delimiter that ends the values of a type, if one does.
fn delimiter_len(ty: &TypeBuf) -> usize {
    match ty {
        TypeBuf::Scalar(Scalar::Foreign(foreign)) => foreign.delimiter_len(),
        TypeBuf::Tuple(fields) => fields.last().map_or(0, |last| delimiter_len(&last.ty)),
        _ => 0,
    }
}
