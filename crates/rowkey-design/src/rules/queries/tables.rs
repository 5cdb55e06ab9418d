//! Fields and tables beside those that queries use.

use crate::check::Context;
use crate::design::Meaning;
use crate::resolve::TableDesign;
use crate::rules::Found;

/// Q15.
pub(super) fn status(context: &Context<'_>, found: &mut Found<'_>) {
    const FEW: f64 = 20.0;
    for key in context.keys.iter().filter(|key| key.secondary.is_some()) {
        let Some(first) = key.fields.first() else { continue };
        let few = first.spread.is_some_and(|spread| spread.distinct <= FEW) || first.meaning == Some(Meaning::Status);
        let writes = &context.table.table.write;
        let changes = first.meaning == Some(Meaning::Status)
            || writes.iter().any(|write| write.updates.iter().any(|field| field.as_str() == first.name));
        if !few || !changes {
            continue;
        }
        let message = format!(
            "{:?} begins with {:?}, which has few values and changes: each change deletes one entry and writes another in a huge range",
            key.name.as_str(),
            first.name
        );
        let mut finding = found.finding(first.place, message).of(key.name.as_str());
        finding.numbers.extend(first.spread.map(|spread| crate::Number {
            name: "values",
            value: spread.distinct,
            unit: "",
        }));
        found.push(finding.remedy("a table of the rows that are open alone, with a salt", Vec::new()));
    }
}

/// Whether two keys have the same fields in another order.
fn reordered(one: &TableDesign, other: &TableDesign) -> bool {
    let (one, other) = (one.layout.fields(), other.layout.fields());
    // Compared in place: a design of many tables has many pairs.
    one.len() == other.len()
        && one.iter().zip(other).any(|(one, other)| one.name != other.name)
        && one.iter().all(|one| other.iter().any(|other| one.name == other.name && one.ty == other.ty))
}

/// Q17.
pub(super) fn apart(context: &Context<'_>, found: &mut Found<'_>) {
    let before = context.design.tables.values().take_while(|table| !std::ptr::eq(*table, context.table));
    let mut same = before.filter(|table| reordered(context.table, table));
    let Some(other) = same.next() else { return };
    let message =
        format!("it has the fields of {:?} in another order, and is not its secondary table", other.name.as_str());
    let finding = found.finding(context.table.name.place, message);
    let cure = format!(
        "`[[table.{}.secondary]]`: `rowkey::secondary` writes both and finds where they differ",
        other.name.value
    );
    found.push(finding.remedy(cure, Vec::new()));
}

/// Q19.
pub(super) fn unused(context: &Context<'_>, found: &mut Found<'_>) {
    let key = &context.keys[0];
    let queries: Vec<_> = context.queries.iter().filter(|cost| cost.secondary.is_none()).collect();
    let asks = |field: &str| {
        queries.iter().any(|cost| {
            let query = &cost.query.value;
            query.fix.iter().any(|fixed| fixed.as_str() == field)
                || query.range.contains_key(field)
                || query.among.contains_key(field)
                || query.starts_with.contains_key(field)
        })
    };
    let Some(last) = key.fields.iter().rposition(|field| asks(field.name)) else { return };
    for field in key.fields[..last].iter().filter(|field| !asks(field.name) && field.growth.is_none()) {
        let message = format!(
            "no query uses {:?}, and it stands before {:?}, which queries use",
            field.name, key.fields[last].name
        );
        let finding = found.finding(field.place, message).of(field.name).number("bytes", field.bytes, "B");
        found.push(
            finding.remedy("move it to the end of the key if it tells rows apart, else into the value", Vec::new()),
        );
    }
}
