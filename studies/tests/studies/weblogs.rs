use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::net::IpAddr;

use jiff::Timestamp;
use url::Url;

use crate::{Told, logs, made_log, nobody_reads, output, run, temporary, told};

/// A line of a log, as plain code understands it.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub(crate) visitor: String,
    pub(crate) at: i64,
    pub(crate) request: Option<String>,
    status: u16,
    size: u64,
    pub(crate) referer: Option<String>,
}

/// The lines of a log, with their referers.
pub(crate) fn lines(log: &str) -> Vec<Line> {
    let line = |line: &str| {
        let quoted: Vec<_> = line.split('"').collect();
        let words: Vec<_> = quoted[0].split(' ').collect();
        let at = Timestamp::strptime("%d/%b/%Y:%H:%M:%S %z", format!("{} {}", &words[3][1..], &words[4][..5])).unwrap();
        let answer: Vec<_> = quoted[2].split_whitespace().collect();
        Line {
            visitor: words[0].to_owned(),
            at: at.as_second(),
            request: unescaped(quoted[1]),
            status: answer[0].parse().unwrap(),
            size: answer[1].parse().unwrap_or(0),
            referer: unescaped(quoted[3]),
        }
    };
    log.lines().map(line).collect()
}

/// `\xhh` is a byte.
fn unescaped(text: &str) -> Option<String> {
    let mut parts = text.split("\\x");
    let mut bytes = parts.next().unwrap().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).unwrap());
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    (text != "-").then(|| String::from_utf8_lossy(&bytes).into_owned())
}

const VISITORS: [&str; 9] = [
    "10.0.0.1",
    "10.0.0.2",
    "10.0.3.9",
    "10.7.0.1",
    "192.168.1.1",
    "2001:db8::7",
    "2001:db8:0:1::1",
    "2001:db9::7",
    "crawler.example.org",
];

const REQUESTS: [&str; 17] = [
    "GET / HTTP/1.1",
    "GET /blog/a HTTP/1.1",
    "GET /blog/b.html HTTP/1.1",
    "GET /blog/ä?flav=rss HTTP/1.1",
    "GET /blog/ä/\u{202e}b HTTP/1.1",
    "GET /projects/x/ HTTP/1.1",
    "GET /projects HTTP/1.0",
    "GET /files/x-1.0.tar.gz HTTP/1.1",
    "GET /files/book.pdf HTTP/1.1",
    "GET /img/a.png HTTP/1.1",
    "GET /style.css?v=a.pdf HTTP/1.1",
    "POST /search?q=1 HTTP/1.1",
    "GET /a#b",
    "GET /",
    "OPTIONS * HTTP/1.1",
    "-",
    "broken",
];

const REFERERS: [&str; 29] = [
    "-",
    "-",
    "http://www.google.com/search?q=row+key",
    "http://www.google.com/search?hl=en&q=%20row%20key%20",
    "https://www.google.co.uk/",
    "https://www.google.co.uk/search?q=",
    "http://google.de/url?query=%C3%A4%0Ab&q=c",
    "http://search.yahoo.com/search?p=cells",
    "http://forum.example.org/viewtopic.php?p=12",
    "http://own.example.com/blog/a",
    "http://own.example.com/blog/a",
    "http://own.example.com/blog/b.html",
    "http://own.example.com/blog/c/d",
    "http://own.example.com/blog/e",
    "http://www.example.com/",
    "not a url",
    "mailto:me@example.org",
    "android-app://com.google.android/x/y",
    "http://10.0.0.5/x/y",
    "http://[2001:db8::1]:8080/",
    "http://foo.github.io/a/b",
    "http://github.io/",
    "HTTP://EXAMPLE.org:80/News/x",
    "http://example.org/News/z?q=%20",
    "http://bücher.example/",
    "http://a.org./",
    "http://user@a.b.c.example.net/x/y",
    "http://localhost/x/",
    "ä\\x22\\xff",
];

/// Some hundred lines over two and a half days, ten minutes apart or at the same second, in no order.
pub(crate) fn made_lines() -> (String, Vec<Line>) {
    let (mut log, mut lines) = (String::new(), Vec::new());
    let mut random = 7_u64;
    let mut below = |n: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % n
    };
    for size in 0..800 {
        let visitor = VISITORS[below(9).min(below(9))];
        // The first of May, and the last of April.
        let at = 1_430_424_000 + 600 * below(360) as i64 + [0, 0, 1, 599][below(4)];
        let (request, referer) = (REQUESTS[below(17).min(below(17))], REFERERS[below(29)]);
        let status = [200, 200, 200, 304, 404, 206][below(6)];
        let time = Timestamp::from_second(at).unwrap().strftime("%d/%b/%Y:%H:%M:%S +0000").to_string();
        writeln!(log, "{visitor} - - [{time}] \"{request}\" {status} {size} \"{referer}\" \"-\"").unwrap();
        let (request, referer) = (unescaped(request), unescaped(referer));
        lines.push(Line { visitor: visitor.to_owned(), at, request, status, size, referer });
    }
    (log, lines)
}

/// A line, parsed by plain code.
#[derive(Debug, Clone)]
struct View {
    visitor: String,
    at: i64,
    path: Option<String>,
    status: u16,
    size: u64,
    referer: Option<String>,
    term: Option<String>,
}

fn view(line: &Line) -> View {
    let target = line.request.as_deref().and_then(|request| request.split(' ').nth(1)).unwrap_or_default();
    let path = target.starts_with('/').then(|| target[..target.find(['?', '#']).unwrap_or(target.len())].to_owned());
    let term = line.referer.as_deref().and_then(|referer| {
        let url = Url::parse(referer).ok()?;
        let host = format!(".{}.", url.host_str()?);
        url.query_pairs().find_map(|(name, value)| {
            let is_term = name == "q" || name == "query" || name == "p" && host.contains(".yahoo.");
            (is_term && !value.trim().is_empty()).then(|| value.trim().to_owned())
        })
    });
    let Line { visitor, at, status, size, referer, .. } = line.clone();
    View { visitor, at, path, status, size, referer, term }
}

impl View {
    fn file(&self) -> &str {
        self.path.as_deref().map_or("", |path| &path[path.rfind('/').unwrap() + 1..])
    }

    fn extension(&self) -> Option<&str> {
        self.file().rfind('.').map(|dot| &self.file()[dot + 1..])
    }

    fn is_page(&self) -> bool {
        let read = matches!(self.extension(), None | Some("htm" | "html" | "xhtml" | "php"));
        self.path.is_some() && read && (self.status == 200 || self.status == 304)
    }

    fn is_product(&self) -> bool {
        let products = "7z apk bz2 deb dmg exe gem gz iso jar msi pdf rpm tgz war xz zip";
        self.extension().is_some_and(|extension| products.split(' ').any(|product| product == extension))
    }

    fn is_checkout(&self) -> bool {
        self.is_product() && self.status == 200
    }

    /// How many cells it has in table `visits`.
    fn cells(&self) -> u64 {
        let there = [self.path.is_some(), self.referer.is_some(), self.term.is_some(), self.is_product()];
        2 + there.iter().map(|there| u64::from(*there)).sum::<u64>() + u64::from(self.is_checkout())
    }
}

/// The most frequent entry, of several the first.
fn most<T: Ord + Clone>(all: impl Iterator<Item = T>) -> Option<T> {
    counted(all).first().map(|(_, one)| one.clone())
}

/// Counts, the largest first.
fn counted<T: Ord>(all: impl Iterator<Item = T>) -> Vec<(Reverse<u64>, T)> {
    let mut counts = BTreeMap::<T, u64>::new();
    all.for_each(|one| *counts.entry(one).or_default() += 1);
    let mut counts: Vec<_> = counts.into_iter().map(|(one, count)| (Reverse(count), one)).collect();
    counts.sort();
    counts
}

fn text(text: &str) -> String {
    text.escape_debug().take(80).collect()
}

/// The first five lines, and how many more there are.
pub(crate) fn listed(all: &[String]) -> Vec<String> {
    let mut lines: Vec<_> = all.iter().take(5).map(|line| line.trim().to_owned()).collect();
    if all.len() > 5 {
        lines.push(format!("and {} more", grouped(all.len() as u64 - 5)));
    }
    lines
}

/// `1,234`
pub(crate) fn grouped(number: u64) -> String {
    if number < 1000 { number.to_string() } else { format!("{},{:03}", grouped(number / 1000), number % 1000) }
}

fn time(at: i64) -> Timestamp {
    Timestamp::from_second(at).unwrap()
}

/// The expected lines and returned rows; the rows that were read are checked by the caller.
fn same<'o>(out: &'o str, title: &str, lines: &[String], rows: u64, cells: u64) -> Told<'o> {
    let found = told(out, title);
    assert_eq!(found.lines, listed(lines), "{title}");
    assert_eq!((found.rows, found.cells, found.seeks), (rows, cells, 1), "{title}");
    found
}

/// Read is what was returned.
fn no_more(found: &Told<'_>) {
    assert_eq!((found.rows_read, found.cells_read), (found.rows, found.cells));
}

#[derive(Default)]
struct Asked<'a> {
    visitor: Option<&'a str>,
    page: Option<&'a str>,
    under: Option<&'a str>,
    ip: Option<&'a str>,
}

fn check(out: &str, lines: &[Line], asked: &Asked<'_>) {
    let mut latest = i64::MIN;
    let late = lines.iter().filter(|line| {
        latest = latest.max(line.at);
        line.at < latest
    });
    let late = format!("{} lines came after a later one: sorted by time", grouped(late.count() as u64));
    assert_eq!(out.lines().find(|line| line.ends_with("sorted by time")), Some(late.as_str()));

    let mut views: Vec<_> = lines.iter().map(view).collect();
    views.sort_by_key(|view| view.at);
    let visitor =
        asked.visitor.map_or_else(|| most(views.iter().map(|view| view.visitor.clone())).unwrap(), Into::into);
    let theirs: Vec<_> = views.iter().filter(|view| view.visitor == visitor).cloned().collect();
    let sites = views.iter().filter_map(|view| view.path.clone());
    visits(out, &visitor, &theirs, &views);
    urls(out, &visitor, &theirs);

    let pages = views.iter().filter(|view| view.is_page()).filter_map(|view| view.path.clone());
    let page = asked.page.map_or_else(|| most(pages).unwrap_or("/".into()), Into::into);
    counters(out, &page, &views);
    let directories = sites.filter_map(|path| Some(path[..=path[1..].find('/')? + 1].to_owned()));
    let under = asked.under.map_or_else(|| most(directories).unwrap_or("/".into()), Into::into);
    let below = views.iter().filter_map(|view| view.path.as_deref()).filter(|path| path.starts_with(&under));
    let mut below = counted(below);
    below.sort_by_key(|(_, path)| *path);
    let rows: Vec<_> = below.iter().map(|(count, path)| format!("{}  {}", count.0, path.escape_debug())).collect();
    let months: BTreeSet<_> =
        views.iter().map(|view| (view.path.clone(), time(view.at).to_string()[..7].to_owned())).collect();
    let months = months.iter().filter(|(path, _)| path.as_ref().is_some_and(|path| path.starts_with(&under))).count();
    let found = same(out, &format!("Pages under {}", under.escape_debug()), &rows, rows.len() as u64, months as u64);
    assert_eq!(found.rows_read, found.rows);

    let ip = asked.ip.map(|ip| ip.parse().unwrap());
    if let Some(ip) = ip.or_else(|| most(views.iter().filter_map(|view| view.visitor.parse::<IpAddr>().ok()))) {
        hours(out, ip, &views);
    }
    journey(out, &visitor, &theirs);
}

fn visits(out: &str, visitor: &str, theirs: &[View], views: &[View]) {
    let referer = |view: &View| text(view.referer.as_deref().unwrap_or("-"));
    let line = |view: &View| {
        let path = text(view.path.as_deref().unwrap_or("-"));
        format!("{}  {}  {path}  from {}", time(view.at), view.status, referer(view))
    };
    let rows: Vec<_> = theirs.iter().rev().map(line).collect();
    let cells = theirs.iter().map(View::cells).sum();
    no_more(&same(out, &format!("All visits of {visitor}"), &rows, rows.len() as u64, cells));

    let terms = |title: &str, views: &[View]| {
        let terms = counted(views.iter().filter_map(|view| view.term.as_deref()));
        let sum = terms.iter().map(|(count, _)| count.0).sum();
        let terms: Vec<_> = terms.iter().map(|(count, term)| format!("{}  {}", count.0, text(term))).collect();
        same(out, title, &terms, sum, sum)
    };
    if let Some(searcher) = most(views.iter().filter(|view| view.term.is_some()).map(|view| view.visitor.clone())) {
        let theirs: Vec<_> = views.iter().filter(|view| view.visitor == searcher).cloned().collect();
        assert_eq!(terms(&format!("Search terms of {searcher}"), &theirs).rows_read, theirs.len() as u64);
    }
    assert_eq!(terms("Search terms of all visitors", views).rows_read, views.len() as u64);
    no_more(&terms("Search terms of all visitors, by value", views));

    let mut taken: Vec<_> = views.iter().enumerate().filter(|(_, view)| view.is_checkout()).collect();
    taken.sort_by_key(|(line, view)| (view.file(), Reverse(*line)));
    let line = |view: &View| {
        let file = text(view.file());
        format!("{file}  {} bytes  {}  from {}", view.size, view.visitor, referer(view))
    };
    let rows: Vec<_> = taken.iter().map(|(_, view)| line(view)).collect();
    let cells: u64 = taken.iter().map(|(_, view)| 2 + u64::from(view.referer.is_some())).sum();
    let (count, found) = (rows.len() as u64, told(out, "Checkouts by value, and where they came from"));
    assert_eq!(found.lines, listed(&rows));
    assert_eq!((found.rows, found.cells), (count, cells));
    assert_eq!((found.rows_read, found.seeks), (2 * count, 1 + count), "a row by value, and its visit");
}

fn urls(out: &str, visitor: &str, theirs: &[View]) {
    let paths = || theirs.iter().filter_map(|view| view.path.as_deref());
    let counts = counted(paths());
    let (distinct, one) = (counts.len() as u64, u64::from(!counts.is_empty()));
    let found = same(out, &format!("Distinct URLs of {visitor}"), &[], one, distinct);
    // In a column with many versions, some after the newest are read, and the rest are skipped.
    assert!((distinct..=paths().count() as u64).contains(&found.cells_read), "{found:?}");
    no_more(&same(out, &format!("Distinct URLs of {visitor}, after the purge"), &[], one, distinct));
    let line = |(count, path): &(Reverse<u64>, &str)| format!("{}  {}", count.0, path.escape_debug());
    let mut by_text = counts.clone();
    by_text.sort_by_key(|(count, path)| (*count, path.escape_debug().to_string()));
    let rows: Vec<_> = by_text.iter().map(line).collect();
    no_more(&same(out, &format!("Views of {visitor} by URL"), &rows, one, distinct));

    // Of the URLs with most views the one that got so many last.
    let mut seen = BTreeMap::<_, u64>::new();
    let mut top = (0, "");
    for path in paths() {
        let count = seen.entry(path).or_default();
        *count += 1;
        top = if *count >= top.0 { (*count, path) } else { top };
    }
    let top: Vec<_> = (top.0 > 0).then(|| format!("{}  {}", top.0, top.1.escape_debug())).into_iter().collect();
    no_more(&same(out, &format!("The URL most viewed by {visitor}"), &top, one, one));
    let mut latest: Vec<_> = paths().map(|path| path.escape_debug().to_string()).collect();
    latest.reverse();
    latest.truncate(5);
    no_more(&same(out, &format!("The five latest URLs of {visitor}"), &latest, one, latest.len() as u64));
}

fn counters(out: &str, page: &str, views: &[View]) {
    const DAY: i64 = 86_400;
    let (first, end) = (views[0].at, views[views.len() - 1].at);
    let half = (first + end) / 2;
    let of_page: Vec<_> = views.iter().filter(|view| view.path.as_deref() == Some(page)).collect();
    let mut purged = None;
    for (when, at, until) in [
        ("half-way", half, half),
        ("at the end", end, end),
        ("purged", end, end),
        ("a day later", end + DAY, end),
        ("30 days later", end + 30 * DAY, end),
    ] {
        if when == "half-way" && first == end {
            continue;
        }
        let so_far: Vec<_> = of_page.iter().filter(|view| view.at <= until).collect();
        // The counters by the texts of their times: how many views, and the time of the last.
        let alive = |length: usize, life: i64| {
            let mut counters = BTreeMap::<String, (u64, i64)>::new();
            for view in &so_far {
                let counter = counters.entry(time(view.at).to_string()[..length].to_owned()).or_default();
                *counter = (counter.0 + 1, view.at);
            }
            let alive: Vec<_> = counters.into_values().filter(|(_, last)| at - last < life).collect();
            (alive.len() as u64, alive.iter().map(|(count, _)| count).sum::<u64>())
        };
        let (months, days, hours) =
            (alive("2015-05".len(), i64::MAX), alive("2015-05-01".len(), 30 * DAY), alive(13, DAY));
        let recent: Vec<_> = so_far.iter().filter(|view| at - view.at < 600).map(|view| view.size).collect();
        let mean = match recent.len() {
            0 => "none".to_owned(),
            count => format!("{:.1}", recent.iter().sum::<u64>() as f64 / count as f64),
        };
        let counter = |family, (counters, views)| format!("{family:5}  counters {counters}  views {views}");
        let rows = [
            counter("month", months),
            counter("day", days),
            counter("hour", hours),
            format!("ten minutes  answers {}  mean bytes {mean}", recent.len()),
        ];
        let cells = months.0 + days.0 + hours.0 + recent.len() as u64;
        let title = format!("Counters of {} {when}, {}", page.escape_debug(), time(at));
        let found = same(out, &title, &rows, u64::from(!so_far.is_empty()), cells);
        if when == "purged" {
            no_more(&found);
            purged = Some(cells);
        }
        assert!(purged.is_none_or(|cells| found.cells_read == cells), "{title}: what is purged is read no more");
    }
}

fn hours(out: &str, ip: IpAddr, views: &[View]) {
    let mut rows = BTreeMap::<(IpAddr, Reverse<i64>), (u64, u64)>::new();
    for view in views {
        let Ok(ip) = view.visitor.parse() else { continue };
        let row = rows.entry((ip, Reverse(view.at - view.at.rem_euclid(3600)))).or_default();
        *row = (row.0 + 1, row.1 + view.size);
    }
    let of_ip = |since: i64| {
        let rows = rows.iter().filter(|((of, hour), _)| *of == ip && hour.0 >= since);
        rows.map(|((_, hour), (views, bytes))| format!("{}  views {views}  bytes {bytes}", time(hour.0)))
            .collect::<Vec<_>>()
    };
    let since = views[views.len() - 1].at - 12 * 3600;
    let since = since - since.rem_euclid(3600);
    for (title, due) in
        [(format!("Hours of {ip}"), of_ip(i64::MIN)), (format!("Hours of {ip} from {} on", time(since)), of_ip(since))]
    {
        no_more(&same(out, &title, &due, due.len() as u64, 2 * due.len() as u64));
    }

    // The leading bytes of an address, and how they are written.
    let leading = |ip: &IpAddr| match ip {
        IpAddr::V4(ip) => ip.octets()[..2].to_vec(),
        IpAddr::V6(ip) => ip.octets()[..6].to_vec(),
    };
    let net = match ip {
        IpAddr::V4(ip) => format!("{}.{}.0.0/16", ip.octets()[0], ip.octets()[1]),
        IpAddr::V6(ip) => format!("{}/48", std::net::Ipv6Addr::from_bits(ip.to_bits() >> 80 << 80)),
    };
    let within = |of: &IpAddr| of.is_ipv4() == ip.is_ipv4() && leading(of) == leading(&ip);
    let mut addresses = BTreeMap::<_, (u64, u64)>::new();
    for ((ip, _), (views, _)) in rows.iter().filter(|((ip, _), _)| within(ip)) {
        let address = addresses.entry(ip).or_default();
        *address = (address.0 + views, address.1 + 1);
    }
    let hours = addresses.values().map(|(_, hours)| hours).sum();
    let due: Vec<_> =
        addresses.iter().map(|(ip, (views, hours))| format!("{ip}  views {views}  hours {hours}")).collect();
    no_more(&same(out, &format!("Addresses of {net}"), &due, hours, 2 * hours));
}

fn journey(out: &str, visitor: &str, theirs: &[View]) {
    let (mut entries, mut steps) = (Vec::new(), Vec::new());
    let mut before: Option<(&str, i64)> = None;
    for view in theirs.iter().filter(|view| view.is_page()) {
        let page = view.path.as_deref().unwrap();
        match before.filter(|(_, at)| view.at - at < 30 * 60) {
            Some((from, _)) => steps.push((from, page)),
            None => entries.push(page.escape_debug().to_string()),
        }
        before = Some((page, view.at));
    }
    let (entries, steps) = (counted(entries.into_iter()), counted(steps.into_iter()));
    let rows: Vec<_> = entries.iter().map(|(count, page)| format!("{}  {page}", count.0)).collect();
    no_more(&same(out, &format!("Where {visitor} came in"), &rows, u64::from(!rows.is_empty()), rows.len() as u64));
    let edge = |(count, (from, to)): &(Reverse<u64>, (&str, &str))| {
        format!("{}  {} -> {}", count.0, from.escape_debug(), to.escape_debug())
    };
    let rows: Vec<_> = steps.iter().map(edge).collect();
    no_more(&same(out, &format!("The journey of {visitor}"), &rows, u64::from(!rows.is_empty()), rows.len() as u64));
    let Some((_, (page, _))) = steps.first() else { return };
    let rows: Vec<_> = steps.iter().filter(|(_, (from, _))| from == page).map(edge).collect();
    let found = same(out, &format!("Where {visitor} went from {}", page.escape_debug()), &rows, 1, rows.len() as u64);
    // A read of some columns looks for deletes of their family first: a small batch more.
    assert!(found.rows_read == 1 && found.cells_read <= found.cells + 4, "{found:?}");
}

#[test]
fn answers_are_those_of_plain_code() {
    let (log, lines) = made_lines();
    let path = temporary("weblogs.log", log.as_bytes());
    let path = path.to_str().unwrap();
    check(&output("weblogs", &[path]), &lines, &Asked::default());
    for (visitor, page, under, ip) in [
        ("crawler.example.org", "/", "/", "2001:db8::7"),
        ("2001:db8::7", "/files/book.pdf", "/blog/ä", "192.168.1.1"),
        ("nobody", "/none", "none", "10.0.0.2"),
    ] {
        let out = output("weblogs", &[path, "--visitor", visitor, "--page", page, "--under", under, "--ip", ip]);
        let asked = Asked { visitor: Some(visitor), page: Some(page), under: Some(under), ip: Some(ip) };
        check(&out, &lines, &asked);
    }
}

#[test]
fn logs_of_few_lines() {
    let (log, lines) = made_lines();
    for few in 1..=3 {
        let log: String = log.lines().take(few).map(|line| line.to_owned() + "\n").collect();
        check(&output("weblogs", &[temporary("weblogs_few.log", log.as_bytes())]), &lines[..few], &Asked::default());
    }
    let empty = output("weblogs", &[temporary("weblogs_empty.log", b"")]);
    assert_eq!(empty, "0 lines read, 0 malformed\n0 lines came after a later one: sorted by time\n");
}

#[test]
fn the_table_of_visits_is_drawn() {
    let out = output("weblogs", &[temporary("weblogs_drawn.log", made_lines().0.as_bytes())]);
    for title in ["visits", "visits.by_value", "visitor_urls", "pages", "ip_hours", "journeys"] {
        assert!(out.contains(&format!("\nThe key of {title}\n0 ")), "{title}");
        assert!(out.lines().any(|line| line.split(',').next() == Some(&format!("Table {title}"))), "{title}");
    }
    let drawn = out.lines().skip_while(|line| *line != "Table visits").nth(2).unwrap();
    let titles: Vec<_> = drawn.split(['│', '┆']).map(str::trim).filter(|title| !title.is_empty()).collect();
    assert_eq!(titles, ["visitor at line", "page", "referer", "term", "product", "checkout"]);
}

#[test]
fn malformed_lines_are_counted_and_a_log_that_is_not_there_is_told() {
    let out = output("weblogs", &[temporary("weblogs_malformed.log", &made_log().0)]);
    assert!(out.starts_with("707 lines read, 7 malformed\n"), "{out}");
    let run = run("weblogs", &["no_such.log"], b"");
    assert_eq!((run.status.code(), run.stdout.as_str()), (Some(1), ""));
    assert!(run.stderr.starts_with("error: cannot read no_such.log: "), "{}", run.stderr);
    assert_eq!(run.stderr.lines().count(), 1);
}

#[test]
fn what_no_cell_has_a_time_for_is_told() {
    let line = |year: u16| format!("a - - [31/Dec/{year}:23:59:59 +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"-\"\n");
    let path = temporary("weblogs_before.log", [line(1970), line(1969)].concat().as_bytes());
    let run = run("weblogs", &[&path], b"");
    assert_eq!(run.status.code(), Some(1));
    let error = format!("error: {}:2: 1969-12-31T23:59:59Z: no cell is of a time before 1970\n", path.display());
    assert_eq!(run.stderr, error);
}

#[test]
fn a_reader_may_leave() {
    nobody_reads("weblogs", &[temporary("weblogs_left.log", made_lines().0.as_bytes())]);
}

#[test]
fn on_the_sample_and_a_log_of_ones_own() {
    for (args, log) in logs() {
        check(&output("weblogs", &args), &lines(&log), &Asked::default());
    }
}
