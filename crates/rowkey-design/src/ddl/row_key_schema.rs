//! The `row_key_schema` of a table of Bigtable, by which GoogleSQL reads the fields of its keys: a `Type.Struct` of the
//! admin API.

use data_encoding::BASE64;
use rowkey::foreign::{Binary, Delimiter, End, Endian, Foreign, OrderedKind};
use rowkey::layout::Scalar;
use rowkey::lead::Lead;
use rowkey::untyped::{FieldBuf, TypeBuf};
use serde_json::{Value as Json, json};

use super::{NewTable, Said, shown};

/// Why there is no schema of a table: the field, if it is one, and the reason.
type Prevented<'f> = (Option<&'f str>, &'static str);

/// The schema of a table, as JSON of the admin API; none if it would say no more than bytes, or can't say the layout,
/// which is noted.
pub(super) fn of(table: &NewTable<'_>, said: &mut Said) -> Option<Json> {
    let fields = table.layout.fields();
    if let [FieldBuf { ty: TypeBuf::Scalar(Scalar::Bytes | Scalar::ByteArray(_)), desc: false, .. }] = fields
        && matches!(table.layout.lead(), Lead::None)
    {
        return None;
    }
    match schema(table) {
        Ok((schema, None)) => Some(schema),
        Ok((schema, Some(delimiter))) => {
            let first = delimiter.as_bytes().first().copied().unwrap_or_default();
            said.note(
                table.name.place,
                format!(
                    "table {}: by its row_key_schema no field holds a byte up to {first:02x}, the first of the \
                     delimiter {delimiter}: GoogleSQL may not read the fields of a key where one does",
                    shown(table.name)
                ),
            );
            Some(schema)
        }
        Err((field, why)) => {
            let place = table.key.iter().find(|key| Some(key.name.as_str()) == field).map(|key| key.place);
            let what = field.map_or("the key".to_owned(), |field| format!("field {}", shown(field)));
            let message = format!(
                "table {} has no row_key_schema, so GoogleSQL reads its keys as bytes: {what} {why}",
                shown(table.name)
            );
            said.note(place.unwrap_or(table.lead), message);
            None
        }
    }
}

/// The schema, and the delimiter that it has between fields.
fn schema<'t>(table: &'t NewTable<'_>) -> Result<(Json, Option<Delimiter>), Prevented<'t>> {
    let layout = table.layout;
    if !matches!(layout.lead(), Lead::None) {
        return Err((None, "has a salt or a hash before its fields"));
    }
    let fields = layout.fields();
    let mut types = Vec::new();
    let mut between = None;
    let mut are_joined = false;
    for (i, field) in fields.iter().enumerate() {
        let name = field.name.as_str();
        let fail = |why| Err((Some(name), why));
        if name == "_key" || name == "_timestamp" || table.families.iter().any(|(family, _)| family == name) {
            return fail("has a name that GoogleSQL gives to another column");
        }
        if field.desc {
            return fail("is descending: its bytes are inverted");
        }
        let TypeBuf::Scalar(scalar) = field.ty else { return fail("has parts, or may be none") };
        let is_last = i + 1 == fields.len();
        let ty = match scalar {
            Scalar::Foreign(Foreign::Ordered(joined)) => {
                are_joined = true;
                ordered(joined.kind())
            }
            Scalar::Foreign(Foreign::Text(text)) => match text.end() {
                End::Before(_) if is_last => return fail("ends with a delimiter, which a schema has between fields"),
                End::Before(delimiter) if between.is_some_and(|other| other != delimiter) => {
                    return fail("ends with another delimiter than the field before it");
                }
                End::Before(delimiter) => {
                    between = Some(delimiter);
                    string()
                }
                End::Key | End::Width if is_last => string(),
                _ => return fail(NOTHING_BETWEEN),
            },
            Scalar::Text if field.raw => string(),
            Scalar::Bytes if field.raw => bytes(),
            Scalar::Text | Scalar::Bytes => return fail("ends with 00, and its 00 and 01 are escaped"),
            Scalar::Foreign(Foreign::Binary(number)) if Some(number) == BIG_ENDIAN && is_last => int(false),
            _ if !is_last && scalar.width().is_some() => return fail(NOTHING_BETWEEN),
            Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 | Scalar::I128 => {
                return fail("has its sign flipped");
            }
            _ => return fail("has a type whose bytes no encoding of a schema has"),
        };
        types.push(json!({ "fieldName": name, "type": ty }));
    }
    let encoding = match between {
        _ if are_joined => json!({ "orderedCodeBytes": {} }),
        Some(delimiter) => json!({ "delimitedBytes": { "delimiter": BASE64.encode(delimiter.as_bytes()) } }),
        None => json!({ "singleton": {} }),
    };
    Ok((json!({ "fields": types, "encoding": encoding }), between))
}

/// `Int64.BigEndianBytes`.
const BIG_ENDIAN: Option<Binary> = Binary::new(Endian::Big, true, 8);

const NOTHING_BETWEEN: &str = "has nothing between it and the next field";

fn string() -> Json {
    json!({ "stringType": { "encoding": { "utf8Bytes": {} } } })
}

fn bytes() -> Json {
    json!({ "bytesType": { "encoding": { "raw": {} } } })
}

fn int(is_ordered: bool) -> Json {
    json!({ "int64Type": { "encoding": of_int(is_ordered) } })
}

fn of_int(is_ordered: bool) -> Json {
    if is_ordered { json!({ "orderedCodeBytes": {} }) } else { json!({ "bigEndianBytes": {} }) }
}

fn micros(is_ordered: bool) -> Json {
    json!({ "timestampType": { "encoding": { "unixMicrosInt64": of_int(is_ordered) } } })
}

fn ordered(kind: OrderedKind) -> Json {
    match kind {
        OrderedKind::Text => string(),
        OrderedKind::Int => int(true),
        OrderedKind::BigEndian => int(false),
        OrderedKind::Micros => micros(true),
        OrderedKind::BigEndianMicros => micros(false),
        _ => bytes(),
    }
}
