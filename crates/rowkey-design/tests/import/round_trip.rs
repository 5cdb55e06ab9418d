//! What `ddl` writes and `import` reads is the same design.

use proptest::prelude::*;
use rowkey_design::internal::ddl::{Options, Target, ddl};
use rowkey_design::internal::design::SplitPolicy;
use rowkey_design::internal::import::Source;

use super::{created, design, imported};

/// A design of one table, with what each target can have.
fn of_a_table() -> impl Strategy<Value = String> {
    let names = prop::collection::btree_set("[a-zA-Z_][a-zA-Z0-9_.]{0,12}", 1..4);
    let option = |lines: &'static [&'static str]| prop::sample::select(lines);
    let family = (
        option(&["", "ttl = \"90 s\"\n", "ttl = \"13 months\"\n"]),
        option(&["", "versions = 5\n", "versions = 3\nmin_versions = 2\n", "versions = 2147483647\n"]),
        option(&["", "compression = \"snappy\"\n", "compression = \"gz\"\n"]),
        option(&["", "encoding = \"diff\"\n", "bloom = \"none\"\n", "bloom = \"rowcol\"\n"]),
        option(&["", "block = \"8 KiB\"\n", "in_memory = true\n", "mob = \"100 KiB\"\n", "mob = \"1 MB\"\n"]),
    );
    let splits = option(&[
        "",
        "splits = { keys = [\"61\", \"620a\", \"7e7e\"] }\n",
        "splits = { keys = [\"24\", \"247b\", \"5c\"] }\n",
    ]);
    let region = (
        option(&["", "max = \"8 MiB\"\n", "max = \"1.5 GB\"\n", "max = \"999999999999999 B\"\n"]),
        option(&["", "flush = \"1 MiB\"\n"]),
        prop::option::of(prop::sample::select(SplitPolicy::ALL)),
    );
    (names, family, splits, region, "[a-zA-Z_][a-zA-Z0-9_]{0,12}").prop_map(
        |(names, (ttl, versions, compression, words, sizes), splits, (max, flush, split), name)| {
            let split = split.map(|policy| format!("split = \"{policy}\"\n")).unwrap_or_default();
            let mut text = format!(
                "format = 1\n[cluster.c]\nengine = \"hbase\"\n[cluster.c.region]\n{max}{flush}{split}\
                 [table.{name:?}]\nkey = [\"row: bytes raw\"]\n{splits}"
            );
            for family in names {
                text += &format!(
                    "[table.{name:?}.family.{family:?}]\n{ttl}{versions}{compression}{words}{sizes}columns = [\"c\"]\n"
                );
            }
            text
        },
    )
}

/// As `cbt ls` prints the families that `cbt` was told to make.
fn listed(commands: &str) -> String {
    let policies = commands.lines().filter_map(|line| line.strip_prefix("cbt setgcpolicy "));
    let list = policies.map(|policy| {
        let mut words = policy.splitn(3, ' ');
        let (family, policy) = (words.nth(1).expect("a family"), words.next().expect("a policy"));
        let policy = policy.trim_matches('\'').replace("maxage=", "age() > ").replace("maxversions=", "versions() > ");
        let policy = policy.replace(" or ", " || ").replace(" and ", " && ").replace("90s", "90000000");
        let is_joined = policy.contains(" && ") || policy.contains(" || ");
        let policy = if policy == "never" {
            String::new()
        } else if is_joined {
            format!("({policy})")
        } else {
            policy
        };
        format!("{family}\t\t{policy}\n")
    });
    format!("Family Name\tGC Policy\n-----------\t---------\n{}", list.collect::<String>())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn what_is_written_is_read(text in of_a_table()) {
        let name = design(&text).tables.keys().next().expect("a table").clone();
        for (target, source) in [
            (Target::HBase, Source::Shell),
            (Target::Phoenix, Source::Phoenix),
            (Target::Terraform, Source::Terraform),
            (Target::Cbt, Source::Cbt),
        ] {
            let Ok(written) = ddl(&design(&text), &Options::new(target)) else { continue };
            let pasted = if target == Target::Cbt { listed(&written.text) } else { written.text.clone() };
            let read = imported(&pasted, source, (target == Target::Cbt).then_some(name.as_str()));
            let read = match read {
                Ok(read) => read,
                Err(problems) => return Err(TestCaseError::fail(format!("{problems}\n{pasted}"))),
            };
            if [Target::HBase, Target::Phoenix].contains(&target) {
                let region = |text: &str| design(text).clusters.values().next().and_then(|cluster| cluster.value.region.clone());
                let words = |text: &str| region(text).map(|region| (region.max, region.flush, region.split));
                let none = (None, None, None);
                prop_assert_eq!(words(&read).unwrap_or(none), words(&text).unwrap_or(none), "{}", read);
            }
            let again = created(&read, target);
            // The list of `cbt` has no split points.
            let without_splits = |text: &str| text.lines().filter(|line| !line.starts_with("cbt createtable")).collect::<Vec<_>>().join("\n");
            if target == Target::Cbt {
                prop_assert_eq!(without_splits(&again), without_splits(&written.text), "{}", read);
            } else {
                prop_assert_eq!(again, written.text, "{}", read);
            }
        }
    }
}
