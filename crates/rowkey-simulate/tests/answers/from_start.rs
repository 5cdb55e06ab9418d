//! The time at which a server saturates: as near as is said, whatever the length of the run.

use rowkey_simulate::simulation::Options;

use super::{answers_once, design};

#[test]
fn what_saturates_at_once_does_so_from_the_start_however_long_the_run() {
    // One of all users has half of the writes, which no split divides.
    let text = design("\"user: u64\"", "stats.user = { distinct = 1000, skew = \"one value 0.5\" }", 8, "40k/s");
    let lengths = [60.0, 3600.0, 86_400.0, 86_400.0 * 365.0, 86_400.0 * 36_500.0];
    for (seconds, most) in lengths.into_iter().flat_map(|seconds| [(seconds, 20_000), (seconds, 50_000)]) {
        let options = Options { seconds, most, ..Options::default() };
        let found = answers_once(&text, &options).remove(0);
        assert!(found.sentence.contains(" saturates from the start: a server"), "{seconds}: {}", found.sentence);
        let saturates = found.saturates.unwrap();
        assert_eq!(saturates.t_ms, saturates.step_ms, "{seconds}");
    }
}

#[test]
fn the_time_is_as_near_as_is_said() {
    // It saturates near noon, when the day's rate is highest.
    let key = "\"at: instant\", \"host: text\"";
    let text = design(key, "stats.host = { distinct = 1000 }", 8, "9k/s\"\npeak = \"18k/s\"\nshape = \"by day");
    let of = |days: f64| {
        let options = Options { seconds: days * 86_400.0, most: 100_000, ..Options::default() };
        let found = answers_once(&text, &options).remove(0);
        let saturates = found.saturates.clone().unwrap();
        let is_said = found.sentence.contains(", in steps of ");
        assert!(is_said || saturates.step_ms * 10 <= saturates.t_ms || saturates.t_ms <= saturates.step_ms);
        (saturates.t_ms, saturates.step_ms)
    };
    let (first, step) = of(1.0);
    assert!(first > step);
    for days in [2.0, 5.0, 20.0] {
        let (t_ms, step_ms) = of(days);
        // While the rate rises slowly, the first step that is over may be so by chance, or one too late.
        assert!(t_ms.abs_diff(first) <= 2 * step.max(step_ms), "{days} days: {t_ms} of {step_ms}, {first} of {step}");
    }
}

#[test]
fn an_event_counts_all_rows_that_it_stands_for() {
    let text = design("\"user: u64\"", "stats.user = { distinct = 1000, skew = \"one value 0.5\" }", 8, "40k/s");
    for (most, years) in [(20_000, 100.0), (1000, 100.0), (20_000, 1.0)] {
        let options = Options { seconds: 86_400.0 * 365.0 * years, most, ..Options::default() };
        let found = answers_once(&text, &options).remove(0);
        assert!((found.writes / 40_000.0 - 1.0).abs() < 0.01, "{most} {years}: {}", found.writes);
        // Of sizes that are told as less than they are it is said.
        let per_event = 40_000.0 * options.seconds / most as f64;
        let is_said = found.assumed.iter().any(|line| line.starts_with("each row of the sample stands for "));
        assert_eq!(is_said, per_event > f64::from(u32::MAX), "{per_event}: {:?}", found.assumed);
    }
}
