//! The latest actions of a user: newest first, a page of ten at a time.
//!
//!     cargo run --release -p rowkey-studies -- actions access.log
//!
//! ```sql
//! SELECT * FROM actions WHERE user = ? ORDER BY at DESC LIMIT 10 OFFSET 20
//! ```
//!
//! The key is user, time descending, event: a user's actions stand together, the newest first, so the order of the
//! query is the order of the bytes and nothing is sorted. A descending time is the classics' `Long.MAX_VALUE - time`,
//! and still the time that it was. The event keeps actions of one second apart; here it is the place in the input, the
//! later one first.
//!
//! An offset is read and thrown away, so a page costs the more the further back it is. A cursor is the key that a page
//! ended with: the next one begins there, and every page costs the same. Actions of one kind need a key of their own,
//! kept in a secondary table.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::OsString;
use std::io::Write;
use std::ops::Bound;
use std::process::ExitCode;

use clap::Parser;
use indicatif::HumanCount;
use jiff::Timestamp;
use rowkey::secondary::Primary;
use rowkey::{Cursor, Layout, RowKey, Seconds, Table};
use rowkey_studies::engine::{Db, Engine};
use rowkey_studies::output::report::{self, Query};
use rowkey_studies::output::{list, progress};
use rowkey_studies::weblog::{Logs, read_logs};

/// A user's action, newest first.
#[derive(RowKey, Debug, Clone, PartialEq)]
struct Action {
    user: String,
    #[rowkey(desc)]
    at: Seconds,
    /// The action's place in the input.
    #[rowkey(desc)]
    event: u64,
}

/// The same actions kind by kind.
#[derive(RowKey, Debug, Clone, PartialEq)]
struct OfKind {
    user: String,
    kind: Kind,
    #[rowkey(desc)]
    at: Seconds,
    #[rowkey(desc)]
    event: u64,
}

/// The kind of action that a request is.
#[derive(RowKey, Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
enum Kind {
    /// A page is looked at: GET of a path whose last name has no dot.
    #[rowkey(tag = 1)]
    View,
    /// Something is asked for: GET with a question mark.
    #[rowkey(tag = 2)]
    Search,
    /// A file is loaded: any other GET.
    #[rowkey(tag = 3)]
    Load,
    /// All else.
    #[rowkey(tag = 4)]
    Other,
}

impl Kind {
    /// Of a log's request, `GET /a?b HTTP/1.1`.
    fn of(request: &str) -> Self {
        let mut words = request.split(' ');
        match (words.next(), words.next()) {
            (Some("GET"), Some(path)) if path.contains('?') => Self::Search,
            (Some("GET"), Some(path)) if path.rsplit('/').next().is_some_and(|name| name.contains('.')) => Self::Load,
            (Some("GET"), Some(_)) => Self::View,
            _ => Self::Other,
        }
    }
}

/// The keys of its tables.
pub(crate) const LAYOUTS: &[(&str, Layout)] = &[("actions", Action::LAYOUT), ("actions.of_kind", OfKind::LAYOUT)];

/// Stores the requests of a web log as actions of its visitors, and asks for those of one of them.
#[derive(Parser)]
struct Args {
    #[command(flatten)]
    logs: Logs,
    /// Whose actions are asked for [default: those of the most active]
    #[arg(long)]
    user: Option<String>,
    /// How many of the newest actions the page leaves out
    #[arg(long, default_value_t = 20)]
    offset: u64,
    /// How many actions are a page
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..))]
    limit: u16,
    /// The kind of action that is asked for
    #[arg(long, value_enum, default_value_t = Kind::Search)]
    kind: Kind,
    /// The range's start, to the second, as 2015-05-18T06:00Z [default, without --to: a day before the newest action]
    #[arg(long)]
    from: Option<Timestamp>,
    /// The range's end, itself outside
    #[arg(long)]
    to: Option<Timestamp>,
    /// How many rows of an answer that is no page are printed
    #[arg(long, default_value_t = 5)]
    show: usize,
}

type Actions = Table<Action, String, Db>;
type Rows = Vec<(Action, String)>;

/// How many rows are written at once.
const BATCH: usize = 1000;

fn run(args: &Args, on: &Engine, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let (mut rows, mut active) = (Rows::new(), BTreeMap::<String, u64>::new());
    let summary = read_logs(args.logs.each(), |found| {
        let (user, request) = (found.visitor.to_owned(), found.hit.request.unwrap_or_else(|| "-".to_owned()));
        *active.entry(user.clone()).or_default() += 1;
        rows.push((Action { user, at: Seconds::floor(found.at)?, event: rows.len() as u64 + 1 }, request));
        Ok(())
    })?;
    writeln!(out, "{summary}")?;
    writeln!(out, "{} actions by {} users", HumanCount(rows.len() as u64), HumanCount(active.len() as u64))?;
    let most = active.iter().min_by_key(|&(user, actions)| (Reverse(actions), user)).map(|(user, _)| user);
    let Some(user) = args.user.as_ref().or(most) else { return Ok(()) };

    let db = on.open()?;
    let mut primary = Primary::<Action, String, _>::open(db.clone(), "actions")?;
    let of_kind = primary.secondary("actions.of_kind", |Action { user, at, event }, request: &String| {
        [(OfKind { user: user.clone(), kind: Kind::of(request), at: *at, event: *event }, request.clone())]
    })?;
    for rows in progress(rows.chunks(BATCH).collect::<Vec<_>>()) {
        rows.iter().try_fold(primary.batch(), |batch, (action, request)| batch.put(action, request))?.write()?;
    }
    let actions = primary.table();
    let theirs = || Action::prefix().user(user);
    let newest = actions.first(theirs())?;

    if let Some((action, request)) = newest.clone().or(actions.first(..)?) {
        report::key(out, "The key of an action", &action)?;
        let Action { user, at, event } = action;
        report::key(out, "Its key among actions of its kind", &OfKind { user, kind: Kind::of(&request), at, event })?;
    }
    let first = actions.scan(theirs()).limit(3).collect::<Result<Rows, _>>()?;
    let drawn = first.iter().map(|(action, request)| {
        [format!("{} | {} | {}", action.user, moment(action.at), action.event), request.escape_debug().to_string()]
    });
    report::table(out, "The table", ["user | at, descending | event", "request"], drawn)?;

    let title = format!("Actions of {user}, newest first, offset {} limit {}", args.offset, args.limit);
    let page = actions.scan(theirs()).offset(args.offset).limit(args.limit.into());
    answer(out, &db, title, page, args.limit.into())?;

    let from = match (args.from, args.to, &newest) {
        (None, None, Some((Action { at, .. }, _))) => Some(Seconds(at.0.saturating_sub(24 * 60 * 60))),
        (from, ..) => from.map(Seconds::floor).transpose()?,
    };
    let to = args.to.map(Seconds::floor).transpose()?;
    let window = (from.map_or(Bound::Unbounded, Bound::Included), to.map_or(Bound::Unbounded, Bound::Excluded));
    let said = [("from", from), ("until", to)].map(|(word, at)| at.map(|at| format!(" {word} {}", moment(at))));
    let title = format!("Actions of {user}{}", said.into_iter().flatten().collect::<String>());
    answer(out, &db, title, actions.scan(theirs().at_range(window)), args.show)?;

    let kind = args.kind;
    let picked = actions.scan(theirs()).filter(|row| row.as_ref().map_or(true, |(_, what)| Kind::of(what) == kind));
    answer(out, &db, format!("{kind:?} actions of {user}, picked out of all"), picked, args.show)?;
    let of_kind = of_kind.scan(OfKind::prefix().user(user).kind(kind)).map(|row| {
        let (OfKind { user, at, event, .. }, request) = row?;
        Ok((Action { user, at, event }, request))
    });
    answer(out, &db, format!("{kind:?} actions of {user}, under a key of their own"), of_kind, args.show)?;

    pages(out, &db, actions, user, args.limit.into())
}

/// Runs a query: what it read and returned, its first rows, and how many more there are.
fn answer(
    out: &mut impl Write,
    db: &Db,
    title: String,
    rows: impl Iterator<Item = Result<(Action, String), rowkey::Error>>,
    show: usize,
) -> Result<(), Box<dyn Error>> {
    let query = Query::of(db);
    let rows = rows.collect::<Result<Rows, _>>()?;
    query.returned(out, title, rows.len(), rows.len())?;
    let line = |(Action { at, event, .. }, request): &(Action, String)| {
        format!("{}  {event:>6}  {}", moment(*at), request.escape_debug())
    };
    Ok(list(out, show, rows.iter().map(line))?)
}

/// Goes over all pages by cursor, and shows what the first, second, third, fifth, ninth and so on cost both ways.
fn pages(out: &mut impl Write, db: &Db, actions: &Actions, user: &str, limit: usize) -> Result<(), Box<dyn Error>> {
    let scan = || actions.scan(Action::prefix().user(user));
    let (mut offset, mut cursor, mut told) = (0, None::<String>, Vec::new());
    loop {
        // A client keeps the cursor as text, and hands it back for the next page.
        let before = db.costs();
        let page = scan().after(cursor.as_deref().map(str::parse::<Cursor>).transpose()?).page(limit)?;
        let by_cursor = db.costs() - before;
        if (offset / limit).is_power_of_two() || offset == 0 || page.next.is_none() {
            let before = db.costs();
            let by_offset = scan().offset(offset as u64).limit(limit as u64).collect::<Result<Rows, _>>()?;
            let cost = db.costs() - before;
            if by_offset != page.rows {
                return Err(format!("the page at offset {offset} is not the one after the cursor").into());
            }
            let numbers = [offset as u64, cost.rows_read, by_cursor.rows_read, cost.bytes_read, by_cursor.bytes_read];
            told.push(numbers.map(|number| HumanCount(number).to_string()));
        }
        offset += limit;
        cursor = page.next.as_ref().map(Cursor::to_string);
        if cursor.is_none() {
            break;
        }
    }
    let titles = ["offset", "rows read by offset", "by cursor", "bytes read by offset", "by cursor"];
    report::table(out, &format!("Pages of {limit}, as the offset grows"), titles, told)
}

fn moment(at: Seconds) -> String {
    Timestamp::try_from(at).map_or_else(|_| at.0.to_string(), |at| at.to_string())
}

/// Runs the study with these arguments, the first of which is its name.
pub(crate) fn main(args: Vec<OsString>) -> ExitCode {
    crate::study(args, run)
}
