//! The regions of a table: where each begins and ends, field by field.

use rowkey::LayoutBuf;

use crate::forms::{KeyForm, shell};
use crate::import::of_shell;

/// A region of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// The least key; empty for the first region.
    pub start: Vec<u8>,
    /// The key before which it ends; empty for the last region.
    pub end: Vec<u8>,
    /// Other columns of the list, such as the server: a name and a text for each.
    pub columns: Vec<(String, String)>,
}

/// The regions of a table, in the order of keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Regions {
    /// The regions.
    pub list: Vec<Region>,
}

/// Why a text is not a list of regions.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {reason}")]
pub struct RegionsError {
    /// The line, from 1.
    pub line: usize,
    /// The byte of the line, from 1.
    pub column: usize,
    /// The fault, and what to write.
    pub reason: String,
}

/// Reads a list of regions: what `list_regions` or `get_splits` of HBase's shell prints, with the lines before and
/// after it, or one start key or split point a line in a form.
///
/// `list_regions` leaves out spaces at the ends of keys. Start keys are taken from the regions' names, which have them.
/// `get_splits` prints keys in the shell's form, whatever the form here is.
///
/// # Errors
/// The first line that is not in the list's form.
///
/// ```
/// use rowkey_design::internal::explain::regions;
/// use rowkey_design::internal::forms::KeyForm;
///
/// let layout = "u16, u16".parse()?;
/// let list = regions("0001\n0002ff\n", KeyForm::Hex, &layout)?.list;
/// assert_eq!(list.iter().map(|region| &region.start[..]).collect::<Vec<_>>(), [&b""[..], b"\0\x01", b"\0\x02\xff"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn regions(text: &str, form: KeyForm, layout: &LayoutBuf) -> Result<Regions, RegionsError> {
    let heading = text.lines().enumerate().find(|(_, line)| {
        let words = || line.split('|').map(str::trim);
        words().any(|word| word == "START_KEY") || (words().any(|word| word == "REGION_NAME") && line.contains('|'))
    });
    match heading {
        Some((number, heading)) => of_table(text, number, heading),
        None => match text.lines().position(|line| line.starts_with(COUNTED)) {
            Some(heading_at) => of_splits(text, heading_at),
            None => of_lines(text, form, layout),
        },
    }
}

/// The line of `get_splits` before the split points: the number of regions, one more than there are points.
const COUNTED: &str = "Total number of splits = ";

/// After the number come the split points, a line each, in the shell's form; a line of spaces is one too. What the
/// shell prints before and after is left out.
fn of_splits(text: &str, heading_at: usize) -> Result<Regions, RegionsError> {
    let lines: Vec<&str> = text.lines().skip(heading_at).collect();
    let (heading, after) = lines.split_first().map_or(("", &lines[..]), |(heading, after)| (*heading, after));
    let fault =
        |line: usize, at: usize, reason: String| RegionsError { line: heading_at + line + 1, column: at + 1, reason };
    let number: Result<usize, _> = heading.trim_start_matches(COUNTED).trim().parse();
    let number = number.map_err(|_| {
        fault(0, COUNTED.len(), "the number of splits is none: paste what get_splits prints as it is".to_owned())
    })?;
    // What the shell prints after them is no point.
    let ends = after.iter().take(number.saturating_sub(1)).position(|line| of_shell(line));
    let found = ends.unwrap_or(after.len());
    let points = after[..found].get(..number.saturating_sub(1)).ok_or_else(|| {
        fault(0, 0, format!("{} keys follow in get_splits, and here are {found} lines: paste all", number - 1))
    })?;
    let mut starts = Vec::with_capacity(points.len());
    for (i, point) in points.iter().enumerate() {
        let key = shell(point).map_err(|error| fault(i + 1, error.at, format!("{} in a key", error.reason)))?;
        starts.push(key);
    }
    Ok(between(starts))
}

/// The regions that start keys or split points make.
fn between(mut starts: Vec<Vec<u8>>) -> Regions {
    starts.push(Vec::new());
    starts.sort_unstable();
    starts.dedup();
    let ends = starts.iter().skip(1).cloned().chain([Vec::new()]).collect::<Vec<_>>();
    let list = starts.into_iter().zip(ends).map(|(start, end)| Region { start, end, columns: Vec::new() }).collect();
    Regions { list }
}

fn of_lines(text: &str, form: KeyForm, layout: &LayoutBuf) -> Result<Regions, RegionsError> {
    let mut starts = Vec::new();
    for (i, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let key = form.parse(line, layout).map_err(|error| RegionsError {
            line: i + 1,
            column: error.at + 1,
            reason: format!(
                "{}; each line is a start key in the form {form}, or the list is what list_regions or get_splits prints",
                error.reason
            ),
        })?;
        starts.push(key);
    }
    Ok(between(starts))
}

/// The table's columns are as wide as the widest cell: a bar in a key is no end of a column.
fn of_table(text: &str, heading_at: usize, heading: &str) -> Result<Regions, RegionsError> {
    let names: Vec<&str> = heading.split('|').map(str::trim).filter(|name| !name.is_empty()).collect();
    let lines: Vec<&str> = text.lines().collect();
    let dashes = lines.get(heading_at + 1).copied().unwrap_or("");
    let ruled = dashes.contains('-') && dashes.bytes().all(|byte| b" -|".contains(&byte));
    let widths: Vec<usize> =
        dashes.trim().split('|').map(|part| part.trim().len()).filter(|&width| width > 0).collect();
    let mut list = Vec::new();
    for (i, line) in lines.iter().enumerate().skip(heading_at + 1 + usize::from(ruled)) {
        let fault = |column: usize, reason: String| RegionsError { line: i + 1, column: column + 1, reason };
        if line.trim().is_empty() || line.starts_with("Took ") {
            continue;
        }
        if line.trim().ends_with(" rows") && !line.contains('|') {
            break;
        }
        let cells = ruled.then(|| by_width(line, &widths)).flatten().or_else(|| by_bars(line));
        let cells = cells.filter(|cells| cells.len() == names.len()).ok_or_else(|| {
            fault(
                0,
                format!(
                    "the line has not the {} columns of the heading: paste whole lines of list_regions",
                    names.len()
                ),
            )
        })?;
        let of = |wanted: &str| names.iter().zip(&cells).find(|(name, _)| **name == wanted).map(|(_, cell)| *cell);
        let key = |(at, cell): (usize, &str)| {
            shell(cell).map_err(|error| fault(at + error.at, format!("{} in a key", error.reason)))
        };
        let named = of("REGION_NAME").and_then(start_in_name);
        let Some(start) = named.or(of("START_KEY")) else {
            return Err(fault(0, "the region has no start key: list_regions prints START_KEY by default".to_owned()));
        };
        let others =
            names.iter().zip(&cells).filter(|(name, _)| !["START_KEY", "END_KEY", "REGION_NAME"].contains(name));
        list.push((
            Region {
                start: key(start)?,
                end: of("END_KEY").map_or(Ok(Vec::new()), key)?,
                columns: others.map(|(name, cell)| ((*name).to_owned(), cell.1.to_owned())).collect(),
            },
            of("END_KEY").is_some(),
        ));
    }
    list.sort_by(|(a, _), (b, _)| a.start.cmp(&b.start));
    let starts: Vec<Vec<u8>> = list.iter().map(|(region, _)| region.start.clone()).collect();
    for (i, (region, has_end)) in list.iter_mut().enumerate() {
        let next = starts.get(i + 1);
        // The end without its spaces, or no column of ends.
        if let Some(next) = next.filter(|next| !*has_end || next.trim_ascii() == region.end.trim_ascii()) {
            region.end.clone_from(next);
        }
    }
    Ok(Regions { list: list.into_iter().map(|(region, _)| region).collect() })
}

/// The cells of a line, each with the byte at which it begins.
fn by_width<'t>(line: &'t str, widths: &[usize]) -> Option<Vec<(usize, &'t str)>> {
    // Spaces before the first cell may have been lost.
    let all: usize = widths.iter().map(|width| width + 3).sum();
    let trimmed = line.trim_end();
    let lost = all.checked_sub(trimmed.len())?;
    let (mut at, mut cells) = (0, Vec::new());
    for (i, width) in widths.iter().enumerate() {
        let end = if i == 0 { (width + 1).checked_sub(lost)? } else { at + width + 1 };
        let cell = trimmed.get(at..end)?;
        (trimmed.get(end..end + 2)? == " |").then_some(())?;
        cells.push((at + (cell.len() - cell.trim_start().len()), cell.trim()));
        at = end + 2;
    }
    Some(cells)
}

fn by_bars(line: &str) -> Option<Vec<(usize, &str)>> {
    let mut at = 0;
    let mut cells = Vec::new();
    for cell in line.trim_end().strip_suffix('|')?.split('|') {
        cells.push((at + (cell.len() - cell.trim_start().len()), cell.trim()));
        at += cell.len() + 1;
    }
    Some(cells)
}

/// The start key in `table,start,time.hash.`, and where it begins.
fn start_in_name((at, name): (usize, &str)) -> Option<(usize, &str)> {
    let (first, last) = (name.find(',')?, name.rfind(',')?);
    (first < last).then(|| (at + first + 1, &name[first + 1..last]))
}
