//! The output of simulated and of watched tables: text, lines of JSON, a page.

use std::io::{self, BufWriter, IsTerminal as _, Write as _};

use rowkey_design::Design;
use rowkey_simulate::answer;
use rowkey_simulate::page::{self, PageText, RowOrder, Terminal};
use rowkey_simulate::recording::Run;
use rowkey_simulate::run::{self, AllTables, Answer, Line};
use rowkey_simulate::simulation::Declared;
use terminal_size::{Width, terminal_size};

use crate::failure::Failure;

/// The run of a table, and its answers.
pub(in crate::command) struct Told<'d> {
    pub(in crate::command) declared: Declared<'d>,
    pub(in crate::command) run: Run,
    pub(in crate::command) answer: Answer,
}

fn drawn<'s>(design: &'s Design, table: &'s Told<'_>) -> page::Drawn<'s> {
    let Told { declared, run, .. } = table;
    page::Drawn {
        name: declared.key.name,
        settings: &run.settings,
        intervals: &run.intervals,
        splits: &run.splits,
        moves: &run.moves,
        merges: &run.merges,
        layout: declared.layout(),
        times: design.times_of(&declared.key.table.name),
    }
}

/// The page of all tables, of which this is the first.
pub(super) fn page(design: &Design, first: &Told<'_>, all: &[Told<'_>], together: Option<&AllTables>) -> String {
    let answers: Vec<&Answer> = all.iter().map(|table| &table.answer).collect();
    let mut text = answer::page_text(&answers, first.declared.simulates);
    if let Some(together) = too_much(together) {
        text.sentences.insert(0, together.sentence.clone());
    }
    page_of(design, first, all, &text)
}

/// A page of this text with the pictures of all tables, of which this is the first.
pub(in crate::command) fn page_of(design: &Design, first: &Told<'_>, all: &[Told<'_>], text: &PageText) -> String {
    let drawn: Vec<page::Drawn<'_>> = all.iter().map(|table| drawn(design, table)).collect();
    page::html(text, &drawn, answer::capacity(&first.declared))
}

/// Returns what is told of all tables together first: that they saturate the servers.
pub(in crate::command) fn too_much(together: Option<&AllTables>) -> Option<&AllTables> {
    together.filter(|together| together.saturates)
}

/// Prints the answer and the picture of each table, after the saturation of all tables together if there is one; or
/// lines of JSON.
pub(super) fn print(
    json: bool,
    design: &Design,
    simulated: &[Told<'_>],
    together: Option<&AllTables>,
) -> Result<(), Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    let written = match json {
        true => lines(&mut out, simulated).and_then(|()| {
            together.map_or(Ok(()), |together| run::write(&mut out, &Line::AllTables(together.clone())))
        }),
        false => too_much(together)
            .map_or(Ok(()), |together| writeln!(out, "{}", paragraph(&together.sentence)))
            .and_then(|()| text(&mut out, design, simulated)),
    };
    Failure::of_printing(written.and_then(|()| out.flush()))
}

/// Writes the lines of each table, with its answer.
pub(in crate::command) fn lines(mut out: impl io::Write, tables: &[Told<'_>]) -> io::Result<()> {
    let mut lines = tables.iter().flat_map(|table| table.run.lines(Some(&table.answer)));
    lines.try_for_each(|line| run::write(&mut out, &line))
}

/// The columns of the terminal that is printed to; none of a pipe or a file.
fn columns() -> Option<usize> {
    terminal_size().filter(|_| io::stdout().is_terminal()).map(|(Width(columns), _)| columns.into())
}

/// A text in lines as long as the terminal is wide: in a pipe or a file, one line.
pub(in crate::command) fn paragraph(text: &str) -> String {
    answer::paragraph(text, columns().unwrap_or(usize::MAX))
}

/// Writes the answer and the picture of each table, as wide as the terminal.
pub(in crate::command) fn text(mut out: impl io::Write, design: &Design, tables: &[Told<'_>]) -> io::Result<()> {
    let columns = columns();
    for table in tables {
        let terminal = Terminal { columns: columns.unwrap_or(100).min(160), is_ascii: false };
        let capacity = answer::capacity(&table.declared);
        let drawn = drawn(design, table);
        let blocks = page::blocks(&drawn, page::hotter(&[drawn], capacity), RowOrder::Key, capacity, terminal);
        writeln!(out, "{}\n{blocks}", answer::text_within(&table.answer, columns.unwrap_or(usize::MAX)))?;
    }
    Ok(())
}
