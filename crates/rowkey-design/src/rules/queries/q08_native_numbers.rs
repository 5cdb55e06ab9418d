//! Q08: native-endian numbers as bytes.

use rowkey::layout::Scalar;
use rowkey::untyped::TypeBuf;

use super::bytes::{fields, of_field, retyped};
use crate::design::Meaning;
use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    // A time or an id in bytes is never negative: its bytes sort right where the highest comes first.
    for (_, field) in fields(context).filter(|(_, field)| field.meaning == Some(Meaning::NativeNumber)) {
        let shape = match field.field.ty {
            TypeBuf::Scalar(Scalar::ByteArray(1)) => "i8",
            TypeBuf::Scalar(Scalar::ByteArray(2)) => "i16",
            TypeBuf::Scalar(Scalar::ByteArray(4)) => "i32",
            TypeBuf::Scalar(Scalar::ByteArray(8)) => "i64",
            TypeBuf::Scalar(Scalar::ByteArray(16)) => "i128",
            TypeBuf::Scalar(Scalar::ByteArray(_) | Scalar::Bytes) => "",
            // A number of the format: its bytes sort as it does.
            _ => continue,
        };
        let message = format!(
            "{:?} is a number in a processor's bytes: negative ones sort after the others, and little-endian ones anyhow",
            field.name
        );
        let finding = of_field(found, context, field, message);
        let finding = finding.witness("in two's complement -1 sorts after 1; little-endian, 256 sorts before 1");
        let edits = if shape.is_empty() { Vec::new() } else { retyped(field, shape) };
        found.push(finding.remedy("write it as a number of the format, such as `i64` or `f64`", edits));
    }
}
