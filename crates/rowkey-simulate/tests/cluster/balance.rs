//! The balancer.

use std::collections::BTreeMap;

use rowkey_simulate::run::{Line, Settings};

use crate::load::{MIB, ROWS, cluster, hashed, key, settings, tenths, with_files};

fn balanced() -> Settings {
    Settings { servers: 3, balancer_ms: Some(5000), ..settings() }
}

#[test]
fn without_it_all_daughters_stay_on_the_first_server() {
    let settings = Settings { servers: 3, ..settings() };
    let mut cluster = cluster(&settings, 0);
    for interval in tenths(&mut cluster, ROWS, hashed) {
        assert!(interval.regions.iter().all(|region| region.server == 0));
        assert_eq!(interval.servers[0].writes, ROWS / 10);
    }
    assert!(cluster.take_lines().iter().all(|line| matches!(line, Line::Split(_))));
}

#[test]
fn it_evens_the_number_of_regions() {
    let mut cluster = cluster(&balanced(), 0);
    tenths(&mut cluster, ROWS, hashed);
    // Time for its last runs.
    let interval = cluster.interval(1_000_000);
    let mut counts = [0_u64; 3];
    interval.regions.iter().for_each(|region| counts[region.server as usize] += 1);
    assert!(counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1, "{counts:?}");
}

#[test]
fn it_does_not_even_the_load() {
    // The tail of sequential keys is on one server in each tenth, or on two as it moves.
    let mut cluster = cluster(&balanced(), 0);
    let intervals = tenths(&mut cluster, ROWS, key);
    let moves = cluster.take_lines().iter().filter(|line| matches!(line, Line::Move(_))).count();
    assert!(moves >= 5, "{moves}");
    for interval in intervals {
        let busiest = interval.servers.iter().map(|server| server.writes).max().unwrap();
        assert!(busiest * 2 >= ROWS / 10, "{:?}", interval.servers);
        assert_eq!(interval.servers.iter().map(|server| server.writes).sum::<u64>(), ROWS / 10);
    }
}

#[test]
fn a_region_that_comes_to_a_server_without_any_splits_at_the_first_limit() {
    let mut found = 0;
    for seed in 0..2 {
        let mut cluster = with_files(&balanced(), seed);
        tenths(&mut cluster, ROWS, key);
        // Servers by region, as the lines say.
        let mut servers = BTreeMap::from([(Vec::new(), 0)]);
        let mut alone = None;
        for line in cluster.take_lines() {
            match line {
                Line::Move(moved) => {
                    assert_eq!(servers.insert(moved.start.0.clone(), moved.to), Some(moved.from));
                    let count = servers.values().filter(|server| **server == moved.to).count();
                    alone = (count == 1).then_some(moved.start);
                }
                Line::Split(split) => {
                    let bytes: u64 = split.files.iter().map(|file| file.bytes).sum();
                    let server = servers[&split.start.0];
                    let r = servers.values().filter(|other| **other == server).count();
                    assert!(bytes > if r == 1 { 2 * MIB } else { 8 * MIB }, "{bytes} with {r} regions");
                    found += u32::from(alone.as_ref() == Some(&split.start) && bytes < 8 * MIB);
                    servers.insert(split.at.0, server);
                }
                _ => {}
            }
        }
    }
    assert!(found > 0, "no region came to a server without any and split early");
}
