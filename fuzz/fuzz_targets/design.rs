//! A design file: it is read, or each fault is located in it; what is read can be checked and searched for better keys.
#![no_main]

use rowkey_design::{CheckOptions, Date, Design, File};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match Design::parse([File { name: "fuzzed".to_owned(), text: text.to_owned() }]) {
        Ok(design) => {
            let options = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
            let report = design.check(&options);
            for finding in &report.findings {
                assert!(finding.place.end <= text.len());
                assert!(finding.numbers.iter().all(|number| !number.value.is_nan()), "{finding:?}");
            }
            for name in design.tables.keys() {
                assert!(design.suggest(name, &options).is_some());
            }
        }
        Err(problems) => {
            assert!(!problems.list.is_empty());
            for problem in &problems.list {
                assert!(text.get(problem.place.range()).is_some(), "{problem:?}");
            }
            let _ = problems.to_string();
        }
    }
});
