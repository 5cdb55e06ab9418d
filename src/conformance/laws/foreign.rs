//! Values of the encodings of other programs.

use std::cmp::Ordering;

use proptest::prelude::*;

use crate::keys::foreign::fdb::{self, Fields};
use crate::keys::foreign::{FdbElement, Foreign};
use crate::keys::layout::Scalar;
use crate::keys::untyped::Value;

/// A strategy for the values of an encoding that no type of rowkey's own has. `of_scalar` is that of a type that has.
pub(super) fn of_own(foreign: Foreign, of_scalar: fn(Scalar) -> BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    if let Some(present) = foreign.present() {
        let option = |value: Option<Value>| Value::Option(value.map(Box::new));
        return proptest::option::of(of_scalar(Scalar::Foreign(present))).prop_map(option).boxed();
    }
    match foreign {
        Foreign::Fdb(FdbElement::Any) => elements(of_scalar),
        _ => Just(Value::Tuple(Vec::new())).boxed(),
    }
}

/// Elements of FoundationDB, tuples of them too.
fn elements(of_scalar: fn(Scalar) -> BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    let large = (any::<bool>(), proptest::collection::vec(any::<u8>(), 17..30)).prop_map(|(is_below, mut size)| {
        size[0] |= 1;
        Value::Enum(if is_below { 0x0b } else { 0x1d }, vec![Value::Bytes(size)])
    });
    let of_tag = move |tag: u8| match fdb::fields(tag) {
        Some(Fields::One(scalar)) => of_scalar(scalar).prop_map(move |value| Value::Enum(tag, vec![value])).boxed(),
        _ => Just(Value::Enum(tag, Vec::new())).boxed(),
    };
    let tags = vec![0x00, 0x01, 0x02, 0x14, 0x20, 0x21, 0x26, 0x27, 0x30, 0x32, 0x33];
    let one = prop_oneof![6 => proptest::sample::select(tags).prop_flat_map(of_tag), 1 => large];
    one.prop_recursive(3, 8, 4, |inner| {
        proptest::collection::vec(inner, 0..4).prop_map(|elements| Value::Enum(0x05, elements))
    })
    .boxed()
}

/// A value one small step from another, of an encoding whose values no other type has. `near` is one of a type that
/// has.
pub(super) fn near_own(foreign: Foreign, value: &Value, near: &mut dyn FnMut(Scalar, &Value) -> Value) -> Value {
    match (foreign.present(), value) {
        (Some(present), Value::Option(Some(value))) => {
            Value::Option(Some(Box::new(near(Scalar::Foreign(present), value))))
        }
        _ => near_element(value, near),
    }
}

fn near_element(value: &Value, near: &mut dyn FnMut(Scalar, &Value) -> Value) -> Value {
    let Value::Enum(tag, fields) = value else { return value.clone() };
    let stepped = match (fdb::fields(*tag), fields.as_slice()) {
        (Some(Fields::One(scalar)), [value]) if !matches!(tag, 0x0b | 0x1d) => vec![near(scalar, value)],
        (Some(Fields::Elements), [before @ .., last]) => [before, &[near_element(last, near)]].concat(),
        (Some(Fields::Elements), []) => vec![Value::Enum(0x00, Vec::new())],
        (_, fields) => fields.to_vec(),
    };
    Value::Enum(*tag, stepped)
}

/// Compares values of an encoding whose values no other type has: elements by their tags, tuples element by element, and
/// others as they are.
pub(super) fn compare_own(a: &Value, b: &Value) -> Ordering {
    let (Value::Enum(a_tag, a), Value::Enum(b_tag, b)) = (a, b) else { return a.cmp(b) };
    let size = |value: &[Value]| match value {
        [Value::Bytes(size)] => (size.len(), size.clone()),
        _ => (0, Vec::new()),
    };
    a_tag.cmp(b_tag).then_with(|| match a_tag {
        0x0b => size(b).cmp(&size(a)),
        0x1d => size(a).cmp(&size(b)),
        0x05 => {
            let items = a.iter().zip(b).map(|(a, b)| compare_own(a, b));
            items.fold(Ordering::Equal, Ordering::then).then(a.len().cmp(&b.len()))
        }
        _ => a.cmp(b),
    })
}
