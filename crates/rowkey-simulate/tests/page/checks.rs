//! Pages of designs: the bad design of each rule, and those of the case studies.

use std::fs;
use std::path::Path;

use rowkey_design::internal::quote::terminal;
use rowkey_design::{CheckOptions, Date, Design, File, Rule};
use rowkey_simulate::page::checked;

use crate::size::well_formed;

fn page_of(text: String) -> usize {
    let design = Design::parse([File { name: "t.rowkey.toml".into(), text }]).unwrap();
    let options = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
    let report = design.check(&options);
    let page = checked(&design, &options, &report);
    well_formed(&page);
    // The text as browsers show it.
    let shown = page.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&");
    for finding in &report.findings {
        assert!(shown.contains(&terminal(&finding.message)), "{}", finding.message);
        let (severity, rule) = (finding.severity.word(), finding.rule.id);
        assert!(page.contains(&format!("{severity}</strong> <span class=\"muted\">{rule} in ")), "{rule}");
    }
    for line in report.assumed.iter().chain(report.unjudged.iter().map(|unjudged| &unjudged.question)) {
        assert!(shown.contains(&terminal(line)), "{line}");
    }
    assert_eq!(page.contains(": nothing to say."), report.findings.is_empty());
    let queries: usize = design.query_costs(&options).map(|(_, costs)| costs.len()).sum();
    assert_eq!(page.matches("class=\"ranges\"").count(), queries);
    assert!(page.len() < 200_000, "{}", page.len());
    report.findings.len()
}

#[test]
fn what_rules_find_is_on_the_page() {
    let bad = |rule: &Rule| Some(rule.page().split_once("\nBad:\n\n```toml\n")?.1.split_once("```")?.0.to_owned());
    let bad: Vec<_> = Rule::all().filter(|rule| !rule.kind.compares()).filter_map(bad).collect();
    assert!(bad.len() > 50, "{}", bad.len());
    // Some rules need a sample, or a day.
    let found: usize = bad.into_iter().map(page_of).sum();
    assert!(found > 50, "{found}");
}

#[test]
fn designs_of_studies_are_drawn() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/designs");
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let designs: Vec<_> = paths.filter(|path| path.to_string_lossy().ends_with(".rowkey.toml")).collect();
    assert!(designs.len() > 20, "{}", designs.len());
    designs.iter().for_each(|path| _ = page_of(fs::read_to_string(path).unwrap()));
}
