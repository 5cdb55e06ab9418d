//! Q20: a field of the key is updated.

use crate::design::Meaning;
use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    let key = &context.keys[0];
    for field in &key.fields {
        let mut writes = context.table.table.write.iter();
        let write = writes.find(|write| write.updates.iter().any(|name| name.as_str() == field.name));
        if write.is_none() && field.meaning != Some(Meaning::Status) {
            continue;
        }
        let message = format!(
            "{:?} changes, and is in the key: each change deletes a row and puts another, and readers may see none or both",
            field.name
        );
        let mut finding = found.finding(field.place, message).of(field.name);
        if let Some(write) = write {
            finding = finding.witness(format!("{:?} changes it", write.name.as_str()));
            if let Some(rate) = &write.rate {
                finding = finding.number("changes", rate.0, "/s");
            }
        }
        found.push(finding.remedy(
            "keep it in a column, under an id that does not change; and in the key of a secondary table, if queries need it",
            Vec::new(),
        ));
    }
}
