//! A field at the end of a key that may be missing, with the delimiter before it.

use std::marker::PhantomData;

use super::{OTHER, Writes};
use crate::keys::foreign::{Delimiter, Foreign};
use crate::keys::untyped::Value;

/// An encoding at the end of a key: nothing for `None`; for `Some` the delimiter `D`, then the value by `E`, which is
/// [`ToEnd`](super::ToEnd) or has a width. The field before it tells its own end, or is [`Until`](super::Until) the same delimiter.
///
/// ```
/// use rowkey::RowKey;
/// use rowkey::foreign::{Optional, Padded};
///
/// #[derive(RowKey, Debug, PartialEq)]
/// struct Reading {
///     #[rowkey(with = Padded<10>)]
///     at: u32,
///     #[rowkey(with = Optional<Padded<3>, '.'>)]
///     millis: Option<u8>,
/// }
///
/// assert_eq!(Reading { at: 1_600_000_001, millis: Some(7) }.encode(), b"1600000001.007");
/// assert_eq!(Reading::decode(b"1600000001")?, Reading { at: 1_600_000_001, millis: None });
/// # Ok::<(), rowkey::DecodeError>(())
/// ```
pub struct Optional<E, const D: char>(PhantomData<E>);

impl<E: Writes<T>, T, const D: char> Writes<Option<T>> for Optional<E, D> {
    const FOREIGN: Foreign = match E::FOREIGN {
        Foreign::Text(field) => match field.optional(Delimiter::of_char(D)) {
            Ok(field) => Foreign::Text(field),
            Err(reason) => panic!("{}", reason),
        },
        _ => panic!("an optional field is one of a text key"),
    };

    fn value(of: &Option<T>) -> Value {
        Value::Option(of.as_ref().map(|of| Box::new(E::value(of))))
    }

    fn of_value(value: Value) -> Result<Option<T>, &'static str> {
        match value {
            Value::Option(value) => value.map(|value| E::of_value(*value)).transpose(),
            _ => Err(OTHER),
        }
    }
}
