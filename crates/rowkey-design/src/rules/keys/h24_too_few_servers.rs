//! H24: more writes than all servers together take.

use crate::design::Engine;
use crate::file::{Count, Rate};
use crate::load::{known_writes_per_server, peak};
use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    // DynamoDB has as many as a table needs.
    if context.engine == Engine::DynamoDb {
        return;
    }
    let servers = context.cluster.and_then(|cluster| cluster.servers).map(f64::from);
    let Some((servers, each)) = servers.zip(known_writes_per_server(context.engine, context.cluster)) else { return };
    let writes = context.table.table.write.iter().filter(|write| write.bulk != Some(true));
    let rows: f64 = writes.filter_map(|write| peak(write)).sum();
    let tables = context.keys.len() as f64;
    let all = rows * tables;
    if all <= servers * each {
        return;
    }
    let copies = if tables > 1.0 { format!(" to each of {}", Count(tables).of("table")) } else { String::new() };
    let message = format!(
        "{} are written{copies}, and {} can take {}, however even they are",
        Rate(rows),
        Count(servers).of("server"),
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
