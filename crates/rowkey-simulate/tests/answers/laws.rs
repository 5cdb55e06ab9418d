//! Laws of all sentences and facts: of the designs of the rules' pages.

use rowkey_design::internal::design::Engine;
use rowkey_design::internal::load::region_bytes;
use rowkey_design::{CheckOptions, Date, Design, File, Rule};
use rowkey_simulate::answer::{NOTHING, text};
use rowkey_simulate::run::Answer;
use rowkey_simulate::simulation::Declared;

use super::{answers, design, options};

/// The bad and the good designs of all rules' pages.
fn designs() -> impl Iterator<Item = (&'static str, String)> {
    Rule::all().filter(|rule| !rule.kind.compares()).flat_map(|rule| {
        let part = |which: &str| {
            let (_, rest) = rule.page().split_once(&format!("\n{which}:\n\n```toml\n"))?;
            Some((rule.id, rest.split_once("```")?.0.to_owned()))
        };
        ["Bad", "Good"].into_iter().filter_map(part)
    })
}

/// The words of a table that tell more than there is, or less.
fn wrong(found: &Answer) -> Option<&'static str> {
    let told = text(found);
    let is_nothing = found.sentence.starts_with(NOTHING);
    if is_nothing && found.saturates.is_some() {
        return Some("nothing to say of what saturates");
    }
    if told.contains("Add servers") {
        return Some("servers without their number");
    }
    for (rate, what) in [(found.writes, "  writes "), (found.reads, "  reads "), (found.rows_read, "  rows read ")] {
        let line = told.lines().find(|line| line.starts_with(what)).unwrap_or_default();
        if rate > 0.0 && line.trim_end().ends_with(" 0/s") {
            return Some("a rate is 0");
        }
    }
    (found.sentence.contains(" 0 reads") || (found.writes > 0.0 && found.sentence.contains(" 0 writes")))
        .then_some("a rate is 0")
}

#[test]
fn no_design_of_a_page_is_told_wrong() {
    let mut count = 0;
    for (id, design) in designs() {
        for found in answers(&design, &options()) {
            count += 1;
            assert_eq!(wrong(&found), None, "{id}: {}\n{design}", text(&found));
        }
    }
    assert!(count > 40, "{count}");
}

#[test]
fn a_rate_that_is_small_is_not_none() {
    for rate in ["1/s", "3/min", "1/h", "1/day"] {
        let query = format!("[[table.t.query]]\nname = \"q\"\nfix = [\"host\"]\nrate = \"{rate}\"\n");
        let found = answers(&(design("\"host: u64\"", "", 2, rate) + &query), &options());
        found.iter().for_each(|found| assert_eq!(wrong(found), None, "{rate}: {}", text(found)));
    }
}

/// A region has one size, by which a run divides a table, and by which `check` judges it.
#[test]
fn ranges_are_as_large_as_check_counts_them() {
    let check = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
    for engine in ["hbase", "bigtable", "tikv", "cockroachdb", "dynamodb", "cassandra", "foundationdb", "fjall"] {
        for max in ["", "region.max = \"1 GB\"\n"] {
            let text = design("\"host: u64\"", "", 2, "1k/s").replace("\"hbase\"", &format!("\"{engine}\""));
            let text = text.replace("region.writes", &format!("{max}region.writes"));
            let parsed = Design::parse([File { name: "t.rowkey.toml".to_owned(), text }]);
            let Ok(parsed) = parsed else { continue };
            let declared = Declared::of(&parsed, "t", None, &check).unwrap();
            assert_eq!(declared.settings.max_filesize as f64, region_bytes(declared.cluster()), "{engine}");
        }
    }
    assert_ne!(Engine::Bigtable.region_bytes(), Engine::HBase.region_bytes());
}
