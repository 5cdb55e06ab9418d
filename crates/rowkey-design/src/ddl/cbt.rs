//! Commands of `cbt`, for a shell.

use std::fmt::Write;

use rowkey::splits::Splits as SplitPoints;

use super::bigtable::{Garbage, check};
use super::{NewTable, Said};
use crate::problem::Span;
use crate::quote;

/// `cbt createtable` for each table, and `cbt setgcpolicy` for each family. `cbt` has no option for a schema of row
/// keys: it is a comment.
pub(super) fn ddl(tables: &[NewTable<'_>], said: &mut Said) -> Vec<Vec<String>> {
    let mut created = Vec::new();
    check(tables, said);
    for table in tables {
        let mut text = String::new();
        let name = word(table.name, table.name.place, said);
        _ = write!(text, "cbt createtable {name}");
        if !table.families.is_empty() {
            let families = quote::cbt_list("families", table.families().into_iter().map(|(name, _)| name.as_bytes()));
            _ = write!(text, " {}", families.unwrap_or_default());
        }
        if let Some((points, place)) = table.points() {
            let cut = cut(points, place, said);
            match quote::cbt_list("splits", cut.iter().copied()) {
                Some(points) => _ = write!(text, " {points}"),
                None => said.problem(
                    place,
                    "a split point holds a zero byte, or CR before LF or at its end: `cbt` cannot be given it",
                    "choose split points without, create the table by a client library, or leave them out of the result",
                ),
            }
        }
        let mut commands = vec![text];
        for (family, options) in table.families() {
            let policy = Garbage::of(options, u16::MAX.into(), said);
            let policy = policy.map_or_else(|| "never".to_owned(), |garbage| expression(&garbage, false));
            let policy = quote::shell(policy.as_bytes()).unwrap_or_default();
            commands.push(format!("cbt setgcpolicy {name} {} {policy}", word(family, options.place, said)));
        }
        if let Some(schema) = table.row_key_schema(said) {
            let schema = quote::terminal(&schema.to_string());
            commands.push(format!(
                "# For gcloud's --row-key-schema-definition-file, with --row-key-schema-pre-encoded-bytes: {schema}"
            ));
        }
        created.push(commands);
    }
    created
}

/// The split points without the zero bytes at their ends, where they have any: no argument of a program can hold one.
fn cut<'p>(points: &'p SplitPoints, place: Span, said: &mut Said) -> Vec<&'p [u8]> {
    let whole: Vec<_> = points.iter().collect();
    let cut: Vec<_> = whole.iter().map(|point| &point[..point.len() - zeros(point)]).collect();
    if cut == whole || cut.iter().any(|point| point.is_empty()) || cut.windows(2).any(|pair| pair[0] >= pair[1]) {
        return whole;
    }
    said.note(
        place,
        "`cbt` cannot be given zero bytes, so those at the ends of split points are left out: of all keys, only those \
         that are as short lie in another tablet",
    );
    cut
}

fn zeros(point: &[u8]) -> usize {
    point.iter().rev().take_while(|byte| **byte == 0).count()
}

fn word(name: &str, place: Span, said: &mut Said) -> String {
    quote::shell(name.as_bytes()).unwrap_or_else(|| {
        said.problem(place, "a name holds a zero byte", "write another");
        String::new()
    })
}

fn expression(garbage: &Garbage, inner: bool) -> String {
    let joined = |parts: &[Garbage], word: &str| {
        let parts: Vec<_> = parts.iter().map(|part| expression(part, true)).collect();
        let text = parts.join(word);
        if inner { format!("({text})") } else { text }
    };
    match garbage {
        Garbage::Age(millis) => format!("maxage={}", duration(*millis)),
        Garbage::Versions(versions) => format!("maxversions={versions}"),
        Garbage::Any(parts) => joined(parts, " or "),
        Garbage::All(parts) => joined(parts, " and "),
    }
}

/// In the largest unit that `cbt` has and that leaves a whole number.
fn duration(millis: u64) -> String {
    const UNITS: &[(u64, &str)] = &[(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1000, "s")];
    let unit = UNITS.iter().find(|(unit, _)| millis.is_multiple_of(*unit));
    unit.map_or_else(|| format!("{millis}ms"), |(unit, name)| format!("{}{name}", millis / unit))
}
