//! Real URLs as keys: all come back, and what is under a domain is what a filter by labels finds.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;

use proptest::prelude::*;
use rowkey::{Domain, HostPath, LayoutBuf, RowKey, Select, Site, UrlKey, laws};
use rowkey_testkit::{cases, own_data};
use url::Url;

#[derive(RowKey, Debug, PartialEq)]
struct Home {
    url: UrlKey,
}

#[derive(RowKey)]
#[rowkey(transparent)]
struct Page(HostPath);

#[derive(RowKey)]
struct Pages {
    #[rowkey(desc)]
    page: Page,
}

#[derive(RowKey)]
struct RawPages {
    #[rowkey(raw)]
    page: Page,
}

#[derive(RowKey)]
struct RawLast {
    #[rowkey(raw)]
    page: HostPath,
}

#[derive(RowKey)]
struct Last {
    #[rowkey(desc)]
    page: HostPath,
}

/// All of `homepages.txt.gz` in the folder that `ROWKEY_DATA` names, else the sample of the studies.
fn homepages() -> Vec<Url> {
    let sample = || Path::new(env!("CARGO_MANIFEST_DIR")).join("studies/data/homepages.txt.gz");
    let path = own_data("homepages.txt.gz").unwrap_or_else(sample);
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    text.lines().map(|line| line.parse().unwrap()).collect()
}

#[test]
fn a_transparent_newtype_lies_under_what_its_field_does() {
    let site = Site::host("b.a").unwrap().path_starts_with("/\0");
    assert_eq!(Pages::prefix().page_under(&site).ranges(), Last::prefix().page_under(&site).ranges());
    assert_eq!(RawPages::prefix().page_under(&site).ranges(), RawLast::prefix().page_under(&site).ranges());
    assert_ne!(RawPages::prefix().page_under(&site).ranges(), Home::prefix().url_under(&site).ranges());
}

#[test]
fn all_urls_come_back() {
    let urls = homepages();
    assert!(urls.len() >= 2000);
    for url in urls {
        let home = Home { url: UrlKey::try_from(url.clone()).unwrap() };
        let key = home.encode();
        assert_eq!(Home::decode(&key).unwrap(), home);
        assert_eq!(Url::from(home.url), url);
    }
}

/// Some hundred domains of the hosts: the registrable ones, the public suffixes above them, some hosts themselves.
#[test]
fn under_a_domain_is_what_a_filter_by_labels_finds() {
    let homes: Vec<_> = homepages().into_iter().map(|url| Home { url: UrlKey::try_from(url).unwrap() }).collect();
    let pages: Vec<_> = homes.iter().map(|home| home.url.host_path()).collect();
    let keys: Vec<_> = homes.iter().map(Home::encode).collect();
    let last: Vec<_> = pages.iter().map(|page| Last { page: page.clone() }.encode()).collect();

    let mut domains = BTreeSet::new();
    for page in pages.iter().filter(|page| page.domain().is_some()) {
        let registrable = page.registrable_domain();
        let suffix = registrable.and_then(|domain| domain.split_once('.')).map(|(_, suffix)| suffix);
        domains.extend([Some(page.host()), registrable, suffix].into_iter().flatten());
    }
    let many = cases(100, 300) as usize;
    let step = (domains.len() / many).max(1);
    let suffixes = ["com", "org", "io", "github.io", "co.uk", "de", "apache.org", "debian.org", "ch"];
    let drawn: BTreeSet<_> = domains.iter().copied().step_by(step).chain(suffixes).collect();
    assert!(drawn.len() >= many, "{} of {}", drawn.len(), domains.len());

    let (mut found, mut due_all) = (0, 0);
    for domain in drawn {
        let labels: Vec<_> = domain.split('.').rev().collect();
        let checked = Domain::parse(domain).unwrap();
        let ranges = Home::prefix().url_under(domain).ranges();
        let last_ranges = Last::prefix().page_under(&checked).ranges();
        assert_eq!((ranges.len(), last_ranges.len()), (1, 1));
        for ((page, key), last) in pages.iter().zip(&keys).zip(&last) {
            let due =
                page.domain().is_some() && page.host().split('.').rev().take(labels.len()).eq(labels.iter().copied());
            assert_eq!(ranges[0].contains(key), due, "{page} under {domain}");
            assert_eq!(last_ranges[0].contains(last), due, "{page} under {domain}, descending");
            assert_eq!(checked.contains(page.host()), due);
            found += usize::from(ranges[0].contains(key));
            due_all += usize::from(due);
        }
    }
    assert!(found > 1000 && found == due_all);
}

/// The root's dot is of DNS, not of a key: whoever has it takes it off, and is told so.
#[test]
fn a_dot_at_the_end_of_a_host() {
    let due = "the host \"apache.org.\" ends in a dot: remove it";
    let errors = [
        HostPath::parse("apache.org.").map(drop),
        HostPath::parse("apache.org./index.html").map(drop),
        HostPath::new("apache.org.", "/").map(drop),
        Domain::parse("apache.org.").map(drop),
        Site::host("apache.org.").map(drop),
    ];
    for error in errors {
        let error = error.unwrap_err();
        assert_eq!(error, rowkey::HostPathError::TrailingDot("apache.org.".into()));
        assert_eq!(error.to_string(), due);
    }
    let error = UrlKey::try_from("https://apache.org./".parse::<Url>().unwrap()).unwrap_err();
    assert_eq!(std::error::Error::source(&error).unwrap().to_string(), due);
    let decoded = HostPath::decode(b".org.apache/\0").unwrap_err();
    assert!(decoded.to_string().ends_with(due), "{decoded}");
    // Other dots are what they were.
    for (host, number) in [(".", 1), ("a..", 2), ("..", 1), (".a", 1), ("a..b.", 2), ("a..é", 2)] {
        assert_eq!(
            HostPath::parse(host).unwrap_err(),
            rowkey::HostPathError::EmptyLabel { host: host.into(), number },
            "{host}"
        );
    }
    // A text that is no host is under nothing, and has nothing under it.
    assert_eq!(Last::prefix().page_under("apache.org.").ranges(), []);
    assert!(!Domain::parse("apache.org").unwrap().contains("kafka.apache.org."));
}

#[test]
fn registrable_domains() {
    for (page, due) in [
        ("kafka.apache.org/x", Some("apache.org")),
        ("a.b.bbc.co.uk", Some("bbc.co.uk")),
        ("me.github.io/project", Some("me.github.io")),
        ("co.uk", None),
        ("org", None),
        ("10.0.0.1/", None),
        ("[::1]/", None),
    ] {
        assert_eq!(HostPath::parse(page).unwrap().registrable_domain(), due);
    }
}

#[test]
fn the_laws_hold() {
    for shape in ["host_path, url", "url desc, host_path desc, u8", "list<url>, option<host_path> desc, host_path raw"]
    {
        let layout: LayoutBuf = shape.parse().unwrap();
        laws::layout(Just(layout));
    }
}
