//! Runs of any length: what saturates does so in each of them, and what its steps are too long for is said.

use super::{Options, answers_once, design};

/// A day, and lengths whose steps are hours, days and weeks.
const DAYS: [f64; 5] = [1.0, 30.0, 365.0, 3650.0, 36_500.0];

fn long(days: f64) -> Options {
    Options { seconds: days * 86_400.0, most: 40_000, ..Options::default() }
}

#[test]
fn what_saturates_does_not_depend_on_the_length_of_the_run() {
    let one = "stats.id = { distinct = 1000, skew = \"one value 0.5\" }";
    let many = "means.id = \"random\"";
    for (key, more, rate, asked) in [
        // One region at first, which takes all; later as many as it takes.
        ("\"id: u64\", \"at: instant\"", many.to_owned(), "20k/s", Some(20_000.0)),
        ("\"id: u64\", \"at: instant\"", format!("{many}\nsplits = {{ uniform = 20 }}"), "20k/s", None),
        ("\"id: u64\", \"at: instant\"", many.to_owned(), "8k/s", None),
        // The last region at any time.
        ("\"at: instant\", \"id: u64\"", many.to_owned(), "20k/s", Some(20_000.0)),
        // Half of all in one row; of several regions the second half has no others.
        ("\"id: u64\"", format!("{one}\nsplits = {{ uniform = 20 }}"), "40k/s", None),
        ("\"id: u64\"", one.to_owned(), "40k/s", Some(40_000.0)),
    ] {
        let text = design(key, &format!("{more}\n[table.t.family.f]\nttl = \"30 days\""), 5, rate);
        let found = DAYS.map(|days| answers_once(&text, &long(days)).remove(0));
        let first = &found[0];
        for (answer, days) in found.iter().zip(DAYS) {
            let told = format!("{days} days of {rate} {key} {more}: {}", answer.sentence);
            assert_eq!(answer.saturates.is_some(), first.saturates.is_some(), "{told}\n{}", first.sentence);
            let Some(saturates) = &answer.saturates else { continue };
            assert!(!saturates.reads && saturates.t_ms == saturates.step_ms, "{told}");
            if let Some(asked) = asked {
                // Of few events in a step some are taken for chance.
                assert!((0.7..1.05).contains(&(saturates.asked / asked)), "{told}");
            }
        }
    }
}

#[test]
fn rates_that_change_within_a_step_are_said_to_where_their_peak_is_not_known() {
    let key = "\"id: u64\", \"at: instant\"";
    let more = "means.id = \"random\"\nsplits = { uniform = 20 }";
    let is_said = |answer: &rowkey_simulate::run::Answer| {
        let note = |line: &&String| line.starts_with("rates that change within ");
        answer.assumed.iter().find(note).is_some()
    };
    let other = "\"\n[[table.t.write]]\nname = \"other\"\nrate = \"1k/s";
    for (shape, seconds) in [
        ("", f64::INFINITY),
        ("\"\npeak = \"60k/s\"\nshape = \"bursts of 10 min every 1 h", 600.0),
        ("\"\npeak = \"16k/s\"\nshape = \"by day", 43_200.0),
    ] {
        for others in ["", other] {
            let text = design(key, more, 5, &format!("10k/s{shape}{others}"));
            for days in DAYS {
                let found = answers_once(&text, &long(days)).remove(0);
                // A run of so many events has a hundred of them in a step.
                let step = days * 86_400.0 / 400.0;
                if !(seconds / 4.0..seconds).contains(&step) {
                    let is_due = step > seconds && !others.is_empty();
                    assert_eq!(is_said(&found), is_due, "{days} {shape} {others}: {:?}", found.assumed);
                }
            }
        }
    }
}
