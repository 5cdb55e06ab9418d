//! Friends of friends, as social networks are asked: the shortest path between two packages, over who depends on whom.
//!
//!     cargo run --release -p rowkey-studies -- friends php-json tk
//!     cargo run --release -p rowkey-studies -- friends --packages packages.tsv.gz --links package-links.tsv.gz --needs gnome libc6
//!
//! A link is a row at either end: package, way, the other package. So all friends of a package are one range, those it
//! depends on one part of it, and a whole level of a search is one scan of as many ranges as it has packages. How many
//! links a package has stands in a row of its own: the search goes on from the end whose next level costs less, and a
//! hub that 18,234 packages depend on is seldom read. One that starts at one end alone has to read it.
//!
//! Of equally short paths the one whose names come first is found.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use indicatif::HumanCount;
use rowkey::{Layout, Postcard, RowKey, Table, WriteBatch};
use rowkey_studies::engine::{Db, Engine};
use rowkey_studies::output::{progress, report};
use rowkey_studies::packages::{self, End, Files, Index, Link, Way};

/// The keys of its tables.
pub(crate) const LAYOUTS: &[(&str, Layout)] = &[("links", Link::LAYOUT), ("counts", <String as RowKey>::LAYOUT)];

/// Finds the shortest path between two packages.
#[derive(Parser)]
struct Args {
    #[command(flatten)]
    files: Files,
    /// Where the path begins [default: the first package by name]
    from: Option<String>,
    /// Where it ends [default: the last package by name]
    to: Option<String>,
    /// Goes from packages to what they depend on alone, never back
    #[arg(long)]
    needs: bool,
    /// Packages that the path does not go through; may be given more than once
    #[arg(long)]
    without: Vec<String>,
}

/// The links, and how many each package has out and in.
struct Graph {
    links: Table<Link, (), Db>,
    counts: Table<String, Postcard<(u64, u64)>, Db>,
}

impl Graph {
    fn load(db: &Db, index: &Index) -> Result<Self, Box<dyn Error>> {
        let links: Table<Link, (), _> = Table::open(db.clone(), "links")?;
        let counts: Table<String, Postcard<(u64, u64)>, _> = Table::open(db.clone(), "counts")?;
        let mut counted: BTreeMap<_, _> = index.packages.keys().map(|name| (name, (0, 0))).collect();
        for (from, to) in &index.links {
            counted.entry(from).or_default().0 += 1;
            counted.entry(to).or_default().1 += 1;
        }
        for some in progress(index.links.chunks(4096)) {
            let mut batch = WriteBatch::new();
            for link in some.iter().flat_map(|(from, to)| Link::both(from, to)) {
                batch.put(&links, &link, &())?;
            }
            batch.write(db)?;
        }
        let mut batch = WriteBatch::new();
        for (name, count) in counted {
            batch.put(&counts, name, &Postcard(count))?;
        }
        batch.write(db)?;
        Ok(Self { links, counts })
    }
}

/// A level that a search has read.
struct Level {
    from: String,
    packages: usize,
    links: usize,
    found: usize,
}

/// The people that a search has found from one of its ends.
struct Side {
    end: String,
    ways: &'static [Way],
    /// Every package that was found, and those a step nearer to the end from which it was.
    found: BTreeMap<String, BTreeSet<String>>,
    /// Those that were found last, from which it would go on.
    level: BTreeSet<String>,
    /// How many links the next level has, once that is known.
    cost: Option<u64>,
}

impl Side {
    fn new(end: &str, ways: &'static [Way]) -> Self {
        let end = end.to_owned();
        let found = [(end.clone(), BTreeSet::new())].into();
        Self { ways, found, level: [end.clone()].into(), end, cost: None }
    }

    /// How many links the next level has.
    fn cost(&mut self, graph: &Graph) -> Result<u64, Box<dyn Error>> {
        if let Some(cost) = self.cost {
            return Ok(cost);
        }
        let counts = graph.counts.get_many(&self.level)?.into_iter().flatten();
        let of = |way: &Way, (out, into): (u64, u64)| if *way == Way::Out { out } else { into };
        let cost = counts.map(|Postcard(count)| self.ways.iter().map(|way| of(way, count)).sum::<u64>()).sum();
        Ok(*self.cost.insert(cost))
    }

    /// A step further: all that is linked to the level, by one scan.
    fn step(&mut self, graph: &Graph, without: &BTreeSet<&str>) -> Result<Level, Box<dyn Error>> {
        let ends = self.level.iter().flat_map(|name| self.ways.iter().map(|&way| End { package: name.clone(), way }));
        let mut next = BTreeMap::<String, BTreeSet<String>>::new();
        let mut links = 0;
        for link in graph.links.keys(Link::prefix().end_in(ends)) {
            let Link { end, other } = link?;
            links += 1;
            if !self.found.contains_key(&other) && !without.contains(other.as_str()) {
                next.entry(other).or_default().insert(end.package);
            }
        }
        let packages = self.level.len();
        self.level = next.keys().cloned().collect();
        self.found.extend(next);
        self.cost = None;
        Ok(Level { from: self.end.clone(), packages, links, found: self.level.len() })
    }
}

/// A path, if there is one, and what was read for it.
struct Found {
    path: Option<Vec<String>>,
    levels: Vec<Level>,
}

/// The shortest path, and of several the one whose names come first.
fn search(
    graph: &Graph,
    [mut front, mut back]: [Side; 2],
    without: &BTreeSet<&str>,
    both_ends: bool,
) -> Result<Found, Box<dyn Error>> {
    let mut levels = Vec::new();
    while front.level.is_disjoint(&back.level) {
        if front.level.is_empty() || back.level.is_empty() {
            return Ok(Found { path: None, levels });
        }
        let from_back = both_ends && back.cost(graph)? < front.cost(graph)?;
        levels.push(if from_back { &mut back } else { &mut front }.step(graph, without)?);
    }
    Ok(Found { path: Some(path(&front, &back)), levels })
}

/// The path where the two sides have met: every shortest one goes through their last levels.
fn path(front: &Side, back: &Side) -> Vec<String> {
    // From those in front of where they met, the first by name that leads there.
    let mut next = BTreeMap::<&String, &String>::new();
    let mut level: BTreeSet<&String> = front.level.intersection(&back.level).collect();
    while !level.is_empty() {
        let mut nearer = BTreeSet::new();
        for name in level {
            for before in front.found.get(name).into_iter().flatten() {
                next.entry(before).or_insert(name);
                nearer.insert(before);
            }
        }
        level = nearer;
    }
    let step = |name: &&String| next.get(name).copied().or_else(|| back.found.get(*name)?.first());
    std::iter::successors(Some(&front.end), step).cloned().collect()
}

fn run(args: &Args, on: &Engine, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let index = packages::read(&args.files, out)?;
    let db = on.open()?;
    let graph = Graph::load(&db, &index)?;
    let (Some(from), Some(to)) = (
        args.from.as_ref().or_else(|| index.packages.keys().next()),
        args.to.as_ref().or_else(|| index.packages.keys().next_back()),
    ) else {
        return Ok(());
    };
    for name in [from, to].into_iter().chain(&args.without) {
        graph.counts.get(name)?.ok_or_else(|| format!("there is no package {name}"))?;
    }
    let without: BTreeSet<&str> = args.without.iter().map(String::as_str).collect();
    if let Some(end) = [from, to].into_iter().find(|name| without.contains(name.as_str())) {
        return Err(format!("a path that begins or ends with {end} goes through it").into());
    }
    draw(out, &graph, from)?;

    let sides = || match args.needs {
        true => [Side::new(from, &[Way::Out]), Side::new(to, &[Way::In])],
        false => [from, to].map(|end| Side::new(end, &[Way::Out, Way::In])),
    };
    let mut tried = Vec::new();
    let mut paths = Vec::new();
    for (how, both_ends) in [("both ends".to_owned(), true), (format!("{from} alone"), false)] {
        let query = report::Query::of(&db);
        let Found { path, levels } = search(&graph, sides(), &without, both_ends)?;
        let count = path.as_ref().map_or(0, Vec::len);
        query.returned(out, format_args!("The shortest path from {from} to {to}, from {how}"), count, count)?;
        tell(out, &graph, &index, path.as_deref())?;
        paths.push(path);
        tried.push((how, levels));
    }
    if paths.windows(2).any(|pair| pair[0] != pair[1]) {
        return Err("from both ends the path is another than from one".into());
    }
    let level = |how: &str, level: Level| {
        let Level { from, packages, links, found } = level;
        let [packages, links, found] = [packages, links, found].map(|n| HumanCount(n as u64).to_string());
        [how.to_owned(), from, packages, links, found]
    };
    let rows = tried.into_iter().flat_map(|(how, levels)| levels.into_iter().map(move |read| level(&how, read)));
    report::table(
        out,
        "The levels that were read: a scan each",
        ["search from", "level around", "its packages", "links read", "packages found"],
        rows,
    )
}

/// The path, from package to package.
fn tell(out: &mut impl Write, graph: &Graph, index: &Index, path: Option<&[String]>) -> Result<(), Box<dyn Error>> {
    let Some(path) = path else { return Ok(writeln!(out, "  there is none")?) };
    let mut before: Option<&String> = None;
    for name in path {
        let step = match before {
            None => "",
            Some(before) => {
                let [depends, _] = Link::both(before, name);
                if graph.links.get(&depends)?.is_some() { "depends on " } else { "is needed by " }
            }
        };
        let known = index.packages.get(name).map(|package| {
            let kib = HumanCount(package.installed_kib);
            format!("  ({}, {}, {kib} KiB)", package.version, package.section)
        });
        writeln!(out, "  {step}{name}{}", known.unwrap_or_default())?;
        before = Some(name);
    }
    Ok(())
}

/// The key and some rows.
fn draw(out: &mut impl Write, graph: &Graph, from: &str) -> Result<(), Box<dyn Error>> {
    let of_it = graph.links.scan(Link::prefix().end_prefix(End::prefix().package(from))).limit(4);
    let links: Vec<Link> = of_it.keys().collect::<Result<_, _>>()?;
    if let Some(link) = links.first() {
        report::key(out, "The key of a link, once at either end", link)?;
    }
    let rows = links.iter().map(|Link { end: End { package, way }, other }| {
        let says = if *way == Way::Out { "depends on" } else { "is needed by" };
        [format!("{package}, {way:?}, {other}"), format!("{package} {says} {other}")]
    });
    report::table(out, "Links, whose rows are keys alone", ["row key", "which says"], rows)
}

/// Runs the study with these arguments, the first of which is its name.
pub(crate) fn main(args: Vec<OsString>) -> ExitCode {
    crate::study(args, run)
}
