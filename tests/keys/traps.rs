//! The traps that makers of sorted keys fell into, one test each.

use proptest::prelude::*;
use rowkey::error::DecodeReason;
use rowkey::lead::SaltHash;
use rowkey::store::{Batch, Database, RowBatch, Scan, Store};
use rowkey::{Domain, Error, HostPath, KeyRange, LayoutBuf, List, Memory, RowKey, Select, Site, laws};
use rowkey_testkit::unhex;

#[derive(RowKey, Debug, Clone, PartialEq)]
struct Named {
    name: String,
    id: u8,
}

#[derive(RowKey, Debug, Clone, PartialEq)]
struct Newest {
    #[rowkey(desc)]
    name: String,
    id: u8,
}

fn named(name: &str) -> Vec<u8> {
    Named { name: name.into(), id: 0xff }.encode()
}

fn newest(name: &str) -> Vec<u8> {
    Newest { name: name.into(), id: 0 }.encode()
}

#[test]
fn a_list_of_empty_texts_and_its_neighbour() {
    let key = |tags: &[&str], next: &str| {
        (tags.iter().map(|&tag| tag.to_owned()).collect::<List<String>>(), next.to_owned()).encode()
    };
    let mut keys = vec![key(&[], ""), key(&[], "\0"), key(&[""], ""), key(&["", ""], ""), key(&["", "\0"], "")];
    assert!(keys.is_sorted_by(|a, b| a < b), "{keys:02x?}");
    keys.dedup();
    assert_eq!(keys.len(), 5);
}

#[test]
fn descending_text_and_what_begins_with_it() {
    for (shorter, longer) in [("a", "a\0"), ("", "\0"), ("a", "a\u{1}"), ("a", "ab"), ("a\0", "a\0\0")] {
        assert!(newest(shorter) > newest(longer), "{shorter:?} {longer:?}");
        assert!(named(shorter) < named(longer), "{shorter:?} {longer:?}");
    }
}

#[test]
fn hello_of_the_hbase_book() {
    // Its six bytes are ours too; ours go on with the inverted terminator, which the book's leave out.
    assert_eq!(newest("Hello,")[..7], unhex("b79a939390d3 ff"));
    assert!(newest("Hello,") > newest("Hello, world") && newest("Hello, world") > newest("Help"));
}

#[test]
fn minus_one_is_not_after_one() {
    let mut numbers = [i64::MIN, -256, -255, -1, 0, 1, 255, 256, i64::MAX];
    assert!(numbers.map(|n| n.encode()).is_sorted_by(|a, b| a < b));
    numbers.reverse();
    assert!(numbers.map(|n| std::cmp::Reverse(n).encode()).is_sorted_by(|a, b| a < b));
    assert!([-1.5f64, -0.0, 0.0, 1.5].map(|n| n.encode()).is_sorted_by(|a, b| a < b));
    assert!(255u16.encode() < 256u16.encode(), "little-endian keys sort the other way");
}

#[derive(RowKey)]
struct Rated {
    #[rowkey(desc)]
    stars: f64,
    delta: f32,
}

/// Floats are in the order of `total_cmp`, whose zeros are two and whose NaNs are the ends.
#[test]
fn a_range_from_zero_leaves_minus_zero_out() {
    let within = |range: rowkey::Selection<Rated>, delta: f32| {
        range.ranges().iter().any(|range| range.contains(&Rated { stars: 0.0, delta }.encode()))
    };
    let deltas = || Rated::prefix().stars(0.0);
    for (delta, from_zero, from_minus_zero, finite) in [
        (0.0, true, true, true),
        (-0.0, false, true, true),
        (f32::MIN_POSITIVE, true, true, true),
        (-f32::MIN_POSITIVE, false, false, false),
        (f32::INFINITY, true, true, true),
        (f32::NAN, true, true, false),
        (-f32::NAN, false, false, false),
    ] {
        assert_eq!(within(deltas().delta_range(0.0..), delta), from_zero, "{delta:?}");
        assert_eq!(within(deltas().delta_range(-0.0..), delta), from_minus_zero, "{delta:?}");
        assert_eq!(within(deltas().delta_range(-0.0..=f32::INFINITY), delta), finite, "{delta:?}");
        assert_eq!(within(deltas().delta_range(..0.0), delta), !from_zero, "{delta:?}");
    }
    // One value is one of the two, in a descending field as well.
    assert!(!within(deltas().delta(0.0).select(), -0.0));
    let stars = |range: rowkey::Selection<Rated>| {
        [0.0, -0.0]
            .map(|stars| range.clone().ranges().iter().any(|r| r.contains(&Rated { stars, delta: 1.0 }.encode())))
    };
    assert_eq!(stars(Rated::prefix().stars_range(0.0..)), [true, false]);
    assert_eq!(stars(Rated::prefix().stars_range(..0.0)), [false, true]);
    assert_eq!(stars(Rated::prefix().stars_in([-0.0, 0.0])), [true, true]);
}

#[test]
fn length_is_not_before_content() {
    assert!(named("aa") < named("b"));
    assert!(List(vec![1u8, 1]).encode() < List(vec![2u8]).encode());
}

#[derive(RowKey, Debug, PartialEq)]
#[rowkey(salt(buckets = 300, by(tags)))]
struct Everything {
    name: String,
    #[rowkey(desc)]
    tags: List<Option<(i16, String)>>,
    address: std::net::IpAddr,
    at: std::time::SystemTime,
    #[rowkey(desc)]
    kind: Kind,
}

#[derive(RowKey, Debug, PartialEq)]
enum Kind {
    #[rowkey(tag = 3)]
    Some { letter: char, float: f32 },
}

#[test]
fn input_cut_off_at_every_length() {
    let key = Everything {
        name: "a\0b".into(),
        tags: List(vec![Some((1, "x\u{1}".into())), None]),
        address: [10, 0, 0, 1].into(),
        at: std::time::UNIX_EPOCH,
        kind: Kind::Some { letter: 'a', float: 1.0 },
    };
    let bytes = key.encode();
    let layout = LayoutBuf::from(&Everything::LAYOUT);
    for len in 0..bytes.len() {
        let error = Everything::decode(&bytes[..len]).unwrap_err();
        assert!(error.offset() <= len && error.key() == "Everything", "{len}: {error}");
        assert!(len < 2 || !error.field().is_empty(), "{len}: {error}");
        assert_eq!(layout.decode(&bytes[..len]), Err(error));
        assert!(layout.explain(&bytes[..len]).to_string().contains("not a key"));
    }
    assert_eq!(Everything::decode(&bytes).unwrap(), key);
    let mut longer = bytes;
    longer.push(0);
    let error = Everything::decode(&longer).unwrap_err();
    assert_eq!(error.reason(), &DecodeReason::Trailing { left: 1, found: 0 });
}

#[test]
fn other_forms_of_a_value_are_refused() {
    for (shape, hex) in [
        ("bool", "02"),
        ("bool desc", "00"),
        ("option<u8>", "02"),
        ("option<u8> nulls_last", "00"),
        ("option<u8> desc", "fd"),
        ("option<u8> desc nulls_first", "ff"),
        ("text", "0103 00"),
        ("text", "0100 00"),
        ("text desc", "fefc ff"),
        ("text", "c080 00"),
        ("text", "eda080 00"),
        ("text raw", "ff"),
        ("char", "0000d800"),
        ("char", "00110000"),
        ("ipaddr", "05 00000000"),
        ("instant", "8000000000000000 3b9aca00"),
        ("duration", "0000000000000000 ffffffff"),
        ("enum{1: (), 3: ()}", "02"),
        ("list<u8>", "0101 02"),
        ("list<u16> raw", "000100"),
        ("salt(4 md5) u8", "0900"),
        ("salt(16 md5 hex) u8", "4100"),
        ("md5(2) u8", "000000"),
        ("u8", "0000"),
    ] {
        let layout: LayoutBuf = shape.parse().unwrap();
        let read = layout.decode(&unhex(hex));
        assert!(read.is_err(), "{shape}: {hex} was taken as {read:?}");
    }
    assert!(std::num::NonZero::<u8>::decode(&[0]).is_err());
}

#[test]
fn prefix_and_ff_is_no_end_of_a_prefix() {
    let range = KeyRange::prefix(*b"ab");
    assert_eq!(range.end(), Some(&b"ac"[..]));
    assert!(range.contains(b"ab\xff\xff\xff") && !range.contains(b"ac"));
    let layout: LayoutBuf = "u8, bytes raw".parse().unwrap();
    let ranges = layout.ranges(&[rowkey::Value::Unsigned(7)]).unwrap();
    assert!(ranges[0].contains(&[7, 0xff, 0xff, 0xff]));
}

#[test]
fn a_prefix_of_ff_has_no_end() {
    assert_eq!(KeyRange::prefix([0xff; 3]).end(), None);
    assert_eq!(KeyRange::prefix([0x01, 0xff, 0xff]).end(), Some(&[0x02][..]), "no shorter than it has to be");
    let ranges = (u8::MAX, "a".to_owned());
    let selection = rowkey::prefix::tuple_prefix::<(u8, String)>()._0(u8::MAX).ranges();
    assert_eq!(selection, [KeyRange::new([0xff], None::<Vec<u8>>).unwrap()]);
    assert!(selection[0].contains(&ranges.encode()));
}

#[test]
fn an_empty_prefix_is_everything() {
    assert_eq!(KeyRange::prefix([]), KeyRange::all());
    assert_eq!(Named::prefix().ranges(), [KeyRange::all()]);
    assert_eq!(Named::prefix().name_starts_with("").ranges(), [KeyRange::all()]);
    assert!(KeyRange::all().contains(b"") && KeyRange::all().contains(&[0xff; 9]));
}

#[test]
fn an_empty_range_is_nothing() {
    assert_eq!(KeyRange::new(*b"b", Some(*b"a")), None);
    assert_eq!(KeyRange::new(*b"", Some(*b"")), None, "an empty end is the whole table to every engine");
    let (late, early) = (7, 3);
    assert_eq!(Named::prefix().name("a").id_range(late..early).ranges(), []);
    assert_eq!(Named::prefix().name_range("b".."a").ranges(), []);
    assert!(!Named::prefix().name_range(.."").ranges().iter().any(|range| range.contains(&named(""))));
    assert_eq!(Named::prefix().name_in([""; 0]).ranges(), []);
    assert_eq!(Newest::prefix().name_range("a".."a").ranges(), []);
    let table = Memory::new().table("t").unwrap();
    table.compare_and_write(b"a", None, Some(b"1")).unwrap();
    let mut rows = RowBatch::new();
    table.scan(&Scan::new(Named::prefix().name_range("b".."a").ranges())).next_batch(&mut rows).unwrap();
    assert!(rows.is_empty());
    table.delete_ranges(&Named::prefix().name_range("b".."a").ranges()).unwrap();
    assert!(table.get(b"a").unwrap().is_some());
}

#[test]
fn start_and_stop_the_same_is_nothing_and_a_point_is_one_key() {
    assert_eq!(KeyRange::new(*b"a", Some(*b"a")), None);
    assert_eq!(Named::prefix().name("a").id_range(3..3).ranges(), []);
    let point = Named::prefix().name("a").id(3).ranges();
    assert_eq!(point, [KeyRange::point(*b"a\0\x03")]);
    assert!(point[0].contains(b"a\0\x03") && !point[0].contains(b"a\0\x03\0"));
    assert_eq!(Named::prefix().name("a").id_range(3..=3).ranges(), [KeyRange::prefix(*b"a\0\x03")]);
}

#[derive(RowKey, Debug, PartialEq)]
#[rowkey(salt(buckets = 7, hash = java))]
struct JavaSalted {
    #[rowkey(raw)]
    name: String,
}

#[test]
fn abs_of_the_smallest_hash_is_not_negative() {
    let hash = SaltHash::JAVA.hash.unwrap();
    assert_eq!(hash(b"qlmmrpz"), 1 << 31);
    let key = JavaSalted { name: "qlmmrpz".into() };
    assert_eq!(u64::from(key.encode()[0]), (1 << 31) % 7);
    assert_eq!(JavaSalted::decode(&key.encode()).unwrap(), key);
}

#[derive(RowKey, Debug)]
#[rowkey(salt(buckets = 256, by(id)))]
struct Salted256 {
    name: String,
    id: u16,
}

#[test]
fn the_last_bucket_has_its_rows() {
    let row = (0..).map(|id| Salted256 { name: "\u{10ffff}".into(), id }).find(|row| row.encode()[0] == 0xff).unwrap();
    let ranges = Salted256::prefix().select().ranges_by_bucket();
    assert_eq!(ranges.len(), 256);
    let last = &ranges[255][0];
    assert_eq!((last.start(), last.end()), (&[0xff][..], None));
    assert!(last.contains(&row.encode()));
    let one = Salted256::prefix().name_range("a"..).ranges();
    assert!(one.last().unwrap().contains(&row.encode()));
}

#[test]
fn a_leading_text_scanned_by_prefix_has_no_neighbours() {
    let ranges = Named::prefix().name("bob").ranges();
    let holds = |name: &str| ranges.iter().any(|range| range.contains(&named(name)));
    assert!(holds("bob"));
    assert!(!holds("bobby") && !holds("bo") && !holds("bob\0") && !holds(""));
    let starting = Named::prefix().name_starts_with("bob").ranges();
    assert!(starting[0].contains(&named("bobby")) && starting[0].contains(&named("bob\0")));
    let newest_bob = Newest::prefix().name("bob").ranges();
    assert!(newest_bob[0].contains(&newest("bob")) && !newest_bob[0].contains(&newest("bobby")));
}

mod before {
    #[derive(rowkey::RowKey)]
    pub(super) enum Event {
        #[rowkey(tag = 2)]
        Login(u8),
        #[rowkey(tag = 5)]
        Logout(u8),
    }
}

mod after {
    #[derive(rowkey::RowKey)]
    pub(super) enum Event {
        #[rowkey(tag = 9)]
        Boot,
        #[rowkey(tag = 5)]
        Logout(u8),
        #[rowkey(tag = 2)]
        Login(u8),
    }
}

#[test]
fn another_variant_changes_no_tag() {
    assert_eq!(before::Event::Login(7).encode(), after::Event::Login(7).encode());
    assert_eq!(before::Event::Logout(7).encode(), after::Event::Logout(7).encode());
    assert!(after::Event::Login(7).encode() < after::Event::Boot.encode(), "variants sort by tag");
}

#[derive(RowKey, Debug)]
struct Raw {
    #[rowkey(raw)]
    path: String,
}

#[test]
fn the_empty_key_is_refused() {
    let empty = Raw { path: String::new() }.encode();
    assert_eq!(empty, b"");
    let database = Memory::new();
    let table = database.table("t").unwrap();
    let mut batch = Batch::new();
    batch.put("a", "1");
    batch.put(&empty, "2");
    assert!(matches!(table.write(&batch), Err(Error::EmptyKey)));
    assert!(matches!(table.increment(&empty, 1), Err(Error::EmptyKey)));
    assert!(matches!(table.compare_and_write(&empty, None, Some(b"1")), Err(Error::EmptyKey)));
    assert!(matches!(database.write(&[("t", &batch)]), Err(Error::EmptyKey)));
    assert_eq!(table.get(b"a").unwrap(), None, "nothing of a refused batch is written");
}

#[test]
fn a_field_s_bytes_do_not_depend_on_its_neighbour() {
    laws::layout(Just("text, list<text>, option<text>, text desc, bytes".parse::<LayoutBuf>().unwrap()));
    let shorter: LayoutBuf = "text, option<u8>".parse().unwrap();
    let longer: LayoutBuf = "text, option<u8>, u8".parse().unwrap();
    let key = longer.encode(&longer.decode(b"a\0\0\x07").unwrap()).unwrap();
    assert_eq!(shorter.decode(&key[..3]).unwrap(), longer.decode(&key).unwrap()[..2]);
}

#[test]
fn under_a_domain_is_the_domain_and_its_subdomains_alone() {
    #[derive(RowKey)]
    struct Page {
        url: HostPath,
    }
    #[derive(RowKey)]
    struct Last {
        #[rowkey(desc)]
        url: HostPath,
    }
    #[derive(RowKey)]
    struct Raw {
        #[rowkey(raw)]
        url: HostPath,
    }

    let hosts = ["apache.org", "a.apache.org", "-.apache.org", "apache-foo.org", "apache2.org", "xapache.org", "org"];
    let more = ["apacheorg", "b.a.apache.org", "apache.org.uk", "_.org", "apache_.org", "10.0.0.1", "110.0.0.1"];
    let paths = ["/", "/docs", "/docs\0", "/docs\u{1}x", "/doct", "/do", "//apache.org/"];
    let hosts = || hosts.iter().chain(&more);
    let pages: Vec<_> = hosts().flat_map(|host| paths.map(|path| HostPath::new(host, path).unwrap())).collect();
    let check = |ranges: [Vec<KeyRange>; 3], due: &dyn Fn(&HostPath) -> bool| {
        for url in &pages {
            let url = || url.clone();
            let keys = [Page { url: url() }.encode(), Last { url: url() }.encode(), Raw { url: url() }.encode()];
            for (ranges, key) in ranges.iter().zip(keys) {
                assert_eq!(ranges.iter().any(|range| range.contains(&key)), due(&url()), "{} in {ranges:?}", url());
            }
        }
    };
    macro_rules! under {
        ($area:expr) => {
            [
                Page::prefix().url_under($area).ranges(),
                Last::prefix().url_under($area).ranges(),
                Raw::prefix().url_under($area).ranges(),
            ]
        };
    }
    for host in hosts().filter(|host| !host.ends_with('1')) {
        let domain = Domain::parse(host).unwrap();
        let below = format!(".{host}");
        let filter = |page: &HostPath| page.host() == *host || page.host().ends_with(&below);
        check(under!(*host), &filter);
        check(under!(&domain), &filter);
        check(under!(&host.to_string()), &|page| domain.contains(page.host()));
    }
    for host in hosts() {
        let site = Site::host(host).unwrap();
        check(under!(&site), &|page| page.host() == *host);
        for start in paths.into_iter().chain(["", "docs"]) {
            let part = site.clone().path_starts_with(start);
            check(under!(&part), &|page| page.host() == *host && page.path().starts_with(start));
            check(under!(&part), &|page| part.contains(page));
        }
    }
    // An address has no subdomains; what is no host has no pages.
    check(under!("10.0.0.1"), &|page| page.host() == "10.0.0.1");
    for none in ["", ".", "Apache.org", "apache.org.", "apache.org/", "0.0.1", ".org"] {
        check(under!(none), &|_| false);
    }
}
