//! The ranges of keys that a query of leading fields selects, by an owned layout: what typed prefixes do, from values.

use std::ops::Bound;

use super::key::encode_field;
use super::{FieldBuf, LayoutBuf, TypeBuf, Value, ValueError};
use crate::keys::encode::{FieldSpan, Writer, under_host};
use crate::keys::foreign::{Foreign, Order, joined};
use crate::keys::layout::Scalar;
use crate::keys::prefix::PrefixBuf;
use crate::keys::range::KeyRange;
use crate::keys::span::{KeySpan, LeadOver};

/// The condition of a query on the field after those that it fixes. Bounds are in the logical order of the field,
/// whatever its direction.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldValues {
    /// One of these values.
    In(Vec<Value>),
    /// The values between two bounds.
    Between(Bound<Value>, Bound<Value>),
    /// Text or bytes that begin with this.
    StartsWith(Value),
    /// Host paths or URLs of this domain and all its subdomains, or of this address: `name_under` of a derived prefix.
    Under(String),
}

impl LayoutBuf {
    /// Returns the ranges of the keys whose leading fields have these values, merged and sorted, over all salt buckets
    /// that can hold such keys.
    ///
    /// # Errors
    /// If a value is not valid for its field's type, or the key is hashed by fields without a value here.
    ///
    /// ```
    /// use rowkey::{LayoutBuf, Value};
    ///
    /// let layout: LayoutBuf = "salt(4 xxh3 by 0 1) u8, u16".parse()?;
    /// assert_eq!(layout.ranges(&[Value::Unsigned(7)])?.len(), 4);
    /// assert_eq!(layout.ranges(&[Value::Unsigned(7), Value::Unsigned(1)])?.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ranges(&self, leading: &[Value]) -> Result<Vec<KeyRange>, ValueError> {
        let by_bucket = self.ranges_by_bucket(leading, None)?;
        Ok(KeyRange::merged(by_bucket.into_iter().flatten().collect()))
    }

    /// Returns the ranges of the keys whose leading fields have these values, and whose next field is one of `next`: a
    /// list for each salt bucket that can hold such keys, a single one for a key without salt. They are the ranges of
    /// [`Selection::ranges_by_bucket`](crate::Selection::ranges_by_bucket) for the same query by a derived prefix.
    ///
    /// # Errors
    /// If a value is not valid for its field's type, there is no next field, or the key is hashed by fields without a
    /// value here.
    ///
    /// ```
    /// use std::ops::Bound;
    ///
    /// use rowkey::{KeyRange, LayoutBuf, Value};
    /// use rowkey::untyped::FieldValues;
    ///
    /// // The newest first: the later bound is the first key.
    /// let layout: LayoutBuf = "u8, u16 desc".parse()?;
    /// let hours = FieldValues::Between(Bound::Included(Value::Unsigned(3)), Bound::Excluded(Value::Unsigned(9)));
    /// let ranges = layout.ranges_by_bucket(&[Value::Unsigned(7)], Some(&hours))?;
    /// assert_eq!(ranges, [[KeyRange::new([7, 0xff, 0xf7], Some([7, 0xff, 0xfd])).unwrap()]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ranges_by_bucket(
        &self,
        leading: &[Value],
        next: Option<&FieldValues>,
    ) -> Result<Vec<Vec<KeyRange>>, ValueError> {
        if leading.len() > self.fields.len() {
            let (found, fields) = (leading.len(), self.fields.len());
            return Err(ValueError::new(format!("found {found} values, but the key has only {fields} fields")));
        }
        let (mut body, mut ends) = (Vec::new(), Vec::new());
        for (field, value) in self.fields.iter().zip(leading) {
            encode_field(field, value, &mut Writer::new(&mut body))?;
            ends.push(body.len());
        }
        let mut spans = match next {
            None => vec![KeySpan::prefix(body, ends)],
            Some(next) => {
                let Some(field) = self.fields.get(leading.len()) else {
                    return Err(ValueError::new("all fields have a value: there is none for a range"));
                };
                field.spans(&PrefixBuf::encoded(body, ends), next)?
            }
        };
        spans.iter_mut().try_for_each(|span| self.narrow(span))?;
        let until = match self.fields.as_slice() {
            [.., field, _] => field.foreign().and_then(Foreign::until),
            _ => None,
        };
        let lead = LeadOver { lead: &self.lead, hashed: self.hashed(), fields: self.fields.len(), until };
        let mut by_bucket = lead.ranges(&spans).map_err(|error| ValueError::new(error.to_string()))?;
        if self.drops_empty_ends() {
            joined::narrow(&mut by_bucket);
        }
        Ok(by_bucket)
    }
}

impl LayoutBuf {
    /// Takes out of a span the keys whose last fixed field is another value that begins with this one.
    ///
    /// # Errors
    /// If it can not, because only whole keys say where one of its fields ends.
    fn narrow(&self, span: &mut KeySpan) -> Result<(), ValueError> {
        let fixed = &self.fields[..span.ends.len()];
        let open = fixed.iter().find(|field| field.foreign().is_some_and(|foreign| foreign.bytes_after().is_some()));
        if let Some(field) = open.filter(|_| fixed.len() < self.fields.len()) {
            let reason = format!("there is no range of the keys with one {}, but of whole keys", field.ty);
            return Err(ValueError::new(reason).within(&field.name));
        }
        if let Some(longer) = fixed.last().and_then(|field| field.foreign()?.longer()) {
            span.narrow(longer);
        }
        if fixed.len() == self.fields.len() {
            span.body.truncate(self.key_len(&span.body));
        }
        Ok(())
    }
}

impl FieldBuf {
    fn spans(&self, prefix: &PrefixBuf, values: &FieldValues) -> Result<Vec<KeySpan>, ValueError> {
        let span = |field| prefix.clone().span(field, self.desc, self.ends_with_key());
        match values {
            FieldValues::In(values) => {
                values.iter().map(|value| Ok(span(FieldSpan::Value(self.ascending(value)?)))).collect()
            }
            FieldValues::Between(low, high) => {
                let bytes = |bound: &Bound<Value>| -> Result<_, ValueError> {
                    Ok(match bound {
                        Bound::Included(value) => Bound::Included(self.ascending(value)?),
                        Bound::Excluded(value) => Bound::Excluded(self.ascending(value)?),
                        Bound::Unbounded => Bound::Unbounded,
                    })
                };
                let order = self.order();
                if order == Order::None {
                    let reason = format!("there is no range of a {}: its bytes have another order", self.ty);
                    return Err(ValueError::new(reason).within(&self.name));
                }
                let longer = self.foreign().and_then(Foreign::longer);
                Ok(vec![span(FieldSpan::ordered(bytes(low)?, bytes(high)?, order, longer))])
            }
            FieldValues::StartsWith(start) => self.starting(prefix, start),
            FieldValues::Under(host) => {
                let failed = |reason: String| ValueError::new(reason).within(&self.name);
                match &self.ty {
                    TypeBuf::Scalar(Scalar::HostPath | Scalar::Url) => {
                        let spans = under_host(host).map_err(|error| failed(error.to_string()))?;
                        Ok(spans.into_iter().map(span).collect())
                    }
                    ty => Err(failed(format!("a {ty} is under no domain"))),
                }
            }
        }
    }

    /// The order of the bytes. Of a type with parts it is that of its values only if it is that of all parts.
    fn order(&self) -> Order {
        match &self.ty {
            TypeBuf::Scalar(Scalar::Foreign(foreign)) => foreign.order(),
            ty if ty.all_foreign(&|foreign| foreign.order() == Order::Ascending) => Order::Ascending,
            _ => Order::None,
        }
    }

    /// The bytes of a value as if the field were ascending: bounds are turned as a whole.
    fn ascending(&self, value: &Value) -> Result<Vec<u8>, ValueError> {
        let field = Self { desc: false, ..self.clone() };
        let mut bytes = Vec::new();
        encode_field(&field, value, &mut Writer::new(&mut bytes))?;
        Ok(bytes)
    }

    fn starting(&self, prefix: &PrefixBuf, start: &Value) -> Result<Vec<KeySpan>, ValueError> {
        let content = match (&self.ty, start) {
            (TypeBuf::Scalar(Scalar::Text), Value::Text(text)) => text.as_bytes(),
            (TypeBuf::Scalar(Scalar::Bytes), Value::Bytes(bytes)) => bytes,
            (ty, start) => {
                let beginning = self.foreign().and_then(|foreign| foreign.starting(start)).ok_or_else(|| {
                    ValueError::new(format!("{start} is not the beginning of a {ty}")).within(&self.name)
                });
                return Ok(prefix.clone().beginning(beginning?, self.desc));
            }
        };
        Ok(vec![prefix.clone().starting(content, self.desc, self.raw)])
    }
}
