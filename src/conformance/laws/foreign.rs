//! Values of the encodings of other programs.

use proptest::prelude::*;

use crate::keys::foreign::{End, Foreign, Form, TextField};
use crate::keys::untyped::Value;

/// A value of the encoding, near to one of its [type](Foreign::values).
pub(super) fn fitted(foreign: &Foreign, value: Value) -> Value {
    match foreign {
        Foreign::Text(field) => fitted_text(field, value),
        Foreign::Binary(number) => match value {
            Value::Unsigned(bits) => Value::Unsigned(bits & u128::MAX >> (128 - 8 * number.width())),
            value => value,
        },
        _ => value,
    }
}

/// A strategy for the values of an encoding that no type of rowkey's own has.
pub(super) fn of_own(foreign: Foreign) -> BoxedStrategy<Value> {
    match foreign {
        _ => Just(Value::Tuple(Vec::new())).boxed(),
    }
}

fn fitted_text(field: &TextField, value: Value) -> Value {
    let delimiter = match field.end() {
        End::Before(delimiter) => String::from_utf8_lossy(delimiter.as_bytes()).into_owned(),
        _ => String::new(),
    };
    let width = field.width().map(|width| width - delimiter.len());
    match (field.form(), value) {
        (Form::Text | Form::Reversed, Value::Text(text)) => {
            let mut text: String = match width {
                Some(width) => {
                    text.chars().filter(char::is_ascii).chain("z".repeat(width).chars()).take(width).collect()
                }
                None => text,
            };
            // A delimiter may come anew of what is around one that is removed, or of the delimiter behind the text.
            while width.is_none() && field.content(&Value::Text(text.clone())).is_err() {
                text = text.chars().filter(|char| !delimiter.contains(*char)).collect();
            }
            Value::Text(text)
        }
        (Form::Decimal, Value::Unsigned(number)) => Value::Unsigned(match width {
            Some(width) => number % 10_u128.checked_pow(width as u32).unwrap_or(u128::MAX),
            None => number,
        }),
        (Form::Minus(max), Value::Unsigned(number)) => Value::Unsigned(match max.checked_add(1) {
            Some(values) => number % values,
            None => number,
        }),
        (Form::Hex(_), Value::Unsigned(number)) => Value::Unsigned(match width {
            Some(width @ ..32) => number & ((1 << (4 * width)) - 1),
            _ => number,
        }),
        (Form::HexBytes(_), Value::Bytes(mut bytes)) => {
            width.into_iter().for_each(|width| bytes.resize(width / 2, 7));
            Value::Bytes(bytes)
        }
        (Form::Date(pattern), Value::Instant(seconds, nanos)) => {
            const YEARS: i64 = 253_402_300_800 + 62_167_219_200;
            let (seconds, nanos) = pattern.floor(seconds.rem_euclid(YEARS) - 62_167_219_200, nanos).unwrap_or_default();
            Value::Instant(seconds, nanos)
        }
        (_, value) => value,
    }
}
