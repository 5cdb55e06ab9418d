//! The levels of rules.

use rowkey_design::{AllowedBy, CheckOptions, Date, Finding, Level, Rule};

use super::{block, parse, with_pages};

/// A level is the severity of all findings of its rule and of no others: an option's before a table's, and this before
/// the design's.
#[test]
fn a_level_is_the_severity_of_a_rule() {
    let today = Date { year: 2026, month: 1, day: 31 };
    let of_rule = |rule: &'static Rule, text: &str, options: &CheckOptions| {
        let report = parse(text).check(options);
        let (of_rule, others): (Vec<_>, Vec<_>) = report.findings.into_iter().partition(|found| found.rule == rule);
        let allowed: Vec<_> = report.allowed.into_iter().map(|allowed| (allowed.finding.rule, allowed.by)).collect();
        (of_rule, others.into_iter().map(|found| (found.rule.id, found.severity)).collect::<Vec<_>>(), allowed)
    };
    let mut tried = 0;
    for rule in with_pages().filter(|rule| !rule.page().contains("Bad sample, in hex")) {
        let bad = block(rule.page(), "Bad", "toml").unwrap();
        let plain = CheckOptions::new(today);
        let (found, others, _) = of_rule(rule, bad, &plain);
        for level in Level::ALL {
            let expected = |(levelled, same, allowed): (Vec<Finding>, Vec<_>, Vec<(&Rule, AllowedBy)>), by: &str| {
                assert_eq!(same, others, "{} {level}", rule.id);
                let severities: Vec<_> = levelled.iter().map(|found| Some(found.severity)).collect();
                let all = vec![level.severity(); found.len()];
                assert_eq!(severities, if *level == Level::Allow { vec![] } else { all }, "{} {level}", rule.id);
                let count = if *level == Level::Allow { found.len() } else { 0 };
                assert_eq!(allowed.len(), count, "{} {level}", rule.id);
                assert!(allowed.iter().all(|(of, how)| *of == rule && how.word() == by), "{allowed:?}");
            };
            let levels = format!("{bad}\n[rules]\n{} = \"{level}\"\n", rule.id);
            expected(of_rule(rule, &levels, &plain), "rules");
            tried += 1;
            // A table in braces takes no section.
            if bad.contains("\n[table]\n") {
                continue;
            }
            let other = if *level == Level::Error { Level::Allow } else { Level::Error };
            let design = parse(bad);
            let tables = design.tables.keys().map(|name| format!("[table.{name}.rules]\n{} = \"{level}\"\n", rule.id));
            let tables = tables.collect::<String>() + &format!("[rules]\n{} = \"{other}\"\n", rule.id);
            expected(of_rule(rule, &format!("{bad}\n{tables}"), &plain), "rules");
            let both = format!("{bad}\n{}", tables.replace(&format!("\"{level}\""), &format!("\"{other}\"")));
            expected(of_rule(rule, &both, &plain.clone().level(rule, *level)), "option");
        }
    }
    assert!(tried > 150, "{tried}");
}
