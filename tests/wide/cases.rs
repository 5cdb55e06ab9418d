//! The files of cases beside this one: what a wide-row store is asked, and what it answered. The headers of
//! `hbase.cases`, `hbase_more.cases` and `bigtable.cases` tell the grammar. Everything here prints as a file has it.

use std::fmt::{self, Display, Formatter};
use std::ops::Bound;

/// One case, which has a table of its own.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) families: Vec<Family>,
    pub(crate) steps: Vec<Asked>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Family {
    pub(crate) name: Vec<u8>,
    pub(crate) versions: u32,
    pub(crate) min_versions: u32,
    /// In seconds.
    pub(crate) ttl: Option<u64>,
}

/// A step, the number of its line, and what was answered.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Asked {
    pub(crate) line: usize,
    pub(crate) step: Step,
    pub(crate) answer: Answer,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step {
    /// All at once; a single put or delete too.
    Mutate {
        row: Vec<u8>,
        mutations: Vec<Mutation>,
    },
    /// Mutates if the newest cell of the column does as `Test` says.
    Check {
        row: Vec<u8>,
        column: Column,
        test: Test,
        mutations: Vec<Mutation>,
    },
    Increment {
        row: Vec<u8>,
        amounts: Vec<(Column, i64)>,
    },
    Get {
        row: Vec<u8>,
        read: Read,
    },
    Exists {
        row: Vec<u8>,
        read: Read,
    },
    Scan {
        span: Span,
        read: Read,
        /// Written, each in a call of its own, when the first row was read.
        meanwhile: Vec<Written>,
    },
    /// One call. Neighbours that write to one row are one mutation.
    Batch(Vec<Written>),
    /// Each in a call of its own, all in one millisecond.
    WithinMs(Vec<Written>),
    /// How far the clock of who asks is ahead, in milliseconds.
    Clock(i64),
    /// The rows with which the table's regions begin.
    Split(Vec<Vec<u8>>),
    Flush,
    MajorCompact,
}

/// A row, and what is written to it.
pub(crate) type Written = (Vec<u8>, Mutation);

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Mutation {
    Put { column: Column, at: Time, value: Vec<u8> },
    DeleteLatest { column: Column },
    DeleteVersion { column: Column, at: Time },
    DeleteColumn { column: Column, at: Time },
    DeleteFamily { family: Vec<u8>, at: Time },
    DeleteRow { at: Time },
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Test {
    Absent,
    /// The cell stands to the left of the operator.
    Value(Op, Vec<u8>),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Op {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// What a get or a scan wants of each row. No families and no columns are all of them.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Read {
    pub(crate) families: Vec<Vec<u8>>,
    pub(crate) columns: Vec<Column>,
    pub(crate) versions: Option<i64>,
    /// The first is included, the second is not.
    pub(crate) time: Option<(Time, Time)>,
    pub(crate) store_offset: Option<i64>,
    pub(crate) store_limit: Option<i64>,
    /// In the order in which they are asked.
    pub(crate) filters: Vec<Filter>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Filter {
    /// The column's qualifier is the prefix; its family is read, as if `families` had it.
    Prefix(Column),
    /// From the column, included, to the qualifier, not included; an empty one is no bound. The family as above.
    Range(Column, Vec<u8>),
    Value(Op, Vec<u8>),
    Where {
        column: Column,
        op: Op,
        value: Vec<u8>,
        missing: bool,
        all_versions: bool,
    },
    FirstKeyOnly,
    Page {
        offset: i64,
        limit: i64,
    },
}

/// Which rows a scan reads. In reverse, `start` is the upper end.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Span {
    pub(crate) start: Bound<Vec<u8>>,
    pub(crate) stop: Bound<Vec<u8>>,
    pub(crate) reverse: bool,
    pub(crate) limit: Option<i64>,
    pub(crate) batch: Option<i64>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    /// A write went through.
    Done,
    /// No cell, no row.
    Nothing,
    Cells(Vec<Cell>),
    /// Batches of one row follow each other under its name.
    Rows(Vec<(Vec<u8>, Vec<Cell>)>),
    Counters(Vec<(Column, i64)>),
    Truth(bool),
    /// Of each mutation of a batch, in order: its row, and its error if it was refused.
    Each(Vec<(Vec<u8>, Option<Refusal>)>),
    Error(Refusal),
    /// It can't be asked there; why.
    Unsupported(String),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Refusal {
    pub(crate) kind: String,
    pub(crate) message: String,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cell {
    pub(crate) column: Column,
    pub(crate) at: Time,
    pub(crate) value: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Column {
    pub(crate) family: Vec<u8>,
    pub(crate) qualifier: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Time {
    /// The clock of who writes.
    Server,
    /// In milliseconds.
    At(i64),
    /// In milliseconds from when the case began.
    Now(i64),
    /// In microseconds.
    Micros(i64),
    /// The clock of who asks, once it was put ahead.
    Clock,
}

/// What is wrong with a file, and in which line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Error {
    pub(crate) line: usize,
    pub(crate) message: String,
}

/// Reads a whole file.
pub(crate) fn parse(text: &str) -> Result<Vec<Case>, Error> {
    let mut cases = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if !line.is_empty() && !line.starts_with('#') {
            read_line(&mut cases, index + 1, line).map_err(|message| Error { line: index + 1, message })?;
        }
    }
    Ok(cases)
}

/// Reading a piece says what is wrong with it; the line's number comes later.
type Parsed<T> = Result<T, String>;

fn read_line(cases: &mut Vec<Case>, number: usize, line: &str) -> Parsed<()> {
    if let Some(name) = line.strip_prefix("case ") {
        cases.push(Case { name: name.into(), families: Vec::new(), steps: Vec::new() });
        return Ok(());
    }
    let case = cases.last_mut().ok_or("no case has begun")?;
    if let Some(families) = line.strip_prefix("table ") {
        case.families = families.split(';').map(family).collect::<Parsed<_>>()?;
    } else if let Some(answer) = line.strip_prefix("= ") {
        let asked = case.steps.last_mut().ok_or("an answer to nothing")?;
        read_answer(&mut asked.answer, &asked.step, answer)?;
    } else if case.families.is_empty() {
        return Err("a step before the table".into());
    } else {
        case.steps.push(Asked { line: number, step: step(line)?, answer: Answer::Done });
    }
    Ok(())
}

fn family(text: &str) -> Parsed<Family> {
    let mut words = Words(text);
    let mut family = Family { name: words.bytes()?, versions: 1, min_versions: 0, ttl: None };
    for word in words {
        match option(word) {
            ("versions", n) => family.versions = number(n)?,
            ("min", n) => family.min_versions = number(n)?,
            ("ttl", n) => family.ttl = Some(number(n)?),
            _ => return Err(format!("{word:?} is nothing of a family")),
        }
    }
    Ok(family)
}

fn step(line: &str) -> Parsed<Step> {
    let mut words = Words(line);
    Ok(match words.word()? {
        "flush" => Step::Flush,
        "major-compact" => Step::MajorCompact,
        "get" => Step::Get { row: words.bytes()?, read: read(words)? },
        "exists" => Step::Exists { row: words.bytes()?, read: read(words)? },
        "scan" => scan(words, Vec::new())?,
        "scan-while" => {
            let meanwhile = block(&mut words, written)?;
            scan(words, meanwhile)?
        }
        "batch" => Step::Batch(last_block(words, written)?),
        "within-ms" => Step::WithinMs(last_block(words, written)?),
        "clock" => {
            let ahead = number(words.word()?)?;
            words.end()?;
            Step::Clock(ahead)
        }
        "split" => Step::Split(words.map(bytes).collect::<Parsed<_>>()?),
        "increment" => {
            let (row, mut amounts) = (words.bytes()?, Vec::new());
            while let Some(word) = words.next() {
                amounts.push((column(word)?, number(words.word()?)?));
            }
            Step::Increment { row, amounts }
        }
        "check" => {
            let (row, column) = (words.bytes()?, column(words.word()?)?);
            let test = match words.word()? {
                "absent" => Test::Absent,
                word => Test::Value(op(word)?, words.bytes()?),
            };
            Step::Check { row, column, test, mutations: last_block(words, edit)? }
        }
        "mutate" => Step::Mutate { row: words.bytes()?, mutations: last_block(words, edit)? },
        verb => {
            let row = words.bytes()?;
            let mutations = vec![mutation(verb, &mut words)?];
            words.end()?;
            Step::Mutate { row, mutations }
        }
    })
}

/// What stands in braces, if nothing comes after it.
fn last_block<T>(mut words: Words<'_>, part: fn(&mut Words<'_>) -> Parsed<T>) -> Parsed<Vec<T>> {
    let parts = block(&mut words, part)?;
    words.end().map(|()| parts)
}

fn block<T>(words: &mut Words<'_>, part: fn(&mut Words<'_>) -> Parsed<T>) -> Parsed<Vec<T>> {
    let mut parts = Vec::new();
    let mut sign = words.word()?;
    if sign == "{" && words.clone().next() == Some("}") {
        words.next();
        return Ok(parts);
    }
    while sign == if parts.is_empty() { "{" } else { ";" } {
        parts.push(part(words)?);
        sign = words.word()?;
    }
    if sign == "}" { Ok(parts) } else { Err(format!("a stray {sign:?}")) }
}

fn edit(words: &mut Words<'_>) -> Parsed<Mutation> {
    let verb = words.word()?;
    mutation(verb, words)
}

fn written(words: &mut Words<'_>) -> Parsed<Written> {
    let (verb, row) = (words.word()?, words.bytes()?);
    Ok((row, mutation(verb, words)?))
}

fn mutation(verb: &str, words: &mut Words<'_>) -> Parsed<Mutation> {
    Ok(match verb {
        "put" => Mutation::Put { column: column(words.word()?)?, at: words.at()?, value: words.bytes()? },
        "delete-latest" => Mutation::DeleteLatest { column: column(words.word()?)? },
        "delete-version" => match (column(words.word()?)?, words.at()?) {
            (_, Time::Server) => return Err("a delete-version needs a timestamp".into()),
            (column, at) => Mutation::DeleteVersion { column, at },
        },
        "delete-column" => Mutation::DeleteColumn { column: column(words.word()?)?, at: words.at()? },
        "delete-family" => Mutation::DeleteFamily { family: words.bytes()?, at: words.at()? },
        "delete-row" => Mutation::DeleteRow { at: words.at()? },
        _ => return Err(format!("no step {verb:?}")),
    })
}

fn read<'a>(words: impl IntoIterator<Item = &'a str>) -> Parsed<Read> {
    let mut read = Read::default();
    for word in words {
        match option(word) {
            ("families", list) => read.families = list.split(',').map(bytes).collect::<Parsed<_>>()?,
            ("columns", list) => read.columns = list.split(',').map(column).collect::<Parsed<_>>()?,
            ("versions", n) => read.versions = Some(number(n)?),
            ("time", span) => {
                let (min, max) = span.split_once("..").ok_or("a time range has two ends")?;
                read.time = Some((time(min)?, time(max)?));
            }
            ("store-offset", n) => read.store_offset = Some(number(n)?),
            ("store-limit", n) => read.store_limit = Some(number(n)?),
            (name, value) => read.filters.push(filter(name, value)?),
        }
    }
    Ok(read)
}

fn filter(name: &str, value: &str) -> Parsed<Filter> {
    Ok(match name {
        "prefix" => Filter::Prefix(column(value)?),
        "range" => {
            let (from, to) = value.split_once("..").ok_or("a range has two ends")?;
            Filter::Range(column(from)?, bytes(to)?)
        }
        "value" => {
            let (sign, value) = value.split_once(':').ok_or("a value filter is OP:V")?;
            Filter::Value(op(sign)?, bytes(value)?)
        }
        "where" | "where-present" | "where-any" => {
            let parts: Vec<_> = value.split(':').collect();
            let [family, qualifier, sign, value] = parts[..] else { return Err("a where filter is F:Q:OP:V".into()) };
            let column = Column { family: bytes(family)?, qualifier: bytes(qualifier)? };
            let (missing, all_versions) = (name != "where-present", name == "where-any");
            Filter::Where { column, op: op(sign)?, value: bytes(value)?, missing, all_versions }
        }
        "first-key-only" => Filter::FirstKeyOnly,
        "page" => {
            let (offset, limit) = value.split_once(',').ok_or("a page is OFFSET,LIMIT")?;
            Filter::Page { offset: number(offset)?, limit: number(limit)? }
        }
        _ => return Err(format!("no option {name:?}")),
    })
}

fn scan(words: Words<'_>, meanwhile: Vec<Written>) -> Parsed<Step> {
    let (start, stop) = (Bound::Unbounded, Bound::Unbounded);
    let mut span = Span { start, stop, reverse: false, limit: None, batch: None };
    let mut others = Vec::new();
    for word in words {
        match option(word) {
            ("start", row) => span.start = Bound::Included(bytes(row)?),
            ("start-after", row) => span.start = Bound::Excluded(bytes(row)?),
            ("stop", row) => span.stop = Bound::Excluded(bytes(row)?),
            ("through", row) => span.stop = Bound::Included(bytes(row)?),
            ("reverse", "") => span.reverse = true,
            ("limit", n) => span.limit = Some(number(n)?),
            ("batch", n) => span.batch = Some(number(n)?),
            _ => others.push(word),
        }
    }
    Ok(Step::Scan { span, read: read(others)?, meanwhile })
}

/// Takes one more line of an answer.
fn read_answer(answer: &mut Answer, step: &Step, line: &str) -> Parsed<()> {
    let mut words = Words(line);
    let first = words.word()?;
    match (&mut *answer, first) {
        (Answer::Done, "error") => {
            *answer = Answer::Error(refusal(words)?);
            return Ok(());
        }
        (Answer::Done, "unsupported") => {
            *answer = Answer::Unsupported(words.0.trim_start().into());
            return Ok(());
        }
        (Answer::Done | Answer::Each(_), "row") if matches!(step, Step::Batch(_)) => {
            let (row, outcome) = (words.bytes()?, words.word()?);
            let outcome = match outcome {
                "done" => words.end().map(|()| None)?,
                "error" => Some(refusal(words)?),
                _ => return Err(format!("{outcome:?} is no outcome")),
            };
            match answer {
                Answer::Each(each) => each.push((row, outcome)),
                _ => *answer = Answer::Each(vec![(row, outcome)]),
            }
            return Ok(());
        }
        (Answer::Done, "nothing") => *answer = Answer::Nothing,
        (Answer::Done, "true" | "false") => *answer = Answer::Truth(first == "true"),
        (Answer::Done, "row") => *answer = Answer::Rows(vec![(words.bytes()?, Vec::new())]),
        (Answer::Rows(rows), "row") => rows.push((words.bytes()?, Vec::new())),
        (Answer::Rows(rows), _) => rows.last_mut().ok_or("a cell of no row")?.1.push(cell(first, &mut words)?),
        (Answer::Cells(cells), _) => cells.push(cell(first, &mut words)?),
        (Answer::Counters(counters), _) => counters.push((column(first)?, number(words.word()?)?)),
        (Answer::Done, _) if matches!(step, Step::Increment { .. }) => {
            *answer = Answer::Counters(vec![(column(first)?, number(words.word()?)?)]);
        }
        (Answer::Done, _) => *answer = Answer::Cells(vec![cell(first, &mut words)?]),
        _ => return Err("one answer too many".into()),
    }
    words.end()
}

fn refusal(mut words: Words<'_>) -> Parsed<Refusal> {
    Ok(Refusal { kind: words.word()?.into(), message: words.0.trim_start().into() })
}

fn cell(name: &str, words: &mut Words<'_>) -> Parsed<Cell> {
    let column = column(name)?;
    let at = match words.word()? {
        "@server" => Time::Server,
        "@clock" => Time::Clock,
        word => time(word.strip_prefix('@').ok_or("a timestamp is due")?)?,
    };
    Ok(Cell { column, at, value: words.bytes()? })
}

/// The words of a line that are still to be read.
#[derive(Clone)]
struct Words<'a>(&'a str);

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let rest = self.0.trim_start();
        let (word, rest) = rest.split_at(rest.find(' ').unwrap_or(rest.len()));
        self.0 = rest;
        (!word.is_empty()).then_some(word)
    }
}

impl<'a> Words<'a> {
    fn word(&mut self) -> Parsed<&'a str> {
        self.next().ok_or_else(|| "the line ends too early".into())
    }

    fn bytes(&mut self) -> Parsed<Vec<u8>> {
        bytes(self.word()?)
    }

    /// The timestamp that comes next, if one does.
    fn at(&mut self) -> Parsed<Time> {
        let mut ahead = self.clone();
        let Some(word) = ahead.next().and_then(|word| word.strip_prefix('@')) else { return Ok(Time::Server) };
        *self = ahead;
        time(word)
    }

    fn end(mut self) -> Parsed<()> {
        self.next().map_or(Ok(()), |word| Err(format!("{word:?} is too much")))
    }
}

/// `name=value`, or a name alone.
fn option(word: &str) -> (&str, &str) {
    word.split_once('=').unwrap_or((word, ""))
}

fn number<T: std::str::FromStr>(word: &str) -> Parsed<T> {
    word.parse().map_err(|_| format!("{word:?} is not a number that fits"))
}

fn time(word: &str) -> Parsed<Time> {
    if let Some(offset) = word.strip_prefix("now") {
        return number(offset).map(Time::Now);
    }
    word.strip_suffix("us").map_or_else(|| number(word).map(Time::At), |micros| number(micros).map(Time::Micros))
}

fn op(word: &str) -> Parsed<Op> {
    Ok(match word {
        "=" => Op::Equal,
        "!=" => Op::NotEqual,
        "<" => Op::Less,
        "<=" => Op::LessOrEqual,
        ">" => Op::Greater,
        ">=" => Op::GreaterOrEqual,
        _ => return Err(format!("{word:?} is no operator")),
    })
}

fn column(word: &str) -> Parsed<Column> {
    let (family, qualifier) = word.split_once(':').ok_or_else(|| format!("{word:?} is no column, F:Q"))?;
    Ok(Column { family: bytes(family)?, qualifier: bytes(qualifier)? })
}

fn plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_.-".contains(&byte)
}

fn bytes(word: &str) -> Parsed<Vec<u8>> {
    let wrong = || format!("{word:?} is not written as bytes are");
    if word == "''" {
        return Ok(Vec::new());
    }
    if let Some((unit, times)) = word.split_once('*') {
        return Ok(bytes(unit)?.repeat(number(times)?));
    }
    let (mut out, mut rest) = (Vec::new(), word.as_bytes());
    while let [first, tail @ ..] = rest {
        rest = tail;
        out.push(match first {
            b'%' => {
                let (hex, tail) = rest.split_at_checked(2).ok_or_else(wrong)?;
                rest = tail;
                let hex = str::from_utf8(hex).map_err(|_| wrong())?;
                u8::from_str_radix(hex, 16).map_err(|_| wrong())?
            }
            byte if plain(*byte) => *byte,
            _ => return Err(wrong()),
        });
    }
    if out.is_empty() { Err(wrong()) } else { Ok(out) }
}

/// Bytes as a file has them.
pub(crate) fn text(bytes: &[u8]) -> String {
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
