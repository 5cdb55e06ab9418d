//! Findings by the number of servers.

use proptest::prelude::*;

use super::{block, check, of_rules, printed, with_pages};

/// A design with this number of servers in each of its clusters, and one more cluster where it has none.
fn with_servers(text: &str, servers: u32) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("servers ="));
    let said = format!("servers = {servers}");
    let lines = lines.flat_map(|line| [Some(line), line.starts_with("[cluster.").then_some(said.as_str())]);
    let text: Vec<&str> = lines.flatten().collect();
    match text.iter().any(|line| line.starts_with("[cluster.") && !line.contains(".region]")) {
        true => text.join("\n"),
        false => text.join("\n").replacen(
            "format = 1\n",
            &format!("format = 1\n[cluster.c]\nengine = \"hbase\"\n{said}\n"),
            1,
        ),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// More servers make no finding milder, but for those that there are too few for the writes, or for the regions.
    #[test]
    fn more_servers_make_no_finding_milder(page in any::<prop::sample::Index>(), few in 1u32..64, more in 1u32..64) {
        let rules: Vec<_> = with_pages().filter(|rule| !rule.page().contains(".region]")).collect();
        let bad = block(page.get(&rules).page(), "Bad", "toml").unwrap();
        let found = |servers| {
            let found = check(&with_servers(bad, servers), None);
            found.into_iter().filter(|finding| !["H11", "H24"].contains(&finding.rule.id)).collect::<Vec<_>>()
        };
        let (few, more) = (few.min(more), few.max(more));
        let of_more = found(more);
        for finding in found(few) {
            let same = of_more.iter().find(|other| other.rule == finding.rule && other.of == finding.of);
            prop_assert!(same.is_some_and(|same| same.severity >= finding.severity), "{few} and {more}: {finding:?}\n{bad}");
        }
    }
}

/// Where the file says no servers, `check` and `suggest` assume the same, and say so once; one process needs none.
#[test]
fn one_number_of_servers_is_assumed() {
    let design = |cluster: &str, rate: &str| {
        format!(
            "format = 1\n{cluster}[table.t]\nkey = [\"at: instant\", \"id: u64\"]\nrows = \"1G\"\nstats.id.distinct = \"1M\"\n\
             [[table.t.write]]\nname = \"w\"\norder = \"time\"\n{rate}[[table.t.query]]\nname = \"q\"\nfix = [\"id\"]\nlimit = 5\n"
        )
    };
    let assumed = |cluster: &str, rate: &str| {
        let text = design(cluster, rate);
        let printed = printed(&text);
        let servers =
            check(&text, None).into_iter().flat_map(|finding| finding.numbers).find(|number| number.name == "servers");
        (
            printed.matches("assumed: the cluster has ").count(),
            printed.matches("assumed: the cluster has 8 servers").count(),
            servers.map(|servers| servers.value),
        )
    };
    // Once by each command.
    assert_eq!(assumed("", ""), (2, 2, Some(8.0)));
    assert_eq!(assumed("[cluster.c]\nengine = \"tikv\"\n", "rate = \"20k/s\"\n"), (2, 2, Some(8.0)));
    assert_eq!(assumed("", "rate = \"200k/s\"\n"), (2, 0, Some(20.0)));
    assert_eq!(assumed("[cluster.c]\nengine = \"hbase\"\nservers = 3\n", ""), (0, 0, Some(3.0)));
    assert_eq!(assumed("[cluster.c]\nengine = \"rocksdb\"\n", ""), (0, 0, None));
}

/// A cluster that is too small is one on every engine that has servers, whoever says what one takes.
#[test]
fn too_few_servers_are_found_on_each_engine() {
    let found = |engine: &str, region: &str, rates: [&str; 2]| {
        let [writes, reads] = rates;
        let text = format!(
            "format = 1\n[cluster.c]\nengine = \"{engine}\"\nservers = 4\n{region}[table.t]\nkey = [\"id: u64\"]\n\
             rows = \"1G\"\nmeans.id = \"random\"\n[[table.t.write]]\nname = \"w\"\nrate = \"{writes}\"\n\
             order = \"random\"\n[[table.t.query]]\nname = \"q\"\nfix = [\"id\"]\nrate = \"{reads}\"\n"
        );
        let found = of_rules(&text, &["H24"]).into_iter();
        found.map(|finding| (finding.message, finding.remedy.unwrap().text)).collect::<Vec<_>>()
    };
    let takes = "region.writes = \"5k/s\"\nregion.reads = \"1k/s\"\n";
    for engine in ["hbase", "bigtable", "tikv", "cockroachdb", "foundationdb", "cassandra"] {
        let both = found(engine, takes, ["30k/s", "6k/s"]);
        let servers: Vec<_> = both.iter().map(|(_, remedy)| remedy.split(' ').next().unwrap()).collect();
        assert_eq!(servers, ["6", "6"], "{engine}: {both:?}");
        assert!(found(engine, takes, ["19k/s", "3.9k/s"]).is_empty(), "{engine}");
        // What a server takes of one does not depend on whether the other is said.
        assert_eq!(found(engine, "region.reads = \"1k/s\"\n", ["1/s", "6k/s"]).len(), 1, "{engine}");
    }
    for engine in ["tikv", "cockroachdb", "foundationdb", "cassandra"] {
        let assumed = found(engine, "", ["100k/s", "1/s"]);
        let due =
            "100k/s are written, and 4 servers can take 40k/s (10k/s each, which is assumed), however even they are";
        assert!(matches!(&assumed[..], [(message, _)] if message == due), "{assumed:?}");
    }
    for engine in ["dynamodb", "rocksdb", "fjall"] {
        assert_eq!(found(engine, takes, ["30k/s", "6k/s"]), [], "{engine}");
    }
}

/// A rate that is the highest, and not that of all the time, is said to be so.
#[test]
fn a_rate_of_the_peak_is_told_as_such() {
    let told = |peaks: [&str; 2], region: &str| {
        let [writes, reads] = peaks;
        let text = format!(
            "format = 1\n[cluster.c]\nengine = \"hbase\"\nservers = 4\n{region}[table.t]\nkey = [\"id: u64\"]\n\
             rows = \"1G\"\nmeans.id = \"random\"\nfamily.f.sizes.v = \"1 kB\"\n[[table.t.write]]\nname = \"w\"\n\
             rate = \"3k/s\"\n{writes}order = \"random\"\n[[table.t.query]]\nname = \"q\"\nfix = [\"id\"]\n\
             rate = \"3k/s\"\n{reads}"
        );
        let first = |message: String| message.split(", and ").next().unwrap_or_default().to_owned();
        of_rules(&text, &["H24"]).into_iter().map(|finding| first(finding.message)).collect::<Vec<_>>()
    };
    let takes = "region.writes = \"500/s\"\nregion.reads = \"500/s\"\n";
    let peak = "peak = \"6k/s\"\n";
    assert_eq!(told(["", ""], takes), ["3k/s are written", "3k/s are read"]);
    assert_eq!(told([peak, ""], takes), ["6k/s are written at the peak", "3k/s are read"]);
    assert_eq!(told(["", peak], takes), ["3k/s are written", "6k/s are read at the peak"]);
    assert_eq!(told(["shape = \"by day\"\n", ""], takes), ["6k/s are written at the peak", "3k/s are read"]);
    let bytes = told([peak, ""], "region.bytes = \"500 kB/s\"\n");
    assert!(matches!(&bytes[..], [told] if told.ends_with("B/s are written at the peak")), "{bytes:?}");
}

/// Servers that are said to suffice do so, however many regions the table has.
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
    let (mut few, mut more) = (0, 0);
    for rows in ["1M", "300M", "1G", "30G"] {
        for splits in [1, 13, 64] {
            for rate in [100_000, 190_000, 230_000, 1_000_000, 5_000_000] {
                let found = of_rules(&text(rows, splits, 4, rate), &["H24"]);
                let [finding] = &found[..] else { panic!("{rows} {splits} {rate}: {found:?}") };
                let remedy = &finding.remedy.as_ref().unwrap().text;
                let servers: u32 = remedy.split(' ').next().unwrap().parse().unwrap();
                let of_regions = remedy.contains("if the table has at least as many regions");
                let split = if of_regions { servers } else { splits };
                let left = of_rules(&text(rows, split, servers, rate), &["H24", "H26"]);
                assert!(left.is_empty(), "{rows} {splits} {rate}: {remedy}\n{left:?}");
                let besides = of_rules(&text(rows, splits, servers, rate), &["H26"]);
                assert_eq!(besides.is_empty(), !of_regions, "{rows} {splits} {rate}: {remedy}");
                (few, more) = (few + u32::from(of_regions), more + u32::from(!of_regions));
            }
        }
    }
    assert!(few > 10 && more > 10, "{few} {more}");
}
