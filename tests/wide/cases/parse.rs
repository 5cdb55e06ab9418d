//! Files of cases, read.

use std::ops::Bound;

use super::print::plain;
use super::*;

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
