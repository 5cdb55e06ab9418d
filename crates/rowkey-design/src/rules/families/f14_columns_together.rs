//! F14: columns that are always read and written together.

use super::asked;
use super::cells::Share;
use crate::cost::CELL;
use crate::design::{Columns, WriteKind};
use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    let table = &context.table.table;
    let key = &context.keys[0];
    for (name, family) in &table.family {
        let Some(Columns::Names(columns)) = family.columns.as_ref().map(|columns| &columns.value) else { continue };
        if columns.len() < 3 || table.write.is_empty() {
            continue;
        }
        let part = |list| asked::any(list, name, family) && !asked::all(list, name, family);
        let counts = |write: &crate::design::Write| {
            write.kind == Some(WriteKind::Increment) && asked::any(&write.columns, name, family)
        };
        let reads: Vec<_> = table.query.iter().filter(|query| asked::any(&query.columns, name, family)).collect();
        if reads.is_empty()
            || reads.iter().any(|query| part(&query.columns))
            || table.write.iter().any(|write| part(&write.columns) || counts(write))
        {
            continue;
        }
        let Some(share) = Share::encoded(name, family, key, context.table) else { continue };
        if share.of_keys() <= 0.5 {
            continue;
        }
        let one = share.values + key.bytes + name.len() as f64 + 1.0 + CELL;
        let message = format!("the {} columns of {name:?} are always read and written together", columns.len());
        let queries: Vec<_> = reads.iter().take(3).map(|query| format!("{:?}", query.name.as_str())).collect();
        found.push(
            found
                .finding(family.columns.as_ref().map_or(family.place, |columns| columns.place), message)
                .of(name.as_str())
                .number("bytes of a row", share.keys + share.values, "B")
                .number("bytes as one value", one, "B")
                .witness(format!("{} read all of them", queries.join(", ")))
                .remedy("write them as one value, such as `Postcard<T>`", Vec::new()),
        );
    }
}
