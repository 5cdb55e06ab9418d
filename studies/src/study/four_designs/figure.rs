//! Figures of the cost of four designs: where each writes, and reads against writes.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::Write;

use indicatif::HumanCount;
use jiff::Timestamp;
use rowkey::store::Costs;
use rowkey_studies::output::report;

pub(crate) const REGIONS: usize = 8;

/// The writes of each design, by region.
type Regions = [[u64; REGIONS]; 4];

/// The measurements of a design.
pub(crate) struct Measured {
    pub(crate) written: Costs,
    /// The reads of each query, and the number of rows it returned.
    pub(crate) reads: Vec<(Costs, usize)>,
}

/// Who takes the writes, in all and window by window. Of each write the second is given, and its region under each
/// design, in order of time. Returns how many regions work at once, under each design.
pub(crate) fn spread(
    out: &mut impl Write,
    designs: [&str; 4],
    count: u16,
    writes: &[(i64, [usize; 4])],
) -> Result<[f64; 4], Box<dyn Error>> {
    let (first, last) = (writes.first().map_or(0, |write| write.0), writes.last().map_or(0, |write| write.0));
    let width = (last - first) / i64::from(count) + 1;
    let (mut all, mut windows) = (Regions::default(), BTreeMap::<i64, Regions>::new());
    for (at, regions) in writes {
        let window = windows.entry((at - first) / width).or_default();
        for (design, region) in regions.iter().enumerate() {
            all[design][*region] += 1;
            window[design][*region] += 1;
        }
    }
    let most = |regions: &[u64; REGIONS]| regions.iter().copied().max().unwrap_or(0);

    let rows = designs.into_iter().zip(&all).map(|(design, regions)| {
        let [a, b, c, d, e, f, g, h] = regions.map(|writes| HumanCount(writes).to_string());
        [design.to_owned(), a, b, c, d, e, f, g, h, percent(most(regions), writes.len() as u64)]
    });
    let what = format!("{} writes by region (after the past that the splits are of)", HumanCount(writes.len() as u64));
    report::table(out, &what, ["design", "1", "2", "3", "4", "5", "6", "7", "8", "the busiest"], rows)?;

    let rows = windows.iter().map(|(window, regions)| {
        let writes = regions[0].iter().sum();
        let [a, b, c, d] = regions.map(|regions| percent(most(&regions), writes));
        Ok([Timestamp::from_second(first + window * width)?.to_string(), HumanCount(writes).to_string(), a, b, c, d])
    });
    let [a, b, c, d] = designs;
    let what = format!("The busiest region's share of the writes of a window (even: {})", percent(1, REGIONS as u64));
    report::table(out, &what, ["from", "writes", a, b, c, d], rows.collect::<Result<Vec<_>, Box<dyn Error>>>()?)?;

    // As many regions as it takes if each did as much as the busiest of its window.
    let busiest = |design: usize| windows.values().map(|regions| most(&regions[design])).sum::<u64>().max(1);
    Ok(std::array::from_fn(|design| writes.len() as f64 / busiest(design) as f64))
}

/// The measurements side by side, and the book's figure of them: reads against writes.
pub(crate) fn figure(
    out: &mut impl Write,
    designs: [&str; 4],
    measured: &[Measured],
    at_work: [f64; 4],
) -> Result<(), Box<dyn Error>> {
    let costs = designs.into_iter().zip(measured).flat_map(|(design, Measured { written, reads })| {
        let questions = ["an hour of everybody", "a day of one visitor", "one visit", "the newest"];
        questions.into_iter().zip(reads).map(move |(question, (read, returned))| {
            let counts = [read.seeks, read.rows_read, *returned as u64, read.bytes_read].map(HumanCount);
            let [seeks, rows, returned, bytes] = counts.map(|count| count.to_string());
            let per_row = written.bytes_written as f64 / written.cells_written.max(1) as f64;
            [design.to_owned(), question.to_owned(), seeks, rows, returned, bytes, format!("{per_row:.1}")]
        })
    });
    let titles = ["design", "question", "seeks", "rows read", "returned", "bytes read", "bytes written a row"];
    report::table(out, "What each design costs", titles, costs)?;

    let rows = designs.into_iter().zip(measured).zip(at_work).map(|((design, Measured { reads, .. }), at_work)| {
        let useful = |question: usize| {
            let (returned, read) = reads.get(question).map_or((0, 0), |(read, returned)| (*returned, read.rows_read));
            format!("{} {}", bar(returned as f64 / read.max(1) as f64), percent(returned as u64, read))
        };
        let work = format!("{} {at_work:.1} of {REGIONS}", bar(at_work / REGIONS as f64));
        [design.to_owned(), useful(0), useful(1), work]
    });
    let titles = ["design", "an hour: rows asked for of those read", "a visitor's day", "regions that write at once"];
    report::table(out, "The figure of the book: reads against writes", titles, rows)
}

fn bar(share: f64) -> String {
    let full = (share * 10.0).round().clamp(0.0, 10.0) as usize;
    "█".repeat(full) + &"░".repeat(10 - full)
}

fn percent(part: u64, whole: u64) -> String {
    if whole == 0 { "-".to_owned() } else { format!("{:.1} %", 100.0 * part as f64 / whole as f64) }
}
