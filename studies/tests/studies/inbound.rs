use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use url::{Host, Url};

use crate::weblogs::{Line, grouped, lines, listed, made_lines};
use crate::{Told, logs, made_log, nobody_reads, output, run, temporary, told};

/// A referer that can be a key.
#[derive(Debug, Clone)]
struct Referer {
    url: Url,
    at: i64,
    line: usize,
    request: String,
}

impl Referer {
    fn host(&self) -> &str {
        self.url.host_str().unwrap()
    }

    fn domain(&self) -> String {
        owner(self.host())
    }

    fn name(&self) -> String {
        name(&self.domain())
    }

    /// The order.
    fn order(&self) -> impl Ord + use<> {
        let page = format!("{}{}", reversed(self.host()), &self.url[url::Position::BeforePath..]);
        let user = self.url[url::Position::BeforeUsername..url::Position::BeforeHost].trim_end_matches('@').to_owned();
        let (scheme, port) = (self.url.scheme().to_owned(), self.url.port().unwrap_or(0));
        (self.name(), page, scheme, port, user, Reverse((self.at, self.line)))
    }

    /// Its path with all that follows.
    fn path(&self) -> &str {
        &self.url[url::Position::BeforePath..]
    }
}

fn is_address(host: &str) -> bool {
    host.starts_with('[') || host.bytes().all(|byte| byte == b'.' || byte.is_ascii_digit())
}

/// The registrable domain of a host, or the host.
fn owner(host: &str) -> String {
    let domain = if is_address(host) { None } else { psl::domain_str(host) };
    domain.unwrap_or(host).to_owned()
}

/// The label in front of the public suffix; of what is no registrable domain, all of it.
fn name(domain: &str) -> String {
    let registrable = !is_address(domain) && psl::domain_str(domain).is_some();
    if registrable { domain.split('.').next().unwrap().to_owned() } else { domain.to_owned() }
}

fn reversed(host: &str) -> String {
    if is_address(host) { host.to_owned() } else { host.split('.').rev().collect::<Vec<_>>().join(".") }
}

/// The URL, if its host is a name or an address as a key has it.
fn key(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let host = match url.host()? {
        Host::Domain(name) => name.to_owned(),
        address => address.to_string(),
    };
    let letters = |label: &str| label.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_'));
    let is_name = host.split('.').all(|label| !label.is_empty() && letters(label));
    let has_path = url.path().starts_with('/') && url.port() != Some(0);
    ((is_address(&host) || is_name) && has_path).then_some(url)
}

/// The answer's lines, and what it read: the rows that it returned, in one seek.
fn same<'o>(out: &'o str, title: &str, lines: &[String], rows: usize) -> Told<'o> {
    let found = told(out, title);
    assert_eq!(found.lines, listed(lines), "{title}");
    assert_eq!((found.rows, found.rows_read, found.cells), (rows as u64, rows as u64, rows as u64), "{title}");
    found
}

/// The largest count, of several the first in order.
fn largest<T: Clone>(counts: impl Iterator<Item = (T, u64)>, order: impl Fn(&T) -> (String, String)) -> Option<T> {
    counts.min_by_key(|(one, count)| (Reverse(*count), order(one))).map(|(one, _)| one)
}

fn count<T: Ord>(all: impl Iterator<Item = T>) -> BTreeMap<T, u64> {
    let mut counts = BTreeMap::new();
    all.for_each(|one| *counts.entry(one).or_default() += 1);
    counts
}

#[derive(Default)]
struct Asked<'a> {
    own: Option<&'a str>,
    name: Option<&'a str>,
    domain: Option<&'a str>,
    site: Option<&'a str>,
    under: Option<(&'a str, &'a str)>,
}

fn check(out: &str, lines: &[Line], asked: &Asked<'_>) {
    let mut referers = Vec::new();
    for (line, of) in lines.iter().enumerate() {
        if let Some(url) = of.referer.as_deref().and_then(key) {
            referers.push(Referer { url, at: of.at, line, request: of.request.clone().unwrap_or_default() });
        }
    }
    let none = lines.iter().filter(|line| line.referer.is_none()).count();
    let [stored, none, refused] =
        [referers.len(), none, lines.len() - none - referers.len()].map(|n| grouped(n as u64));
    let due = format!("{stored} referers stored, {none} lines without, {refused} no keys");
    assert!(out.lines().any(|line| line == due), "{due}: {out}");
    if referers.is_empty() {
        return;
    }
    referers.sort_by_key(Referer::order);

    // Domains and names, in order and by what they sent.
    let by_key = |domain: &String| (name(domain), reversed(domain));
    let domains = count(referers.iter().map(Referer::domain));
    let own = asked.own.map_or_else(|| largest(domains.clone().into_iter(), by_key).unwrap(), owner);
    let ours = domains.get(&own).copied().unwrap_or(0);
    let sent = |count: u64, who: &str| format!("{}  {who}", grouped(count));
    let due = [sent(ours, &own), sent(referers.len() as u64 - ours, "all others")];
    let found = same(out, "The own site against all others", &due, usize::from(ours > 0));
    assert_eq!(found.seeks, 1);

    let names = count(referers.iter().map(Referer::name));
    let due: Vec<_> = names.keys().cloned().collect();
    let found = same(out, "Who sent visitors, from one name to the next", &due, due.len());
    assert_eq!(found.seeks, due.len() as u64 + 1, "a seek for each, and one that finds no more");

    let mut all: Vec<_> = domains.iter().collect();
    all.sort_by_key(|(domain, count)| (Reverse(**count), by_key(domain)));
    let due: Vec<_> = all.iter().map(|(domain, count)| sent(**count, domain)).collect();
    assert_eq!(same(out, "Domains that sent most", &due, due.len()).seeks, 1);
    let mut all: Vec<_> = names.iter().collect();
    all.sort_by_key(|(name, count)| (Reverse(**count), name.as_str()));
    let due: Vec<_> = all.iter().map(|(name, count)| sent(**count, name)).collect();
    let shown = out.lines().skip_while(|line| *line != "Names that sent most, by the same rows").skip(1);
    let shown: Vec<_> = shown.take_while(|line| line.starts_with("  ")).map(str::trim).collect();
    assert_eq!(shown, listed(&due));

    let most_domains =
        largest(count(domains.keys().map(|domain| name(domain))).into_iter(), |name| (name.clone(), String::new()));
    let named = asked.name.map_or_else(|| most_domains.unwrap(), Into::into);
    let mut of_name: Vec<_> = domains.iter().filter(|(domain, _)| name(domain) == named).collect();
    of_name.sort_by_key(|(domain, _)| reversed(domain));
    let due: Vec<_> = of_name.iter().map(|(domain, count)| sent(**count, domain)).collect();
    assert_eq!(same(out, &format!("Domains of the name {named}"), &due, due.len()).seeks, 1);

    // Pages of a domain, a site, a directory.
    let others = || domains.clone().into_iter().filter(|(domain, _)| *domain != own);
    let domain = asked.domain.map_or_else(|| largest(others(), by_key).unwrap_or_else(|| own.clone()), Into::into);
    let within = |host: &str| host == domain || host.ends_with(&format!(".{domain}"));
    pages(out, &format!("From all hosts of {domain}"), &referers, |r| {
        r.name() == name(&owner(&domain)) && within(r.host())
    });

    let foreign = || referers.iter().filter(|referer| referer.domain() != own);
    let hosts = count(foreign().map(|referer| referer.host().to_owned()));
    let site = largest(hosts.into_iter(), |host| (reversed(host) + "/", String::new())).unwrap_or_else(|| own.clone());
    let site = asked.site.map_or(site, Into::into);
    pages(out, &format!("From {site}"), &referers, |referer| referer.host() == site);

    let directory = |referer: &Referer| {
        let path = referer.url.path();
        Some((referer.host().to_owned(), path[..=path[1..].find('/')? + 1].to_owned()))
    };
    let directories = count(foreign().filter_map(directory));
    let by_page = |(host, path): &(String, String)| (reversed(host) + path, String::new());
    let under = largest(directories.into_iter(), by_page).unwrap_or_else(|| (own.clone(), "/".to_owned()));
    let (host, path) = asked.under.map_or(under, |(host, path)| (host.into(), path.into()));
    let title = format!("From pages under {host}{path}");
    pages(out, &title, &referers, |referer| referer.host() == host && referer.path().starts_with(&path));
}

fn pages(out: &str, title: &str, referers: &[Referer], select: impl Fn(&Referer) -> bool) {
    let short = |text: &str| text.escape_debug().take(70).collect::<String>();
    let line = |referer: &Referer| {
        let at = Timestamp::from_second(referer.at).unwrap();
        format!("{at}  {}  {}", short(referer.url.as_str()), short(&referer.request))
    };
    let due: Vec<_> = referers.iter().filter(|referer| select(referer)).map(line).collect();
    assert_eq!(same(out, title, &due, due.len()).seeks, 1, "{title}");
}

#[test]
fn answers_are_those_of_plain_code() {
    let (log, lines) = made_lines();
    let path = temporary("inbound.log", log.as_bytes());
    let path = path.to_str().unwrap();
    let out = output("inbound", &[path]);
    check(&out, &lines, &Asked::default());
    // A name with several suffixes, and suffixes that somebody's names stand under.
    let hosts: BTreeSet<_> = lines.iter().filter_map(|line| key(line.referer.as_deref()?)).collect();
    let names: BTreeSet<_> = hosts.iter().map(|url| name(&owner(url.host_str().unwrap()))).collect();
    assert!(["google", "foo", "github.io", "10.0.0.5", "[2001:db8::1]"].iter().all(|name| names.contains(*name)));

    for (own, name, domain, site, under) in [
        ("www.example.com", "github.io", "github.io", "github.io", ("own.example.com", "/blog/")),
        ("example.org", "foo", "foo.github.io", "10.0.0.5", ("[2001:db8::1]", "/")),
        ("nobody.org", "nobody", "own.example.com", "nobody.org", ("example.org", "/News/z?q")),
    ] {
        let page = format!("{}{}", under.0, under.1);
        let args = ["--own", own, "--name", name, "--domain", domain, "--site", site, "--under", &page];
        let asked =
            Asked { own: Some(own), name: Some(name), domain: Some(domain), site: Some(site), under: Some(under) };
        check(&output("inbound", &[&[path], &args[..]].concat()), &lines, &asked);
    }
}

#[test]
fn logs_of_few_lines() {
    let (log, lines) = made_lines();
    for (few, at) in (1..=3).flat_map(|few| (0..4).map(move |at| (few, 9 * at))) {
        let some: String = log.lines().skip(at).take(few).map(|line| line.to_owned() + "\n").collect();
        let out = output("inbound", &[temporary("inbound_few.log", some.as_bytes())]);
        check(&out, &lines[at..at + few], &Asked::default());
    }
    let empty = output("inbound", &[temporary("inbound_empty.log", b"")]);
    assert_eq!(empty, "0 lines read, 0 malformed\n0 referers stored, 0 lines without, 0 no keys\n");
    let without = output("inbound", &[temporary("inbound_without.log", &made_log().0)]);
    assert!(without.ends_with("\n0 referers stored, 700 lines without, 0 no keys\n"), "{without}");
}

#[test]
fn the_table_is_drawn_and_what_is_no_key_is_told() {
    let out = output("inbound", &[temporary("inbound_drawn.log", made_lines().0.as_bytes())]);
    let told: Vec<_> = out.lines().skip(2).take_while(|line| line.starts_with("  ")).collect();
    assert_eq!(told.len(), 3);
    assert!(
        told.iter()
            .all(|line| ["is not a URL", "has no host", "is not valid in a key"].iter().any(|why| line.contains(why))),
        "{told:?}"
    );
    assert!(out.contains("\nThe key of inbound\n0 ") && out.contains("\nTable inbound\n"));
}

#[test]
fn a_log_that_is_not_there_and_no_host_are_told() {
    let absent = run("inbound", &["no_such.log"], b"");
    assert_eq!((absent.status.code(), absent.stdout.as_str()), (Some(1), ""));
    assert!(absent.stderr.starts_with("error: cannot read no_such.log: "), "{}", absent.stderr);
    assert_eq!(absent.stderr.lines().count(), 1);
    for args in [["-", "--own", "10.0.0.1"], ["-", "--domain", "A.org"], ["-", "--site", "http://a.org"]] {
        assert_eq!(run("inbound", &args, b"").status.code(), Some(2));
    }
}

#[test]
fn a_reader_may_leave() {
    nobody_reads("inbound", &[temporary("inbound_left.log", made_lines().0.as_bytes())]);
}

#[test]
fn on_the_sample_and_a_log_of_ones_own() {
    for (args, log) in logs() {
        check(&output("inbound", &args), &lines(&log), &Asked::default());
    }
}
