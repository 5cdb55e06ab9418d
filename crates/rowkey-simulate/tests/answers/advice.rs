//! The advice of `check`, followed: what it says suffices does in a run.

use super::{Options, answers_once, options};

#[test]
fn as_many_servers_as_are_said_take_the_reads() {
    let text = |rows: &str, splits: u32, servers: u32, rate: u32| {
        let splits = if splits > 1 { format!("splits = {{ uniform = {splits} }}\n") } else { String::new() };
        format!(
            "format = 1\n[cluster.c]\nengine = \"hbase\"\nservers = {servers}\nregion.reads = \"20k/s\"\n[table.t]\n\
             key = [\"id: u64\"]\nrows = \"{rows}\"\nmeans.id = \"random\"\n{splits}family.f.sizes.v = \"100 B\"\n\
             [[table.t.query]]\nname = \"q\"\nfix = [\"id\"]\nrate = \"{rate}/s\"\n"
        )
    };
    let options = Options { most: 100_000, ..options() };
    for (rows, splits, rate) in
        [("1G", 1, 1_000_000), ("1G", 1, 190_000), ("1M", 13, 150_000), ("1M", 64, 900_000), ("1M", 13, 1_000_000)]
    {
        let before = answers_once(&text(rows, splits, 4, rate), &options).remove(0);
        let (_, told) = before.sentence.split_once("H24: ").unwrap_or_else(|| panic!("{}", before.sentence));
        let (_, remedy) = told.split_once("To do: ").unwrap();
        let servers: u32 = remedy.split(' ').next().unwrap().parse().unwrap();
        let split = if remedy.contains("at least as many regions") { servers } else { splits };
        let after = answers_once(&text(rows, split, servers, rate), &options).remove(0);
        assert_eq!(after.saturates, None, "{rows} {splits} {rate}: {remedy}\n{}", after.sentence);
    }
}
