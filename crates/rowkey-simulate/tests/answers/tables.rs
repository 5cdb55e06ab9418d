//! Tables of a design, and their secondary tables: what is chance in one is not in another.

use rowkey_design::{CheckOptions, Date, Design, File};
use rowkey_simulate::answer::Together;
use rowkey_simulate::run::Answer;
use rowkey_simulate::simulation::Options;

use super::answers_once;

fn table(name: &str) -> String {
    format!(
        "[table.{name}]\nkey = [\"id: u64\"]\nmeans.id = \"random\"\nstats.id = {{ distinct = 100000, skew = \"zipf 1\" }}\n\
         splits = {{ uniform = 16 }}\n[[table.{name}.secondary]]\nname = \"{name}_again\"\nkey = [\"id: u64\"]\n\
         splits = {{ uniform = 16 }}\nserves = [\"get\"]\n[[table.{name}.write]]\nname = \"w\"\nrate = \"2k/s\"\n\
         order = \"random\"\n[[table.{name}.query]]\nname = \"get\"\nfix = [\"id\"]\nrate = \"1k/s\"\n"
    )
}

fn of(names: &[&str]) -> Vec<Answer> {
    let tables: String = names.iter().map(|name| table(name)).collect();
    let text = format!("format = 1\n[cluster.c]\nengine = \"hbase\"\nservers = 4\n{tables}");
    answers_once(&text, &Options { seconds: 3600.0, most: 20_000, ..Options::default() })
}

/// The numbers that are chance.
fn drawn(answer: &Answer) -> (f64, f64, f64) {
    (answer.hottest_region.of_run, answer.gini, answer.busiest_server.of_run)
}

#[test]
fn each_table_has_chance_of_its_own_by_its_place() {
    let both = of(&["a", "b"]);
    assert_eq!(both.len(), 4);
    for (at, one) in both.iter().enumerate() {
        assert!(both[..at].iter().all(|other| drawn(other) != drawn(one)), "{}", one.table);
    }
    // Names are of no account; the first table is as it is alone.
    let others: Vec<_> = of(&["z", "y"]).iter().map(drawn).collect();
    assert_eq!(others, both.iter().map(drawn).collect::<Vec<_>>());
    assert_eq!(of(&["a"]).iter().map(drawn).collect::<Vec<_>>(), others[..2]);
}

#[test]
fn as_many_servers_take_all_tables_as_the_parts_say() {
    let text = format!("format = 1\n{}", table("a"));
    let design = Design::parse([File { name: "t.rowkey.toml".to_owned(), text }]).unwrap();
    let report = design.check(&CheckOptions::new(Date { year: 2026, month: 1, day: 31 }));
    for (reads, servers, due) in [(4.04, 5.0, "21"), (1.6875, 5.0, "9"), (1.0, 300.0, ""), (1.00004, 300.0, "301")] {
        let together = Together { writes: 0.5, reads, servers, chance: 0.01 };
        let told = together.answer(&report).sentence;
        assert_eq!(due.is_empty(), !told.contains("servers take them"), "{told}");
        assert!(told.contains(due), "{reads}: {told}");
    }
}
