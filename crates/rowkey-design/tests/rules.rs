//! Each rule's page: complete, fires on its bad design, silent on its good one.

use rowkey_design::design::Date;
use rowkey_design::profile::Profile;
use rowkey_design::{CheckOptions, Design, File, Finding, Report, Rule};

fn parse(name: &str, text: &str) -> Design {
    let file = File { name: name.to_owned(), text: text.to_owned() };
    Design::parse([file]).unwrap_or_else(|problems| panic!("{problems}\n{text}"))
}

fn check(name: &str, text: &str, keys: Option<&str>) -> Report {
    let design = parse(name, text);
    let mut options = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
    if let Some(keys) = keys {
        let (table, design) = design.tables.first().unwrap();
        options.profiles.insert(table.clone(), profile(&design.layout, keys));
    }
    let report = design.check(&options);
    assert_eq!(report.problems, [], "{name}");
    report
}

/// What keys in hex, one a line, say of decoding.
fn profile(layout: &rowkey::LayoutBuf, keys: &str) -> Profile {
    let byte = |digits: &[u8]| u8::from_str_radix(std::str::from_utf8(digits).unwrap(), 16).unwrap();
    let keys = keys.lines().map(|line| line.as_bytes().chunks(2).map(byte).collect::<Vec<u8>>());
    let mut profile = Profile::default();
    for key in keys {
        profile.keys += 1;
        profile.distinct += 1.0;
        if let Err(error) = layout.decode(&key) {
            profile.undecoded += 1;
            profile.first_undecoded.get_or_insert((profile.keys, error.to_string()));
        }
    }
    profile
}

/// The block after a heading of a page.
fn block<'p>(page: &'p str, heading: &str, language: &str) -> Option<&'p str> {
    let (_, rest) = page.split_once(&format!("\n{heading}:\n\n```{language}\n"))?;
    rest.split_once("```").map(|(block, _)| block)
}

fn design<'p>(page: &'p str, heading: &str) -> Option<&'p str> {
    block(page, heading, "toml")
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
        let fires = |text, keys| check(rule.id, text, keys).findings.iter().any(|finding| finding.rule == rule);
        let keys = |heading| block(rule.page(), heading, "text");
        assert!(fires(bad, keys("Bad keys")), "{} is silent on its bad design", rule.id);
        assert!(!fires(good, keys("Good keys")), "{} fires on its good design", rule.id);
        tried += 1;
    }
    assert!(tried > 0);
}

/// The text with a finding's edits, from the last to the first.
fn mended(text: &str, finding: &Finding) -> Option<String> {
    let mut edits = finding.remedy.as_ref()?.edits.clone();
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.place));
    let mut mended = text.to_owned();
    for edit in &edits {
        mended.replace_range(edit.place.range(), &edit.text);
    }
    (!edits.is_empty()).then_some(mended)
}

#[test]
fn each_edit_parses_and_cures_its_finding() {
    let mut tried = Vec::new();
    for rule in Rule::all().filter(|rule| rule.id.starts_with('Q')) {
        let bad = design(rule.page(), "Bad").unwrap();
        // Without a newline at the end, and with more tables after it.
        let more =
            format!("{bad}\n[table.other]\nkey = [\"z: u8\"]\n[[table.other.query]]\nname = \"z\"\nfix = [\"z\"]");
        for text in [bad.to_owned(), bad.trim_end().to_owned(), more] {
            let report = check(rule.id, &text, None);
            for finding in report.findings.iter().filter(|finding| finding.rule == rule) {
                let Some(mended) = mended(&text, finding) else { continue };
                let left = check(rule.id, &mended, None);
                let same = |left: &&Finding| left.rule == rule && left.of == finding.of && left.table == finding.table;
                assert_eq!(left.findings.iter().find(same), None, "{mended}");
                tried.push(rule.id);
            }
        }
    }
    tried.dedup();
    assert_eq!(
        tried,
        ["Q01", "Q02", "Q03", "Q04", "Q05", "Q06", "Q07", "Q08", "Q11", "Q13", "Q15", "Q17", "Q19", "Q21"]
    );
}

/// Each bad design has the finding of its page and no other of its kind.
#[test]
fn one_hazard_is_one_finding() {
    for rule in Rule::all().filter(|rule| rule.id.starts_with('Q')) {
        let bad = design(rule.page(), "Bad").unwrap();
        let report = check(rule.id, bad, block(rule.page(), "Bad keys", "text"));
        let ids: Vec<&str> =
            report.findings.iter().map(|finding| finding.rule.id).filter(|id| id.starts_with('Q')).collect();
        assert_eq!(ids, [rule.id], "{bad}");
    }
}
