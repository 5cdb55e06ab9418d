//! Each rule's page: complete, fires on its bad design, silent on its good one; and each edit that a rule proposes
//! cures.

use rowkey_design::{CheckOptions, Date, Finding, Fix, Impact, Rule, RuleKind, diff};

use super::{block, blocks, check, parse, with_pages};

#[test]
fn each_page_is_complete() {
    for rule in Rule::all() {
        let page = rule.page();
        assert!(page.starts_with(&format!("## {} {}\n", rule.id, rule.title)), "{}: {page:.80}", rule.id);
        for part in ["Condition", "Consequence", "Fix", "Source", "Known false positives"] {
            assert!(page.contains(&format!("\n**{part}.** ")), "{} has no {part}", rule.id);
        }
    }
}

#[test]
fn each_rule_fires_on_its_bad_designs_and_not_on_its_good_ones() {
    for rule in with_pages() {
        let [bad, good] = ["Bad", "Good"].map(|heading| {
            let sample = block(rule.page(), &format!("{heading} sample, in hex"), "text");
            let of_rule = |design| check(design, sample).into_iter().find(|finding| finding.rule == rule);
            blocks(rule.page(), heading, "toml").into_iter().map(of_rule).collect::<Vec<_>>()
        });
        assert!(!bad.is_empty() && bad.len() == good.len(), "{}: {} and {}", rule.id, bad.len(), good.len());
        for (number, (bad, good)) in bad.into_iter().zip(good).enumerate() {
            let found = bad.unwrap_or_else(|| panic!("{} is silent on its bad design {number}", rule.id));
            assert!(!found.message.contains("Located"), "{}", found.message);
            assert_eq!(good, None, "{} fires on its good design {number}", rule.id);
        }
    }
}

/// After its edits the design is valid and the finding is gone: with and without a newline at the end, and with more
/// tables after it.
#[test]
fn each_edit_cures() {
    let mut edited = Vec::new();
    for rule in with_pages() {
        let bad = block(rule.page(), "Bad", "toml").unwrap();
        let more =
            format!("{bad}\n[table.other]\nkey = [\"z: u8\"]\n[[table.other.query]]\nname = \"z\"\nfix = [\"z\"]");
        for text in [bad, bad.trim_end(), &more] {
            let of_rule = check(text, None).into_iter().filter(|finding| finding.rule == rule);
            for finding in of_rule {
                let edits = finding.remedy.as_ref().map_or(&[][..], |remedy| &remedy.edits);
                if edits.is_empty() {
                    continue;
                }
                let after = &parse(text).files.edited(edits)[0].text;
                let same =
                    |other: &Finding| other.rule == rule && other.of == finding.of && other.table == finding.table;
                let still = check(after, None).into_iter().find(same);
                assert_eq!(still, None, "{}\n{after}", rule.id);
                edited.push(rule.id);
            }
        }
    }
    edited.dedup();
    assert!(edited.len() >= 20, "{edited:?}");
}

/// Edits are as safe as their rule says: those of `Fix::Safe` change nothing that stored rows depend on.
#[test]
fn edits_are_as_safe_as_their_rule_says() {
    let options = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
    for rule in with_pages() {
        let bad = block(rule.page(), "Bad", "toml").unwrap();
        for finding in check(bad, block(rule.page(), "Bad sample, in hex", "text")) {
            let edits = finding.remedy.as_ref().map_or(&[][..], |remedy| &remedy.edits);
            if edits.is_empty() {
                continue;
            }
            let (old, id) = (parse(bad), finding.rule.id);
            let changes = diff(&old, &parse(&old.files.edited(edits)[0].text), &options, 1.0);
            let worst = changes.iter().map(|change| change.class).max().unwrap_or(Impact::Safe);
            match finding.rule.fix {
                Fix::Safe => assert!(worst <= Impact::AfterCompaction, "{id}: {changes:?}"),
                Fix::Unsafe => {}
                fix => panic!("{id} has edits, and its fix is {fix:?}"),
            }
        }
    }
}

/// Each bad design of a query has the finding of its page and no other of its kind.
#[test]
fn one_hazard_is_one_finding() {
    for rule in Rule::all().filter(|rule| rule.kind == RuleKind::Query) {
        let bad = block(rule.page(), "Bad", "toml").unwrap();
        let findings = check(bad, block(rule.page(), "Bad sample, in hex", "text"));
        let rules = findings.iter().map(|finding| finding.rule).filter(|rule| rule.kind == RuleKind::Query);
        assert_eq!(rules.map(|rule| rule.id).collect::<Vec<_>>(), [rule.id], "{bad}");
    }
}
