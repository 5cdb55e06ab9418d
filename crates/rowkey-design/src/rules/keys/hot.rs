//! Which writes are too many for where they land; and what is said beside such a finding.

use rowkey::lead::Lead;

use crate::check::Context;
use crate::design::{Engine, WriteKind};
use crate::facts::{FieldFacts, KeyFacts};
use crate::file::{Count, Rate};
use crate::finding::Edit;
use crate::load::{WriteLoad, writes_per_server};
use crate::rules::Found;

/// A write whose places may be too few, with what one server takes.
pub(super) struct Hot<'c, 'd> {
    pub(super) load: &'c WriteLoad<'d>,
    pub(super) key: &'c KeyFacts<'d>,
    pub(super) capacity: f64,
    pub(super) servers: f64,
}

impl Hot<'_, '_> {
    /// The servers that work at once.
    pub(super) fn places(&self) -> Option<f64> {
        self.load.places
    }

    /// How fast it writes, as a finding says it.
    pub(super) fn rate(&self) -> String {
        match self.load.peak {
            Some(peak) => format!("{} at the peak", Rate(peak)),
            None => "no rate is declared".to_owned(),
        }
    }

    /// The field that grows, if writes follow it.
    pub(super) fn front(&self) -> Option<&FieldFacts<'_>> {
        self.key.fields.get(self.load.front?)
    }

    /// Salt buckets that spread the writes over the servers, twice as many as are needed.
    pub(super) fn buckets(&self) -> u32 {
        let needed = self.load.peak.map_or(0.0, |peak| 2.0 * peak / self.capacity).max(self.servers.min(1000.0));
        needed.ceil().clamp(2.0, 1000.0) as u32
    }
}

/// The writes of the table, or of its secondary tables, that one server does not take: none on an engine of one process,
/// none below the gate, and those without a rate.
pub(super) fn writes<'c, 'd>(context: &'c Context<'d>, secondary: bool) -> Vec<Hot<'c, 'd>> {
    let one_process = matches!(context.engine, Engine::Fjall | Engine::RocksDb | Engine::FoundationDb);
    let declared: f64 = context.table.table.write.iter().filter_map(|write| peak(write)).sum();
    let any_unsaid = context.table.table.write.iter().any(|write| peak(write).is_none());
    let capacity = writes_per_server(context.engine, context.cluster).unwrap_or(10_000.0);
    if one_process || (declared < capacity && !any_unsaid) {
        return Vec::new();
    }
    let servers = context.cluster.and_then(|cluster| cluster.servers).map(f64::from);
    let servers = servers.unwrap_or_else(|| (declared / capacity).ceil().max(2.0));
    let writes = context.loads.iter().filter(|load| load.secondary.is_some() == secondary);
    let written = writes.filter(|load| load.write.kind != Some(WriteKind::Delete));
    written
        .filter(|load| load.peak.is_none_or(|_| declared >= capacity))
        .map(|load| {
            let key = &context.keys[load.secondary.map_or(0, |index| index + 1)];
            Hot { load, key, capacity, servers }
        })
        .collect()
}

fn peak(write: &crate::design::Write) -> Option<f64> {
    write.peak.as_ref().or(write.rate.as_ref()).map(|rate| rate.0)
}

/// The first write whose front has nothing before it: all its rows land in one place.
pub(super) fn at_one_place<'c, 'd>(context: &'c Context<'d>, secondary: bool) -> Option<Hot<'c, 'd>> {
    let unspread = |hot: &Hot<'_, '_>| matches!(hot.key.layout.lead(), Lead::None) && hot.load.front == Some(0);
    writes(context, secondary).into_iter().find(unspread)
}

/// The edit that gives the table a salt by all fields; none for a secondary table, or where there is a salt.
pub(super) fn salted(context: &Context<'_>, hot: &Hot<'_, '_>) -> Vec<Edit> {
    let table = &context.table.table;
    if hot.key.secondary.is_some() || table.salt.is_some() || table.hashed.is_some() {
        return Vec::new();
    }
    let salt = format!("{{ buckets = {} }}", hot.buckets());
    context.design.files.key_added(context.table.name.place, "salt", &salt).into_iter().collect()
}

/// Whether a finding of this table says that a place takes all writes.
fn is_hot(context: &Context<'_>) -> bool {
    let one_row = || writes(context, false).iter().any(|hot| super::rows::is_one_row(hot.load));
    at_one_place(context, false).is_some_and(|hot| hot.load.peak.is_some())
        || super::front::are_few(context)
        || one_row()
}

/// H22.
pub(super) fn neighbours(context: &Context<'_>, found: &mut Found<'_>) {
    /// Tables that are named; a design can have thousands, each of them hot.
    const NAMED: usize = 5;
    let tables = &context.design.tables;
    if tables.len() < 2 || !is_hot(context) {
        return;
    }
    let others = tables.keys().filter(|name| *name != context.table.name.as_str());
    let named: Vec<&str> = others.take(NAMED).map(String::as_str).collect();
    let more = match tables.len() - 1 - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let message = "the server that takes this table's writes serves regions of other tables too".to_owned();
    let finding = found.finding(context.table.name.place, message);
    let finding = finding.witness(format!("also here: {}{more}", named.join(", ")));
    found.push(finding.remedy("mend the hot key, or keep the tables on servers of their own", Vec::new()));
}

/// H24.
pub(super) fn too_few_servers(context: &Context<'_>, found: &mut Found<'_>) {
    let servers = context.cluster.and_then(|cluster| cluster.servers).map(f64::from);
    let Some((servers, each)) = servers.zip(writes_per_server(context.engine, context.cluster)) else { return };
    let writes = context.table.table.write.iter().filter(|write| write.bulk != Some(true));
    let rows: f64 = writes.filter_map(|write| peak(write)).sum();
    let tables = context.keys.len() as f64;
    let all = rows * tables;
    if all <= servers * each {
        return;
    }
    let copies = if tables > 1.0 { format!(" to each of {} tables", Count(tables)) } else { String::new() };
    let message = format!(
        "{} are written{copies}, and {} servers take {}, however even they are",
        Rate(rows),
        Count(servers),
        Rate(servers * each)
    );
    let finding = found.finding(context.table.name.place, message).number("writes", all, "/s");
    let finding = finding.number("servers", servers, "").number("writes that one server takes", each, "/s");
    let needed = Count((all / each).ceil());
    found.push(finding.remedy(
        format!("{needed} servers take them; or write fewer, larger rows. If one takes more, say `region.writes` of the cluster"),
        Vec::new(),
    ));
}

/// H23.
pub(super) fn balancer(context: &Context<'_>, found: &mut Found<'_>) {
    if context.engine != Engine::HBase || !is_hot(context) {
        return;
    }
    let message = "HBase's balancer moves regions and divides none: the hot one stays hot on another server".to_owned();
    let finding = found.finding(context.table.name.place, message).witness(
        "StochasticLoadBalancer acts from an imbalance of 0.025; one region with all writes and memstore is 10/602 = 0.017",
    );
    found.push(finding.remedy("mend the key", Vec::new()));
}
