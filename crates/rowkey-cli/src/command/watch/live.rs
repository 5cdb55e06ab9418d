//! The hottest ranges now, on a terminal.

use std::io::{self, IsTerminal as _};

use indicatif::{ProgressBar, ProgressStyle};
use rowkey_design::Design;
use rowkey_design::internal::quote::terminal;
use rowkey_simulate::page;
use rowkey_simulate::run::{Known, Region};
use rowkey_simulate::simulation::Declared;
use terminal_size::{Height, terminal_size_of};

use super::reading::{Cost, Watched};

/// The most ranges of a table that are told.
const RANGES: usize = 5;

/// The lines that are told, on standard error: hidden where that is no terminal.
pub(super) fn bar() -> ProgressBar {
    let bar = if io::stderr().is_terminal() { ProgressBar::no_length() } else { ProgressBar::hidden() };
    if let Ok(style) = ProgressStyle::with_template("{msg}") {
        bar.set_style(style);
    }
    bar
}

/// The rows of the terminal; of none, as many as there may be.
pub(super) fn rows() -> usize {
    terminal_size_of(io::stderr()).map_or(usize::MAX, |(_, Height(rows))| rows.into())
}

/// The requests so far, and the hottest ranges of each table since the last reading, cut to the rows of the terminal,
/// the last of which is the cursor's.
pub(super) fn told(
    design: &Design,
    declared: &[Declared<'_>],
    watched: &[Watched],
    cost: &Cost,
    rows: usize,
) -> String {
    let most = rows.saturating_sub(1).max(2);
    let of = |ranges: usize| -> Vec<String> {
        let tables =
            declared.iter().zip(watched).flat_map(|(declared, watched)| table(design, declared, watched, ranges));
        std::iter::once(cost.words()).chain(tables).collect()
    };
    let fits = (0..=RANGES).rev().map(of).find(|lines| lines.len() <= most);
    fits.unwrap_or_else(|| cut(of(0), most)).join("\n")
}

/// The first lines, and how many tables there are besides.
fn cut(mut lines: Vec<String>, most: usize) -> Vec<String> {
    let more = lines.len() - (most - 1);
    lines.truncate(most - 1);
    lines.push(format!("{more} more tables, for which the terminal has no rows"));
    lines
}

fn table(design: &Design, declared: &Declared<'_>, watched: &Watched, ranges: usize) -> Vec<String> {
    let latest = watched.followed.follow.latest();
    let seconds = latest.length_ms.max(1) as f64 / 1000.0;
    let sum = |of: fn(&Region) -> u64| latest.regions.iter().map(of).sum::<u64>();
    let [writes, reads] = [sum(|region| region.rows_this_interval), sum(|region| region.reads_this_interval)];
    let silent = latest.regions.iter().filter(|region| region.known == Known::None).count();
    let unknown = if silent > 0 { format!(", {silent} of them unknown") } else { String::new() };
    let of_longer = match latest.of_longer {
        0 => String::new(),
        longer => format!(", {longer} of them counted over several readings"),
    };
    let mut lines = vec![format!(
        "{}: {:.0} writes/s, {:.0} rows read/s, {} regions{unknown}{of_longer}",
        terminal(declared.key.name.as_str()),
        writes as f64 / seconds,
        reads as f64 / seconds,
        latest.regions.len()
    )];
    let of = |region: &Region| if writes > 0 { region.rows_this_interval } else { region.reads_this_interval };
    let all = if writes > 0 { writes } else { reads };
    let mut hottest: Vec<&Region> = latest.regions.iter().filter(|region| of(region) > 0).collect();
    hottest.sort_by_key(|region| std::cmp::Reverse(of(region)));
    let times = design.times_of(&declared.key.table.name);
    for region in hottest.into_iter().take(ranges) {
        let share = of(region) as f64 / all as f64 * 100.0;
        let server = watched.followed.follow.servers().get(region.server as usize).map_or("", String::as_str);
        let label = page::label(&region.start.0, declared.layout(), &times);
        lines.push(format!("  {share:3.0} %  {label}, on {}", terminal(server)));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_that_do_not_fit_are_said_to_be_there() {
        let lines = || ["cost", "a", "b", "c", "d"].map(String::from).to_vec();
        assert_eq!(cut(lines(), 4), ["cost", "a", "b", "2 more tables, for which the terminal has no rows"]);
        assert_eq!(cut(lines(), 2), ["cost", "4 more tables, for which the terminal has no rows"]);
    }
}
