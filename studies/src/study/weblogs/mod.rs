//! A site's web log in wide tables: visits, pages, counters that go away by themselves, journeys.
//!
//!     cargo run --release -p rowkey-studies -- weblogs access.log access.log.1.gz
//!
//! Five tables, each for the questions that its key answers:
//!
//! - `visits`: visitor + time, newest first; families for the page, referer, search term, product and checkout of a
//!   visit; a table beside it has the terms and checkouts by their values
//! - `visitor_urls`: a visitor's row has a column for each URL, the most viewed URL and the five latest
//! - `pages`: path; counters by month, day and hour whose families live longer or shorter, and the last ten minutes
//! - `ip_hours`: address + hour, newest first, so that a network is a range and a window of hours within an address too
//! - `journeys`: a visitor's graph, a column for each step from a page to the next
//!
//! Families expire by a clock, which here is the log's own: its time is that of the line that is being stored. A server
//! writes a line when it has answered, under the time of the request, so lines are not quite in order: they are sorted
//! first.

mod counters;
mod hours;
mod journeys;
mod urls;
mod views;
mod visits;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::OsString;
use std::io::Write;
use std::net::IpAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use clap::Parser;
use counters::Counters;
use hours::Hours;
use indicatif::HumanCount;
use journeys::Journeys;
use rowkey::clock::Clock;
use rowkey::{Layout, RowKey, Seconds, WideTable};
use rowkey_studies::engine::{Cells, Engine};
use rowkey_studies::output::progress;
use rowkey_studies::weblog::Logs;
use urls::Urls;
use views::View;
use visits::Visits;

/// The keys of its tables.
pub(crate) const LAYOUTS: &[(&str, Layout)] = &[
    ("visits", visits::Visit::LAYOUT),
    ("visits.by_value", visits::ByValue::LAYOUT),
    ("visitor_urls", urls::Visitor::LAYOUT),
    ("pages", counters::Page::LAYOUT),
    ("ip_hours", hours::IpHour::LAYOUT),
    ("journeys", journeys::Visitor::LAYOUT),
];

/// Stores web logs in wide tables and asks them what they were designed for.
#[derive(Parser)]
struct Args {
    #[command(flatten)]
    logs: Logs,
    /// The visitor who is shown [default: the busiest]
    #[arg(long)]
    visitor: Option<String>,
    /// The page whose counters are shown, as /path [default: the one with most views]
    #[arg(long)]
    page: Option<String>,
    /// What the paths begin with of the pages that are listed [default: the directory with most views]
    #[arg(long)]
    under: Option<String>,
    /// The address whose hours are shown [default: the busiest]
    #[arg(long)]
    ip: Option<IpAddr>,
    /// How many lines of an answer are printed
    #[arg(long, default_value_t = 5)]
    show: usize,
}

type Wide<K> = WideTable<K, Cells>;

/// The log's time.
#[derive(Clone, Default)]
struct LogTime(Arc<AtomicI64>);

impl LogTime {
    fn set(&self, at: Seconds) {
        self.0.store(at.0.saturating_mul(1000), Ordering::Relaxed);
    }
}

impl Clock for LogTime {
    fn now(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Why no server will do.
const NEEDS: &str = "its counters and visits expire by the time of the log, and servers go by their own clocks";

fn run(args: &Args, on: &Engine, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let time = LogTime::default();
    let (db, cells) = on.open_in_memory(NEEDS)?;
    // Wide tables that go by the log's time.
    let cells = cells.with_clock(time.clone());
    let (views, late, summary) = views::read(&args.logs)?;
    writeln!(out, "{summary}\n{} lines came after a later one: sorted by time", HumanCount(late))?;
    let (Some(first), Some(last)) = (views.first(), views.last()) else { return Ok(()) };
    let (half, end) = (Seconds(first.at.0.midpoint(last.at.0)), last.at);

    let busiest = most(views.iter().map(|view| view.visitor.as_str()));
    let visitor = args.visitor.as_deref().or(busiest).unwrap_or_default();
    let searcher = most(views.iter().filter(|view| view.term.is_some()).map(|view| view.visitor.as_str()));
    let page = args.page.as_deref().or(most(views.iter().filter_map(View::page))).unwrap_or("/");
    let directory = most(views.iter().filter_map(View::directory)).unwrap_or("/");
    let under = args.under.as_deref().unwrap_or(directory);
    let ip = args.ip.or(most(views.iter().filter_map(|view| view.visitor.parse().ok())));

    let visits = Visits::load(&db, &cells, &views)?;
    let (urls, counters) = (Urls::open(&db, &cells)?, Counters::open(&db, &cells, &time)?);
    let (hours, journeys) = (Hours::open(&db, &cells)?, Journeys::open(&db, &cells)?);

    // Half-way through the log the counters are asked for the first time.
    let mut half_way = Vec::new();
    for view in progress(&views) {
        if view.at > half && half_way.is_empty() {
            counters.at(&mut half_way, page, "half-way", half)?;
        }
        time.set(view.at);
        urls.add(view)?;
        counters.add(view)?;
        hours.add(view)?;
        journeys.add(view)?;
    }

    visits.tell(out, visitor, searcher, args.show)?;
    urls.tell(out, visitor, args.show)?;
    counters.draw(out, page)?;
    out.write_all(&half_way)?;
    counters.tell(out, page, under, end, args.show)?;
    if let Some(ip) = ip {
        hours.tell(out, ip, end, args.show)?;
    }
    journeys.tell(out, visitor, args.show)
}

/// The most frequent entry; of several the first in order.
fn most<T: Ord>(all: impl Iterator<Item = T>) -> Option<T> {
    let mut counts = BTreeMap::<T, u64>::new();
    all.for_each(|one| *counts.entry(one).or_default() += 1);
    counts.into_iter().min_by_key(|(_, count)| Reverse(*count)).map(|(one, _)| one)
}

/// Runs the study with these arguments, the first of which is its name.
pub(crate) fn main(args: Vec<OsString>) -> ExitCode {
    crate::study(args, run)
}
