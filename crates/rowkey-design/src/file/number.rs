//! Numbers without units.

use serde_json::{Value as Json, json};
use toml::de::DeValue;

use super::bounds::Bounds;
use super::node::{FromToml, Node, Reading};

impl FromToml for u32 {
    fn from_toml(node: Node<'_, '_>, reading: &mut Reading<'_>) -> Option<Self> {
        Self::from_toml_in(Bounds::whole(0, Self::MAX), node, reading)
    }

    fn from_toml_in(bounds: Bounds, node: Node<'_, '_>, reading: &mut Reading<'_>) -> Option<Self> {
        // JSON Schema takes 4.0 as a whole number, and what is read here must be what it takes.
        let number = number(node.get_ref()).filter(|number| bounds.has(*number)).map(|number| number as Self);
        if number.is_none() {
            let help = match bounds.is_one() {
                true => "it is of another version of `rowkey`: use that one".to_owned(),
                false => without_quotes(node.get_ref()),
            };
            reading.wrong_type(node, &bounds.described(), help);
        }
        number
    }

    fn schema() -> Json {
        Self::schema_in(Bounds::whole(0, Self::MAX))
    }

    fn schema_in(bounds: Bounds) -> Json {
        json!({"type": "integer", "minimum": json_number(bounds.least), "maximum": json_number(bounds.most)})
    }
}

/// The help where a number is due.
fn without_quotes(value: &DeValue<'_>) -> String {
    let number = value.as_str().filter(|text| text.parse::<f64>().is_ok_and(f64::is_finite));
    number.map_or(String::new(), |number| format!("write it without quotes: {number}"))
}

/// The number in a value, with or without a fraction.
pub(crate) fn number(value: &DeValue<'_>) -> Option<f64> {
    let number = match value {
        DeValue::Integer(n) => i64::from_str_radix(n.as_str(), n.radix()).ok().map(|n| n as f64),
        DeValue::Float(n) => n.as_str().parse().ok(),
        _ => None,
    };
    number.filter(|number: &f64| number.is_finite())
}

/// A number of a JSON Schema: whole where it is.
pub(crate) fn json_number(number: f64) -> Json {
    if number.fract() == 0.0 && number < 9e15 { json!(number as u64) } else { json!(number) }
}

impl FromToml for f64 {
    fn from_toml(node: Node<'_, '_>, reading: &mut Reading<'_>) -> Option<Self> {
        Self::from_toml_in(Bounds::from_to(Self::MIN, Self::MAX), node, reading)
    }

    fn from_toml_in(bounds: Bounds, node: Node<'_, '_>, reading: &mut Reading<'_>) -> Option<Self> {
        let number = number(node.get_ref());
        let within = number.filter(|number| bounds.has(*number));
        if within.is_none() {
            let expected = if number.is_none() { "a number".to_owned() } else { bounds.described() };
            reading.wrong_type(node, &expected, without_quotes(node.get_ref()));
        }
        within
    }

    fn schema() -> Json {
        json!({"type": "number"})
    }

    fn schema_in(bounds: Bounds) -> Json {
        json!({"type": "number", "minimum": json_number(bounds.least), "maximum": json_number(bounds.most)})
    }
}
