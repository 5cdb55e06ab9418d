//! Q18: counters whose increments can be lost or doubled.

use crate::design::{Engine, WriteKind};
use crate::rule::Severity::{Note, Warning};
use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    let engine = context.engine;
    for write in context.table.table.write.iter().filter(|write| write.approximate != Some(true)) {
        let name = write.name.as_str();
        let (severity, message, remedy) = match write.kind {
            Some(WriteKind::ReadAddPut) => (
                Warning,
                format!("{name:?} reads a count, adds to it and puts it back: of two writers at once, one is lost"),
                "let the server add (`kind = \"increment\"`), or compare and write",
            ),
            // In one transaction, or in one process: nothing is sent twice.
            Some(WriteKind::Increment)
                if !matches!(engine, Engine::HBase | Engine::Bigtable | Engine::DynamoDb | Engine::Cassandra) =>
            {
                continue;
            }
            Some(WriteKind::Increment) => (
                Note,
                format!(
                    "{name:?} increments: where an answer is lost, nobody knows if it counted, and a client that sends it again may count twice"
                ),
                counted_once(engine),
            ),
            _ => continue,
        };
        let mut finding = found.finding(write.place, message).of(name);
        finding.severity = severity;
        if let Some(rate) = write.rate.as_ref() {
            finding = finding.number("counts", rate.0, "/s");
        }
        found.push(finding.remedy(remedy, Vec::new()));
    }
}

/// The ways to count each increment once.
fn counted_once(engine: Engine) -> &'static str {
    match engine {
        Engine::HBase => {
            "keep `hbase.client.nonces.enabled` on, its default: HBase's own client sends a nonce, by which a server \
             knows what is sent again; with others put each count under a key of its own and add them up when reading; \
             or say `approximate = true`"
        }
        Engine::DynamoDb => {
            "write it by `TransactWriteItems` with a `ClientRequestToken`, by which what is sent again counts once for \
             ten minutes; or put each count under a key of its own and add them up when reading; or say \
             `approximate = true`"
        }
        _ => "put each count under a key of its own and add them up when reading; or say `approximate = true`",
    }
}
