//! The number of values that a field of a key can have.

use rowkey::layout::Scalar;
use rowkey::untyped::TypeBuf;

use super::select::Condition;
use crate::design::Width;
use crate::facts::{FieldFacts, Growth};

/// The most values that a field has in keys that meet a condition on it, of rows written in `span` seconds.
pub(super) fn values(field: &FieldFacts<'_>, condition: Option<Condition>, span: Option<f64>) -> Option<f64> {
    let is_whole = !matches!(field.field.ty, TypeBuf::Scalar(Scalar::Instant));
    let in_time = |seconds: f64| match field.growth {
        // What begins inside a value has a part of one more.
        Some(Growth::Time(Some(each))) if is_whole => Some((seconds / each).ceil() + 1.0),
        _ => None,
    };
    let of_type = || match field.field.ty {
        _ if field.is_constant() => Some(1.0),
        TypeBuf::Scalar(Scalar::Bool) => Some(2.0),
        _ => span.and_then(in_time),
    };
    let stats = field.stats.filter(|stats| stats.per.is_none());
    let distinct = || stats.and_then(|stats| stats.distinct.as_ref()).map(|distinct| distinct.0);
    match condition {
        Some(Condition::One) => Some(1.0),
        Some(Condition::Among(count)) => Some(count),
        Some(Condition::Range(Width::Values(count), parts)) if is_whole => Some(count.0 * parts),
        Some(Condition::Range(Width::Time(period), parts)) => Some(in_time(period.seconds())? * parts),
        Some(Condition::Range(..) | Condition::StartsWith(..)) | None => distinct().or_else(of_type),
    }
}
