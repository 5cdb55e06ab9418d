//! F16: a TTL whose unit looks wrong.

use crate::design::Engine;
use crate::file::Period;
use crate::rule::Severity;
use crate::rules::context::{Context, RuleSink};

const HOUR: u64 = 3600;
const DAY: u64 = 24 * HOUR;

/// The longest TTL of Cassandra (`ExpirationDateOverflowHandling`, `Attributes.MAX_TTL`), and longer than data lives.
const LONGEST: u64 = 20 * 365 * DAY;

/// The seconds that HBase takes for no TTL: `HConstants.FOREVER`.
const FOREVER: u64 = i32::MAX as u64;

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    for (name, family) in &context.table.table.family {
        let Some(ttl) = &family.ttl else { continue };
        let unit = context.design.files.text(ttl.place).trim_matches(|c: char| !c.is_alphabetic());
        let millis = ttl.0.as_millis();
        let seconds = ttl.0.as_secs();
        let (message, cure) = if let Some(meant) = meant(unit, millis) {
            let written = if unit == "ms" { "seconds" } else { "milliseconds" };
            (
                format!(
                    "the TTL of {name:?} is {}; if its number is of {written}, it is {meant}",
                    long(seconds, millis)
                ),
                format!("write `ttl = \"{meant}\"`, or the other in a greater unit"),
            )
        } else if seconds == FOREVER && context.engine == Engine::HBase {
            (
                format!("the TTL of {name:?} is {FOREVER} s, by which HBase keeps cells for ever"),
                "leave it out, and write `keep = \"forever\"` of the table".to_owned(),
            )
        } else if seconds > LONGEST {
            let limit = if context.engine == Engine::Cassandra { ", the longest that Cassandra takes" } else { "" };
            (
                format!("the TTL of {name:?} is {}: more than 20 years{limit}", long(seconds, millis)),
                "shorten it, or leave it out and write `keep = \"forever\"` of the table".to_owned(),
            )
        } else {
            continue;
        };
        let mut finding = found.finding(ttl.place, message).of(name.as_str());
        finding = finding.number("TTL", ttl.seconds(), "s");
        finding.witness.extend(unit_of(context.engine).map(str::to_owned));
        if context.engine == Engine::Cassandra && seconds > LONGEST {
            finding.severity = Severity::Error;
        }
        found.push(finding.remedy(cure, Vec::new()));
    }
}

/// The length that a number is in the other unit, where that is one of hours or days, and it is not in its own.
fn meant(unit: &str, millis: u128) -> Option<Period> {
    let millis = u64::try_from(millis).ok()?;
    let seconds = millis / 1000;
    let (is_odd, other) = match unit {
        "s" | "second" | "seconds" => {
            let days = seconds / DAY;
            let is_round =
                seconds.is_multiple_of(DAY) && (days < 1000 || days.is_multiple_of(30) || days.is_multiple_of(365));
            (seconds.is_multiple_of(1000 * HOUR) && (!is_round || seconds > LONGEST), seconds / 1000)
        }
        "ms" => (millis.is_multiple_of(HOUR) && !millis.is_multiple_of(60_000), millis),
        _ => return None,
    };
    (is_odd && other > 0).then(|| Period(std::time::Duration::from_secs(other)))
}

/// A length of time in days or years.
fn long(seconds: u64, millis: u128) -> String {
    match seconds {
        0..HOUR => format!("{} s", millis as f64 / 1000.0),
        _ if seconds < 730 * DAY => format!("{:.1} days", seconds as f64 / DAY as f64),
        _ => format!("{:.1} years", seconds as f64 / (365 * DAY) as f64),
    }
}

/// The unit that an engine has a TTL in.
fn unit_of(engine: Engine) -> Option<&'static str> {
    match engine {
        Engine::HBase => Some("a TTL of HBase's families is in seconds, that of a cell in milliseconds"),
        Engine::Cassandra => Some("a TTL of Cassandra is in seconds, and ends before 2038-01-19"),
        Engine::DynamoDb => Some("DynamoDB's TTL attribute is a moment, in seconds since 1970"),
        _ => None,
    }
}
