//! Q07: numbers as text.

use rowkey::layout::Scalar;
use rowkey::untyped::TypeBuf;

use super::bytes::{fields, is_number, is_text, of_field, retyped, seen};
use crate::design::Meaning;
use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    for (_, field) in fields(context).filter(|(_, field)| is_text(field)) {
        let uneven = seen(context, field).filter(|seen| seen.uneven_decimal);
        let is_text = matches!(field.field.ty, TypeBuf::Scalar(Scalar::Text));
        let counts = is_text && is_number(field.meaning);
        if field.meaning != Some(Meaning::Number) && !counts && uneven.is_none() {
            continue;
        }
        let message =
            format!("{:?} has numbers as text: \"10\" sorts before \"9\", and \"-1\" before \"-2\"", field.name);
        let mut finding = of_field(found, context, field, message);
        for (text, _) in uneven.iter().flat_map(|seen| seen.top.iter().take(2)) {
            finding = finding.witness(format!("value: {text:?}"));
        }
        let text = "write it as a number: `decimal`, or an integer type";
        found.push(finding.remedy(text, retyped(field, if counts { "i64" } else { "decimal" })));
    }
}
