//! Cases, as files have them.

use std::fmt::{self, Display, Formatter};
use std::ops::Bound;

use super::*;

/// Whether a byte stands for itself.
pub(super) fn plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_.-".contains(&byte)
}

/// Bytes as a file has them.
pub(super) fn text(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "''".into();
    }
    if bytes.len() > 64 && bytes.iter().all(|byte| *byte == bytes[0]) {
        return format!("{}*{}", text(&bytes[..1]), bytes.len());
    }
    let one = |&byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    bytes.iter().map(one).collect()
}

impl std::error::Error for Error {}

impl Display for Error {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl Display for Case {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let families: Vec<_> = self.families.iter().map(Family::to_string).collect();
        writeln!(f, "case {}\ntable {}", self.name, families.join(" ; "))?;
        self.steps.iter().try_for_each(|asked| write!(f, "{}\n{}", asked.step, asked.answer))
    }
}

impl Display for Family {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} versions={} min={}", text(&self.name), self.versions, self.min_versions)?;
        self.ttl.map_or(Ok(()), |ttl| write!(f, " ttl={ttl}"))
    }
}

impl Display for Step {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flush => f.write_str("flush"),
            Self::MajorCompact => f.write_str("major-compact"),
            Self::Get { row, read } => write!(f, "get {}{read}", text(row)),
            Self::Exists { row, read } => write!(f, "exists {}{read}", text(row)),
            Self::Scan { span, read, meanwhile } if meanwhile.is_empty() => write!(f, "scan{span}{read}"),
            Self::Scan { span, read, meanwhile } => {
                write!(f, "scan-while {}{span}{read}", braces(meanwhile, written_text))
            }
            Self::Batch(batch) => write!(f, "batch {}", braces(batch, written_text)),
            Self::WithinMs(writes) => write!(f, "within-ms {}", braces(writes, written_text)),
            Self::Clock(ahead) => write!(f, "clock {ahead}"),
            Self::Split(rows) => {
                f.write_str("split")?;
                rows.iter().try_for_each(|row| write!(f, " {}", text(row)))
            }
            Self::Increment { row, amounts } => {
                write!(f, "increment {}", text(row))?;
                amounts.iter().try_for_each(|(column, n)| write!(f, " {column} {n}"))
            }
            Self::Check { row, column, test: Test::Absent, mutations } => {
                write!(f, "check {} {column} absent {}", text(row), braces(mutations, Mutation::to_string))
            }
            Self::Check { row, column, test: Test::Value(op, value), mutations } => {
                write!(
                    f,
                    "check {} {column} {op} {} {}",
                    text(row),
                    text(value),
                    braces(mutations, Mutation::to_string)
                )
            }
            Self::Mutate { row, mutations } => match &mutations[..] {
                [one] => f.write_str(&row_then(row, one)),
                all => write!(f, "mutate {} {}", text(row), braces(all, Mutation::to_string)),
            },
        }
    }
}

fn braces<T>(parts: &[T], part: fn(&T) -> String) -> String {
    if parts.is_empty() {
        return "{ }".into();
    }
    format!("{{ {} }}", parts.iter().map(part).collect::<Vec<_>>().join(" ; "))
}

fn written_text((row, mutation): &Written) -> String {
    row_then(row, mutation)
}

/// A mutation with its row after the verb.
fn row_then(row: &[u8], mutation: &Mutation) -> String {
    let words = mutation.to_string();
    let (verb, rest) = words.split_at(words.find(' ').unwrap_or(words.len()));
    format!("{verb} {}{rest}", text(row))
}

impl Display for Mutation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Put { column, at, value } => write!(f, "put {column}{} {}", after(*at), text(value)),
            Self::DeleteLatest { column } => write!(f, "delete-latest {column}"),
            Self::DeleteVersion { column, at } => write!(f, "delete-version {column}{}", after(*at)),
            Self::DeleteColumn { column, at } => write!(f, "delete-column {column}{}", after(*at)),
            Self::DeleteFamily { family, at } => write!(f, "delete-family {}{}", text(family), after(*at)),
            Self::DeleteRow { at } => write!(f, "delete-row{}", after(*at)),
        }
    }
}

/// The timestamp of a write: none is the server's.
fn after(at: Time) -> String {
    if at == Time::Server { String::new() } else { format!(" @{at}") }
}

impl Display for Read {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if !self.families.is_empty() {
            write!(f, " families={}", self.families.iter().map(|name| text(name)).collect::<Vec<_>>().join(","))?;
        }
        if !self.columns.is_empty() {
            write!(f, " columns={}", self.columns.iter().map(Column::to_string).collect::<Vec<_>>().join(","))?;
        }
        named(f, "versions", self.versions)?;
        named(f, "time", self.time.map(|(min, max)| format!("{min}..{max}")))?;
        named(f, "store-offset", self.store_offset)?;
        named(f, "store-limit", self.store_limit)?;
        self.filters.iter().try_for_each(|filter| write!(f, " {filter}"))
    }
}

fn named(f: &mut Formatter<'_>, name: &str, value: Option<impl Display>) -> fmt::Result {
    value.map_or(Ok(()), |value| write!(f, " {name}={value}"))
}

impl Display for Filter {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Prefix(column) => write!(f, "prefix={column}"),
            Self::Range(from, to) => write!(f, "range={from}..{}", text(to)),
            Self::Value(op, value) => write!(f, "value={op}:{}", text(value)),
            Self::Where { column, op, value, missing, all_versions } => {
                let name = match (missing, all_versions) {
                    (_, true) => "where-any",
                    (true, false) => "where",
                    (false, false) => "where-present",
                };
                write!(f, "{name}={column}:{op}:{}", text(value))
            }
            Self::FirstKeyOnly => f.write_str("first-key-only"),
            Self::Page { offset, limit } => write!(f, "page={offset},{limit}"),
        }
    }
}

impl Display for Span {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.start {
            Bound::Included(row) => write!(f, " start={}", text(row))?,
            Bound::Excluded(row) => write!(f, " start-after={}", text(row))?,
            Bound::Unbounded => {}
        }
        match &self.stop {
            Bound::Included(row) => write!(f, " through={}", text(row))?,
            Bound::Excluded(row) => write!(f, " stop={}", text(row))?,
            Bound::Unbounded => {}
        }
        f.write_str(if self.reverse { " reverse" } else { "" })?;
        named(f, "limit", self.limit)?;
        named(f, "batch", self.batch)
    }
}

impl Display for Answer {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done => Ok(()),
            Self::Nothing => writeln!(f, "  = nothing"),
            Self::Truth(truth) => writeln!(f, "  = {truth}"),
            Self::Error(refusal) => writeln!(f, "  = {refusal}"),
            Self::Unsupported(why) => writeln!(f, "  = unsupported {why}"),
            Self::Each(each) => each.iter().try_for_each(|(row, outcome)| match outcome {
                Some(refusal) => writeln!(f, "  = row {} {refusal}", text(row)),
                None => writeln!(f, "  = row {} done", text(row)),
            }),
            Self::Counters(counters) => counters.iter().try_for_each(|(column, n)| writeln!(f, "  = {column} {n}")),
            Self::Cells(cells) => cells.iter().try_for_each(|cell| writeln!(f, "  = {cell}")),
            Self::Rows(rows) => rows.iter().try_for_each(|(row, cells)| {
                writeln!(f, "  = row {}", text(row))?;
                cells.iter().try_for_each(|cell| writeln!(f, "  = {cell}"))
            }),
        }
    }
}

impl Display for Refusal {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "error {} {}", self.kind, self.message)
    }
}

impl Display for Cell {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} @{} {}", self.column, self.at, text(&self.value))
    }
}

impl Display for Column {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", text(&self.family), text(&self.qualifier))
    }
}

impl Display for Time {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Server => f.write_str("server"),
            Self::At(at) => write!(f, "{at}"),
            Self::Now(offset) => write!(f, "now{offset:+}"),
            Self::Micros(at) => write!(f, "{at}us"),
            Self::Clock => f.write_str("clock"),
        }
    }
}

impl Display for Op {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        })
    }
}
