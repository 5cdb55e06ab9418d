//! Salts: what they divide, and who asks their buckets.

use rowkey_design::{CheckOptions, Date};

use super::{check, of_rules, parse};

/// A salt of the time, whose buckets each query asks: one finding, whose edit cures what others would say.
#[test]
fn one_salt_makes_one_finding() {
    let text = "format = 1\n[cluster.c]\nengine = \"hbase\"\nservers = 10\n[table.t]\n\
                key = [\"user: text\", \"at: instant\"]\nstats.user.distinct = \"1M\"\n\
                salt = { buckets = 16, by = [\"at\"] }\n[[table.t.write]]\nname = \"w\"\nrate = \"100k/s\"\n\
                [[table.t.query]]\nname = \"one user\"\nfix = [\"user\"]\nonline = \"10 ms\"\n";
    let of_salt = |text: &str| -> Vec<&str> {
        let found = check(text, None).into_iter().map(|finding| finding.rule.id);
        found.filter(|id| ["H06", "H07", "H08", "Q03", "Q07"].contains(id)).collect()
    };
    assert_eq!(of_salt(text), ["H07"]);
    assert_eq!(of_salt(&text.replace("by = [\"at\"]", "by = [\"user\"]")), [""; 0]);
    // Where the users are few, the salt of the time is what is wrong.
    assert_eq!(of_salt(&text.replace("\"1M\"", "30")), ["H08", "Q03"]);
}

/// A salt divides what its fields tell apart: a value alone is in one bucket, whatever their number.
#[test]
fn a_salt_that_divides_nothing_hides_no_hot_value() {
    let hot = |engine: &str, key: &str, lead: &str, order: &str| {
        let text = format!(
            "format = 1\n[cluster.c]\nengine = \"{engine}\"\nregion.writes = \"1k/s\"\n[table.t]\n\
             key = [{key}]\n{lead}\nstats.doc = {{ distinct = \"1M\", skew = \"one value 0.5\" }}\n[[table.t.write]]\nname = \"w\"\n\
             order = \"{order}\"\nrate = \"4k/s\"\n"
        );
        let found = of_rules(&text, &["H04", "H06", "H08"]);
        assert!(found.len() < 2, "{found:?}");
        // Where a salt is the cure, it cures.
        for finding in found.iter().filter(|finding| finding.rule.id == "H04") {
            let edits = finding.remedy.as_ref().map_or(&[][..], |remedy| &remedy.edits);
            if !edits.is_empty() {
                let after = &parse(&text).files.edited(edits)[0].text;
                assert_eq!(of_rules(after, &["H04"]), [], "{after}");
            }
        }
        found.iter().any(|finding| finding.rule.id == "H04")
    };
    let leads = ["", "salt = { buckets = 8 }", "hashed = { bytes = 4 }"];
    for engine in ["dynamodb", "hbase"] {
        for lead in leads {
            assert!(hot(engine, "\"doc: u64\"", lead, "random"), "{engine} {lead}");
        }
        assert!(hot(engine, "\"doc: u64\", \"at: instant\"", "", "time"), "{engine}");
        assert!(!hot(engine, "\"doc: u64\", \"at: instant\"", "salt = { buckets = 8 }", "time"), "{engine}");
    }
    assert!(hot("dynamodb", "\"doc: u64\", \"at: instant\"", "salt = { buckets = 8, by = [\"doc\"] }", "random"));
    // What is the same in all rows divides none.
    let constant = "means.kind = \"constant\"\nsalt = { buckets = 8 }";
    assert!(hot("dynamodb", "\"doc: u64\", \"kind: u8\"", constant, "random"));
}

/// The bucket is decided by the values that the salt is taken from, wherever they are in the key.
#[test]
fn a_heavy_value_behind_the_time_is_in_one_bucket_too() {
    let found = |key: &str, lead: &str, skew: &str, rate: u32| {
        let text = format!(
            "format = 1\n[cluster.c]\nengine = \"hbase\"\nservers = 3\nregion.writes = \"200/s\"\n[table.t]\n\
             key = [{key}]\n{lead}\nstats.id = {{ distinct = \"1M\"{skew} }}\n[[table.t.write]]\nname = \"w\"\n\
             rate = \"{rate}/s\"\norder = \"time\"\n"
        );
        of_rules(&text, &["H01", "H04", "H05", "H06", "H08"])
    };
    let (half, by_id) = (", skew = \"one value 0.5\"", "salt = { buckets = 16, by = [\"id\"] }\nsplits = \"buckets\"");
    let [first, behind] = ["\"id: u64\", \"at: instant\"", "\"at: instant\", \"id: u64\""];
    for (key, lead, taken) in [
        (first, by_id, "250/s of the 500/s of \"w\" in one bucket"),
        (behind, by_id, "266/s of the 500/s of \"w\", with the others of its bucket"),
    ] {
        let [finding] = &found(key, lead, half, 500)[..] else { panic!("{key} {lead}") };
        assert_eq!(finding.rule.id, "H04", "{key} {lead}");
        let due = format!("the most frequent value of \"id\" takes {taken}");
        assert!(finding.message.starts_with(&due), "{}", finding.message);
    }
    // One server takes the bucket, the values are even, or the salt is taken from the time too.
    assert!(found(behind, by_id, half, 360).is_empty());
    assert!(found(behind, by_id, "", 500).is_empty());
    assert!(found(behind, "salt = { buckets = 16 }\nsplits = \"buckets\"", half, 500).is_empty());
    // What is not known may divide the heavy values.
    let three = "\"at: instant\", \"id: u64\", \"of: u64\"";
    let by_both = "salt = { buckets = 16, by = [\"id\", \"of\"] }\nsplits = \"buckets\"";
    assert!(found(three, by_both, half, 500).is_empty());
}

/// A key that grows, with these servers, at this rate.
fn growing(servers: u32, rate: &str, more: &str) -> String {
    format!(
        "format = 1\n[cluster.c]\nengine = \"hbase\"\nservers = {servers}\nregion.writes = \"10k/s\"\n[table.t]\n\
         key = [\"id: u64\"]\nmeans.id = \"sequence\"\nrows = \"1G\"\n[[table.t.write]]\nname = \"w\"\nrate = \"{rate}\"\n\
         {more}"
    )
}

/// The edit of a finding and the keys that `suggest` tries have one number of buckets: as many on each server.
#[test]
fn buckets_are_a_multiple_of_the_servers_everywhere() {
    for (servers, rate, due) in
        [(5, "31k/s", 5), (12, "97k/s", 12), (6, "28k/s", 6), (5, "84k/s", 10), (2, "90k/s", 10)]
    {
        let text = growing(servers, rate, "");
        let [finding] = &of_rules(&text, &["H03"])[..] else { panic!("{text}") };
        let edit = &finding.remedy.as_ref().unwrap().edits[0].text;
        assert!(edit.contains(&format!("buckets = {due} }}")), "{servers} {rate}: {edit}");
        let options = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
        let suggestions = parse(&text).suggest("t", &options).unwrap();
        let salts = suggestions.candidates.iter().filter_map(|candidate| candidate.table.table.salt.as_ref());
        let buckets: Vec<u32> = salts.map(|salt| *salt.buckets).collect();
        assert!(!buckets.is_empty() && buckets.iter().all(|buckets| *buckets == due), "{servers} {rate}: {buckets:?}");
    }
}

/// The finding tells what its salt costs those queries that do not fix all of what it is taken from.
#[test]
fn a_salt_has_its_price() {
    let query = |name: &str, more: &str| format!("[[table.t.query]]\nname = \"{name}\"\nrate = \"1/s\"\n{more}\n");
    let told = |queries: &str| {
        let found = of_rules(&growing(5, "31k/s", queries), &["H03"]).remove(0);
        found.witness.into_iter().find(|line| line.contains("under the salt"))
    };
    let newest = query("newest", "order = \"newest\"\nlimit = 10");
    let due = "under the salt each run of \"newest\" reads 5 ranges, not 1";
    assert_eq!(told(&(query("one", "fix = [\"id\"]") + &newest)), Some(due.to_owned()));
    // All rows are as many, and one row is in one bucket.
    assert_eq!(told(&(query("one", "fix = [\"id\"]") + &query("all", ""))), None);
    let done = "[[table.t.write]]\nname = \"done\"\nkind = \"delete\"\nrate = \"31k/s\"\n";
    let oldest = query("next", "order = \"oldest\"\nlimit = 10");
    let due = "under the salt each run of \"next\" reads 10 ranges, not 1, and passes over the deleted rows of each";
    assert_eq!(told(&(done.to_owned() + &oldest)), Some(due.to_owned()));
    // A heavy value is divided by the salt before it: the words are those of the edit.
    let heavy = "format = 1\n[cluster.c]\nengine = \"hbase\"\nservers = 4\nregion.writes = \"1k/s\"\n[table.t]\n\
                 key = [\"user: u64\", \"at: instant\"]\nstats.user = { distinct = \"1M\", skew = \"one value 0.5\" }\n\
                 [[table.t.write]]\nname = \"w\"\nrate = \"4k/s\"\norder = \"time\"\n\
                 [[table.t.query]]\nname = \"of\"\nfix = [\"user\"]\nlimit = 1\norder = \"newest\"\n";
    let found = of_rules(heavy, &["H04"]).remove(0);
    assert_eq!(found.witness, ["under the salt each run of \"of\" reads 4 ranges, not 1"]);
    let remedy = found.remedy.unwrap();
    assert!(remedy.text.starts_with("add a salt, which divides") && !remedy.edits.is_empty(), "{remedy:?}");
}

/// A write of random rows of a key that grows is said not to be taken, whichever write it is.
#[test]
fn an_order_that_is_not_taken_is_told() {
    let pay = "[[table.t.write]]\nname = \"pay\"\nrate = \"9k/s\"\norder = \"random\"\n";
    let told = |more: &str| {
        let found = of_rules(&growing(5, "31k/s", more), &["H03"]).remove(0);
        found.witness.iter().any(|line| line.starts_with("`order = \"random\"` of \"pay\" cannot be"))
    };
    assert!(told(pay) && !told(""));
}

/// A salt of a number that each row has for itself spreads the rows of a moment; one of their time does not.
#[test]
fn rows_of_a_moment_have_other_numbers_and_one_time() {
    let of = |key: &str, means: &str| {
        let text = format!(
            "format = 1\n[cluster.c]\nengine = \"hbase\"\nservers = 4\nregion.writes = \"1k/s\"\n[table.t]\n\
             key = [\"{key}\", \"account: u32\"]\n{means}\nstats.account.distinct = \"1M\"\n\
             salt = {{ buckets = 8, by = [\"entry\"] }}\nsplits = \"buckets\"\nrows = \"2G\"\n\
             [[table.t.write]]\nname = \"w\"\nrate = \"2k/s\"\norder = \"time\"\n"
        );
        of_rules(&text, &["H03", "H04", "H05", "H06", "H07", "H08"]).len()
    };
    for means in ["sequence", "snowflake"] {
        assert_eq!(of("entry: u64", &format!("means.entry = \"{means}\"")), 0, "{means}");
    }
    assert_eq!(of("entry: i64", "means.entry = \"milliseconds\""), 1);
    assert_eq!(of("entry: instant", ""), 1);
}
