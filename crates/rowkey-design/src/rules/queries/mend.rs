//! Changes of a design file that cure a finding of a query.

use rowkey::LayoutBuf;
use rowkey::lead::Lead;
use rowkey::untyped::FieldBuf;

use crate::cost::{Condition, Known, OrderFit, QueryCost, all_of};
use crate::design::Secondary;
use crate::facts::{FieldFacts, KeyFacts};
use crate::finding::{Edit, Finding};
use crate::problem::{Located, Span};
use crate::quote;
use crate::resolve::Design;
use crate::rules::context::Context;

/// The number of ranges that are made at most to see if another order of a key is better.
const MOST_WORK: usize = 50_000;

/// A field as a key of the file has it.
pub(super) fn field_text(field: &FieldBuf) -> String {
    quote::toml(&format!("{}: {field}", field.name))
}

/// Adds a key to a write, a query, a secondary table, a salt or a digest.
pub(super) fn added(context: &Context<'_>, item: Span, key: &str, value: &str) -> Vec<Edit> {
    let edit = context.design.files.key_added_to_item(item, key, value);
    edit.into_iter().filter(|edit| reads(context, edit)).collect()
}

/// The fields that a salt or a digest is taken from.
pub(super) fn by(context: &Context<'_>, salt: Span, by: &[Located<String>], names: &str) -> Vec<Edit> {
    match (by.first(), by.last()) {
        (Some(first), Some(last)) => {
            vec![Edit { place: Span { end: last.place.end, ..first.place }, text: names.to_owned() }]
        }
        _ => added(context, salt, "by", &format!("[{names}]")),
    }
}

/// The order of a key's fields that serves a query: those of which it has one value, those of which it has several,
/// then the one that it has a range of or is ordered by, then the others.
fn order_for(cost: &QueryCost<'_>, key: &KeyFacts<'_>) -> Vec<usize> {
    let query = &cost.query.value;
    let condition = |i: &usize| Condition::of(query, key.fields[*i].name);
    let all = 0..key.fields.len();
    let mut order: Vec<usize> = all.clone().filter(|i| condition(i) == Some(Condition::One)).collect();
    let wants_time = query.newest_first().is_some();
    let grows = |i: &usize| key.fields[*i].growth.is_some();
    order.extend(all.clone().filter(|i| matches!(condition(i), Some(Condition::Among(_))) && !grows(i)));
    let time = all.clone().find(|i| wants_time && grows(i) && !order.contains(i));
    let next = time.or_else(|| all.clone().find(|i| condition(i).is_some() && !order.contains(i)));
    order.extend(next);
    let rest: Vec<usize> = all.filter(|i| !order.contains(i)).collect();
    order.extend(rest);
    order
}

/// The fields in this order: only the last can stay raw.
fn ordered(key: &KeyFacts<'_>, order: &[usize]) -> Vec<FieldBuf> {
    let mut fields: Vec<FieldBuf> = order.iter().map(|&i| key.fields[i].field.clone()).collect();
    let last = fields.len().saturating_sub(1);
    for field in &mut fields[..last] {
        field.raw = false;
    }
    fields
}

/// The table's own key in another order.
fn reordered<'c>(old: &'c KeyFacts<'c>, layout: &'c LayoutBuf, order: &[usize]) -> KeyFacts<'c> {
    let fields = order.iter().zip(layout.fields());
    let fields = fields.map(|(&i, field)| FieldFacts { field, ..old.fields[i].clone() }).collect();
    KeyFacts { secondary: None, layout, fields, ..old.clone() }
}

/// The better order is the less.
fn rank(order: OrderFit) -> u8 {
    match order {
        OrderFit::Free | OrderFit::Key | OrderFit::Unknown => 0,
        OrderFit::Reverse => 1,
        OrderFit::Merge { .. } => 2,
        OrderFit::Sort => 3,
    }
}

/// The fields that say which rows a query reads first, each with its direction, where it asks for the order of the key
/// or for one that no field is known to have: an edit that changes them changes the answer.
fn first_read<'k>(key: &KeyFacts<'k>, cost: &QueryCost<'_>) -> Option<Vec<(&'k str, Option<bool>)>> {
    let query = &cost.query.value;
    let is_free =
        |field: &&FieldFacts<'_>| !field.is_constant() && Condition::of(query, field.name) != Some(Condition::One);
    let in_key_order = query.is_ordered() && (query.newest_first().is_none() || cost.order == OrderFit::Unknown);
    let fields = key.fields.iter().filter(is_free);
    in_key_order.then(|| fields.map(|field| (field.name, field.is_descending())).collect())
}

/// True if a query reads the same rows first by another key.
fn keeps_first(context: &Context<'_>, key: &KeyFacts<'_>, was: &QueryCost<'_>) -> bool {
    first_read(key, was) == first_read(context.key_of(was), was)
}

/// True if a key filters less of what a query reads than the key that serves it now, or has a better order for it.
fn serves(context: &Context<'_>, key: &KeyFacts<'_>, was: &QueryCost<'_>) -> bool {
    let is = QueryCost::by(was.query, context.table, key, None, &Known::default());
    if !keeps_first(context, key, was) {
        return false;
    }
    is.filter.len() < was.filter.len() || rank(is.order) < rank(was.order)
}

/// True if a key serves a query no worse than the one that serves it now.
fn keeps(context: &Context<'_>, key: &KeyFacts<'_>, was: &QueryCost<'_>) -> bool {
    let is = QueryCost::by(was.query, context.table, key, None, &Known::default());
    let filters = is.filter.len() <= was.filter.len() && is.full_scan <= was.full_scan;
    let order = rank(is.order) <= rank(was.order) && keeps_first(context, key, was);
    filters && is.buckets <= was.buckets && order
}

/// Another order of the key's fields, where it serves this query, and no other worse.
pub(super) fn reorder(context: &Context<'_>, cost: &QueryCost<'_>) -> Option<Vec<Edit>> {
    // For each finding each query is worked out again, bucket by bucket.
    let work = context.queries.len().saturating_pow(2).saturating_mul(cost.buckets);
    let table = &context.table.table;
    // A key with a fingerprint has rows: another order is another table. A partition key is of its first fields.
    let is_said = table.fingerprint.is_some() || table.partition.is_some();
    if cost.secondary.is_some() || work > MOST_WORK || is_said {
        return None;
    }
    let key = &context.keys[0];
    let order = order_for(cost, key);
    // Not a key that begins with a time: all writes would be at its end.
    if key.fields[*order.first()?].growth.is_some() || order.is_sorted() {
        return None;
    }
    let fields = ordered(key, &order);
    let mut by: Vec<usize> = key.layout.by().iter().filter_map(|field| order.iter().position(|i| i == field)).collect();
    by.sort_unstable();
    let layout = LayoutBuf::of_fields(key.layout.name(), key.layout.lead().clone(), by, fields.clone()).ok()?;
    let new = reordered(key, &layout, &order);
    let mut own = context.queries.iter().filter(|cost| cost.secondary.is_none());
    let good = own.all(|was| match std::ptr::eq(was.query, cost.query) {
        true => serves(context, &new, was),
        false => keeps(context, &new, was),
    });
    good.then(|| edited(context, &fields))
}

/// The key with these fields in place of its own.
pub(super) fn edited(context: &Context<'_>, fields: &[FieldBuf]) -> Vec<Edit> {
    let key = context.table.table.key.iter().zip(fields);
    key.filter(|(was, is)| was.field.as_ref() != Some(is))
        .map(|(was, is)| Edit { place: was.place, text: field_text(is) })
        .collect()
}

/// A secondary table that is there already and reads no more than the query returns: its name, and the edit by which it
/// serves the query.
pub(super) fn serve(context: &Context<'_>, cost: &QueryCost<'_>) -> Option<(String, Vec<Edit>)> {
    if cost.secondary.is_some() {
        return None;
    }
    let key = context.keys[1..].iter().find(|key| {
        let by = QueryCost::by(cost.query, context.table, key, None, &Known::default());
        !by.full_scan && by.filter.is_empty() && keeps_first(context, key, cost)
    })?;
    let secondary = context.secondary(key)?;
    Some((key.name.value.clone(), named_in(context, secondary, cost)))
}

/// The edit by which a secondary table serves a query.
fn named_in(context: &Context<'_>, secondary: &Located<Secondary>, cost: &QueryCost<'_>) -> Vec<Edit> {
    let query = quote::toml(&cost.query.name);
    match secondary.serves.last() {
        Some(last) => vec![Edit { place: Span { start: last.place.end, ..last.place }, text: format!(", {query}") }],
        // The file may have `serves = []` already: then it can't be read after the edit.
        None => added(context, secondary.place, "serves", &format!("[{query}]")),
    }
}

/// A secondary table that would serve the query if its partition key were smaller: the change, in words and as edits.
fn repartitioned(context: &Context<'_>, cost: &QueryCost<'_>) -> Option<(String, Vec<Edit>)> {
    let is_here = |key: &&KeyFacts<'_>| cost.secondary.is_none() || key.secondary == cost.secondary;
    let mut keys = context.keys[1..].iter().filter(is_here);
    let (key, secondary, fixed) = keys.find_map(|key| {
        let sorted = KeyFacts { partition: None, ..key.clone() };
        let by = QueryCost::by(cost.query, context.table, &sorted, None, &Known::default());
        let serves = !by.full_scan && by.filter.is_empty() && keeps_first(context, key, cost);
        let secondary = context.secondary(key)?;
        (serves && by.leading < key.partition?).then_some((key, secondary, by.leading))
    })?;
    let serves = if cost.secondary.is_none() { ", and name the query in its `serves`" } else { "" };
    let name = key.name.as_str();
    if fixed == 0 {
        let text = format!(
            "let the partition key of the secondary table {name:?} be a salt alone (`partition = []`), so that what the \
             query selects by is first in its sort key{serves}: a run asks every bucket"
        );
        return Some((text, Vec::new()));
    }
    let fields: Vec<&str> = key.fields[..fixed].iter().map(|field| field.name).collect();
    let text = format!("let the partition key of the secondary table {name:?} be {} alone{serves}", quoted(&fields));
    let names = secondary.partition.as_deref().unwrap_or_default();
    let first = names.get(fixed - 1).filter(|_| names.iter().zip(&fields).all(|(name, field)| **name == **field));
    let edits = first.zip(names.last()).map(|(first, last)| {
        let place = Span { start: first.place.end, ..last.place };
        let mut edits = vec![Edit { place, text: String::new() }];
        edits.extend(cost.secondary.is_none().then(|| named_in(context, secondary, cost)).into_iter().flatten());
        edits
    });
    Some((text, edits.unwrap_or_default()))
}

/// Names in quotes, with commas between them.
pub(super) fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")
}

/// The longest file that is read again to try an edit.
const LONGEST: usize = 1 << 18;

/// True if the file can be read after an edit.
fn reads(context: &Context<'_>, edit: &Edit) -> bool {
    let file = context.design.files.file(edit.place).filter(|file| file.text.len() <= LONGEST);
    file.is_some_and(|file| Design::parse([file.edited([edit])]).is_ok())
}

/// A secondary table that serves a query; none if that would serve it no better than the table itself.
pub(super) fn secondary(context: &Context<'_>, cost: &QueryCost<'_>) -> Option<Vec<Edit>> {
    if cost.secondary.is_some() {
        return None;
    }
    let key = &context.keys[0];
    let order = order_for(cost, key);
    let first = &key.fields[*order.first()?];
    if first.growth.is_some() || Condition::of(cost.query, first.name).is_none() {
        return None;
    }
    let mut fields = ordered(key, &order);
    let newest = cost.query.newest_first();
    let grows = order.iter().position(|&i| key.fields[i].growth.is_some());
    if let Some((newest, field)) = newest.zip(grows.and_then(|at| fields.get_mut(at))) {
        let can_turn = grows.is_some_and(|at| key.fields[order[at]].can_turn());
        field.desc = if can_turn { newest } else { field.desc };
    }
    let layout = LayoutBuf::of_fields(key.layout.name(), Lead::None, Vec::new(), fields.clone()).ok()?;
    if !serves(context, &reordered(key, &layout, &order), cost) {
        return None;
    }
    let texts: Vec<String> = fields.iter().map(field_text).collect();
    let name = format!("{}_by_{}", context.table.name.as_str(), first.name);
    let lines = [format!("key = [{}]", texts.join(", ")), format!("serves = [{}]", quote::toml(&cost.query.name))];
    secondary_block(context, &name, lines).map(|edit| vec![edit])
}

/// The block of a secondary table, under this name or one like it that is free.
fn secondary_block(context: &Context<'_>, name: &str, lines: [String; 2]) -> Option<Edit> {
    let Context { design, table, .. } = context;
    let taken = |name: &str| {
        let mut secondaries = design.tables.values().flat_map(|table| &table.table.secondary);
        design.tables.contains_key(name) || secondaries.any(|secondary| secondary.name.as_str() == name)
    };
    let numbered = std::iter::once(name.to_owned()).chain((2..100).map(|i| format!("{name}_{i}")));
    let name = numbered.into_iter().find(|name| !taken(name))?;
    let [key, serves] = lines;
    let lines = [format!("name = {}", quote::toml(&name)), key, serves];
    let path = format!("table.{}", quote::toml_key(table.name.as_str()));
    design.files.item_added(table.name.place, &path, "secondary", !table.table.secondary.is_empty(), &lines)
}

/// A secondary table that is there; or another order of the key where that hurts no query; or else a new secondary
/// table.
pub(super) fn with_remedy(context: &Context<'_>, cost: &QueryCost<'_>, finding: Finding) -> Finding {
    if let Some((name, edits)) = serve(context, cost) {
        return finding
            .remedy(format!("read it from the secondary table {name:?}: name the query in its `serves`"), edits);
    }
    if let Some(edits) = reorder(context, cost) {
        return finding.remedy("put the fields that the query fixes first; no other query reads more then", edits);
    }
    if all_of(&cost.query.value).is_empty() {
        let text =
            "say `batch = true` if nobody waits for it; else give it a limit, or keep what it computes in a table";
        return finding.remedy(text, Vec::new());
    }
    if let Some((text, edits)) = repartitioned(context, cost) {
        return finding.remedy(text, edits);
    }
    match secondary(context, cost) {
        Some(edits) => finding.remedy(
            "add a secondary table whose key begins with the fields that the query fixes, and ends with those of this key",
            edits,
        ),
        None if context.keys[0].partition.is_some() && !fixes(cost) => finding.remedy(
            "add a secondary table whose partition key is a salt alone (`partition = []`), and whose sort key begins with \
             what the query selects by: a run asks every bucket",
            Vec::new(),
        ),
        None => finding.remedy(by_hand(context, cost), Vec::new()),
    }
}

/// True if the query has values of a field or column, which can be a partition key.
fn fixes(cost: &QueryCost<'_>) -> bool {
    !cost.query.fix.is_empty() || !cost.query.filter.is_empty() || !cost.query.among.is_empty()
}

/// The secondary table that no edit adds: the type of a column is not known, or its first field would grow.
fn by_hand(context: &Context<'_>, cost: &QueryCost<'_>) -> String {
    let key = &context.keys[0];
    let asked = all_of(&cost.query.value);
    if key.partition.is_some() {
        let has_values =
            |name: &&str| matches!(Condition::of(cost.query, name), Some(Condition::One | Condition::Among(_)));
        let (fixed, others): (Vec<&str>, Vec<&str>) = asked.into_iter().partition(has_values);
        let sort = if others.is_empty() { String::new() } else { format!("begins with {} and ", quoted(&others)) };
        return format!(
            "add a secondary table whose partition key is {}, and whose sort key {sort}ends with the fields of this key",
            quoted(&fixed)
        );
    }
    let (first, columns): (Vec<&str>, Vec<&str>) = asked.into_iter().partition(|name| key.index(name).is_some());
    match (&first[..], &columns[..]) {
        ([field, ..], []) => format!(
            "add a secondary table whose key begins with a salt and then {field:?}: as {field:?} grows, without a salt all of its rows would land in one place"
        ),
        _ => {
            format!(
                "add a secondary table whose key begins with {}, and ends with the fields of this key",
                quoted(&columns)
            )
        }
    }
}
