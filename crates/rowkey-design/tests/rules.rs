//! Each rule's page: complete, fires on its bad design, silent on its good one.

use rowkey_design::design::Date;
use rowkey_design::{CheckOptions, Design, File, Report, Rule};

fn check(name: &str, text: &str) -> Report {
    let file = File { name: name.to_owned(), text: text.to_owned() };
    let design = Design::parse([file]).unwrap_or_else(|problems| panic!("{problems}"));
    let report = design.check(&CheckOptions::new(Date { year: 2026, month: 1, day: 31 }));
    assert_eq!(report.problems, [], "{name}");
    report
}

/// The TOML after a heading of a page.
fn design<'p>(page: &'p str, heading: &str) -> Option<&'p str> {
    let (_, rest) = page.split_once(&format!("\n{heading}:\n\n```toml\n"))?;
    rest.split_once("```").map(|(design, _)| design)
}

#[test]
fn each_page_is_complete() {
    for rule in Rule::all() {
        let page = rule.page();
        assert!(page.starts_with(&format!("## {} {}\n", rule.id, rule.title)), "{}: {page:.80}", rule.id);
        for part in ["Condition", "Consequence", "Cure", "Source", "When it is wrong"] {
            assert!(page.contains(&format!("\n**{part}.** ")), "{} has no {part}", rule.id);
        }
    }
}

#[test]
fn each_rule_fires_on_its_bad_design_and_not_on_its_good_one() {
    let mut tried = 0;
    for rule in Rule::all().filter(|rule| !rule.id.starts_with('D')) {
        let designs = ["Bad", "Good"].map(|heading| design(rule.page(), heading));
        let [Some(bad), Some(good)] = designs else { panic!("{} has no bad or no good design", rule.id) };
        let fires = |text| check(rule.id, text).findings.iter().any(|finding| finding.rule == rule);
        assert!(fires(bad), "{} is silent on its bad design", rule.id);
        assert!(!fires(good), "{} fires on its good design", rule.id);
        tried += 1;
    }
    assert!(tried > 0);
}
