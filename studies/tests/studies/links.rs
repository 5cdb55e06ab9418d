use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use indicatif::HumanCount;
use jiff::civil::Date;
use rowkey_studies::sample;

use crate::{Told, nobody_reads, number, output, place, real, run, temporary, told, unpacked};

/// Packages and links, as plain code reads them.
pub(crate) struct Data {
    /// By name: version, section, installed KiB.
    pub(crate) packages: BTreeMap<String, (String, String, u64)>,
    pub(crate) links: BTreeSet<(String, String)>,
}

impl Data {
    pub(crate) fn read(packages: &str, links: &str) -> Self {
        let mut data = Self { packages: BTreeMap::new(), links: BTreeSet::new() };
        for line in packages.lines().skip(1) {
            let words: Vec<_> = line.split('\t').map(str::to_owned).collect();
            let [name, version, section, kib] = words.try_into().unwrap();
            data.packages.insert(name, (version, section, kib.parse().unwrap()));
        }
        for line in links.lines().skip(1) {
            let (from, to) = line.split_once('\t').unwrap();
            data.links.insert((from.to_owned(), to.to_owned()));
        }
        data
    }
}

pub(crate) fn sample() -> Data {
    Data::read(&unpacked(sample::PACKAGES), &unpacked(sample::PACKAGE_LINKS))
}

/// All of Debian, where it is there.
pub(crate) fn debian() -> Option<([PathBuf; 2], [String; 2])> {
    let ((packages, names), (links, ends)) = real("packages.tsv.gz").zip(real("package-links.tsv.gz"))?;
    Some(([packages, links], [names, ends]))
}

pub(crate) fn arguments<'a>([packages, links]: &'a [PathBuf; 2], more: &[&'a str]) -> Vec<&'a str> {
    let files = ["--packages", packages.to_str().unwrap(), "--links", links.to_str().unwrap()];
    files.into_iter().chain(more.iter().copied()).collect()
}

pub(crate) fn files(name: &str, packages: &str, links: &str) -> [PathBuf; 2] {
    [("packages", packages), ("links", links)].map(|(what, text)| temporary(&format!("{name}-{what}"), text.as_bytes()))
}

/// The entry with the most, the first of several.
fn most<K: Ord, V>(counts: BTreeMap<K, V>, count: impl Fn(&V) -> usize) -> Option<K> {
    let best = counts.values().map(&count).max()?;
    counts.into_iter().find(|(_, value)| count(value) == best).map(|(key, _)| key)
}

fn day(version: &str) -> Option<String> {
    let mut days = Vec::new();
    for digits in version.split(|c: char| !c.is_ascii_digit()).filter(|digits| digits.len() == 8) {
        let date = format!("{}-{}-{}", &digits[..4], &digits[4..6], &digits[6..]).parse::<Date>();
        if date.is_ok_and(|date| (1990..2100).contains(&date.year())) {
            days.push(digits.to_owned());
        }
    }
    days.pop()
}

/// `clang-14` is `clang-#`, 14.
fn numbered(name: &str) -> Option<(String, Vec<u64>)> {
    let chars: Vec<char> = name.chars().collect();
    let start = chars.iter().position(char::is_ascii_digit)?;
    let mut end = start;
    while end < chars.len() && (chars[end] == '.' || chars[end].is_ascii_digit()) {
        end += 1;
    }
    while chars[end - 1] == '.' {
        end -= 1;
    }
    let text = |chars: &[char]| chars.iter().collect::<String>();
    let parts: Option<Vec<u64>> = text(&chars[start..end]).split('.').map(|part| part.parse().ok()).collect();
    Some((format!("{}#{}", text(&chars[..start]), text(&chars[end..])), parts?))
}

/// The rows of a drawn table.
pub(crate) fn table<'o>(out: &'o str, title: &str) -> Vec<Vec<&'o str>> {
    let lines = out.lines().skip_while(|line| *line != title).skip(4).take_while(|line| line.starts_with('│'));
    lines.map(|line| line.trim_matches('│').split('┆').map(str::trim).collect()).collect()
}

/// The cost of a form, by the table of this title: seeks, then rows, cells, bytes read, then cells, bytes written.
fn costs(out: &str, title: &str, what: &str, form: &str) -> [u64; 6] {
    let rows = table(out, title);
    let row = rows.iter().find(|row| row[..2] == [what, form]).unwrap_or_else(|| panic!("no {what}, {form}\n{out}"));
    row[2..].iter().map(|word| number(word)).collect::<Vec<_>>().try_into().unwrap()
}

const FORMS: [&str; 4] = ["edge list", "columns", "one value", "hub in shards"];

fn check(out: &str, data: &Data, [shards, deltas, show]: [usize; 3]) {
    check_pages(out, data, show);

    let mut ends = BTreeMap::<&str, [Vec<&str>; 2]>::new();
    for (from, to) in &data.links {
        ends.entry(from).or_default()[0].push(to);
        ends.entry(to).or_default()[1].push(from);
    }
    ends.values_mut().for_each(|[_, into]| into.sort());
    let Some(hub) = most(ends.clone(), |[_, into]| into.len()) else { return };
    let busy = most(ends.clone(), |[out, _]| out.len()).unwrap();
    let (into, out_of) = (&ends[hub][1], &ends[busy][0]);
    let mut unlinked = ends.iter().filter(|(name, [out, _])| **name != hub && !out.is_empty() && !out.contains(&hub));

    let asked = |question: &str, form: usize, names: &[&str]| -> Told<'_> {
        let told = told(out, &format!("{question} ({})", FORMS[form]));
        assert_eq!((told.rows, told.cells), (names.len() as u64, names.len() as u64), "{question}");
        let some = names[..names.len().min(10)].join(", ");
        let line = match names.len() {
            0 => "no".to_owned(),
            n if n > 10 => format!("{some} and {} more", HumanCount(n as u64 - 10)),
            _ => some,
        };
        assert_eq!(told.lines, [line], "{question}");
        told
    };
    // One seek each, and an edge list reads nothing for a miss.
    for (form, name) in FORMS.into_iter().enumerate() {
        let yes = asked(&format!("Is {} linked to {hub}?", into[0]), form, &["yes"]);
        assert_eq!((yes.seeks, yes.rows_read), (1, 1), "{name}");
    }
    let miss = unlinked.next();
    if let Some((miss, _)) = miss {
        for (form, name) in FORMS.into_iter().enumerate() {
            let no = asked(&format!("Is {miss} linked to {hub}?"), form, &[]);
            assert_eq!(no.seeks, 1, "{name}");
            match name {
                "edge list" => assert_eq!(no.rows_read, 0),
                "one value" => assert_eq!((no.rows_read, no.cells_read), (1, 1)),
                // Columns that stand before the one that is not there.
                _ => assert!(no.rows_read <= 1 && no.cells_read <= 4, "{name} {}", no.cells_read),
            }
        }
    }
    let all = out_of.len() as u64;
    for (form, rows, cells) in [(0, all, all), (1, 1, all), (2, 1, 1)] {
        let told = asked(&format!("All that {busy} links to"), form, out_of);
        assert_eq!((told.seeks, told.rows_read, told.cells_read), (1, rows, cells), "{}", FORMS[form]);
    }
    let all = into.len() as u64;
    let buckets: u64 = table(out, &format!("The rows of {hub}, of columns and in shards, each read whole"))[1..]
        .iter()
        .map(|row| number(row[3]))
        .sum();
    for (form, seeks, rows, cells) in [(0, 1, all, all), (1, 1, 1, all), (2, 1, 1, 1)] {
        let told = asked(&format!("All that link to {hub}"), form, into);
        assert_eq!((told.seeks, told.rows_read, told.cells_read), (seeks, rows, cells), "{}", FORMS[form]);
    }
    let told = asked(&format!("All that link to {hub}"), 3, into);
    assert_eq!((told.seeks, told.cells_read), (shards as u64, all));
    assert!(told.rows_read == buckets || told.rows_read + 1 == buckets, "the link that is added later may be alone");
    if into.len() > show {
        let question = format!("The next {show} that link to {hub}, after {}", into[show - 1]);
        let page = &into[show..into.len().min(2 * show)];
        for (form, name) in FORMS.into_iter().enumerate() {
            let told = asked(&question, form, page);
            match form {
                0 => assert_eq!((told.seeks, told.rows_read), (1, page.len() as u64)),
                2 => assert_eq!(told.cells_read, 1),
                // Of each row a batch more, where the page begins and ends.
                _ => {
                    let (rows, cells) = (if form == 1 { 1 } else { shards as u64 }, page.len() as u64);
                    let most = rows * (2 * cells + 16);
                    assert!((cells..=most).contains(&told.cells_read), "{name} {told:?}");
                }
            }
        }
    }

    let title = "What the forms cost";
    let count = data.links.len() as u64;
    let lists = ends.values().flatten().filter(|others| !others.is_empty()).count() as u64;
    let bytes = data.links.iter().map(|(from, to)| 2 * (from.len() + 1 + 1 + to.len() + 1)).sum::<usize>() as u64;
    assert_eq!(costs(out, title, "all links written", FORMS[0])[4..], [2 * count, bytes]);
    assert_eq!(costs(out, title, "all links written", FORMS[1])[4], 2 * count);
    assert_eq!(costs(out, title, "all links written", FORMS[2])[4], lists);
    assert_eq!(costs(out, title, "all links written", FORMS[3])[4], all);
    if miss.is_some() {
        for (form, cells) in FORMS.into_iter().zip([2, 2, 2, 1]) {
            let costs = costs(out, title, "a link added", form);
            // A put looks for what is later than it, and finds nothing.
            assert_eq!((costs[1..4].iter().sum::<u64>(), costs[4]), (0, cells), "{form} reads nothing to add a link");
        }
    }

    let title = format!("The rows of {hub}, of columns and in shards, each read whole");
    let rows = table(out, &title);
    assert_eq!(rows.len(), 1 + shards);
    let added = u64::from(miss.is_some());
    assert_eq!(costs(out, &title, "in one row", FORMS[1])[2], all + added);
    let in_shards: u64 = rows[1..].iter().map(|row| number(row[4])).sum();
    assert_eq!(in_shards, all + added);

    let more = unlinked.take(deltas).count() as u64;
    let title = format!("{} deltas of links into {hub}, and their roll-up", more + added);
    let step = |what| costs(out, &title, what, FORMS[2]);
    assert_eq!(step("read")[2], 1 + added);
    assert_eq!(step("deltas added")[4], 2 * more);
    assert_eq!(step("read with deltas")[2], 1 + added + more);
    assert_eq!(step("rolled up")[4], 1 + added + more, "a list, and deltas that are gone");
    assert_eq!(step("purged")[4], 1 + 2 * (added + more), "a list, and deltas with what deleted them");
    assert_eq!(step("read again")[1..3], [1, 1]);
}

/// Categories, revisions and redirects.
fn check_pages(out: &str, data: &Data, show: usize) {
    let mut sections = BTreeMap::<&str, Vec<&str>>::new();
    for (name, (_, section, _)) in &data.packages {
        sections.entry(section).or_default().push(name);
    }
    if let Some(section) = most(sections.clone(), Vec::len) {
        let told = told(out, &format!("The first packages of section {section}"));
        let packages = &sections[section];
        assert_eq!(told.lines, packages[..packages.len().min(show)]);
        let rows = told.lines.len() as u64;
        assert_eq!((told.seeks, told.rows_read, told.rows), (1, rows, rows));
    }

    let snapshots = data.packages.iter().filter_map(|(name, (version, ..))| Some((day(version)?, name, version)));
    let mut snapshots: Vec<_> = snapshots.collect();
    snapshots.sort_by_key(|(day, name, _)| (Reverse(day.clone()), *name));
    snapshots.truncate(show);
    let told_of = told(out, "The latest snapshots, by the day in the version, as the index tells no other");
    let lines = snapshots.iter().map(|(day, name, version)| format!("{day}  {name}  {version}"));
    assert_eq!(told_of.lines, lines.collect::<Vec<_>>());
    let rows = snapshots.len() as u64;
    assert_eq!((told_of.seeks, told_of.rows_read, told_of.rows), (1, rows, rows));

    let mut series = BTreeMap::<String, Vec<(Reverse<Vec<u64>>, &str, &str)>>::new();
    for (name, (version, ..)) in &data.packages {
        let Some((of, number)) = numbered(name) else { continue };
        series.entry(of).or_default().push((Reverse(number), name, version));
    }
    let versions = |all: &Vec<(_, _, &str)>| all.iter().map(|(.., version)| *version).collect::<BTreeSet<_>>().len();
    if let Some(name) = most(series.clone(), |all| versions(all)) {
        let all = series.get_mut(&name).unwrap();
        all.sort();
        all.truncate(show);
        let told = told(out, &format!("The series {name}, highest number first"));
        assert_eq!(told.lines, all.iter().map(|(_, name, version)| format!("{name}  {version}")).collect::<Vec<_>>());
        assert_eq!((told.seeks, told.rows_read, told.rows, told.cells), (1, 1, 1, all.len() as u64));
    }

    let stands_for = |name: &str| -> Option<&str> {
        let (_, section, kib) = data.packages.get(name)?;
        let others = data.links.range((name.to_owned(), String::new())..).take_while(|(from, _)| from == name);
        let others: Vec<_> = others.map(|(_, to)| to.as_str()).collect();
        let [to] = others[..] else { return None };
        (*kib <= 64 && (section == "oldlibs" || to.starts_with(&format!("{name}-")))).then_some(to)
    };
    let redirects: Vec<&String> = data.packages.keys().filter(|name| stands_for(name).is_some()).collect();
    let Some(first) = redirects.first() else {
        assert!(!out.contains("stands for"));
        return;
    };
    let mut path = vec![first.as_str()];
    while let Some(next) = path.last().and_then(|name| stands_for(name)).filter(|next| !path.contains(next)) {
        path.push(next);
    }
    let told = told(out, &format!("What {first} stands for"));
    assert_eq!(told.lines[0], path.join(" -> "));
    assert_eq!(told.rows, path.len() as u64 - 1);
    assert!(told.lines[1].starts_with(&format!("one of {} that ", HumanCount(redirects.len() as u64))));
    assert_eq!(told.seeks, path.len() as u64);
}

#[test]
fn the_sample() {
    let data = sample();
    check(&output("links", &[""; 0]), &data, [16, 10, 10]);
    check(&output("links", &["--shards", "3", "--deltas", "0", "--show", "4"]), &data, [3, 0, 4]);
}

/// Unoptimised, all links in all forms take too long: then all links into the hub, and of the others a fifth.
#[test]
fn all_packages() {
    let Some((paths, [packages, links])) = debian() else { return };
    if !cfg!(debug_assertions) {
        check(&output("links", &arguments(&paths, &[])), &Data::read(&packages, &links), [16, 10, 10]);
        return;
    }
    let fifth = |text: &str, also: &dyn Fn(&str) -> bool| -> String {
        let of_fifth = |line: &str| line.split('\t').next().unwrap().bytes().map(u32::from).sum::<u32>() % 5 == 0;
        let mut lines = text.lines();
        let titles = lines.next();
        titles
            .into_iter()
            .chain(lines.filter(|line| of_fifth(line) || also(line)))
            .map(|line| format!("{line}\n"))
            .collect()
    };
    let packages = fifth(&packages, &|_| false);
    let links = fifth(&links, &|line| line.ends_with("\tlibc6"));
    let out = output("links", &arguments(&files("links-fifth", &packages, &links), &[]));
    check(&out, &Data::read(&packages, &links), [16, 10, 10]);
}

const PACKAGES: &str = "package\tversion\tsection\tinstalled_kib\n";
const LINKS: &str = "package\tdepends_on\n";

#[test]
fn little_and_odd_data() {
    let cases = [
        ("nothing", "", ""),
        ("one package", "a\t1-1\tlibs\t7\n", ""),
        ("one link", "a\t1-1\tlibs\t7\n", "a\ta\n"),
        ("links alone", "", "x\ty\nx\tz\nw\ty\n"),
        (
            "odd names",
            "ä-1\t20240229\tç\t1\nä-2\t20230229\tç\t2\nä-10\t1:2~19991231\tç\t3\nä\t1\toldlibs\t64\nb1..2\t1\tq\t0\n\
             n99999999999999999999\t1\tq\t0\nn1.10\t2\tq\t0\nn1.9\t3\tq\t0\nn1\t4\tq\t0\nn01\t5\tq\t0\n",
            "ä\tä-1\nä-1\tä-10\nä-1\tä-10\nä-2\tä-10\nb1..2\tabsent\nabsent\tn1\n日本\tä-10\n",
        ),
        // Both stand for the other, and a package comes twice.
        ("a circle", "a\t1\toldlibs\t1\nb\t1\toldlibs\t1\na\t2\toldlibs\t2\n", "a\tb\nb\ta\n"),
    ];
    for (name, packages, links) in cases {
        let (packages, links) = (format!("{PACKAGES}{packages}"), format!("{LINKS}{links}"));
        let out = output("links", &arguments(&files(&format!("links {name}"), &packages, &links), &["--show", "3"]));
        check(&out, &Data::read(&packages, &links), [16, 10, 3]);
    }
}

/// Both studies read the same files.
#[test]
fn malformed_input_is_told() {
    let good = "a\t1\tlibs\t7\n";
    for (packages, links, error) in [
        (format!("{PACKAGES}{good}b\t1\tlibs\n"), LINKS.to_owned(), "packages:3: a package is name, version"),
        (format!("{good}b\t1\tlibs\t-1\n"), LINKS.to_owned(), "packages:2: a package is name, version"),
        (format!("{good}\t1\tlibs\t1\n"), LINKS.to_owned(), "packages:2: a package is name, version"),
        (format!("{PACKAGES}{good}"), format!("{LINKS}\na\n"), "links:3: a link is two packages"),
        (format!("{PACKAGES}{good}"), "a\tb\tc\n".to_owned(), "links:1: a link is two packages"),
        (format!("{PACKAGES}{good}"), "a\t\n".to_owned(), "links:1: a link is two packages"),
    ] {
        let files = files("links-malformed", &packages, &links);
        for study in ["links", "friends"] {
            let run = run(study, &arguments(&files, &[]), b"");
            assert_eq!(run.status.code(), Some(1));
            assert!(run.stderr.contains(error) && run.stderr.lines().count() == 1, "{}", run.stderr);
        }
    }
    let missing = ["none", "none"].map(place);
    for study in ["links", "friends"] {
        let run = run(study, &arguments(&missing, &[]), b"");
        assert_eq!(run.status.code(), Some(1));
        assert!(run.stderr.starts_with("error: cannot read") && run.stderr.lines().count() == 1, "{}", run.stderr);
    }
    assert_eq!(run("links", &["--shards", "0"], b"").status.code(), Some(2));
}

#[test]
fn a_reader_may_leave() {
    nobody_reads("links", &[""; 0]);
}
