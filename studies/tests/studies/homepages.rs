use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use rowkey_studies::sample;

use crate::{NONE, nobody_reads, output, real, run, temporary, told, unpacked};

/// The host in the text of a URL.
fn host(url: &str) -> &str {
    let (_, rest) = url.split_once("://").unwrap();
    rest.split('/').next().unwrap().split(':').next().unwrap()
}

/// The output of these URLs, all of them shown.
fn check(out: &str, text: &str, domain: &str) {
    let urls: BTreeSet<String> = text.lines().map(|line| line.parse::<url::Url>().unwrap().into()).collect();
    let below = format!(".{domain}");
    let due: BTreeSet<&str> =
        urls.iter().map(String::as_str).filter(|url| host(url) == domain || host(url).ends_with(&below)).collect();
    let under = told(out, &format!("Under {domain}"));
    assert_eq!(under.lines.iter().copied().collect::<BTreeSet<_>>(), due);
    assert_eq!((under.rows_read, under.rows), (due.len() as u64, due.len() as u64));

    let mut counts = BTreeMap::<_, u64>::new();
    urls.iter().for_each(|url| *counts.entry(host(url)).or_default() += 1);
    let hosts = told(out, &most_pages(counts.len()));
    let hosts_there = counts.len() as u64;
    // Most pages first; of hosts with as many the first in order of the keys, labels reversed.
    let reversed = |host: &str| host.split('.').rev().collect::<Vec<_>>().join(".") + "/";
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(host, count)| (Reverse(*count), reversed(host)));
    let due: Vec<_> = counts.iter().map(|(host, count)| format!("{count} {host}")).collect();
    assert_eq!(hosts.lines, due);
    assert_eq!((hosts.rows_read, hosts.seeks), (hosts_there, hosts_there + 1), "one row each");
    let pages = out.lines().next().unwrap().replace(',', "");
    assert_eq!(pages, format!("{} lines read 0 no keys {} pages stored", text.lines().count(), urls.len()));
}

fn most_pages(hosts: usize) -> String {
    let digits = hosts.to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(|group| str::from_utf8(group).unwrap()).collect();
    format!("The hosts with most pages, of {}", groups.join(","))
}

const ALL: [&str; 4] = ["--show", "100000", "--top", "100000"];

#[test]
fn the_sample_is_what_plain_code_finds() {
    let text = unpacked(sample::HOMEPAGES);
    check(&output("homepages", &ALL), &text, "debian.org");
    let top = output("homepages", &NONE);
    let title = top.lines().find(|line| line.starts_with("The hosts with most pages")).unwrap();
    let counts: Vec<u64> =
        told(&top, title).lines.iter().map(|row| row.split(' ').next().unwrap().parse().unwrap()).collect();
    assert!(counts.len() == 10 && counts.is_sorted_by(|a, b| a >= b), "{counts:?}");
}

#[test]
fn on_all_home_pages() {
    let Some((path, text)) = real("homepages.txt.gz") else { return };
    for domain in ["apache.org", "org", "github.io"] {
        let args = [&[path.to_str().unwrap(), "--under", domain], &ALL[..]].concat();
        check(&output("homepages", &args), &text, domain);
    }
}

#[test]
fn what_is_no_key_is_told() {
    let path = temporary(
        "homepages.txt",
        b"http://apache2.org/\nmailto:me@a.org\nhttp://apache.org\nhttp://apache.org/\nhttp://a..b/",
    );
    let out = output("homepages", &[path.to_str().unwrap(), "--under", "apache.org"]);
    assert!(out.starts_with("5 lines read, 2 no keys, 2 pages stored\n  mailto:me@a.org has no host\n"), "{out}");
    assert!(
        out.contains("\n  the host of http://a..b/ is not valid in a key: label 2 of \"a..b\" is empty\n"),
        "{out}"
    );
    assert_eq!(told(&out, "Under apache.org").lines, ["http://apache.org/"]);
    let error = run("homepages", &["--under", "Apache.org"], b"");
    assert!(error.stderr.contains("upper case"), "{}", error.stderr);
    let missing = run("homepages", &["no_such.txt"], b"");
    assert!(missing.stderr.starts_with("error: cannot read no_such.txt: "), "{}", missing.stderr);
}

#[test]
fn a_reader_may_leave() {
    nobody_reads("homepages", &NONE);
}
