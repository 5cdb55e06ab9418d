//! The outputs of watched tables: a page, lines of JSON, and text.

use std::io::{self, Write};
use std::path::Path;

use rowkey_design::Design;
use rowkey_simulate::run::{self, AllTables, Line};
use rowkey_simulate::{answer, page};

use super::reading::Cost;
use super::{Args, Told};
use crate::command::simulate::print;
use crate::designs;
use crate::failure::Failure;

/// The beginning of the lines of a run.
const FIRST_LINE: &[u8] = b"{\"kind\":\"settings\",";

/// Refuses files that can't be written, before there is anything to write.
pub(super) fn may_be_written(args: &Args) -> Result<(), Failure> {
    if let Some(path) = &args.html {
        may_be_page(args, path)?;
        designs::try_write(path)?;
    }
    if let Some(path) = lines_file(args) {
        if args.html.as_deref().is_some_and(|page| designs::are_same(page, path)) {
            let path = path.display();
            return Err(Failure::new(format!("{path} is named for the page and for the lines: name another file")));
        }
        may_be_lines(args, path)?;
        designs::try_write(path)?;
    }
    Ok(())
}

/// Refuses to write the page over a file of another kind.
fn may_be_page(args: &Args, path: &Path) -> Result<(), Failure> {
    designs::may_replace(path, args.design.as_slice(), page::FIRST_LINE, "page that `rowkey` wrote")
}

/// Refuses to write the lines over a file of another kind.
fn may_be_lines(args: &Args, path: &Path) -> Result<(), Failure> {
    let is_run = |start: &[u8]| start.is_empty() || start.starts_with(FIRST_LINE);
    designs::may_replace_if(path, args.design.as_slice(), "lines of JSON that `rowkey` wrote", is_run)
}

/// The file of the lines of JSON, if they are not printed.
fn lines_file(args: &Args) -> Option<&Path> {
    args.json.as_deref().filter(|path| !designs::is_stdin(path))
}

/// Watched tables, with their answers.
pub(super) struct All<'a, 'd> {
    pub(super) design: &'a Design,
    pub(super) told: &'a [Told<'d>],
    pub(super) together: Option<&'a AllTables>,
    pub(super) cost: &'a Cost,
}

impl All<'_, '_> {
    /// Writes the page and the lines of JSON that were asked for, and prints the answers. What can't be written keeps
    /// nothing of the rest back. A file may have come in their places since [`may_be_written`].
    pub(super) fn write(&self, args: &Args, mut out: impl Write) -> Vec<Failure> {
        let page = args.html.as_deref().map_or(Ok(()), |path| {
            may_be_page(args, path)?;
            self.page(path)
        });
        let lines = lines_file(args).map_or(Ok(()), |path| {
            may_be_lines(args, path)?;
            let lines = self.lines()?;
            designs::write(path, &String::from_utf8_lossy(&lines))
        });
        let is_text = args.json.is_none() || lines_file(args).is_some();
        let printed = if is_text { self.text() } else { self.lines() };
        let printed = printed.map_err(Failure::from);
        let printed = printed.and_then(|text| Failure::of_printing(out.write_all(&text).and_then(|()| out.flush())));
        [page, lines, printed].into_iter().filter_map(Result::err).collect()
    }

    fn page(&self, path: &Path) -> Result<(), Failure> {
        let Some(first) = self.told.first() else { return Ok(()) };
        let mut text = answer::watched_text(&self.told.iter().map(|table| &table.answer).collect::<Vec<_>>());
        text.sentences.splice(0..0, print::too_much(self.together).map(|together| together.sentence.clone()));
        text.facts.push(("requests to the cluster".to_owned(), vec![self.cost.words()]));
        designs::write(path, &print::page_of(self.design, first, self.told, &text))
    }

    fn lines(&self) -> io::Result<Vec<u8>> {
        let mut lines = Vec::new();
        print::lines(&mut lines, self.told)?;
        if let Some(together) = self.together {
            run::write(&mut lines, &Line::AllTables(together.clone()))?;
        }
        Ok(lines)
    }

    fn text(&self) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        if let Some(together) = print::too_much(self.together) {
            writeln!(text, "{}", print::paragraph(&together.sentence))?;
        }
        print::text(&mut text, self.design, self.told)?;
        write!(text, "{}", print::paragraph(&self.cost.words()))?;
        Ok(text)
    }
}
