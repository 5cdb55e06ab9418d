//! A mailbox in both shapes of the classics: tall, a row a message, and wide, a row a user.
//!
//!     cargo run --release -p rowkey-studies -- inbox
//!     cargo run --release -p rowkey-studies -- inbox mail.tsv --user ada
//!
//! Tall: the key is user, date descending, message, part; part 0 is the text, from 1 on its attachments. Its beginning
//! answers at every depth: all of a user, of a day, of a moment, one message, one attachment. What is to be had in
//! another order, by sender or by subject, is also in an index table.
//!
//! Wide: all of a user is one row. Its family `data` has a column a part of a message, its family `index` the columns
//! of an index, a derived enum: by sender, newest first, and by subject, the last first. A descending text is its bytes
//! inverted: "Hello," is b7 9a 93 93 90 d3, and ends in ff. Date and message come after it, as in the books' index a
//! sender's second message would take the place of the first. Index columns carry what a list shows, so a page reads
//! nothing else.
//!
//! A change of one row is atomic in any wide store; one of several rows only where a store says so. That decides more
//! than any cost.

mod changes;
mod mailbox;
mod pages;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::OsString;
use std::fmt;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use changes::{books_message, changes};
use clap::Parser;
use indicatif::HumanCount;
use mailbox::{Mail, date, day, mail, written};
use pages::pages;
use rowkey::store::Costs;
use rowkey::wide::{Columns, FamilySchema, Mutation, Row, TableSchema};
use rowkey::{Layout, Postcard, RowKey, Seconds, Select, Table, WideTable, WriteBatch};
use rowkey_studies::engine::{Db, Engine, Wide};
use rowkey_studies::output::report::{self, Query};
use rowkey_studies::output::{list, progress};
use serde::{Deserialize, Serialize};

/// The tall table: a part of a message, the newest message first.
#[derive(RowKey, Debug, Clone, PartialEq)]
struct Part {
    user: String,
    #[rowkey(desc)]
    at: Seconds,
    message: String,
    part: u16,
}

/// A column of the wide row's family `data`.
#[derive(RowKey, Debug, Clone, PartialEq)]
struct Piece {
    message: String,
    part: u16,
}

/// A column of its family `index`.
#[derive(RowKey, Debug, Clone, PartialEq)]
enum Index {
    #[rowkey(tag = 1)]
    BySender {
        sender: String,
        #[rowkey(desc)]
        at: Seconds,
        message: String,
    },
    #[rowkey(tag = 2)]
    BySubject {
        #[rowkey(desc)]
        subject: String,
        #[rowkey(desc)]
        at: Seconds,
        message: String,
    },
}

/// The tall design's index table: the same columns, a row each.
#[derive(RowKey, Debug, Clone, PartialEq)]
struct Indexed {
    user: String,
    index: Index,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Content {
    Text { from: String, subject: String, read: bool },
    Attachment(String),
}

/// The keys of its tables.
pub(crate) const LAYOUTS: &[(&str, Layout)] =
    &[("parts", Part::LAYOUT), ("index", Indexed::LAYOUT), ("mailboxes", <String as RowKey>::LAYOUT)];

/// Keeps mail in a tall and in a wide table, asks both, and shows what each can change at once.
#[derive(Parser)]
struct Args {
    /// Mail as tab-separated user, date (2011-06-03T10:44:08Z), from, subject, message (an id that comes once in a
    /// mailbox), attachments (names, with ; between) below a line of titles, plain or gzip [default: made up]
    mail: Option<PathBuf>,
    /// Whose mailbox is asked for [default: the fullest]
    #[arg(long)]
    user: Option<String>,
    /// What the subjects begin with that are asked for
    #[arg(long, default_value = "Hello")]
    subject: String,
    /// How many rows are a page
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..))]
    page: u16,
    /// Writes the mail there, as it is read
    #[arg(long)]
    save: Option<PathBuf>,
    /// How many rows of an answer are printed
    #[arg(long, default_value_t = 5)]
    show: usize,
}

/// The same mail in both designs.
struct Mailboxes {
    db: Db,
    parts: Table<Part, Postcard<Content>, Db>,
    index: Table<Indexed, String, Db>,
    wide: WideTable<String, Wide>,
}

impl Mailboxes {
    fn open(db: Db) -> Result<Self, rowkey::Error> {
        let (parts, index) = (Table::open(db.clone(), "parts")?, Table::open(db.clone(), "index")?);
        let families = ["data", "index", "flag"].into_iter();
        let schema = families.fold(TableSchema::new(), |schema, name| schema.family(name, FamilySchema::new()));
        let wide = WideTable::open(db.wide(), "mailboxes", &schema)?;
        Ok(Self { db, parts, index, wide })
    }

    /// A message as rows of two tables.
    fn tall(&self, batch: &mut WriteBatch, mail: &Mail) -> Result<(), rowkey::Error> {
        for (part, content) in (0..=u16::MAX).zip(contents(mail)) {
            let (user, message) = (mail.user.clone(), mail.message.clone());
            batch.put(&self.parts, &Part { user, at: mail.at, message, part }, &Postcard(content))?;
        }
        for (index, shown) in indexed(mail) {
            batch.put(&self.index, &Indexed { user: mail.user.clone(), index }, &shown)?;
        }
        Ok(())
    }

    /// A message as columns of one row.
    fn wide(mail: &Mail) -> Result<Mutation, rowkey::Error> {
        let data = (0..=u16::MAX).zip(contents(mail)).try_fold(Mutation::new(), |mutation, (part, content)| {
            let piece = Piece { message: mail.message.clone(), part };
            mutation.put_value(("data", piece.encode()), &Postcard(content))
        })?;
        Ok(indexed(mail)
            .into_iter()
            .fold(data, |mutation, (index, shown)| mutation.put(("index", index.encode()), shown)))
    }

    /// The cost of a step.
    fn cost<T>(&self, step: impl FnOnce() -> Result<T, rowkey::Error>) -> Result<(T, Costs), rowkey::Error> {
        let before = self.db.costs();
        Ok((step()?, self.db.costs() - before))
    }
}

/// The text, and the attachments.
fn contents(mail: &Mail) -> impl Iterator<Item = Content> {
    let text = Content::Text { from: mail.from.clone(), subject: mail.subject.clone(), read: false };
    std::iter::once(text).chain(mail.attachments.iter().cloned().map(Content::Attachment))
}

/// A message's index columns, and what a list shows besides their keys.
fn indexed(mail: &Mail) -> [(Index, String); 2] {
    let Mail { at, from, subject, message, .. } = mail.clone();
    let by_sender = Index::BySender { sender: from.clone(), at, message: message.clone() };
    [(by_sender, subject.clone()), (Index::BySubject { subject, at, message }, from)]
}

fn run(args: &Args, on: &Engine, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let (all, from) = mail(args.mail.as_deref())?;
    writeln!(out, "{} messages, {from}", HumanCount(all.len() as u64))?;
    if let Some(path) = &args.save {
        std::fs::write(path, written(&all)).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    }
    let mut counts = BTreeMap::<&str, usize>::new();
    all.iter().for_each(|mail| *counts.entry(&mail.user).or_default() += 1);
    let fullest = counts.iter().min_by_key(|&(user, messages)| (Reverse(messages), user)).map(|(user, _)| *user);
    let Some(user) = args.user.as_deref().or(fullest) else { return Ok(()) };
    let order = |mail: &&Mail| (Reverse(mail.at), mail.message.clone());
    let theirs = || all.iter().filter(|mail| mail.user == user);
    let Some(newest) = theirs().min_by_key(order) else { return Ok(writeln!(out, "{user} has no mail")?) };
    let attached = theirs().filter(|mail| !mail.attachments.is_empty()).min_by_key(order).unwrap_or(newest);

    let boxes = Mailboxes::open(on.open()?)?;
    let (mut tall, mut wide) = (WriteBatch::new(), Vec::new());
    for mail in progress(&all) {
        boxes.tall(&mut tall, mail)?;
        wide.push((&mail.user, Mailboxes::wide(mail)?));
    }
    let ((), tall) = boxes.cost(|| tall.write(&boxes.db))?;
    let ((), wide) = boxes.cost(|| boxes.wide.mutate_many(wide))?;

    pictures(out, &boxes, newest)?;
    depths(out, &boxes, attached, args)?;
    orders(out, &boxes, newest, args)?;
    pages(out, &boxes, &newest.user, args)?;
    changes(out, &boxes, &newest.user, [tall, wide])
}

fn pictures(out: &mut impl Write, boxes: &Mailboxes, newest: &Mail) -> Result<(), Box<dyn Error>> {
    let Mail { user, at, message, .. } = newest.clone();
    report::key(out, "The key of the tall table", &Part { user, at, message, part: 0 })?;
    let hello = books_message(&newest.user);
    report::key(out, "An index column, of the books' subject \"Hello,\"", &indexed(&hello)[1].0)?;

    let rows = boxes.parts.scan(Part::prefix().user(&newest.user)).limit(3).map(|row| {
        let (Part { user, at, message, part }, Postcard(content)) = row?;
        Ok([format!("{user} | {} | {message} | {part}", date(at)), shown(&content)])
    });
    let rows = rows.collect::<Result<Vec<_>, rowkey::Error>>()?;
    report::table(out, "The tall table", ["user | date, descending | message | part", "content"], rows)?;

    let mut rows = Vec::new();
    for columns in [
        Columns::all().family("data"),
        Columns::all().qualifiers_in("index", Index::prefix().by_sender().ranges()),
        Columns::all().qualifiers_in("index", Index::prefix().by_subject().ranges()),
    ] {
        let row = boxes.wide.get(&newest.user, &columns.limit(2))?;
        for cell in row.cells() {
            let (qualifier, value) = match cell.family {
                "data" => {
                    let Piece { message, part } = Piece::decode(cell.qualifier)?;
                    (format!("{message} | {part}"), shown(&cell.read::<Postcard<Content>>()?.0))
                }
                _ => match Index::decode(cell.qualifier)? {
                    Index::BySender { sender, at, message } => {
                        (format!("by sender | {sender} | {} | {message}", date(at)), cell.read()?)
                    }
                    Index::BySubject { subject, at, message } => {
                        (format!("by subject | {subject} | {} | {message}", date(at)), cell.read()?)
                    }
                },
            };
            rows.push([newest.user.clone(), format!("{}:{qualifier}", cell.family), value]);
        }
    }
    report::table(out, "The wide table", ["row key", "family:qualifier", "value"], rows)
}

fn shown(content: &Content) -> String {
    match content {
        Content::Text { from, subject, .. } => format!("{from}  {subject:?}"),
        Content::Attachment(name) => format!("attached: {name}"),
    }
}

/// A line of a list that an index makes.
fn listed(index: &Index, shown: &str) -> String {
    match index {
        Index::BySender { sender, at, message } => format!("{sender}  {}  {message}  {shown:?}", date(*at)),
        Index::BySubject { subject, at, message } => format!("{subject:?}  {}  {message}  {shown}", date(*at)),
    }
}

/// Which of the two a query reads.
#[derive(Clone, Copy, PartialEq)]
enum Design {
    Tall,
    Wide,
}

/// The end of a query's title.
impl fmt::Display for Design {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tall => "",
            Self::Wide => ": a wide row",
        })
    }
}

type Lines = Result<Vec<String>, rowkey::Error>;

fn part_line((Part { at, message, part, .. }, Postcard(content)): (Part, Postcard<Content>)) -> String {
    format!("{}  {message}/{part}  {}", date(at), shown(&content))
}

fn index_line((Indexed { index, .. }, shown): (Indexed, String)) -> String {
    listed(&index, &shown)
}

fn index_lines(row: &Row) -> Lines {
    row.cells().map(|cell| Ok(listed(&Index::decode(cell.qualifier)?, &cell.read::<String>()?))).collect()
}

/// Runs a query that returns a line a cell, and tells of it.
fn answer(
    out: &mut impl Write,
    boxes: &Mailboxes,
    (what, design): (&str, Design),
    show: usize,
    run: impl FnOnce() -> Lines,
) -> Result<(), Box<dyn Error>> {
    let query = Query::of(&boxes.db);
    let lines = run()?;
    tell(out, query, (&format!("{what}{design}"), design), show, &lines)
}

/// The rows that a query read and returned, and its first lines.
fn tell(
    out: &mut impl Write,
    query: Query<'_>,
    (title, design): (&str, Design),
    show: usize,
    lines: &[String],
) -> Result<(), Box<dyn Error>> {
    let rows = if design == Design::Wide { lines.len().min(1) } else { lines.len() };
    query.returned(out, title, rows, lines.len())?;
    Ok(list(out, show, lines)?)
}

/// Partial keys of the tall table at every depth, and the same message of the wide one.
fn depths(out: &mut impl Write, boxes: &Mailboxes, mail: &Mail, args: &Args) -> Result<(), Box<dyn Error>> {
    let Mail { user, at, message, .. } = mail;
    let (date_of, of_day) = day(*at)?;
    let theirs = || Part::prefix().user(user);
    for (title, select) in [
        (format!("All mail of {user}"), theirs().select()),
        (format!("Mail of {user} on {date_of}"), theirs().at_range(of_day).select()),
        (format!("Mail of {user} at {}", date(*at)), theirs().at(*at).select()),
        (format!("Message {message} of {user}"), theirs().at(*at).message(message).select()),
        (format!("Attachment 1 of message {message} of {user}"), theirs().at(*at).message(message).part(1).select()),
    ] {
        answer(out, boxes, (&title, Design::Tall), args.show, || {
            boxes.parts.scan(select).map(|row| row.map(part_line)).collect()
        })?;
    }
    let columns = Columns::all().qualifiers_in("data", Piece::prefix().message(message).ranges());
    answer(out, boxes, (&format!("Message {message} of {user}"), Design::Wide), args.show, || {
        let row = boxes.wide.get(user, &columns)?;
        row.cells().map(|cell| Ok(shown(&cell.read::<Postcard<Content>>()?.0))).collect()
    })
}

/// A page in each order of the index, by the tall index table and by the wide row's columns.
fn orders(out: &mut impl Write, boxes: &Mailboxes, newest: &Mail, args: &Args) -> Result<(), Box<dyn Error>> {
    let (Mail { user, from, .. }, subject, page) = (newest, &args.subject, u64::from(args.page));
    for (title, select) in [
        (format!("Mail of {user} by sender"), Index::prefix().by_sender().select()),
        (format!("Mail of {user} from {from}"), Index::prefix().by_sender().sender(from).select()),
        (format!("Mail of {user} by subject, the last first"), Index::prefix().by_subject().select()),
        (
            format!("Mail of {user} whose subject begins with {subject:?}"),
            Index::prefix().by_subject().subject_starts_with(subject).select(),
        ),
    ] {
        let columns = Columns::all().qualifiers_in("index", select.clone().ranges()).limit(page);
        let rows = boxes.index.scan(Indexed::prefix().user(user).index_prefix(select)).limit(page);
        answer(out, boxes, (&title, Design::Tall), args.show, || rows.map(|row| row.map(index_line)).collect())?;
        let wide = || index_lines(&boxes.wide.get(user, &columns)?);
        answer(out, boxes, (&title, Design::Wide), args.show, wide)?;
    }
    Ok(())
}

/// Runs the study with these arguments, the first of which is its name.
pub(crate) fn main(args: Vec<OsString>) -> ExitCode {
    crate::study(args, run)
}
