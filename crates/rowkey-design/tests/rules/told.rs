//! What findings say: words and numbers that people read.

use rowkey_design::internal::profile::{FieldProfile, Profile};
use rowkey_design::internal::report::{self, Format, Styles};
use rowkey_design::{CheckOptions, Date};

use super::{block, parse, printed, with_pages};

/// One of a thing is not several; no number has more digits than a person reads; and without a sample there are no
/// bytes of keys, for nobody gave their values.
#[test]
fn numbers_are_such_as_people_read() {
    let things = ["place", "range", "row", "server", "bucket", "table", "key", "call", "region", "even one"];
    let random = "format = 1\n[cluster.c]\nengine = \"hbase\"\nservers = 1\n[table.t]\n\
                  key = [\"id: bytes[16]\", \"at: i64\"]\nmeans = { id = \"uuid4\", at = \"milliseconds\" }\n\
                  [[table.t.write]]\nname = \"w\"\nrate = \"50k/s\"\norder = \"time\"\n\
                  [[table.t.query]]\nname = \"q\"\nrange.at = \"1 hour\"\n";
    let bad = with_pages().map(|rule| block(rule.page(), "Bad", "toml").unwrap());
    let mut places = 0;
    for text in bad.chain([random]) {
        let printed = printed(text);
        places += printed.matches("over 100k places").count();
        for thing in things {
            let wrong = printed.find(&format!(" 1 {thing}s"));
            assert_eq!(wrong.map(|at| &printed[at..]), None, "{text}");
        }
        for line in printed.lines().filter(|line| !text.contains(line.trim_start_matches(|c: char| !c.is_alphabetic())))
        {
            let words = line.split(|c: char| !c.is_ascii_alphanumeric());
            let long =
                words.into_iter().find(|word| word.len() >= 8 && word.bytes().all(|byte| byte.is_ascii_hexdigit()));
            assert_eq!(long.filter(|word| !text.contains(word)), None, "{line}\n{text}");
            let great = line.split_whitespace().find(|word| {
                word.strip_suffix('T').is_some_and(|number| number.len() > 3 && number.parse::<f64>().is_ok())
            });
            assert_eq!(great, None, "{line}\n{text}");
        }
    }
    assert!(places > 0);
}

/// Fewer rows than one, on average, are neither one nor none.
#[test]
fn less_than_one_row_is_told_as_less() {
    let text = "format = 1\n[table.t]\nkey = [\"id: u64\"]\nmeans.id = \"random\"\nrows = \"40M\"\n\
                [table.t.family.f]\ncolumns = [\"a\"]\nsizes.a = \"100 B\"\n\
                [[table.t.query]]\nname = \"q\"\nrange.id = \"1M\"\n";
    let printed = printed(text);
    let line = printed.lines().find(|line| line.starts_with("t: q ")).unwrap();
    let cells: Vec<&str> = line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
    assert_eq!(cells[2..5], ["<1", "1", "<1 B"], "{printed}");
}

/// A small share is told with as many digits as it needs, and one that is not counted exactly with no more than are
/// known.
#[test]
fn a_small_share_is_not_zero() {
    let told = |exact: bool, share: f64| {
        let mut field = FieldProfile::default();
        (field.name, field.exact, field.p_max, field.distinct) = ("a".into(), exact, share, 1e4);
        let mut profile = Profile::default();
        (profile.keys, profile.fields) = (10_000, vec![field]);
        let design = parse("format = 1\n[table.t]\nkey = [\"a: u64\"]\n");
        let options = CheckOptions::new(Date { year: 2026, month: 1, day: 31 }).profile("t", profile);
        let report = design.check(&options);
        let text = report::report(Format::Text, &design, &options, &report, Styles::Plain);
        let line = text.lines().find(|line| line.starts_with("a ")).unwrap().to_owned();
        line.split("  ").map(str::trim).find(|cell| cell.ends_with('%')).unwrap().to_owned()
    };
    let exact = [0.5, 0.0123, 0.0011, 0.00004, 1e-9].map(|share| told(true, share));
    assert_eq!(exact, ["50.0 %", "1.2 %", "0.11 %", "0.0040 %", "0.00000010 %"]);
    assert_eq!([0.5, 0.0011].map(|share| told(false, share)), ["50.0 %", "under 0.6 %"]);
}
