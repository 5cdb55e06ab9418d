//! Values of rows and their codecs.

pub use crate::store::error::CodecError;
use crate::store::error::{Access, Error};

/// The value of a row, and its codec: how it becomes bytes.
///
/// Implemented for bytes, text, `()` (a table of keys only), integers and floats (an `i64` is also a counter) and, by
/// feature, for `Json<T>` and `Postcard<T>` of any serde type.
///
/// The stored bytes do not contain their type. The database keeps the codec's name ([`CODEC`](Self::CODEC)) with the
/// table instead, and refuses to open the table with another one. A codec without a name is not checked and decodes
/// whatever it finds: the eight bytes of a small `i64` are also valid UTF-8.
///
/// A codec returns an error for bytes that it can't decode, and does not panic. If it does in a scan, and the program
/// catches the panic, the scan ends with [`Error::Value`]: it does not go on behind the row.
#[doc(alias = "serialize")]
#[doc(alias = "codec")]
///
/// ```
/// use rowkey::RowValue;
/// use rowkey::value::CodecError;
///
/// /// Tenths of a degree.
/// struct Celsius(f32);
///
/// impl RowValue for Celsius {
///     fn encode_value(&self, out: &mut Vec<u8>) -> Result<(), CodecError> {
///         ((self.0 * 10.0).round() as i16).encode_value(out)
///     }
///
///     fn decode_value(bytes: &[u8]) -> Result<Self, CodecError> {
///         Ok(Self(f32::from(i16::decode_value(bytes)?) / 10.0))
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be stored as a table's value",
    label = "no codec",
    note = "a value is text, bytes, a number, `()`, `Json<T>` or `Postcard<T>` of a serde type, or a type that implements `RowValue`"
)]
pub trait RowValue: Sized {
    /// The codec's name, which the database keeps with the table. A table does not open with values of another named
    /// codec. Default: `None`; such a codec opens any table, and no name is kept. `Vec<u8>` and `()` have none. All
    /// `Json<T>` are one codec, as are all `Postcard<T>`: if `T` does not fit, reading a value returns the error.
    const CODEC: Option<&'static str> = None;

    /// Appends the encoded value to `out`.
    fn encode_value(&self, out: &mut Vec<u8>) -> Result<(), CodecError>;

    /// Decodes a value from all of `bytes`.
    fn decode_value(bytes: &[u8]) -> Result<Self, CodecError>;

    /// Approximate size of the value in memory, by which a bulk load limits its batches
    /// ([`BulkLoad::batch_bytes`](crate::jobs::BulkLoad::batch_bytes)). Default: `size_of` the type, without the heap.
    fn size(&self) -> usize {
        size_of::<Self>()
    }
}

/// Encodes a value to write to a table.
pub(crate) fn encoded<V: RowValue>(table: &str, value: &V) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    match value.encode_value(&mut bytes) {
        Ok(()) => Ok(bytes),
        Err(source) => Err(unencoded(table, source)),
    }
}

/// A value to write could not be encoded.
pub(crate) fn unencoded(table: &str, source: CodecError) -> Error {
    Error::Value { table: table.to_owned(), key: Vec::new(), access: Access::Write, source }
}

/// Decodes the value that a table has at a key.
pub(crate) fn decoded<V: RowValue>(table: &str, key: &[u8], bytes: &[u8]) -> Result<V, Error> {
    let unread = |source| Error::Value { table: table.to_owned(), key: key.to_vec(), access: Access::Read, source };
    V::decode_value(bytes).map_err(unread)
}

impl RowValue for () {
    fn encode_value(&self, _: &mut Vec<u8>) -> Result<(), CodecError> {
        Ok(())
    }

    fn decode_value(bytes: &[u8]) -> Result<Self, CodecError> {
        if bytes.is_empty() { Ok(()) } else { Err(format!("{} bytes where none were due", bytes.len()).into()) }
    }
}

impl RowValue for Vec<u8> {
    fn encode_value(&self, out: &mut Vec<u8>) -> Result<(), CodecError> {
        out.extend_from_slice(self);
        Ok(())
    }

    fn decode_value(bytes: &[u8]) -> Result<Self, CodecError> {
        Ok(bytes.to_vec())
    }

    fn size(&self) -> usize {
        self.len()
    }
}

impl RowValue for String {
    const CODEC: Option<&'static str> = Some("text");

    fn encode_value(&self, out: &mut Vec<u8>) -> Result<(), CodecError> {
        out.extend_from_slice(self.as_bytes());
        Ok(())
    }

    fn decode_value(bytes: &[u8]) -> Result<Self, CodecError> {
        Ok(std::str::from_utf8(bytes)?.to_owned())
    }

    fn size(&self) -> usize {
        self.len()
    }
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        /// Big-endian, as HBase's `Bytes.toBytes` writes it: integers in two's complement, floats in IEEE 754. `i64` is
        /// the format of [`Store::increment`](crate::store::Store::increment).
        impl RowValue for $number {
            const CODEC: Option<&'static str> = Some(stringify!($number));

            fn encode_value(&self, out: &mut Vec<u8>) -> Result<(), CodecError> {
                out.extend_from_slice(&self.to_be_bytes());
                Ok(())
            }

            fn decode_value(bytes: &[u8]) -> Result<Self, CodecError> {
                let wrong = |_| format!("it has {} bytes, this number has {}", bytes.len(), size_of::<Self>());
                Ok(Self::from_be_bytes(bytes.try_into().map_err(wrong)?))
            }
        }
    )*};
}
numbers!(f32, f64);
numbers!(u8, u16, u32, u64, u128, i8, i16, i32, i64, i128);

/// A value stored as JSON.
///
/// ```
/// use rowkey::{Json, Memory, Table};
///
/// #[derive(serde::Serialize, serde::Deserialize, PartialEq, Debug)]
/// struct Profile {
///     name: String,
/// }
///
/// let profiles: Table<u64, Json<Profile>, _> = Table::open(Memory::new(), "profiles")?;
/// profiles.put(&1, &Json(Profile { name: "Ada".into() }))?;
/// assert_eq!(profiles.get(&1)?.unwrap().0.name, "Ada");
/// # Ok::<(), rowkey::Error>(())
/// ```
#[cfg(feature = "json")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Json<T>(pub T);

#[cfg(feature = "json")]
impl<T: serde::Serialize + serde::de::DeserializeOwned> RowValue for Json<T> {
    const CODEC: Option<&'static str> = Some("json");

    fn encode_value(&self, out: &mut Vec<u8>) -> Result<(), CodecError> {
        Ok(serde_json::to_writer(out, &self.0)?)
    }

    fn decode_value(bytes: &[u8]) -> Result<Self, CodecError> {
        Ok(Self(serde_json::from_slice(bytes)?))
    }
}

/// A value stored as [postcard](https://docs.rs/postcard): compact, not self-describing.
#[cfg(feature = "postcard")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Postcard<T>(pub T);

#[cfg(feature = "postcard")]
impl<T: serde::Serialize + serde::de::DeserializeOwned> RowValue for Postcard<T> {
    const CODEC: Option<&'static str> = Some("postcard");

    fn encode_value(&self, out: &mut Vec<u8>) -> Result<(), CodecError> {
        let start = std::mem::take(out);
        *out = postcard::to_extend(&self.0, start)?;
        Ok(())
    }

    fn decode_value(bytes: &[u8]) -> Result<Self, CodecError> {
        match postcard::take_from_bytes(bytes)? {
            (value, []) => Ok(Self(value)),
            (_, left) => Err(format!("{} bytes are left over", left.len()).into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comes_back<V: RowValue + PartialEq + std::fmt::Debug>(value: V) {
        let mut bytes = b"kept".to_vec();
        value.encode_value(&mut bytes).unwrap();
        assert_eq!(&bytes[..4], b"kept");
        assert_eq!(V::decode_value(&bytes[4..]).unwrap(), value);
    }

    #[test]
    fn values_come_back_behind_what_stands_there() {
        comes_back(());
        comes_back(b"\0\xff".to_vec());
        comes_back("ä".to_owned());
        comes_back(-1i64);
        comes_back(u128::MAX);
        comes_back(-0.5f32);
        comes_back(f64::MIN_POSITIVE);
        #[cfg(feature = "json")]
        comes_back(Json(vec![1, 2]));
        #[cfg(feature = "postcard")]
        comes_back(Postcard((7u32, "a".to_owned())));
    }

    #[test]
    fn numbers_are_written_as_hbase_does() {
        let bytes = |value: &dyn Fn(&mut Vec<u8>) -> Result<(), CodecError>| {
            let mut bytes = Vec::new();
            value(&mut bytes).unwrap();
            bytes
        };
        assert_eq!(bytes(&|out| 1.5f64.encode_value(out)), [0x3f, 0xf8, 0, 0, 0, 0, 0, 0]);
        assert_eq!(bytes(&|out| (-1i32).encode_value(out)), [0xff; 4]);
    }

    #[test]
    fn what_is_left_over_is_refused() {
        assert!(<()>::decode_value(b"x").is_err());
        assert!(i64::decode_value(&[0; 9]).is_err());
        assert!(String::decode_value(b"\xff").is_err());
        #[cfg(feature = "json")]
        assert!(Json::<u8>::decode_value(b"1 2").is_err());
        #[cfg(feature = "postcard")]
        assert!(Postcard::<u8>::decode_value(&[1, 2]).is_err());
    }
}
