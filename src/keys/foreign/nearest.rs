//! Values that are made up, fitted to an encoding.

use super::{End, Foreign, Form, TextField};
use crate::keys::untyped::Value;

impl Foreign {
    /// Returns a value of the encoding that is near to one of its [type](Self::values): itself, if it is one. For
    /// values that are made up.
    ///
    /// ```
    /// use rowkey::Value;
    /// use rowkey::layout::Scalar;
    ///
    /// let Some(Scalar::Foreign(digits)) = Scalar::from_shape("dec[2]") else { panic!("a foreign encoding") };
    /// assert_eq!(digits.nearest(Value::Unsigned(1234)), Value::Unsigned(34));
    /// ```
    #[must_use]
    pub fn nearest(&self, value: Value) -> Value {
        match self {
            Self::Text(field) if field.after().is_some() => match value {
                Value::Option(value) => {
                    Value::Option(value.map(|value| Box::new(nearest_text(&field.present(), *value))))
                }
                value => value,
            },
            Self::Text(field) => nearest_text(field, value),
            Self::Binary(number) => match value {
                Value::Unsigned(bits) => Value::Unsigned(bits & u128::MAX >> (128 - 8 * number.width())),
                value => value,
            },
            Self::Ordered(field) => field.nearest(value),
            // Now and then so long that it has more than one group.
            Self::Groups => match value {
                Value::Bytes(bytes) if bytes.len() < 5 && bytes.first().is_some_and(|first| first % 2 == 1) => {
                    Value::Bytes([&[0; 5], bytes.as_slice()].concat())
                }
                value => value,
            },
            Self::Char(width) => match value {
                Value::Text(text) => {
                    let chars = text.chars().map(|char| if char.is_ascii_graphic() { char } else { ' ' });
                    let text: String = chars.take(width.get().into()).collect();
                    Value::Text(text.trim_end().to_owned())
                }
                value => value,
            },
            Self::ZeroPadded(width) => match value {
                Value::Text(mut text) => {
                    text.retain(|char| char != '\0');
                    while text.len() > width.get().into() {
                        text.pop();
                    }
                    Value::Text(text)
                }
                value => value,
            },
            _ => value,
        }
    }
}

fn nearest_text(field: &TextField, value: Value) -> Value {
    let delimiter = match field.end() {
        End::Before(delimiter) | End::Until(delimiter) => delimiter.as_bytes().to_vec(),
        _ => Vec::new(),
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
            if width.is_none() && field.content(&Value::Text(text.clone())).is_err() {
                let is_apart =
                    |char: &char| !char.encode_utf8(&mut [0; 4]).bytes().any(|byte| delimiter.contains(&byte));
                text = text.chars().filter(is_apart).collect();
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
            const BEFORE_1970: i64 = 62_167_219_200;
            const YEARS: i64 = 253_402_300_800 + BEFORE_1970;
            let since_year_0 = (seconds.rem_euclid(YEARS) + BEFORE_1970).rem_euclid(YEARS);
            let (seconds, nanos) = pattern.floor(since_year_0 - BEFORE_1970, nanos).unwrap_or_default();
            Value::Instant(seconds, nanos)
        }
        (_, value) => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::layout::Scalar;

    #[test]
    fn an_instant_of_a_pattern_is_nearest_to_itself() {
        let Some(Scalar::Foreign(day)) = Scalar::from_shape("date['yyyyMMdd']") else { panic!("a foreign encoding") };
        for days in [-719_528, -1, 0, 20_454, 2_932_896] {
            assert_eq!(day.nearest(Value::Instant(days * 86_400, 0)), Value::Instant(days * 86_400, 0));
        }
        for seconds in [i64::MIN, -62_167_219_201, 253_402_300_800, i64::MAX] {
            let Value::Instant(near, 0) = day.nearest(Value::Instant(seconds, 7)) else { panic!("an instant") };
            assert!((-62_167_219_200..253_402_300_800).contains(&near), "{near}");
        }
    }
}
