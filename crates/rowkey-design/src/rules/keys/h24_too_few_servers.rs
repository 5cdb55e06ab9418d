//! H24: more writes, or reads, than all servers together take.

use crate::design::{Engine, Write};
use crate::file::{ByteRate, Count, Rate};
use crate::load::{
    Rates, WriteLoad, bytes_per_server, known_writes_per_server, peak, reads_per_server, servers, servers_for_all,
};
use crate::rules::context::{Context, RuleSink, Together};
use crate::rules::regions::{Fullest, fullest_read, reads};
use crate::rules::salt::fan_out;

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    // DynamoDB has as many as a table needs, and one process takes all.
    if context.capacity.has_enough || context.capacity.takes_all() {
        return;
    }
    let Some(servers) = servers(context.cluster) else { return };
    let before = found.list.len();
    too_many_rows(context, servers, found);
    if found.list.len() == before {
        too_many_bytes(context, servers, found);
    }
    too_many_reads(context, servers, found);
    if found.list.len() == before {
        of_all_tables(context, servers, found);
    }
}

/// The finding of more rows than all servers take.
fn too_many_rows(context: &Context<'_>, servers: f64, found: &mut RuleSink<'_>) {
    let each = context.capacity.each;
    let rows: f64 = context.table.table.write.iter().filter_map(|write| steady(write)).sum();
    let tables = context.keys.len() as f64;
    let all = rows * tables;
    if all <= servers * each {
        return;
    }
    let assumed = match known_writes_per_server(context.engine, context.cluster) {
        Some(_) => String::new(),
        None => format!(" ({} each, which is assumed)", Rate(each)),
    };
    let copies = if tables > 1.0 { format!(" to each of {}", Count(tables).of("table")) } else { String::new() };
    let message = format!(
        "{} are written{copies}{}, and {} can take {}{assumed}, however even they are",
        Rate(rows),
        at_peak(writes(context)),
        Count(servers).of("server"),
        Rate(servers * each)
    );
    let other = "write fewer, larger rows. If one takes more, say `region.writes` of the cluster";
    let rates = [("writes", all, "/s"), ("writes that one server takes", each, "/s")];
    too_few(context, &message, rates, &of_even(all / each, other), found);
}

/// The remedy for what so many servers take together; `other`: that beside more servers.
fn of_even(servers: f64, other: &str) -> String {
    format!("{} servers take them, if the key spreads them evenly; or {other}", Count(servers.ceil()))
}

/// The finding of a rate that is more than all servers together take. `rates`: all of it, and what one server takes.
fn too_few(
    context: &Context<'_>,
    message: &str,
    rates: [(&'static str, f64, &'static str); 2],
    cure: &str,
    found: &mut RuleSink<'_>,
) {
    let [(name, all, unit), (of_one, each, unit_of_one)] = rates;
    let servers = servers(context.cluster).unwrap_or(0.0);
    let finding = found.finding(context.table.name.place, message.to_owned()).number(name, all, unit);
    let finding = finding.number("servers", servers, "").number(of_one, each, unit_of_one);
    found.push(finding.remedy(cure, Vec::new()));
}

/// The highest rate of a write that goes on.
fn steady(write: &Write) -> Option<f64> {
    peak(write).filter(|_| write.bulk != Some(true))
}

/// The rates of the writes that go on.
fn writes<'c>(context: &'c Context<'_>) -> impl Iterator<Item = Rates> + 'c {
    let steady = context.table.table.write.iter().filter(|write| write.bulk != Some(true));
    steady.filter_map(|write| Rates::of_write(write))
}

/// The rates of the queries.
fn queries<'c>(context: &'c Context<'_>) -> impl Iterator<Item = Rates> + 'c {
    context.queries.iter().filter_map(|cost| Rates::of_query(cost.query))
}

/// The words for a rate of which a part is higher at times than on average.
fn at_peak(mut rates: impl Iterator<Item = Rates>) -> &'static str {
    if rates.any(|rates| rates.peak > rates.mean) { " at the peak" } else { "" }
}

/// The same of bytes, where the file says how many a server takes.
fn too_many_bytes(context: &Context<'_>, servers: f64, found: &mut RuleSink<'_>) {
    let Some(each) = bytes_per_server(context.cluster) else { return };
    let bytes =
        |load: &WriteLoad<'_>| Some(load.bytes * load.peak? / load.units).filter(|_| load.write.bulk != Some(true));
    let all: f64 = context.loads.iter().filter_map(bytes).sum();
    if all <= servers * each {
        return;
    }
    let message = format!(
        "{} are written{}, and {} can take {}, however even they are",
        ByteRate(all),
        at_peak(writes(context)),
        Count(servers).of("server"),
        ByteRate(servers * each)
    );
    let other = "write smaller rows. If one takes more, say `region.bytes` of the cluster";
    let rates = [("bytes written", all, "B/s"), ("bytes that one server takes", each, "B/s")];
    too_few(context, &message, rates, &of_even(all / each, other), found);
}

/// The same of reads, where it is known how many a server takes, and no query alone is said to read too much.
fn too_many_reads(context: &Context<'_>, servers: f64, found: &mut RuleSink<'_>) {
    let Some(each) = reads_per_server(context.engine, context.cluster) else { return };
    let all: f64 = context.keys.iter().map(|key| reads(context, key)).sum();
    if all <= servers * each || context.queries.iter().any(|cost| fan_out(context, cost).is_some()) {
        return;
    }
    let message = format!(
        "{} are read{}, and {} can take {}, however even they are",
        Rate(all.round()),
        at_peak(queries(context)),
        Count(servers).of("server"),
        Rate(servers * each)
    );
    let other = "keep what is read most in a cache. If one takes more, say `region.reads` of the cluster";
    let rates = [("reads", all, "/s"), ("reads that one server takes", each, "/s")];
    too_few(context, &message, rates, &of_reads(context, all / each, other), found);
}

/// The remedy for reads that so many servers take together: as many as its regions need, each of which is on one;
/// or a table in more regions.
fn of_reads(context: &Context<'_>, servers: f64, other: &str) -> String {
    let [key] = &context.keys[..] else { return of_even(servers, other) };
    let Some(Fullest { asked, regions, .. }) = fullest_read(context, key) else { return of_even(servers, other) };
    let of_one = (1.0 / asked + NEARLY).floor();
    if of_one >= 1.0 {
        // Others divide what is hot, and move it.
        let needed = if context.engine == Engine::HBase { (regions / of_one).ceil() } else { 1.0 };
        return of_even(servers.max(needed), other);
    }
    let (needed, region) = (Count(servers.ceil()), context.engine.region());
    format!(
        "{needed} servers take them, if the table has at least as many {region}s, not {}, and the key spreads them \
         evenly; or {other}",
        Count(regions)
    )
}

/// The rounding of parts.
const NEARLY: f64 = 1e-9;

/// The finding of tables that together ask for more than all servers take.
fn of_all_tables(context: &Context<'_>, servers: f64, found: &mut RuleSink<'_>) {
    let Together { writes, reads } = context.together;
    for (part, what) in [(writes, "writes"), (reads, "reads")] {
        let Some(part) = part else { continue };
        let tables = context.design.tables.len() as f64;
        let asked = match part {
            10.0.. => format!("{} times", Count(part.round())),
            _ => format!("{:.0} % of", (part * 100.0).round().max(101.0)),
        };
        let message = format!(
            "all {} together ask for {asked} the {what} that {} can take, most of them this one",
            Count(tables).of("table"),
            Count(servers).of("server")
        );
        let finding = found.finding(context.table.name.place, message).number("servers", servers, "");
        let finding = finding.number("tables", tables, "").number(what, part * 100.0, "%");
        found.push(finding.remedy(servers_for_all(part, servers), Vec::new()));
    }
}
