//! Who links here: the referers of a web log by organisation, domain, site and path.
//!
//!     cargo run --release -p rowkey-studies -- inbound access.log access.log.1.gz
//!
//! The key has a referer's URL with its host's labels reversed, so the pages of a site are one range, and a domain with
//! all its subdomains is one too. Before it comes the registered name, the label in front of the public suffix: so
//! google.com and google.co.uk, which no reversed host brings together, are one range of the name `google`. (That two
//! domains of one name are one organisation's is a guess: names are registered under each suffix anew.) The time is
//! descending: the latest visit from a page comes first. Which organisations there are is found by a seek for each,
//! from the first row of one to the first after its last; counters hold how many visits each sent.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use indicatif::HumanCount;
use jiff::Timestamp;
use rowkey::{Domain, HostPath, HostPathError, Layout, RowKey, Seconds, Site, Table, UrlKey};
use rowkey_studies::engine::{Db, Engine};
use rowkey_studies::output::report::{self, Query};
use rowkey_studies::output::{list, reasons};
use rowkey_studies::weblog::{Logs, read_logs};

/// A visit that came from a page.
#[derive(RowKey, Debug, Clone, PartialEq)]
struct Inbound {
    name: String,
    from: UrlKey,
    #[rowkey(desc)]
    at: Seconds,
    #[rowkey(desc)]
    line: u64,
}

/// A registrable domain, whose row counts the visits that it sent.
#[derive(RowKey, Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Sender {
    name: String,
    /// Its own page, `/`.
    domain: HostPath,
}

/// The keys of its tables.
pub(crate) const LAYOUTS: &[(&str, Layout)] = &[("inbound", Inbound::LAYOUT), ("senders", Sender::LAYOUT)];

/// Stores the referers of web logs under their reversed hosts and asks who sends visitors.
#[derive(Parser)]
struct Args {
    #[command(flatten)]
    logs: Logs,
    /// The log's own domain [default: the one with most referers]
    #[arg(long)]
    own: Option<Domain>,
    /// The name whose domains are shown [default: the one that has most of them]
    #[arg(long)]
    name: Option<String>,
    /// The domain whose hosts are shown [default: the one with most referers but for the own]
    #[arg(long)]
    domain: Option<Domain>,
    /// The site whose pages are shown, as www.example.org [default: the one with most referers but for the own]
    #[arg(long)]
    site: Option<HostPath>,
    /// What the pages begin with that are shown, as example.org/news/
    /// [default: the first directory of a site, but for the own, with most referers]
    #[arg(long)]
    under: Option<HostPath>,
    /// How many lines of an answer are printed
    #[arg(long, default_value_t = 5)]
    show: usize,
}

/// How many referers that are not valid keys are printed one by one.
const TOLD: usize = 3;

type Visits = Table<Inbound, String, Db>;
type Senders = Table<Sender, i64, Db>;

fn run(args: &Args, on: &Engine, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let db = on.open()?;
    let inbound: Visits = Table::open(db.clone(), "inbound")?;
    let senders: Senders = Table::open(db.clone(), "senders")?;
    let (mut line, mut none, mut refused) = (0, 0, Vec::new());
    let (mut hosts, mut directories) = (BTreeMap::new(), BTreeMap::new());
    let summary = read_logs(args.logs.each(), |found| {
        line += 1;
        let Some(referrer) = &found.hit.referrer else {
            none += 1;
            return Ok(());
        };
        match referrer.parse::<UrlKey>() {
            Ok(from) => {
                let host = from.host_str().unwrap_or_default();
                let sender = sender(host)?;
                *hosts.entry(HostPath::new(host, "/")?).or_default() += 1;
                if let Some(directory) = directory(&from) {
                    *directories.entry(HostPath::new(host, directory)?).or_default() += 1;
                }
                senders.increment(&sender, 1)?;
                let key = Inbound { name: sender.name, from, at: Seconds(found.at.as_second()), line };
                inbound.put(&key, &found.hit.request.unwrap_or_default())?;
            }
            Err(error) => refused.push(reasons(&error)),
        }
        Ok(())
    })?;
    let stored = inbound.count(..)?;
    let counts = [stored, none, refused.len() as u64].map(HumanCount);
    writeln!(out, "{summary}\n{} referers stored, {} lines without, {} no keys", counts[0], counts[1], counts[2])?;
    for error in refused.iter().take(TOLD) {
        writeln!(out, "  {error}")?;
    }

    let Some(shown) = shown(args, &senders, hosts, directories)? else { return Ok(()) };
    drawn(out, &inbound, &shown.domain)?;
    tell_senders(out, &senders, &inbound, &shown, args.show)?;
    tell_pages(out, &inbound, &shown, args.show)
}

/// The rows that are shown.
struct Shown {
    own: Sender,
    name: String,
    domain: String,
    site: HostPath,
    under: HostPath,
}

/// The host that was asked for, or else the most frequent one; none without a referer.
fn shown(
    args: &Args,
    senders: &Senders,
    hosts: BTreeMap<HostPath, i64>,
    directories: BTreeMap<HostPath, i64>,
) -> Result<Option<Shown>, Box<dyn Error>> {
    let all = senders.scan(..).collect::<Result<Vec<_>, _>>()?;
    let Some(most) = largest(all.iter().cloned()) else { return Ok(None) };
    let own = args.own.as_ref().map_or(Ok(most), |own| sender(own.as_str()))?;
    let other = largest(all.iter().filter(|(sender, _)| *sender != own).cloned()).unwrap_or_else(|| own.clone());
    let most_of = |pages: BTreeMap<HostPath, i64>| {
        let others = pages.into_iter().filter(|(page, _)| sender(page.host()).is_ok_and(|sender| sender != own));
        largest(others).unwrap_or_else(|| own.domain.clone())
    };
    Ok(Some(Shown {
        name: args.name.clone().or_else(|| largest(by_name(&all, |_| 1).into_iter())).unwrap_or_default(),
        domain: args.domain.as_ref().map_or(other.domain.host(), Domain::as_str).to_owned(),
        site: args.site.clone().unwrap_or_else(|| most_of(hosts)),
        under: args.under.clone().unwrap_or_else(|| most_of(directories)),
        own,
    }))
}

/// Who sent visitors, and how many.
fn tell_senders(
    out: &mut impl Write,
    senders: &Senders,
    inbound: &Visits,
    Shown { own, name, .. }: &Shown,
    show: usize,
) -> Result<(), Box<dyn Error>> {
    let query = Query::of(senders.database());
    let ours = senders.get(own)?;
    query.returned(out, "The own site against all others", usize::from(ours.is_some()), usize::from(ours.is_some()))?;
    let all: i64 = senders.scan(..).map(|row| row.map(|(_, count)| count)).sum::<Result<_, _>>()?;
    let ours = ours.unwrap_or(0);
    list(out, show, [counted((own.domain.host(), ours)), counted(("all others", all - ours))])?;

    let query = Query::of(inbound.database());
    let firsts = inbound.scan(..).first_of_each(|inbound| Inbound::prefix().name(&inbound.name));
    let names = firsts.map(|row| row.map(|(inbound, _)| inbound.name)).collect::<Result<Vec<_>, _>>()?;
    query.returned(out, "Who sent visitors, from one name to the next", names.len(), names.len())?;
    list(out, show, names)?;

    let query = Query::of(senders.database());
    let domains = senders.scan(..).collect::<Result<Vec<_>, _>>()?;
    query.returned(out, "Domains that sent most", domains.len(), domains.len())?;
    let names = sorted(by_name(&domains, |count| count));
    list(out, show, sorted(domains).iter().map(sent))?;
    writeln!(out, "Names that sent most, by the same rows")?;
    list(out, show, names.iter().map(|(name, count)| counted((name, *count))))?;

    let query = Query::of(senders.database());
    let domains = senders.scan(Sender::prefix().name(name)).collect::<Result<Vec<_>, _>>()?;
    query.returned(out, format!("Domains of the name {}", name.escape_debug()), domains.len(), domains.len())?;
    Ok(list(out, show, domains.iter().map(sent))?)
}

/// From which pages visitors came: of a domain, of a site, under a path.
fn tell_pages(
    out: &mut impl Write,
    inbound: &Visits,
    Shown { domain, site, under, .. }: &Shown,
    show: usize,
) -> Result<(), Box<dyn Error>> {
    let named = |host: &str| Ok::<_, HostPathError>(Inbound::prefix().name(sender(host)?.name));
    let (pages, below) = (Site::host(site.host())?, Site::host(under.host())?.path_starts_with(under.path()));
    for (title, select) in [
        (format!("From all hosts of {domain}"), named(domain)?.from_under(domain)),
        (format!("From {}", site.host()), named(site.host())?.from_under(&pages)),
        (format!("From pages under {under}"), named(under.host())?.from_under(&below)),
    ] {
        let query = Query::of(inbound.database());
        let rows = inbound.scan(select).collect::<Result<Vec<_>, _>>()?;
        query.returned(out, title.escape_debug(), rows.len(), rows.len())?;
        let line = |(inbound, request): &(Inbound, String)| {
            let at = Timestamp::from_second(inbound.at.0)?;
            Ok(format!("{at}  {}  {}", short(inbound.from.as_str()), short(request)))
        };
        list(out, show, rows.iter().map(line).collect::<Result<Vec<_>, jiff::Error>>()?)?;
    }
    Ok(())
}

/// Whose a host is: the registrable domain, and the label that it begins with. An address is its own, and so is a
/// public suffix.
fn sender(host: &str) -> Result<Sender, HostPathError> {
    let page = HostPath::new(host, "/")?;
    let (domain, name) = match page.registrable_domain() {
        Some(domain) => (domain, domain.split('.').next().unwrap_or(domain)),
        None => (host, host),
    };
    Ok(Sender { name: name.to_owned(), domain: HostPath::new(domain, "/")? })
}

/// The entry with the highest count; of several the first in order.
fn largest<T: Ord>(counts: impl Iterator<Item = (T, i64)>) -> Option<T> {
    counts.map(|(one, count)| (Reverse(count), one)).min().map(|(_, one)| one)
}

fn by_name(senders: &[(Sender, i64)], count: impl Fn(i64) -> i64) -> BTreeMap<String, i64> {
    senders.iter().fold(BTreeMap::new(), |mut names, (sender, sent)| {
        *names.entry(sender.name.clone()).or_default() += count(*sent);
        names
    })
}

/// The first directory of a URL's path, `/questions/` of `/questions/7/how-to`.
fn directory(url: &UrlKey) -> Option<&str> {
    let end = url.path().match_indices('/').nth(1)?.0;
    url.path().get(..=end)
}

/// The key and some rows of a domain, or, where it has none, of the table.
fn drawn(out: &mut impl Write, inbound: &Visits, domain: &str) -> Result<(), Box<dyn Error>> {
    let theirs = Inbound::prefix().name(sender(domain)?.name).from_under(domain);
    let mut rows = inbound.scan(theirs).limit(3).collect::<Result<Vec<_>, _>>()?;
    if rows.is_empty() {
        rows = inbound.scan(..).limit(3).collect::<Result<_, _>>()?;
    }
    if let Some((key, _)) = rows.first() {
        report::key(out, "The key of inbound", key)?;
    }
    let drawn = rows.iter().map(|(Inbound { name, from, at, line }, request)| {
        let at = Timestamp::from_second(at.0)?.to_string();
        Ok([name.clone(), short(from.as_str()), at, line.to_string(), short(request)])
    });
    let drawn = drawn.collect::<Result<Vec<_>, jiff::Error>>()?;
    report::table(out, "Table inbound", ["name", "from", "at", "line", "request"], drawn)
}

/// A text on one line, no longer than is printed well.
fn short(text: &str) -> String {
    text.escape_debug().take(70).collect()
}

/// The largest count first, of several in order.
fn sorted<T: Ord>(counts: impl IntoIterator<Item = (T, i64)>) -> Vec<(T, i64)> {
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by(|(a, of_a), (b, of_b)| of_b.cmp(of_a).then_with(|| a.cmp(b)));
    counts
}

fn sent((sender, count): &(Sender, i64)) -> String {
    counted((sender.domain.host(), *count))
}

fn counted((who, count): (&str, i64)) -> String {
    format!("{:>7}  {who}", HumanCount(count.unsigned_abs()).to_string())
}

/// Runs the study with these arguments, the first of which is its name.
pub(crate) fn main(args: Vec<OsString>) -> ExitCode {
    crate::study(args, run)
}
