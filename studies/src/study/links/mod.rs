//! Pages and links as wikis keep them, on Debian's packages: revisions, categories, redirects, and the graph of links
//! in three forms whose costs are compared.
//!
//!     cargo run --release -p rowkey-studies -- links
//!     cargo run --release -p rowkey-studies -- links --packages packages.tsv.gz --links package-links.tsv.gz
//!
//! A package is a page, its section a category, and what it depends on its links. A category is a range of keys
//! (section, package). An index has one version of each package, and no time of an update: so what sorts newest first
//! here are the snapshots of which a version tells the day, and, as columns of one row, packages that differ in a
//! number (clang-14, clang-16).
//!
//! A link is kept as a row of its own (an edge list: the cheapest "is a linked to b?", the cheapest miss), as a column
//! in its package's row, and with all others of its package in one value: cheap to read whole, dear to change. So what
//! is added to that is a small delta beside it, rolled up into it from time to time. One row can't be split over
//! servers: the package to which most link has those links spread over several rows, by hash, and a read merges them
//! back into one order.

mod graph;
mod pages;

use std::collections::BTreeSet;
use std::error::Error;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use graph::{Adjacency, ByPackage, EdgeList, Graph, OneValue, Shard, Sharded};
use indicatif::HumanCount;
use pages::Pages;
use rowkey::store::Costs;
use rowkey::{Layout, RowKey};
use rowkey_studies::engine::{Db, Engine};
use rowkey_studies::output::report;
use rowkey_studies::packages::{self, End, Files, Link, Way};

/// The keys of its tables.
pub(crate) const LAYOUTS: &[(&str, Layout)] = &[
    ("edges", Link::LAYOUT),
    ("packages", graph::Page::LAYOUT),
    ("sharded", Shard::LAYOUT),
    ("sections", pages::InSection::LAYOUT),
    ("snapshots", pages::Snapshot::LAYOUT),
    ("series", pages::Series::LAYOUT),
];

/// Keeps packages as pages, and their links in three forms, and compares what these cost.
#[derive(Parser)]
struct Args {
    #[command(flatten)]
    files: Files,
    /// Rows over which the links into the hub are spread
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u8).range(1..))]
    shards: u8,
    /// Links that are added as deltas before they are rolled up
    #[arg(long, default_value_t = 10)]
    deltas: u8,
    /// Rows a page
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u8).range(1..))]
    show: u8,
}

fn run(args: &Args, on: &Engine, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let index = packages::read(&args.files, out)?;
    let links = graph::by_package(&index.links);
    let db = on.open()?;
    let pages = Pages::load(&db, &index, &links)?;
    pages.draw(out)?;
    pages.categories(out, &db, &index, args.show.into())?;
    pages.revisions(out, &db, &index, args.show.into())?;
    pages.redirects(out, &db, &index, &links)?;
    graph(args, out, &db, &links)
}

/// The operations on a graph in each of its forms, and their cost.
struct Comparison<'d> {
    db: &'d Db,
    rows: Vec<[String; 8]>,
}

/// The titles of what a [`Comparison`] notes.
const COSTS: [&str; 8] =
    ["what", "form", "seeks", "rows read", "cells read", "bytes read", "cells written", "bytes written"];

impl<'d> Comparison<'d> {
    const fn new(db: &'d Db) -> Self {
        Self { db, rows: Vec::new() }
    }

    /// Does something, and notes what it cost.
    fn note<T>(
        &mut self,
        what: &str,
        form: &dyn Graph,
        act: impl FnOnce() -> Result<T, rowkey::Error>,
    ) -> Result<T, rowkey::Error> {
        let before = self.db.costs();
        let done = act()?;
        let Costs { seeks, rows_read, cells_read, bytes_read, cells_written, bytes_written, .. } =
            self.db.costs() - before;
        let costs = [seeks, rows_read, cells_read, bytes_read, cells_written, bytes_written];
        let [a, b, c, d, e, f] = costs.map(|number| HumanCount(number).to_string());
        self.rows.push([what.to_owned(), form.name().to_owned(), a, b, c, d, e, f]);
        Ok(done)
    }

    /// Asks each form for names, which have to be the same, and prints the first few.
    fn ask(
        &mut self,
        out: &mut impl Write,
        (what, question): (&str, String),
        forms: &[&dyn Graph],
        names: impl Fn(&dyn Graph) -> Result<Vec<String>, rowkey::Error>,
    ) -> Result<(), Box<dyn Error>> {
        const SHOWN: usize = 10;
        let mut answer = None;
        for &form in forms {
            let query = report::Query::of(self.db);
            let names = self.note(what, form, || names(form))?;
            query.returned(out, format_args!("{question} ({})", form.name()), names.len(), names.len())?;
            let some = names.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
            match names.len() {
                0 => writeln!(out, "  no")?,
                n if n > SHOWN => writeln!(out, "  {some} and {} more", HumanCount((n - SHOWN) as u64))?,
                _ => writeln!(out, "  {some}")?,
            }
            if answer.get_or_insert_with(|| names.clone()) != &names {
                return Err(format!("{question} The form {} has another answer", form.name()).into());
            }
        }
        Ok(())
    }
}

/// The links in their forms: what is asked of each, and what that costs.
fn graph(args: &Args, out: &mut impl Write, db: &Db, links: &ByPackage<'_>) -> Result<(), Box<dyn Error>> {
    // Of several that have as many links, the first by name.
    let most = |way: usize| links.iter().rev().max_by_key(|(_, ways)| ways[way].len());
    let (Some((&busy, _)), Some((&hub, [_, into]))) = (most(0), most(1)) else { return Ok(()) };
    let Some(&first) = into.first() else { return Ok(()) };
    let (edges, columns, value) = (EdgeList::open(db)?, Adjacency::open(db)?, OneValue::open(db)?);
    let shards = Sharded::open(db, hub, args.shards)?;
    let forms: [&dyn Graph; 4] = [&edges, &columns, &value, &shards];
    let of_all = &forms[..3];

    let mut costs = Comparison::new(db);
    for form in forms {
        costs.note("all links written", form, || form.load(links))?;
    }
    let [link, _] = Link::both(first, hub);
    report::key(out, "The key of a link in the edge list, which has it at either end", &link)?;
    report::key(out, "The key of a part of a hub", &Shard { package: hub.to_owned(), shard: 0 })?;
    let drawn = forms.iter().map(|form| form.draw(first).map(|[key, columns]| [form.name().to_owned(), key, columns]));
    let drawn: Vec<_> = drawn.collect::<Result<_, _>>()?;
    report::table(out, "Links in four forms", ["form", "row key", "families and columns"], drawn)?;

    let end = |package: &str, way| End { package: package.to_owned(), way };
    let (out_of_busy, into_hub) = (end(busy, Way::Out), end(hub, Way::In));
    // Packages that have links, though none to the hub.
    let linked: BTreeSet<&str> = into.iter().copied().collect();
    let have = links.iter().filter(|(_, [out, _])| !out.is_empty()).map(|(&name, _)| name);
    let mut unlinked = have.filter(|name| *name != hub && !linked.contains(name));
    let miss = unlinked.next();
    for (what, from) in [("linked: yes", Some(first)), ("linked: no", miss)] {
        let Some(from) = from else { continue };
        costs.ask(out, (what, format!("Is {from} linked to {hub}?")), &forms, |form| {
            Ok(form.linked(from, hub)?.then(|| "yes".to_owned()).into_iter().collect())
        })?;
    }
    costs.ask(out, ("all links out", format!("All that {busy} links to")), of_all, |form| form.links(&out_of_busy))?;
    costs.ask(out, ("all links in", format!("All that link to {hub}")), &forms, |form| form.links(&into_hub))?;
    let show = args.show.into();
    if let Some(last) = into.get(usize::from(args.show) - 1).filter(|_| into.len() > usize::from(args.show)) {
        let question = format!("The next {show} that link to {hub}, after {last}");
        costs.ask(out, ("a page of links in", question), &forms, |form| form.page(&into_hub, last, show))?;
    }
    if let Some(miss) = miss {
        for form in forms {
            costs.note("a link added", form, || form.add(miss, hub))?;
        }
    }
    report::table(out, "What the forms cost", COSTS, costs.rows)?;

    let mut sizes = Comparison::new(db);
    sizes.note("in one row", &columns, || columns.links(&into_hub))?;
    for shard in 0..args.shards {
        sizes.note(&format!("{hub}, {shard}"), &shards, || shards.size(shard))?;
    }
    report::table(out, &format!("The rows of {hub}, of columns and in shards, each read whole"), COSTS, sizes.rows)?;

    let mut rolled = Comparison::new(db);
    let before = value.links(&into_hub)?;
    let more: Vec<&str> = unlinked.take(args.deltas.into()).collect();
    rolled.note("read", &value, || value.links(&into_hub))?;
    rolled.note("deltas added", &value, || more.iter().try_for_each(|from| value.add(from, hub)))?;
    let with_deltas = rolled.note("read with deltas", &value, || value.links(&into_hub))?;
    rolled.note("rolled up", &value, || value.roll_up(&into_hub))?;
    let rolled_up = rolled.note("read before a purge", &value, || value.links(&into_hub))?;
    rolled.note("purged", &value, || value.purge())?;
    let purged = rolled.note("read again", &value, || value.links(&into_hub))?;
    if with_deltas.len() != before.len() + more.len() || with_deltas != rolled_up || rolled_up != purged {
        return Err(format!("the links into {hub} are others when they are rolled up").into());
    }
    let added = more.len() + miss.iter().len();
    report::table(out, &format!("{added} deltas of links into {hub}, and their roll-up"), COSTS, rolled.rows)
}

/// Runs the study with these arguments, the first of which is its name.
pub(crate) fn main(args: Vec<OsString>) -> ExitCode {
    crate::study(args, run)
}
