//! Keys by an owned layout: encode and decode.

use std::fmt::Display;

use super::{CustomBuf, FieldBuf, LayoutBuf, TypeBuf, Value, VariantBuf, value};
use crate::keys::encode::decimal::Number;
use crate::keys::encode::{HostPath, RawField, Reader, Sink, Writer, another, decode_tag, encode_tag, mark};
use crate::keys::error::{DecodeError, DecodeReason, Hex, quoted};
use crate::keys::layout::Scalar;
use crate::keys::lead::{Lead, UnknownHash};
use crate::keys::writer::Slot;

/// Up to this width, in bytes, room for a whole key is made at once. A limit, because a layout that was read may state
/// any width.
const MOST_ROOM: usize = 4096;

/// Why values are not a valid key of a layout: which value, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{}{reason}", self.path, if self.path.is_empty() { "" } else { ": " })]
#[non_exhaustive]
pub struct ValueError {
    /// The path to the value: names joined by dots, list items as `[n]`.
    pub path: String,
    /// The reason why it is invalid.
    pub reason: String,
}

impl ValueError {
    pub(super) fn new(reason: impl Into<String>) -> Self {
        Self { path: String::new(), reason: reason.into() }
    }

    /// The same error with the reason of an encoding, unless there is none.
    #[cold]
    fn because(mut self, why: &str) -> Self {
        if !why.is_empty() {
            self.reason = format!("{}: {why}", self.reason);
        }
        self
    }

    #[cold]
    pub(super) fn within(mut self, name: &str) -> Self {
        let dot = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        self.path = format!("{name}{dot}{}", self.path);
        self
    }
}

impl From<UnknownHash> for ValueError {
    fn from(error: UnknownHash) -> Self {
        Self::new(error.to_string())
    }
}

impl LayoutBuf {
    /// Returns the key of these values, one for each field.
    ///
    /// # Errors
    /// If the number of values is not that of the fields, or a value is not valid for its field's type.
    pub fn encode(&self, values: &[Value]) -> Result<Vec<u8>, ValueError> {
        let mut key = Vec::with_capacity(64);
        self.encode_to(values, &mut key)?;
        Ok(key)
    }

    /// Appends the key of these values to `out`. After an error `out` is as before.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn encode_to(&self, values: &[Value], out: &mut Vec<u8>) -> Result<(), ValueError> {
        let start = out.len();
        let result = match self.width {
            // Makes room for the whole key at once, instead of for each field.
            Some(width @ ..=MOST_ROOM) => {
                out.resize(start + width, 0);
                self.encode_at(values, &mut Slot::new(&mut out[start..]))
            }
            _ => self.encode_at(values, out),
        };
        let len = if result.is_ok() { self.key_len(&out[start..]) } else { 0 };
        out.truncate(start + len);
        result
    }

    #[inline]
    fn encode_at(&self, values: &[Value], out: &mut impl Sink) -> Result<(), ValueError> {
        match self.lead {
            Lead::None => encode_fields(&self.fields, values, &mut Writer::new(out)),
            _ => self.encode_after_lead(values, out),
        }
    }

    #[inline(never)]
    fn encode_after_lead(&self, values: &[Value], out: &mut impl Sink) -> Result<(), ValueError> {
        same_count(&self.fields, values)?;
        let (start, width) = (out.written().len(), self.lead.width());
        (0..width).for_each(|_| out.extend_bytes(&[0]));
        let mut ends = Vec::new();
        for (field, value) in self.fields.iter().zip(values) {
            encode_field(field, value, &mut Writer::new(out))?;
            if !self.by.is_empty() {
                ends.push(out.written().len() - start - width);
            }
        }
        let (lead, body) = out.written()[start..].split_at_mut(width);
        Ok(self.lead.write(&self.hashed().part(body, &ends), lead)?)
    }

    /// Returns the values of a key, one for each field.
    ///
    /// # Errors
    /// If the bytes are not a valid key of this layout.
    pub fn decode(&self, key: &[u8]) -> Result<Vec<Value>, DecodeError> {
        let mut values = Vec::with_capacity(self.fields.len());
        self.decode_to(key, &mut values)?;
        Ok(values)
    }

    /// As [`decode`](Self::decode), into a vector whose memory is used again: what it had is removed. It is empty after
    /// an error.
    ///
    /// ```
    /// use rowkey::{LayoutBuf, Value};
    ///
    /// let layout: LayoutBuf = "u16".parse()?;
    /// let mut values = Vec::new();
    /// for key in [[0, 1], [0, 2]] {
    ///     layout.decode_to(&key, &mut values)?;
    ///     assert_eq!(values, [Value::Unsigned(key[1].into())]);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    pub fn decode_to(&self, key: &[u8], values: &mut Vec<Value>) -> Result<(), DecodeError> {
        self.decode_traced(key, values, &mut ())
    }

    pub(super) fn decode_traced(
        &self,
        key: &[u8],
        values: &mut Vec<Value>,
        trace: &mut impl Trace,
    ) -> Result<(), DecodeError> {
        values.clear();
        let decoded = self.decode_all(key, values, &mut Reader::new(key), trace);
        decoded.map_err(|error| {
            values.clear();
            error.in_key(&self.name)
        })
    }

    fn decode_all(
        &self,
        key: &[u8],
        values: &mut Vec<Value>,
        r: &mut Reader<'_>,
        trace: &mut impl Trace,
    ) -> Result<(), DecodeError> {
        r.skip(self.lead.width())?;
        let body = r.offset();
        trace.lead(&key[..body]);
        let mut ends = Vec::new();
        for field in &self.fields {
            decode_field(field, values, r, trace)?;
            if !self.by.is_empty() {
                ends.push(r.offset() - body);
            }
        }
        r.end()?;
        if !matches!(self.lead, Lead::None) {
            self.check_lead(key, &ends)?;
        }
        Ok(())
    }

    #[inline(never)]
    fn check_lead(&self, key: &[u8], ends: &[usize]) -> Result<(), DecodeError> {
        self.lead.check(key, self.hashed(), ends)
    }
}

/// Inlined, because most fields are numbers, which cost less than a call.
#[inline(always)]
pub(super) fn encode_field(field: &FieldBuf, value: &Value, w: &mut Writer<'_, impl Sink>) -> Result<(), ValueError> {
    let w = &mut w.direction(field.desc);
    let result = match &field.ty {
        ty if field.raw => encode_raw(ty, value, w),
        TypeBuf::Scalar(scalar) => encode_scalar(scalar, value, w),
        TypeBuf::Option(inner) => encode_option(inner, value, field.nulls.is_some(), w),
        ty => encode_type(ty, value, w),
    };
    result.map_err(|error| error.within(&field.name))
}

#[inline(always)]
fn encode_scalar(scalar: &Scalar, value: &Value, w: &mut Writer<'_, impl Sink>) -> Result<(), ValueError> {
    value::encode(*scalar, value, w).ok_or_else(|| mismatch(scalar, value).because(refusal(*scalar, value)))
}

fn encode_option(inner: &TypeBuf, value: &Value, other: bool, w: &mut Writer<'_, impl Sink>) -> Result<(), ValueError> {
    let Value::Option(value) = value else { return Err(mismatch(&format_args!("option<{inner}>"), value)) };
    encode_tag(value.is_some(), other, w);
    value.as_ref().map_or(Ok(()), |value| encode_type(inner, value, w))
}

fn encode_type(ty: &TypeBuf, value: &Value, w: &mut Writer<'_, impl Sink>) -> Result<(), ValueError> {
    match (ty, value) {
        (TypeBuf::Scalar(scalar), value) => encode_scalar(scalar, value, w),
        (TypeBuf::Option(inner), value) => encode_option(inner, value, false, w),
        (TypeBuf::List(item), Value::List(values)) => {
            for (i, value) in values.iter().enumerate() {
                mark(true, w);
                encode_type(item, value, w).map_err(|error| error.within(&format!("[{i}]")))?;
            }
            mark(false, w);
            Ok(())
        }
        (TypeBuf::Enum(variants), Value::Enum(tag, values)) => {
            let Some(variant) = variants.iter().find(|variant| variant.tag == *tag) else {
                return Err(ValueError::new(format!("the enum has no variant with tag {tag}")));
            };
            w.byte(*tag);
            encode_fields(&variant.fields, values, w).map_err(|error| error.within(&variant.name))
        }
        (TypeBuf::Tuple(fields), Value::Tuple(values)) => encode_fields(fields, values, w),
        (TypeBuf::Custom(custom), Value::Bytes(bytes)) => {
            if custom.width.is_some_and(|width| width != bytes.len()) {
                return Err(ValueError::new(format!("a {} does not have {} bytes", custom.shape, bytes.len())));
            }
            if let Some(describe) = custom.describe {
                let mut r = Reader::new(bytes);
                describe(&mut r).and_then(|_| r.end()).map_err(|error| {
                    ValueError::new(format!("{} is not a valid {}: {error}", quoted(&Hex(bytes)), custom.shape))
                })?;
            }
            w.bytes(bytes);
            Ok(())
        }
        (TypeBuf::Custom(custom), value) => {
            let ValueError { path, reason } = mismatch(&custom.shape, value);
            Err(ValueError { path, reason: reason + &custom.meant() })
        }
        (ty, value) => Err(mismatch(ty, value)),
    }
}

fn encode_fields(fields: &[FieldBuf], values: &[Value], w: &mut Writer<'_, impl Sink>) -> Result<(), ValueError> {
    same_count(fields, values)?;
    for (field, value) in fields.iter().zip(values) {
        encode_field(field, value, w)?;
    }
    Ok(())
}

fn same_count(fields: &[FieldBuf], values: &[Value]) -> Result<(), ValueError> {
    if fields.len() != values.len() {
        return Err(ValueError::new(format!(
            "expected {} values, one for each field, found {}",
            fields.len(),
            values.len()
        )));
    }
    Ok(())
}

fn encode_raw(ty: &TypeBuf, value: &Value, w: &mut Writer<'_, impl Sink>) -> Result<(), ValueError> {
    match (ty, value) {
        (TypeBuf::Scalar(Scalar::Text), Value::Text(text)) => w.bytes(text.as_bytes()),
        (TypeBuf::Scalar(Scalar::Bytes), Value::Bytes(bytes)) => w.bytes(bytes),
        (TypeBuf::Scalar(Scalar::HostPath), Value::Text(text)) => match value::host_path(text) {
            Some(page) => page.encode_raw(w),
            None => return Err(mismatch(ty, &Value::Text(text.clone()))),
        },
        (TypeBuf::Scalar(Scalar::Decimal), Value::Decimal(text)) => match text.parse::<Number>() {
            Ok(number) => number.encode_raw(w),
            Err(_) => return Err(mismatch(ty, value)),
        },
        (TypeBuf::List(item), Value::List(values)) => {
            for (i, value) in values.iter().enumerate() {
                encode_type(item, value, w).map_err(|error| error.within(&format!("[{i}]")))?;
            }
        }
        (TypeBuf::Tuple(fields), Value::Tuple(values)) => match (fields.as_slice(), values.as_slice()) {
            ([field], [value]) => return encode_raw(&field.ty, value, w),
            _ => return Err(mismatch(ty, value)),
        },
        (ty, value) => return Err(mismatch(ty, value)),
    }
    Ok(())
}

/// The reason why a foreign encoding refuses a value.
#[cold]
fn refusal(scalar: Scalar, value: &Value) -> &'static str {
    let Scalar::Foreign(foreign) = scalar else { return "" };
    foreign.encode(value, &mut Writer::new(&mut Vec::new())).err().unwrap_or_default()
}

#[cold]
fn mismatch(ty: &dyn Display, value: &Value) -> ValueError {
    let why = match value {
        Value::Decimal(text) => text.parse::<Number>().err().map(|why| format!(": {why}")),
        _ => None,
    };
    ValueError::new(format!("{} is not a valid {ty}{}", quoted(value), why.unwrap_or_default()))
}

/// Is called with each part of a key as it is read: what explanations are made from.
pub(super) trait Trace {
    fn lead(&mut self, _bytes: &[u8]) {}
    fn enter(&mut self, _name: &str, _desc: bool) {}
    fn leave(&mut self) {}
    fn part(&mut self, _shape: &dyn Display, _bytes: &[u8], _value: &dyn Display) {}
}

impl Trace for () {}

/// Inlined, because most fields are numbers, which cost less than a call.
#[inline(always)]
fn decode_field(
    field: &FieldBuf,
    values: &mut Vec<Value>,
    r: &mut Reader<'_>,
    trace: &mut impl Trace,
) -> Result<(), DecodeError> {
    trace.enter(&field.name, field.desc);
    let result = r.direction(field.desc, |r| {
        match &field.ty {
            ty if field.raw => values.push(decode_raw(ty, r, trace)?),
            TypeBuf::Scalar(scalar) => {
                let at = r.offset();
                value::decode(*scalar, r, |value| values.push(value))?;
                values.last().into_iter().for_each(|value| trace.part(scalar, r.since(at), value));
            }
            TypeBuf::Option(inner) => values.push(decode_option(inner, field.nulls.is_some(), r, trace)?),
            ty => values.push(decode_type(ty, r, trace)?),
        }
        Ok(())
    });
    result.map_err(|error: DecodeError| error.in_field(&field.name))?;
    trace.leave();
    Ok(())
}

fn decode_option(
    inner: &TypeBuf,
    other: bool,
    r: &mut Reader<'_>,
    trace: &mut impl Trace,
) -> Result<Value, DecodeError> {
    let at = r.offset();
    let is_some = decode_tag(other, r)?;
    trace.part(&"option", r.since(at), if is_some { &"Some" } else { &"None" });
    let value = if is_some { Some(Box::new(decode_type(inner, r, trace)?)) } else { None };
    Ok(Value::Option(value))
}

fn decode_type(ty: &TypeBuf, r: &mut Reader<'_>, trace: &mut impl Trace) -> Result<Value, DecodeError> {
    let at = r.offset();
    match ty {
        TypeBuf::Scalar(scalar) => {
            let value = value::decode(*scalar, r, |value| value)?;
            trace.part(scalar, r.since(at), &value);
            Ok(value)
        }
        TypeBuf::Option(inner) => decode_option(inner, false, r, trace),
        TypeBuf::List(item) => {
            let mut values = Vec::new();
            loop {
                let at = r.offset();
                let another = another(r)?;
                trace.part(&"list", r.since(at), if another { &"an item" } else { &"the end" });
                if !another {
                    return Ok(Value::List(values));
                }
                values.push(decode_item(item, values.len(), r, trace)?);
            }
        }
        TypeBuf::Enum(variants) => {
            let tag = r.byte()?;
            let Some(variant) = variants.iter().find(|variant| variant.tag == tag) else {
                return Err(unknown_variant(r, at, variants));
            };
            trace.part(&"enum", r.since(at), &variant.name);
            decode_fields(&variant.fields, r, trace)
                .map(|fields| Value::Enum(tag, fields))
                .map_err(|error| error.in_field(&variant.name))
        }
        TypeBuf::Tuple(fields) => {
            if fields.is_empty() {
                trace.part(ty, &[], &"()");
            }
            decode_fields(fields, r, trace).map(Value::Tuple)
        }
        TypeBuf::Custom(custom) => decode_custom(custom, r, trace),
    }
}

fn unknown_variant(r: &Reader<'_>, at: usize, variants: &[VariantBuf]) -> DecodeError {
    let tags: Vec<u8> = variants.iter().map(|variant| variant.tag).collect();
    r.unknown_byte(at, "the tag", &tags)
}

fn decode_item(item: &TypeBuf, index: usize, r: &mut Reader<'_>, trace: &mut impl Trace) -> Result<Value, DecodeError> {
    decode_type(item, r, trace).map_err(|error| error.in_field(&format!("[{index}]")))
}

fn decode_fields(fields: &[FieldBuf], r: &mut Reader<'_>, trace: &mut impl Trace) -> Result<Vec<Value>, DecodeError> {
    let mut values = Vec::with_capacity(fields.len());
    for field in fields {
        decode_field(field, &mut values, r, trace)?;
    }
    Ok(values)
}

fn decode_custom(custom: &CustomBuf, r: &mut Reader<'_>, trace: &mut impl Trace) -> Result<Value, DecodeError> {
    let at = r.offset();
    let mut reread = r.clone();
    let described = match (custom.describe, custom.width) {
        (Some(describe), _) => Some(describe(r)?),
        (None, Some(width)) => r.bytes(width).map(|_| None)?,
        (None, None) => {
            let reason = format!("only the Rust type knows where a {} ends{}", custom.shape, custom.meant());
            return Err(DecodeError::new(at, DecodeReason::Unreadable(reason)));
        }
    };
    let bytes = reread.bytes(r.offset() - at)?.into_owned();
    let shown = described.unwrap_or_else(|| Hex(&bytes).to_string());
    trace.part(&custom.shape, r.since(at), &shown);
    Ok(Value::Bytes(bytes))
}

fn decode_raw(ty: &TypeBuf, r: &mut Reader<'_>, trace: &mut impl Trace) -> Result<Value, DecodeError> {
    let at = r.offset();
    match ty {
        TypeBuf::Scalar(Scalar::Text) => {
            let text = <crate::keys::encode::RawOf<String> as crate::keys::encode::Codec>::decode(r)?;
            trace.part(&Scalar::Text, r.since(at), &Value::Text(text.clone()));
            Ok(Value::Text(text))
        }
        TypeBuf::Scalar(Scalar::HostPath) => {
            let page = Value::Text(HostPath::decode_raw(r)?.into());
            trace.part(&Scalar::HostPath, r.since(at), &page);
            Ok(page)
        }
        TypeBuf::Scalar(Scalar::Decimal) => {
            let number = Value::Decimal(Number::decode_raw(r)?.to_string());
            trace.part(&Scalar::Decimal, r.since(at), &number);
            Ok(number)
        }
        TypeBuf::List(item) => {
            let mut values = Vec::new();
            while !r.is_at_end() {
                values.push(decode_item(item, values.len(), r, trace)?);
            }
            if values.is_empty() {
                trace.part(&"list", &[], &"no items");
            }
            Ok(Value::List(values))
        }
        TypeBuf::Tuple(fields) => match fields.as_slice() {
            [field] => {
                trace.enter(&field.name, false);
                let value = decode_raw(&field.ty, r, trace).map_err(|error| error.in_field(&field.name))?;
                trace.leave();
                Ok(Value::Tuple(vec![value]))
            }
            _ => Ok(Value::Tuple(Vec::new())),
        },
        _ => {
            let bytes = r.remainder().into_owned();
            trace.part(&Scalar::Bytes, r.since(at), &Hex(&bytes));
            Ok(Value::Bytes(bytes))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(shape: &str, value: Value) -> String {
        let layout: LayoutBuf = shape.parse().unwrap();
        let values = [value];
        let told = layout.encode(&values).unwrap_err().to_string();
        // Not dropped level by level, which takes the stack that is saved here.
        let [mut left] = values;
        while let Value::List(mut items) | Value::Tuple(mut items) = left {
            left = items.pop().unwrap_or(Value::Bool(false));
        }
        told
    }

    #[test]
    fn an_error_quotes_the_beginning_of_a_value() {
        let mut deep = Value::Unsigned(7);
        for _ in 0..100_000 {
            deep = Value::List(vec![deep]);
        }
        let told = refused("u8", deep);
        assert!(told.starts_with("_0: [[[") && told.ends_with("[… is not a valid u8") && told.len() < 300, "{told}");
        let told = refused("u8", Value::Text("é".repeat(1 << 20)));
        assert!(told.contains("é… is not a valid u8") && told.len() < 300, "{told}");
        let told = refused("u8", Value::List(vec![Value::Unsigned(1); 1 << 20]));
        assert!(told.contains("1, 1, ") && told.len() < 300, "{told}");
        assert_eq!(refused("u8", Value::Text("a\"b".into())), "_0: \"a\\\"b\" is not a valid u8");
    }

    #[test]
    fn the_nearest_type_is_named_where_a_word_is_unknown() {
        for (shape, nearest) in
            [("u65", "u64"), ("string", "text"), ("option<String>", "text"), ("list<Uuid>", "bytes[16]")]
        {
            let layout: LayoutBuf = shape.parse().unwrap();
            let told = layout.decode(&[1, 1, 1]).unwrap_err().to_string();
            assert!(told.contains(&format!("the nearest type of the format is `{nearest}`")), "{shape}: {told}");
        }
        let told = refused("u65", Value::Unsigned(7));
        assert_eq!(told, "_0: 7 is not a valid u65; the nearest type of the format is `u64`");
        assert_eq!(refused("my-own", Value::Unsigned(7)), "_0: 7 is not a valid my-own");
    }
}
