//! Q15: an index by a field of few values that are updated.

use rowkey::lead::Lead;

use super::mend;
use crate::design::Meaning;
use crate::file::Count;
use crate::rules::context::{Context, RuleSink};

/// Of so few values each has a large part of the rows.
const FEW: f64 = 20.0;

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    let table = &context.table.table;
    for key in &context.keys[1..] {
        let Some(first) = key.fields.first() else { continue };
        let values = first.spread.map(|spread| spread.distinct);
        let changed = table.write.iter().find(|write| write.updates.iter().any(|name| name.as_str() == first.name));
        let changes = first.meaning == Some(Meaning::Status) || changed.is_some();
        let few =
            values.is_some_and(|values| values <= FEW) || (values.is_none() && first.meaning == Some(Meaning::Status));
        if !few || !changes || !matches!(key.layout.lead(), Lead::None) {
            continue;
        }
        let count = values.map_or("few".to_owned(), |values| Count(values).to_string());
        let message = format!(
            "{:?} is an index by {:?}, which has {count} values: each is one long range, and each change of it deletes a row there and puts another",
            key.name.as_str(),
            first.name
        );
        let mut finding = found.finding(key.name.place, message).of(key.name.as_str());
        if let Some(values) = values {
            finding = finding.number("values", values, "");
        }
        if let Some(write) = changed {
            finding = finding.witness(format!("{:?} changes it", write.name.as_str()));
            if let Some(rate) = &write.rate {
                finding = finding.number("changes", rate.0, "/s");
            }
        }
        let secondary = key.secondary.and_then(|i| table.secondary.get(i));
        let edits = secondary.map(|secondary| mend::added(context, secondary.place, "salt", "{ buckets = 8 }"));
        found.push(finding.remedy(
            "index only the values that are looked for, such as what is still open; and spread each over a salt",
            edits.unwrap_or_default(),
        ));
    }
}
