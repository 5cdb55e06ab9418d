//! The rules, by family: each is held against its page, and against designs that are nearly right and nearly wrong.

mod engines;
mod hot;
mod levels;
mod pages;
mod queues;
mod reads;
mod regions;
mod salts;
mod servers;
mod sizes;
mod told;

use rowkey_design::internal::forms::KeyForm;
use rowkey_design::internal::report::{self, Format, Styles};
use rowkey_design::internal::sample;
use rowkey_design::{CheckOptions, Date, Design, File, Finding, Rule};

fn parse(text: &str) -> Design {
    let file = File { name: "a.rowkey.toml".to_owned(), text: text.to_owned() };
    Design::parse([file]).unwrap_or_else(|problems| panic!("{problems}\n{text}"))
}

/// The findings of a design, and of a sample of its first table's keys, in hex.
fn check(text: &str, keys: Option<&str>) -> Vec<Finding> {
    let design = parse(text);
    let mut options = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
    if let Some(keys) = keys {
        let (name, table) = design.tables.first().unwrap();
        let read = |line: &str, key: &mut Vec<u8>| {
            key.extend(KeyForm::Hex.parse(line, &table.layout).map_err(|error| error.to_string())?);
            Ok(())
        };
        let profile = sample::read_by(keys.as_bytes(), read, &table.layout, None, |_, _| {}).unwrap();
        options = options.profile(name, profile);
    }
    let report = design.check(&options);
    assert_eq!(report.problems, []);
    report.findings
}

/// The code block of a page after a heading.
fn block<'p>(page: &'p str, heading: &str, language: &str) -> Option<&'p str> {
    let (_, rest) = page.split_once(&format!("\n{heading}:\n\n```{language}\n"))?;
    rest.split_once("```").map(|(block, _)| block)
}

/// The code blocks of a page after each heading of these words, which may stand there more than once.
fn blocks<'p>(page: &'p str, heading: &str, language: &str) -> Vec<&'p str> {
    let head = format!("\n{heading}:\n\n```{language}\n");
    page.split(&head).skip(1).filter_map(|part| part.split_once("```")).map(|(block, _)| block).collect()
}

fn with_pages() -> impl Iterator<Item = &'static Rule> {
    // Rules of changes compare two designs; they have a test of their own.
    Rule::all().filter(|rule| !rule.kind.compares())
}

/// A rule and what it is of.
type Spoken = (&'static str, Option<String>);

/// The findings of some rules.
fn of_rules(text: &str, rules: &[&str]) -> Vec<Finding> {
    check(text, None).into_iter().filter(|finding| rules.contains(&finding.rule.id)).collect()
}

fn spoken(text: &str, rules: &[&str]) -> Vec<Spoken> {
    of_rules(text, rules).into_iter().map(|finding| (finding.rule.id, finding.of)).collect()
}

/// What a check and the suggestions print of a design.
fn printed(text: &str) -> String {
    let design = parse(text);
    let options = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
    let report = design.check(&options);
    let mut printed = report::report(Format::Text, &design, &options, &report, Styles::Plain);
    for table in design.tables.keys() {
        printed += &report::suggestions_as_text(&design.suggest(table, &options).unwrap());
    }
    printed
}
