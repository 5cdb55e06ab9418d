//! The `row_key_schema` of a table of Bigtable, by which GoogleSQL reads the fields of its keys: a `Type.Struct` of the
//! admin API, written of a layout and read as one.

use std::collections::HashSet;

use data_encoding::BASE64;
use rowkey::LayoutBuf;
use rowkey::foreign::{Binary, Delimiter, End, Endian, Foreign, Form, OrderedCode, OrderedKind};
use rowkey::layout::Scalar;
use rowkey::lead::Lead;
use rowkey::untyped::{FieldBuf, TypeBuf};
use serde_json::{Value as Json, json};

/// Why there is no schema of a layout: the field, if it is one, and the reason.
pub(crate) type Prevented<'f> = (Option<&'f str>, &'static str);

/// The schema of a layout, as JSON of the admin API, and the delimiter that it has between fields. No field has the name
/// of a family. `None` if it would say no more than bytes.
///
/// # Errors
/// The field that no schema can say, if it is one, and why.
pub(crate) fn of_layout<'l>(
    layout: &'l LayoutBuf,
    is_family: impl Fn(&str) -> bool,
) -> Result<Option<(Json, Option<Delimiter>)>, Prevented<'l>> {
    if let [FieldBuf { ty: TypeBuf::Scalar(scalar), desc: false, raw, .. }] = layout.fields()
        && (matches!(scalar, Scalar::ByteArray(_)) || *raw && *scalar == Scalar::Bytes)
        && matches!(layout.lead(), Lead::None)
    {
        return Ok(None);
    }
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
        if name == "_key" || name == "_timestamp" || is_family(name) {
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
                type_of(joined.kind())
            }
            Scalar::Foreign(Foreign::Text(text)) => match text.end() {
                _ if text.after().is_some() => return fail("may be missing, with its delimiter"),
                End::Before(_) if is_last => return fail("ends with a delimiter, which a schema has between fields"),
                End::Before(delimiter) if between.is_some_and(|other| other != delimiter) => {
                    return fail("ends with another delimiter than the field before it");
                }
                End::Before(delimiter) => {
                    between = Some(delimiter);
                    type_of(OrderedKind::Text)
                }
                End::Until(_) => return fail("ends before a delimiter that may be missing"),
                End::Key | End::Width if is_last => type_of(OrderedKind::Text),
                _ => return fail(NOTHING_BETWEEN),
            },
            Scalar::Text if field.raw => type_of(OrderedKind::Text),
            Scalar::Bytes if field.raw => type_of(OrderedKind::Bytes),
            Scalar::Text | Scalar::Bytes => return fail("ends with 00, and its 00 and 01 are escaped"),
            Scalar::Foreign(Foreign::Binary(number)) if Some(number) == BIG_ENDIAN && is_last => {
                type_of(OrderedKind::BigEndian)
            }
            _ if !is_last && scalar.width().is_some() => return fail(NOTHING_BETWEEN),
            Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 | Scalar::I128 => {
                return fail("has its sign flipped");
            }
            _ => return fail("has a type whose bytes no encoding of a schema has"),
        };
        types.push(json!({ "fieldName": name, "type": ty }));
    }
    if let Some(field) = fields.iter().find(|field| between.is_some_and(|delimiter| always_holds(field, delimiter))) {
        return Err((Some(&field.name), "always holds the delimiter"));
    }
    let encoding = match between {
        _ if are_joined => json!({ "orderedCodeBytes": {} }),
        Some(delimiter) => json!({ "delimitedBytes": { "delimiter": BASE64.encode(delimiter.as_bytes()) } }),
        None => json!({ "singleton": {} }),
    };
    Ok(Some((json!({ "fields": types, "encoding": encoding }), between)))
}

/// Returns whether all values of a field have the first byte of a delimiter, as no field may have.
fn always_holds(field: &FieldBuf, delimiter: Delimiter) -> bool {
    let TypeBuf::Scalar(Scalar::Foreign(Foreign::Text(text))) = field.ty else { return false };
    let first = delimiter.as_bytes().first().copied().map_or('\0', char::from);
    match text.form() {
        Form::Uuid => first == '-',
        Form::Date(pattern) => first.is_ascii_punctuation() && first != '\'' && pattern.as_str().contains(first),
        _ => false,
    }
}

/// `Int64.BigEndianBytes`.
const BIG_ENDIAN: Option<Binary> = Binary::new(Endian::Big, true, 8);

const NOTHING_BETWEEN: &str = "has nothing between it and the next field";

/// The type of a field.
fn type_of(kind: OrderedKind) -> Json {
    let int = |is_ordered| if is_ordered { json!({ "orderedCodeBytes": {} }) } else { json!({ "bigEndianBytes": {} }) };
    match kind {
        OrderedKind::Text => json!({ "stringType": { "encoding": { "utf8Bytes": {} } } }),
        OrderedKind::Int | OrderedKind::BigEndian => {
            json!({ "int64Type": { "encoding": int(kind == OrderedKind::Int) } })
        }
        OrderedKind::Micros | OrderedKind::BigEndianMicros => {
            json!({ "timestampType": { "encoding": { "unixMicrosInt64": int(kind == OrderedKind::Micros) } } })
        }
        _ => json!({ "bytesType": { "encoding": { "raw": {} } } }),
    }
}

/// The kind of a type, if a layout has it.
fn kind_of(ty: &Json) -> Option<OrderedKind> {
    OrderedKind::ALL.into_iter().find(|kind| type_of(*kind) == *ty)
}

/// The fields of a key, each as `name: shape`.
///
/// # Errors
/// Why a layout can't say them.
pub(crate) fn key(schema: &Json) -> Result<Vec<String>, String> {
    let schema = in_json(schema);
    // As a `Type`, and as the `Type.Struct` that is in it.
    let schema = schema.get("structType").unwrap_or(&schema);
    let fields = schema.get("fields").and_then(Json::as_array).ok_or("it has no fields")?;
    let encoding = schema.get("encoding").ok_or("it has no encoding")?;
    let (last, before) = fields.split_last().ok_or("it has no fields")?;
    let mut names = HashSet::new();
    let mut key = Vec::new();
    let mut add = |field: &Json, shape: &dyn Fn(OrderedKind) -> Result<String, &'static str>| {
        let name = field.get("fieldName").and_then(Json::as_str).unwrap_or_default();
        if name.is_empty() || name.contains(|char: char| char.is_whitespace() || char == ':') {
            return Err(format!("{name:?} is not the name of a field"));
        }
        if !names.insert(name.to_owned()) {
            return Err(format!("the field {name:?} is there twice"));
        }
        let kind = field
            .get("type")
            .and_then(kind_of)
            .ok_or_else(|| format!("the type of the field {name:?} has no layout"))?;
        let shape = shape(kind).map_err(|why| format!("the field {name:?} {why}"))?;
        key.push(format!("{name}: {shape}"));
        Ok(())
    };
    if encoding.get("orderedCodeBytes").is_some() {
        fields.iter().try_for_each(|field| add(field, &|kind| Ok(OrderedCode::new(kind).to_string())))?;
    } else if encoding.get("singleton").is_some() && before.is_empty() {
        add(last, &|kind| alone(kind, "text raw"))?;
    } else if let Some(delimited) = encoding.get("delimitedBytes") {
        let delimiter = delimited.get("delimiter").and_then(Json::as_str).unwrap_or_default();
        let delimiter = BASE64.decode(delimiter.as_bytes()).map_err(|_| format!("{delimiter:?} is no base64"))?;
        let delimiter = Delimiter::new(&delimiter).ok_or("its delimiter does not have one to eight bytes")?;
        let delimited = |kind| match kind {
            OrderedKind::Text => Ok(format!("text[{delimiter}]")),
            _ => Err("may hold the delimiter after it: write text there if it does not"),
        };
        before.iter().try_for_each(|field| add(field, &delimited))?;
        let text = if before.is_empty() { "text raw" } else { "text[end]" };
        add(last, &|kind| alone(kind, text))?;
    } else {
        return Err("its encoding is not singleton, delimitedBytes or orderedCodeBytes".to_owned());
    }
    Ok(key)
}

/// The shape of a last field, whose end is that of the key.
fn alone(kind: OrderedKind, text: &str) -> Result<String, &'static str> {
    match kind {
        OrderedKind::Text => Ok(text.to_owned()),
        OrderedKind::Bytes => Ok("bytes raw".to_owned()),
        OrderedKind::BigEndian => Ok("be[i64]".to_owned()),
        _ => Err("has an encoding that a layout has in keys of orderedCodeBytes alone"),
    }
}

/// The members by their names in JSON, where the proto's may be there; and today's name of text.
fn in_json(json: &Json) -> Json {
    match json {
        Json::Object(members) => {
            let member = |(name, value): (&String, &Json)| {
                let mut words = name.split('_');
                let mut camel = words.next().unwrap_or_default().to_owned();
                words.for_each(|word| {
                    camel.extend(word.chars().next().map(|first| first.to_ascii_uppercase()));
                    camel.extend(word.chars().skip(1));
                });
                (if camel == "utf8Raw" { "utf8Bytes".to_owned() } else { camel }, in_json(value))
            };
            Json::Object(members.iter().map(member).collect())
        }
        Json::Array(items) => items.iter().map(in_json).collect(),
        other => other.clone(),
    }
}
