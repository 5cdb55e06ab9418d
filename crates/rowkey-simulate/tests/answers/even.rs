//! Even loads: no server is said to be asked for more than its part, however many regions there are.

use rowkey_simulate::run::Answer;
use rowkey_simulate::simulation::Options;

use super::answers_once;

/// Uniform keys, in as many regions as there are buckets, at a part of what the servers take.
fn even(buckets: u32, servers: u32, part: f64, seed: u64, seconds: f64) -> Answer {
    let cut = match buckets {
        1 => format!("splits = {{ uniform = {servers} }}"),
        _ => format!("salt = {{ buckets = {buckets} }}\nsplits = \"buckets\""),
    };
    let text = super::design(
        "\"id: u64\"",
        &format!("means.id = \"random\"\n{cut}"),
        servers,
        &format!("{}/s", part * 10_000.0 * f64::from(servers)),
    );
    // Regions that are split and moved are not even for a while.
    let text = text.replace("region.writes", "region.split = \"disabled\"\nregion.writes");
    let options = Options { seed, seconds, most: 200_000, ..Options::default() };
    answers_once(&text, &options).remove(0)
}

/// The writes a second that the sentence tells of the busiest server.
fn told(answer: &Answer) -> f64 {
    let rest = answer.sentence.split_once("the busiest server is asked for ").unwrap().1;
    let count = rest.split(' ').next().unwrap();
    count.strip_suffix('k').map_or_else(|| count.parse().unwrap(), |kilo| kilo.parse::<f64>().unwrap() * 1000.0)
}

#[test]
fn an_even_load_is_even_in_any_number_of_regions() {
    let runs = [(0.8, 3, 3600.0), (0.5, 5, 86_400.0), (0.5, 1, 3600.0), (0.7, 2, 5000.0), (0.8, 4, 100_000.0)];
    for (buckets, servers, runs) in
        [(1, 4, &runs[..]), (16, 4, &runs), (16, 8, &runs), (1024, 4, &runs[..2]), (16_384, 4, &runs[..2])]
    {
        for &(part, seed, seconds) in runs {
            let found = even(buckets, servers, part, seed, seconds);
            let case = format!("{buckets} buckets, {servers} servers, {part}, seed {seed}, {seconds} s");
            assert_eq!(found.saturates, None, "{case}: {}", found.sentence);
            let times = told(&found) / (part * 10_000.0);
            assert!((0.98..1.1).contains(&times), "{case}: {times} of the even share: {}", found.sentence);
            let share = found.busiest_server.of_run * f64::from(servers);
            assert!((0.99..1.02).contains(&share), "{case}: {share}");
        }
    }
    // Near what a server takes.
    for buckets in [1, 16, 1024] {
        let found = even(buckets, 4, 0.9, 1, 3600.0);
        assert_eq!(found.saturates, None, "{buckets} buckets: {}", found.sentence);
    }
}
