//! H25: no row_key_schema of Bigtable can say the key.

use crate::design::Engine;
use crate::row_key_schema;
use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    if context.engine != Engine::Bigtable {
        return;
    }
    let is_family = |name: &str| context.table.table.family.contains_key(name);
    for key in &context.keys {
        let Err((name, why)) = row_key_schema::of_layout(key.layout, is_family) else { continue };
        let field = key.fields.iter().find(|field| Some(field.name) == name);
        let what = name.map_or("the key".to_owned(), |name| format!("{name:?}"));
        let message = format!("GoogleSQL reads the keys of {:?} as bytes: {what} {why}", key.name.as_str());
        let finding = found.finding(field.map_or(key.name.place, |field| field.place), message);
        let remedy = "for a row_key_schema, write the fields as `ordered[text]`, `ordered[i64]` and so on, or as text \
                      between delimiters; rowkey's own reads and prefixes need none";
        found.push(finding.remedy(remedy, Vec::new()));
    }
}
