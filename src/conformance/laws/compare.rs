//! The order of values by their layout, without their bytes: the comparator of law 1.

use std::cmp::Ordering;

use super::foreign::compare_own;
use crate::keys::foreign::Order;
use crate::keys::layout::{Nulls, Scalar};
use crate::keys::untyped::{FieldBuf, LayoutBuf, TypeBuf, Value};

/// Compares the values of two keys by their layout, for law 1. It never sees the keys' bytes.
///
/// ```
/// use rowkey::{LayoutBuf, Value, laws};
///
/// let layout: LayoutBuf = "text, i64 desc".parse()?;
/// let row = |name: &str, at| [Value::Text(name.into()), Value::Signed(at)];
/// assert!(laws::compare(&layout, &row("a", 2), &row("a", 1)).is_lt());
/// assert!(laws::compare(&layout, &row("a", 2), &row("a\0", 3)).is_lt());
/// # Ok::<(), rowkey::LayoutError>(())
/// ```
pub fn compare(layout: &LayoutBuf, a: &[Value], b: &[Value]) -> Ordering {
    fields(layout.fields(), a, b)
}

fn fields(fields: &[FieldBuf], a: &[Value], b: &[Value]) -> Ordering {
    let orders = fields.iter().zip(a.iter().zip(b)).map(|(layout, (a, b))| field(layout, a, b));
    orders.fold(Ordering::Equal, Ordering::then)
}

fn field(field: &FieldBuf, a: &Value, b: &Value) -> Ordering {
    let none_first = match field.nulls {
        Some(nulls) => nulls == Nulls::First,
        None => !field.desc,
    };
    let some_and_none = if none_first { Ordering::Greater } else { Ordering::Less };
    match (a, b) {
        (Value::Option(Some(_)), Value::Option(None)) => return some_and_none,
        (Value::Option(None), Value::Option(Some(_))) => return some_and_none.reverse(),
        _ => {}
    }
    let ascending = value(&field.ty, a, b);
    if field.desc { ascending.reverse() } else { ascending }
}

fn value(ty: &TypeBuf, a: &Value, b: &Value) -> Ordering {
    match (ty, a, b) {
        (TypeBuf::Option(inner), Value::Option(a), Value::Option(b)) => match (a, b) {
            (Some(a), Some(b)) => value(inner, a, b),
            (a, b) => a.is_some().cmp(&b.is_some()),
        },
        (TypeBuf::List(item), Value::List(a), Value::List(b)) => {
            let items = a.iter().zip(b).map(|(a, b)| value(item, a, b));
            items.fold(Ordering::Equal, Ordering::then).then(a.len().cmp(&b.len()))
        }
        (TypeBuf::Enum(variants), Value::Enum(a_tag, a), Value::Enum(b_tag, b)) => {
            let variant = variants.iter().find(|variant| variant.tag == *a_tag);
            a_tag.cmp(b_tag).then_with(|| variant.map_or(Ordering::Equal, |variant| fields(&variant.fields, a, b)))
        }
        (TypeBuf::Tuple(of), Value::Tuple(a), Value::Tuple(b)) => fields(of, a, b),
        (TypeBuf::Scalar(Scalar::Tile), Value::Text(a), Value::Text(b)) => tile(a, b),
        (TypeBuf::Scalar(Scalar::HostPath), Value::Text(a), Value::Text(b)) => page(a, b),
        (TypeBuf::Scalar(Scalar::Url), Value::Tuple(a), Value::Tuple(b)) => url(a, b),
        (TypeBuf::Scalar(Scalar::Foreign(foreign)), a, b) => {
            let order = match foreign.values() {
                Scalar::Foreign(_) => compare_own(a, b),
                values => value(&TypeBuf::Scalar(values), a, b),
            };
            if foreign.order() == Order::Descending { order.reverse() } else { order }
        }
        (_, a, b) => a.cmp(b),
    }
}

/// By digits; a tile is after all tiles that begin with its digits.
fn tile(a: &str, b: &str) -> Ordering {
    if a.starts_with(b) || b.starts_with(a) { b.len().cmp(&a.len()) } else { a.cmp(b) }
}

/// By labels, from the last to the first; an address is one label. If a host has more labels than the other, it is
/// less, because a `.` sorts before the `/` of the path. If a label begins with the other, the next character decides:
/// a `-` sorts before both of these, every other one after.
fn page(a: &str, b: &str) -> Ordering {
    fn split(page: &str) -> (Vec<&str>, &str) {
        let (host, path) = page.split_once('/').unwrap_or((page, ""));
        let is_address = host.starts_with('[') || host.parse::<std::net::Ipv4Addr>().is_ok();
        (if is_address { vec![host] } else { host.rsplit('.').collect() }, path)
    }
    let ((a, a_path), (b, b_path)) = (split(a), split(b));
    for (i, (a_label, b_label)) in a.iter().zip(&b).enumerate() {
        let longer = |longer: &str, shorter: &str| longer.strip_prefix(shorter).map(|rest| rest.starts_with('-'));
        let order = match (longer(a_label, b_label), longer(b_label, a_label)) {
            (Some(_), Some(_)) if i + 1 == a.len() || i + 1 == b.len() => b.len().cmp(&a.len()),
            (Some(_), Some(_)) => Ordering::Equal,
            (Some(true), _) | (_, Some(false)) => Ordering::Less,
            (Some(false), _) | (_, Some(true)) => Ordering::Greater,
            (None, None) => a_label.cmp(b_label),
        };
        if order.is_ne() {
            return order;
        }
    }
    a_path.cmp(b_path)
}

/// By the page, then by the other parts.
fn url(a: &[Value], b: &[Value]) -> Ordering {
    match (a, b) {
        ([Value::Text(a_page), a @ ..], [Value::Text(b_page), b @ ..]) => {
            let rest = a.iter().zip(b).map(|(a, b)| a.cmp(b));
            rest.fold(page(a_page, b_page), Ordering::then)
        }
        _ => Ordering::Equal,
    }
}
