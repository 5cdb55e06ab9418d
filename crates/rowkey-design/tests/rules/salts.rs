//! Salts: what they divide, and who asks their buckets.

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
