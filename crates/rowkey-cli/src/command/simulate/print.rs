//! The output of simulated tables: text, lines of JSON, a page.

use std::io::{self, BufWriter, IsTerminal as _, Write as _};

use rowkey_design::Design;
use rowkey_simulate::answer;
use rowkey_simulate::page::{self, RowOrder, Terminal};
use rowkey_simulate::run::{self, AllTables, Answer, Line};
use terminal_size::{Width, terminal_size};

use super::Simulated;
use crate::failure::Failure;

fn drawn<'s>(design: &'s Design, table: &'s Simulated<'_>) -> page::Drawn<'s> {
    let Simulated { declared, run, .. } = table;
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
pub(super) fn page(
    design: &Design,
    first: &Simulated<'_>,
    all: &[Simulated<'_>],
    together: Option<&AllTables>,
) -> String {
    let answers: Vec<&Answer> = all.iter().map(|table| &table.answer).collect();
    let drawn: Vec<page::Drawn<'_>> = all.iter().map(|table| drawn(design, table)).collect();
    let mut text = answer::page_text(&answers, first.declared.simulates);
    if let Some(together) = too_much(together) {
        text.sentences.insert(0, together.sentence.clone());
    }
    page::html(&text, &drawn, answer::capacity(&first.declared))
}

fn too_much(together: Option<&AllTables>) -> Option<&AllTables> {
    together.filter(|together| together.saturates)
}

/// Prints the answer and the picture of each table, after the saturation of all tables together if there is one; or
/// lines of JSON.
pub(super) fn print(
    json: bool,
    design: &Design,
    simulated: &[Simulated<'_>],
    together: Option<&AllTables>,
) -> Result<(), Failure> {
    let stdout = io::stdout();
    let of_terminal = terminal_size().filter(|_| stdout.is_terminal()).map(|(Width(columns), _)| columns.into());
    let columns: usize = of_terminal.unwrap_or(100);
    let mut out = BufWriter::new(stdout.lock());
    if let Some(together) = too_much(together).filter(|_| !json) {
        writeln!(out, "{}\n", together.sentence)?;
    }
    for table in simulated {
        if json {
            for line in table.run.lines(Some(&table.answer)) {
                run::write(&mut out, &line)?;
            }
            continue;
        }
        let terminal = Terminal { columns: columns.clamp(40, 160), is_ascii: false };
        let capacity = answer::capacity(&table.declared);
        let drawn = drawn(design, table);
        let blocks = page::blocks(&drawn, page::hotter(&[drawn], capacity), RowOrder::Key, capacity, terminal);
        writeln!(out, "{}\n{blocks}", answer::text(&table.answer))?;
    }
    if let Some(together) = together.filter(|_| json) {
        run::write(&mut out, &Line::AllTables(together.clone()))?;
    }
    match out.flush().map_err(Failure::from) {
        Err(Failure::Closed) => Ok(()),
        written => written,
    }
}
