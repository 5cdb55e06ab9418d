//! Google's conformance test of clients, with this proxy between it and `rowkey-bigtable`.

use std::collections::BTreeMap;
use std::process::Command;

use tokio::runtime::Runtime;

/// The cases of SQL are left out: tables of rowkey have no query language, and the first of them ends the program.
/// `TestFeatureGap` asks nothing without the flag that requires every optional feature of Google's own clients.
const LEFT_OUT: &str = "^TestExecuteQuery_";

const CASES: usize = 67;

#[test]
#[ignore = "needs ROWKEY_BIGTABLE_CONFORMANCE, the program that tests/bigtable/conformance builds"]
fn every_case_that_concerns_tables() {
    let program = std::env::var_os("ROWKEY_BIGTABLE_CONFORMANCE").expect("ROWKEY_BIGTABLE_CONFORMANCE is a path");
    let runtime = Runtime::new().unwrap();
    let address = runtime.block_on(rowkey_bigtable_testkit::serve()).unwrap();
    let output = Command::new(program)
        .args(["-test.v", "-test.timeout=15m", "-test.skip", LEFT_OUT, "-proxy_addr", &address.to_string()])
        .env_remove("BIGTABLE_EMULATOR_HOST")
        .output()
        .unwrap();
    let (said, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let outcomes: BTreeMap<&str, bool> = said
        .lines()
        .filter_map(|line| {
            let passed = line.strip_prefix("--- PASS: ").map(|rest| (rest, true));
            let (rest, passed) = passed.or_else(|| Some((line.strip_prefix("--- FAIL: ")?, false)))?;
            Some((rest.split(' ').next()?, passed))
        })
        .collect();
    let failed: Vec<_> = outcomes.iter().filter(|(_, passed)| !**passed).map(|(case, _)| case).collect();
    assert!(failed.is_empty(), "{failed:?}\n{said}\n{errors}");
    println!("{} cases passed", outcomes.len());
    // As many as version 0.0.5 has of tables.
    assert_eq!(outcomes.len(), CASES, "{:?}\n{errors}", outcomes.keys());
}
