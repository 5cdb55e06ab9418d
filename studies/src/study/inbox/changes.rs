//! Atomic changes, and the cost of changes.

use std::error::Error;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use indicatif::HumanCount;
use rowkey::store::{Atomicity, Costs, Database};
use rowkey::wide::{Columns, Condition, Mutation, OneColumn, WideDatabase};
use rowkey::{Postcard, RowKey, Seconds, Table, WideTable, WriteBatch};
use rowkey_studies::output::report;

use super::mailbox::Mail;
use super::{Content, Mailboxes, Part, Piece, indexed};

/// The message that the books' example is about.
pub(crate) fn books_message(user: &str) -> Mail {
    Mail {
        user: user.to_owned(),
        at: Seconds(1_307_099_848),
        from: "mary@foobar.com".to_owned(),
        subject: "Hello,".to_owned(),
        message: "725aae5f-d72e-f90f3f070419".to_owned(),
        attachments: Vec::new(),
    }
}

/// The changes that each design can make atomically, by the guarantees of its store, and their cost.
pub(crate) fn changes(
    out: &mut impl Write,
    boxes: &Mailboxes,
    user: &String,
    stored: [Costs; 2],
) -> Result<(), Box<dyn Error>> {
    let (plain, rows) = (boxes.db.guarantees(), boxes.wide.database().guarantees());
    // The tall tables in a store that has only wide rows: rows are atomic there, and nothing else is.
    let tall = [plain, OneColumn::database(boxes.wide.database()).guarantees()];
    let batch = |within| tall.map(|store| store.batch >= within);
    let promised = [
        ("a message and its attachments", batch(Atomicity::Table), rows.atomic_rows),
        ("a message and its index", batch(Atomicity::Database), rows.atomic_rows),
        ("a message to two users", batch(Atomicity::Table), false),
        ("read, if it is unread", tall.map(|store| store.compare_and_write), rows.check_and_mutate),
    ];
    let promised = promised.map(|(what, [tall, of_rows], wide)| {
        let [tall, of_rows, wide] = [tall, of_rows, wide].map(|is| if is { "yes" } else { "no" }.to_owned());
        [what.to_owned(), tall, of_rows, wide]
    });
    let [of_tall, of_wide] = ["tall", "wide"].map(|design| format!("{design}, {}", boxes.db.place()));
    let titles = ["", &of_tall, "tall, in a store of wide rows", &of_wide];
    report::table(out, "What changes atomically", titles, promised)?;

    let mail = books_message(user);
    let Mail { at, message, .. } = mail.clone();
    let text = Piece { message: message.clone(), part: 0 };
    let mut batch = WriteBatch::new();
    boxes.tall(&mut batch, &mail)?;
    let ((), tall) = boxes.cost(|| batch.write(&boxes.db))?;
    let mutation = Mailboxes::wide(&mail)?;
    let deliver = || boxes.wide.check_and_mutate(user, &Condition::absent(("data", text.encode())), &mutation);
    let (first, wide) = boxes.cost(deliver)?;
    let (second, again) = boxes.cost(deliver)?;
    writeln!(out, "\nThe books' message {message} comes to {user}, and comes again")?;
    writeln!(
        out,
        "  wide, if it is not there: {first}, {} cells; then {second}, {} cells",
        wide.cells_written, again.cells_written
    )?;

    let key = Part { user: user.clone(), at, message: message.clone(), part: 0 };
    let read_tall = || {
        let mut unread = false;
        boxes.parts.update(&key, |content| {
            let Postcard(Content::Text { from, subject, read }) = content? else { return None };
            unread = !read;
            Some(Postcard(Content::Text { from, subject, read: true }))
        })?;
        Ok(unread)
    };
    let flag = ("flag", message.encode());
    let read_wide = || {
        boxes.wide.check_and_mutate(user, &Condition::absent(flag.clone()), &Mutation::new().put(flag.clone(), "read"))
    };
    let ((first, read), (second, _)) = (boxes.cost(read_tall)?, boxes.cost(read_tall)?);
    writeln!(out, "\nIt is read, if it is unread, twice\n  tall: {first}, then {second}")?;
    let ((first, flagged), (second, _)) = (boxes.cost(read_wide)?, boxes.cost(read_wide)?);
    writeln!(out, "  wide: {first}, then {second}")?;

    let whole = || Ok::<_, rowkey::Error>(boxes.wide.get(user, &Columns::all())?.cells().count());
    let (before, other) = (whole()?, Mail { message: "another".to_owned(), ..mail.clone() });
    let refused = boxes.wide.mutate(user, &Mailboxes::wide(&other)?.put("trash:another", "")).err();
    let refused = refused.map_or_else(|| "done".to_owned(), |error| error.to_string());
    writeln!(out, "\nA mutation of which one column can't be\n  {refused}")?;
    writeln!(out, "  {} cells before, {} after", HumanCount(before as u64), HumanCount(whole()? as u64))?;

    let costs = [("all mail", stored), ("a message delivered", [tall, wide]), ("read", [read, flagged])];
    let costs = costs.map(|(what, [tall, wide])| {
        let numbers = [tall.cells_written, tall.bytes_written, wide.cells_written, wide.bytes_written];
        let [a, b, c, d] = numbers.map(|number| HumanCount(number).to_string());
        [what.to_owned(), a, b, c, d]
    });
    let titles = ["", "tall: cells", "bytes", "wide: cells", "bytes"];
    report::table(out, "What changes cost", titles, costs)?;
    looks(out, boxes, &mail)
}

/// How often is looked at what is being written.
const LOOKS: usize = 200;

/// Looks at both designs while they change: never is half of a change seen.
fn looks(out: &mut impl Write, boxes: &Mailboxes, mail: &Mail) -> Result<(), Box<dyn Error>> {
    let moved: Table<Part, (), _> = Table::open(boxes.db.clone(), "moved")?;
    let to = |user: &str| Part { user: user.to_owned(), at: mail.at, message: mail.message.clone(), part: 0 };
    let whole = watched(
        |turn| {
            let (from, to) = if turn % 2 == 0 { (to("paul"), to("mary")) } else { (to("mary"), to("paul")) };
            let mut batch = WriteBatch::new();
            batch.delete(&moved, &from).put(&moved, &to, &())?;
            batch.write(&boxes.db)
        },
        || Ok(moved.count(..)? == 1),
    )?;
    writeln!(out, "\nLooked at while it changes, {LOOKS} times")?;
    writeln!(out, "  tall: a message moves between two mailboxes and is in one of them: {whole} times")?;

    let edited: WideTable<String, _> =
        WideTable::open(boxes.wide.database().clone(), "edited", boxes.wide.store().schema())?;
    let [by_sender, by_subject] = indexed(mail).map(|(index, _)| ("index", index.encode()));
    let columns = [("data", Piece { message: mail.message.clone(), part: 0 }.encode()), by_sender, by_subject];
    let whole = watched(
        |turn| {
            let put = |edit: Mutation, column: &(_, _)| edit.put_at(column.clone(), 1, turn.to_string());
            edited.mutate(&mail.user, &columns.iter().fold(Mutation::new(), put))
        },
        || {
            let row = edited.get(&mail.user, &Columns::all())?;
            let values: Vec<_> = row.cells().map(|cell| cell.value).collect();
            Ok(values.len() == columns.len() && values.iter().all(|value| values.first() == Some(value)))
        },
    )?;
    writeln!(out, "  wide: a message and its two index columns are those of one write: {whole} times")?;
    Ok(())
}

/// Writes in another thread, and counts how many looks find what they should.
fn watched(
    write: impl Fn(u64) -> Result<(), rowkey::Error> + Sync,
    look: impl Fn() -> Result<bool, rowkey::Error>,
) -> Result<usize, Box<dyn Error>> {
    write(0)?;
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| (1..).take_while(|_| !over.load(Relaxed)).try_for_each(&write));
        let found = (0..LOOKS).map(|_| look()).collect::<Result<Vec<_>, _>>();
        over.store(true, Relaxed);
        writer.join().map_err(|_| "the writer has ended in a panic")??;
        Ok(found?.into_iter().filter(|is| *is).count())
    })
}
