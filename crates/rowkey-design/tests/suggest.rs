//! Suggestions of a search: valid designs, never worse than the design's own, the keys that the texts recommend.

use proptest::prelude::*;
use rowkey::{LayoutBuf, Value};
use rowkey_design::internal::explain::Plan;
use rowkey_design::internal::forms::KeyForm;
use rowkey_design::internal::sample;
use rowkey_design::internal::suggest::{Candidate, Suggestions, to_toml};
use rowkey_design::{CheckOptions, Date, Design, File, Rule, Severity};

fn parse(text: &str) -> Design {
    let file = File { name: "a.rowkey.toml".to_owned(), text: text.to_owned() };
    Design::parse([file]).unwrap_or_else(|problems| panic!("{problems}\n{text}"))
}

fn suggest(text: &str, table: &str) -> Suggestions {
    let options = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
    parse(text).suggest(table, &options).unwrap()
}

/// The shape of the first, and how many secondary tables it has.
fn first(suggestions: &Suggestions) -> (String, usize) {
    let best = &suggestions.candidates[0].table;
    (best.layout.shape(), best.secondary.len())
}

const METRICS: &str = r#"
format = 1
[cluster.prod]
engine = "hbase"
servers = 10
region.writes = "20k/s"
[table.points]
key = ["at: i64", "metric: u32", "host: u32"]
means.at = "seconds"
family.t.ttl = "30 days"
[[table.points.write]]
name = "point"
rate = "100k/s"
order = "time"
[[table.points.query]]
name = "a metric of a host, a day"
fix = ["metric", "host"]
range = { at = "1 day" }
rate = "100/s"
"#;

/// HBase: The Definitive Guide: swap the first two fields. It needs no salt where there are many metrics.
#[test]
fn what_queries_fix_goes_before_time() {
    let text = format!("{METRICS}[table.points.stats]\nmetric = {{ distinct = 2_000 }}\nhost = {{ distinct = 500 }}\n");
    let suggestions = suggest(&text, "points");
    assert_eq!(first(&suggestions), ("u32, u32, i64".to_owned(), 0));
    let own = suggestions.candidates.iter().find(|candidate| candidate.current).unwrap();
    assert!(own.score.refused > 0.5, "{:?}", own.score);
}

/// DynamoDB has as many partitions as are asked for, and counts write units.
#[test]
fn dynamodb_is_never_too_small() {
    let text = |engine: &str, peak: &str| {
        format!(
            "format = 1\n[cluster.c]\nengine = \"{engine}\"\nservers = 5\nregion.writes = \"5k/s\"\n[table.t]\n\
             key = [\"user: u64\", \"at: instant\"]\nstats.user = {{ distinct = \"10M\" }}\n\
             family.v.sizes.a = \"20 kB\"\n[[table.t.write]]\nname = \"w\"\nrate = \"{peak}\"\norder = \"time\"\n"
        )
    };
    let told = |engine: &str, peak: &str| {
        let Suggestions { remarks, reasons, assumed, .. } = suggest(&text(engine, peak), "t");
        [remarks, reasons, assumed].concat().join("; ")
    };
    assert!(told("hbase", "100k/s").contains("all servers together take 25k writes/s: 20 servers are needed"));
    let of_units = told("dynamodb", "100k/s");
    assert!(!of_units.contains("servers together"), "{of_units}");
    let few = text("dynamodb", "100k/s").replace("distinct = \"10M\"", "distinct = 2").replace("servers = 5\n", "");
    let suggestions = suggest(&few, "t");
    let of_few = [suggestions.remarks, suggestions.reasons, suggestions.assumed].concat().join("; ");
    assert!(of_few.contains("write units/s") && !of_few.contains("writes/s"), "{of_few}");
    assert!(!of_few.contains("the cluster has"), "{of_few}");
}

/// All fields of such a key are joined, without a salt and ascending.
#[test]
fn a_key_of_ordered_code_stays_one() {
    let key = "key = [\"at: ordered[i64]\", \"metric: ordered[bytes]\", \"host: ordered[text]\"]";
    let text = METRICS.replace("key = [\"at: i64\", \"metric: u32\", \"host: u32\"]", key);
    let text = format!("{text}[table.points.stats]\nmetric = {{ distinct = 2 }}\nhost = {{ distinct = 2 }}\n");
    for candidate in suggest(&text, "points").candidates {
        let shape = candidate.table.layout.shape();
        assert!(shape.split(", ").all(|field| field.starts_with("ordered[") && !field.ends_with("desc")), "{shape}");
    }
}

/// OpenTSDB: five metrics of one host keep five servers busy: a salt divides them.
#[test]
fn a_salt_where_there_are_few_values_before_time() {
    let text = format!("{METRICS}[table.points.stats]\nmetric = {{ distinct = 2 }}\nhost = {{ distinct = 2 }}\n");
    let suggestions = suggest(&text, "points");
    assert!(suggestions.candidates[0].score.salted, "{:?}", first(&suggestions));
    assert!(suggestions.candidates[0].score.refused < 0.01);
}

/// Flurry: a second table with the other order, where queries come from both sides.
#[test]
fn a_second_table_for_queries_from_the_other_side() {
    let text = r#"
format = 1
[table.links]
key = ["from: u64", "to: u64"]
rows = "1G"
stats.from = { distinct = "10M" }
stats.to = { distinct = "10M" }
[[table.links.query]]
name = "out"
fix = ["from"]
rate = "1k/s"
[[table.links.query]]
name = "in"
fix = ["to"]
rate = "1k/s"
"#;
    assert_eq!(first(&suggest(text, "links")), ("u64, u64".to_owned(), 1));
}

/// An inbox: the user, then the newest first.
#[test]
fn the_newest_first_is_descending() {
    let text = r#"
format = 1
[table.mail]
key = ["message: bytes[16]", "user: u64", "at: i64"]
means.at = "milliseconds"
rows = "1G"
stats.user = { distinct = "1M" }
stats.message = { distinct = "1G" }
[[table.mail.query]]
name = "inbox"
fix = ["user"]
order = "newest"
limit = 50
rate = "1k/s"
"#;
    assert_eq!(first(&suggest(text, "mail")).0, "u64, i64 desc, bytes[16]");
}

fn designs() -> impl Strategy<Value = String> {
    let field = prop_oneof![Just("u64"), Just("text"), Just("instant desc"), Just("bytes[4]"), Just("option<i32>")];
    let query = (any::<u8>(), prop_oneof![Just(""), Just("order = \"newest\"\n"), Just("limit = 10\n")]);
    let engine = prop::option::of(prop::sample::select(vec!["hbase", "hbase", "dynamodb"]));
    let fields = prop::collection::vec(field, 1..5);
    (fields, prop::collection::vec(query, 0..4), prop::option::of(1u32..40), engine, 1usize..5).prop_map(
        |(fields, queries, buckets, engine, partition)| {
            let mut text = "format = 1\n".to_owned();
            text.extend(engine.map(|engine| format!("[cluster.c]\nengine = \"{engine}\"\nservers = 7\n")));
            let key: Vec<_> = fields.iter().enumerate().map(|(i, ty)| format!("\"f{i}: {ty}\"")).collect();
            text += &format!("[table.t]\nkey = [{}]\n", key.join(", "));
            if engine == Some("dynamodb") {
                let first: Vec<_> = (0..partition.min(fields.len())).map(|i| format!("\"f{i}\"")).collect();
                text += &format!("partition = [{}]\n", first.join(", "));
            }
            text.extend(buckets.map(|buckets| format!("salt = {{ buckets = {buckets} }}\n")));
            text += "[[table.t.write]]\nname = \"w\"\nrate = \"50k/s\"\norder = \"time\"\n";
            for (i, (fixed, more)) in queries.iter().enumerate() {
                let names =
                    (0..fields.len()).filter(|field| fixed >> field & 1 == 1).map(|field| format!("\"f{field}\""));
                let names = names.collect::<Vec<_>>().join(", ");
                text += &format!("[[table.t.query]]\nname = \"q{i}\"\nfix = [{names}]\n{more}");
            }
            text
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Each candidate's text is a valid design with the candidate's layouts; the design's own key is among them; none
    /// is listed before one that refuses fewer writes.
    #[test]
    fn every_candidate_is_a_design(text in designs()) {
        let suggestions = suggest(&text, "t");
        let candidates = &suggestions.candidates;
        prop_assert_eq!(candidates.iter().filter(|candidate| candidate.current).count(), 1);
        for candidate in candidates {
            // Queries, which secondary tables refer to, are those of the design.
            let queries = text.find("[[table.t.query]]").map_or("", |at| &text[at..]);
            let written = parse(&format!("format = 1\n{}{queries}", to_toml(&candidate.table)));
            let table = &written.tables["t"];
            prop_assert_eq!(table.layout.shape(), candidate.table.layout.shape());
            prop_assert_eq!(table.secondary.len(), candidate.table.secondary.len());
            for (written, made) in table.secondary.iter().zip(&candidate.table.secondary) {
                prop_assert_eq!(written.shape(), made.shape());
            }
            // Only what a query asks for is turned.
            let own = parse(&text);
            let own = own.tables["t"].layout.fields();
            let layouts = candidate.table.secondary.iter().chain([&candidate.table.layout]);
            for field in layouts.flat_map(LayoutBuf::fields).filter(|_| !text.contains("order = \"newest\"")) {
                prop_assert!(own.iter().any(|own| (&own.name, own.desc) == (&field.name, field.desc)), "{}", text);
            }
        }
        for (a, b) in candidates.iter().zip(&candidates[1..]) {
            prop_assert!(a.score.refused <= b.score.refused + 0.01);
        }
        prop_assert_eq!(suggestions.reasons.len(), candidates.len() - 1);
    }
}

/// A sample has the keys of the design's own order: another order is judged by the statistics of its fields.
#[test]
fn a_sample_does_not_mislead_about_other_orders() {
    let text = r#"
format = 1
[table.t]
key = ["few: u64", "many: u64"]
[[table.t.query]]
name = "one"
fix = ["many"]
"#;
    let design = parse(text);
    let layout = &design.tables["t"].layout;
    let keys: String = (0..20_000u64).map(|i| format!("{:016x}{:016x}\n", i % 2, i / 2)).collect();
    let profile = sample::read(keys.as_bytes(), KeyForm::Hex, layout, None, |_, _| {}).unwrap();
    let options = CheckOptions::new(Date { year: 2026, month: 1, day: 31 }).profile("t", profile);
    let suggestions = design.suggest("t", &options).unwrap();
    let best = &suggestions.candidates[0];
    assert_eq!(best.table.layout.fields()[0].name, "many");
    assert!((best.score.queries[0].rows_read.unwrap() - 2.0).abs() < 0.1, "{:?}", best.score);
}

/// Of two fields that grow, that one is turned which the newest rows are told by.
#[test]
fn a_field_that_no_query_is_ordered_by_stays_as_it_is() {
    let text = "format = 1\n[table.t]\nkey = [\"at: i64\", \"user: u64\", \"event: u64\"]\n\
                means = { at = \"milliseconds\", event = \"sequence\" }\n[[table.t.query]]\nname = \"newest\"\n\
                fix = [\"user\"]\norder = \"newest\"\nlimit = 20\n";
    assert_eq!(first(&suggest(text, "t")).0, "u64, i64 desc, u64");
    // The seconds within a bucket of time have to be in the same order as the buckets.
    let coarse = text.replace("milliseconds", "time bucket");
    assert_eq!(first(&suggest(&coarse, "t")).0, "u64, i64 desc, u64 desc");
}

/// What queries name and the key has not can be in the key of a secondary table.
#[test]
fn a_column_that_a_query_names_gets_a_secondary_table() {
    for engine in ["tikv", "foundationdb", "hbase"] {
        let text = format!(
            "format = 1\n[cluster.c]\nengine = \"{engine}\"\n[table.orders]\nkey = [\"id: u64\"]\nmeans.id = \"sequence\"\n\
             [[table.orders.query]]\nname = \"an order\"\nfix = [\"id\"]\n\
             [[table.orders.query]]\nname = \"a customer's\"\nwhere = [\"customer\"]\norder = \"newest\"\nlimit = 20\n"
        );
        let suggestions = suggest(&text, "orders");
        let best = &suggestions.candidates[0].table;
        assert_eq!(best.layout.shape(), "u64", "{engine}");
        let secondary: Vec<_> = best.table.secondary[0].key.iter().map(|field| field.name.as_str()).collect();
        assert_eq!((secondary, best.secondary[0].shape()), (vec!["customer", "id"], "text, u64 desc".to_owned()));
        assert!(suggestions.assumed.iter().any(|assumed| assumed.contains("customer is a text")));
        // With the type that a secondary table of the design has.
        let typed = format!("{text}[[table.orders.secondary]]\nname = \"s\"\nkey = [\"customer: u32\", \"id: u64\"]\n");
        let shapes = |suggestions: &Suggestions| {
            let tables = suggestions.candidates.iter().flat_map(|candidate| candidate.table.secondary.clone());
            tables.map(|layout| layout.shape()).collect::<Vec<_>>()
        };
        let shapes = shapes(&suggest(&typed, "orders"));
        assert!(
            shapes.contains(&"u32, u64 desc".to_owned()) && !shapes.iter().any(|shape| shape.contains("text")),
            "{shapes:?}"
        );
    }
}

/// A list is read from the table, one message from the secondary table: not the other way round.
#[test]
fn the_query_of_most_rows_is_served_by_the_table() {
    let text = "format = 1\n[table.inbox]\nkey = [\"received: i64\", \"user: bytes[16]\", \"msg: bytes[16]\"]\n\
                means = { received = \"milliseconds\", msg = \"uuid4\" }\n[[table.inbox.query]]\nname = \"latest\"\n\
                fix = [\"user\"]\norder = \"newest\"\nlimit = 50\n[[table.inbox.query]]\nname = \"one\"\n\
                fix = [\"user\", \"msg\"]\nlimit = 1\n[[table.inbox.write]]\nname = \"deliver\"\norder = \"time\"\n";
    let suggestions = suggest(text, "inbox");
    let best = &suggestions.candidates[0].table;
    assert_eq!(best.layout.shape(), "bytes[16], i64 desc, bytes[16]");
    assert_eq!(best.table.secondary[0].serves[0].value, "one");
}

/// The findings that order candidates are those of a check of each with the sample under its own key.
#[test]
fn a_candidate_is_checked_with_the_sample_under_its_key() {
    let text = r#"
format = 1
[cluster.c]
engine = "hbase"
servers = 3
[table.t]
key = ["few: u64", "more: u64", "many: u64"]
rows = "1G"
[[table.t.query]]
name = "one"
fix = ["many"]
[[table.t.query]]
name = "some"
fix = ["few", "many"]
limit = 5
"#;
    let design = parse(text);
    let own = &design.tables["t"].layout;
    let numbers = |i: u64| [("few", i % 2), ("more", i * 7 % 50), ("many", i / 2)];
    let profile = |layout: &LayoutBuf| {
        let line = |i: u64| {
            let value = |name: &str| numbers(i).iter().find(|(of, _)| *of == name).unwrap().1;
            let values: Vec<_> =
                layout.fields().iter().map(|field| Value::Unsigned(value(&field.name).into())).collect();
            data_encoding::HEXLOWER.encode(&layout.encode(&values).unwrap()) + "\n"
        };
        let keys: String = (0..4000).map(line).collect();
        sample::read(keys.as_bytes(), KeyForm::Hex, layout, None, |_, _| {}).unwrap()
    };
    let options = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
    let suggestions = design.suggest("t", &options.clone().profile("t", profile(own))).unwrap();
    let mut different = 0;
    for candidate in &suggestions.candidates {
        let layout = &candidate.table.layout;
        let fresh = |options: CheckOptions| found_with(&design, "t", candidate, &options);
        assert_eq!(
            candidate.found,
            fresh(options.clone().profile("t", profile(layout))),
            "{}",
            to_toml(&candidate.table)
        );
        different += usize::from(candidate.found != fresh(options.clone().profile("t", profile(own))));
    }
    assert!(different > 0, "the profile of another key makes no difference");
}

/// No statistics say how many texts begin alike: a sample does, the same to all three commands, or nothing is told.
#[test]
fn rows_that_begin_alike_are_counted_by_a_sample_or_not_known() {
    let text = r#"
format = 1
[table.pages]
key = ["url: text"]
rows = "2G"
stats.url = { distinct = "2G" }
[[table.pages.query]]
name = "alike"
starts_with = { url = 5 }
"#;
    let design = parse(text);
    let read = |options: &CheckOptions| {
        let (_, costs) = design.query_costs(options).next().unwrap();
        let plan = Plan::of(&design, "pages", "alike", &[], options).unwrap();
        let suggestions = design.suggest("pages", options).unwrap();
        let own = suggestions.candidates.iter().find(|candidate| candidate.current).unwrap();
        [costs[0].rows_read, plan.cost.rows_read, own.score.queries[0].rows_read]
    };
    let options = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
    assert_eq!(read(&options), [None; 3]);
    let layout = &design.tables["pages"].layout;
    // All begin with "https", and each tenth of them alike after that.
    for (start, share) in [("https:", 1.0), ("", 0.1)] {
        let key =
            |i: u32| format!("{}00\n", data_encoding::HEXLOWER.encode(format!("{start}{}/{i}", i % 10).as_bytes()));
        let long = |i: u32| if start.is_empty() { key(i).replacen("2f", "2f2f2f2f", 1) } else { key(i) };
        let keys: String = (0..5000).map(long).collect();
        let profile = sample::read(keys.as_bytes(), KeyForm::Hex, layout, None, |_, _| {}).unwrap();
        assert_eq!(profile.undecoded, 0);
        for rows in read(&options.clone().profile("pages", profile)) {
            assert!((rows.unwrap() / 2e9 - share).abs() < 0.002, "{rows:?}");
        }
    }
}

/// A family's TTL is how long rows live, whatever `keep` says; and the time of declared rows is that of their writes.
#[test]
fn nothing_is_assumed_of_how_long_rows_live_where_the_file_says_it() {
    let design = |of_rows: &str| {
        format!(
            "format = 1\n[cluster.c]\nengine = \"hbase\"\nservers = 3\n[table.t]\nkey = [\"host: u64\", \"at: instant\"]\nstats.host.distinct = 100\n{of_rows}\n\
             [[table.t.query]]\nname = \"an hour\"\nfix = [\"host\"]\nrange.at = \"1 hour\"\n"
        )
    };
    let write = "[[table.t.write]]\nname = \"w\"\norder = \"time\"\nrate = \"100/s\"";
    let of = |of_rows: &str| {
        let suggestions = suggest(&design(of_rows), "t");
        let own = suggestions.candidates.iter().find(|candidate| candidate.current).unwrap();
        (suggestions.assumed.clone(), own.score.queries[0].rows_read.unwrap().round())
    };
    let of_an_hour = 100.0 * 3600.0 / 100.0;
    for keep in ["", "keep = \"forever\"\n"] {
        assert_eq!(of(&format!("{keep}family.f.ttl = \"10 days\"\n{write}")), (vec![], of_an_hour));
        assert_eq!(of(&format!("{keep}rows = \"1G\"\n{write}")), (vec![], of_an_hour));
        let (assumed, _) = of(&format!("{keep}rows = \"1G\""));
        let [assumed] = &assumed[..] else { panic!("{assumed:?}") };
        assert_eq!(assumed.contains("ttl"), keep.is_empty(), "{assumed}");
    }
}

/// A design in three parts, between which the key of a suggestion fits: clusters, the table's own lines, and the rest.
#[derive(Debug)]
struct Parts {
    cluster: String,
    key: String,
    own: &'static str,
    rest: String,
}

impl Parts {
    fn with(&self, key: &str) -> String {
        let key = key.replacen("[table.t]\n", &format!("[table.t]\n{}", self.own), 1);
        format!("format = 1\n{}{key}{}", self.cluster, self.rest)
    }
}

/// Fields with values that are more or less even, written by time at more than a server takes.
fn hot_designs() -> impl Strategy<Value = Parts> {
    let distinct = prop::sample::select(&[3, 20, 500, 10_000, 1_000_000][..]);
    let skew =
        prop::sample::select(&["", ", skew = \"zipf 0.7\"", ", skew = \"zipf 1.0\"", ", skew = \"zipf 1.3\""][..]);
    let fields = prop::collection::vec((distinct, skew), 1..4);
    let (servers, rate) = (prop::sample::select(&[3, 8, 20][..]), prop::sample::select(&[20, 60, 100][..]));
    (fields, 0..4usize, servers, rate, prop::collection::vec(1..8usize, 1..3)).prop_map(
        |(fields, at, servers, rate, queries)| {
            let mut key: Vec<String> = (0..fields.len()).map(|i| format!("\"f{i}: u32\"")).collect();
            key.insert(at.min(fields.len()), "\"at: instant\"".to_owned());
            let mut rest = "[table.t.stats]\n".to_owned();
            for (i, (distinct, skew)) in fields.iter().enumerate() {
                rest += &format!("f{i} = {{ distinct = {distinct}{skew} }}\n");
            }
            rest += &format!("[[table.t.write]]\nname = \"w\"\nrate = \"{rate}k/s\"\norder = \"time\"\n");
            for (i, fixed) in queries.iter().enumerate() {
                let all = 0..fields.len();
                let names = all.filter(|field| fixed >> field & 1 == 1).map(|field| format!("\"f{field}\""));
                let names = names.collect::<Vec<_>>().join(", ");
                let asks = "order = \"newest\"\nlimit = 20\nrate = \"10/s\"";
                rest += &format!("[[table.t.query]]\nname = \"q{i}\"\nfix = [{names}]\n{asks}\n");
            }
            Parts {
                cluster: format!("[cluster.c]\nengine = \"hbase\"\nservers = {servers}\n"),
                key: format!("[table.t]\nkey = [{}]\n", key.join(", ")),
                own: "rows = \"1G\"\nkeep = \"forever\"\n",
                rest,
            }
        },
    )
}

/// The findings of a design about places that take too many writes.
fn hot(text: &str) -> Vec<String> {
    let options = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
    let report = parse(text).check(&options);
    let about = ["H01", "H02", "H03", "H04", "H05", "H06", "Q14"];
    let found = report.findings.iter().filter(|finding| about.contains(&finding.rule.id));
    found.map(|finding| finding.message.clone()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// `check` finds no hot place in the first suggestion, unless it finds one in each; and what the first leaves as a
    /// full scan, no other serves at the same writes and clearly less work: work that is within 11 % may count as the
    /// same.
    #[test]
    fn check_agrees_with_the_first(design in hot_designs()) {
        let suggestions = suggest(&design.with(&design.key), "t");
        let [best, others @ ..] = &suggestions.candidates[..] else { panic!("none") };
        let found = hot(&design.with(&to_toml(&best.table)));
        if !found.is_empty() {
            for other in others {
                prop_assert!(!hot(&design.with(&to_toml(&other.table))).is_empty(), "{found:?}, {:?}", to_toml(&other.table));
            }
        }
        for (i, query) in best.score.queries.iter().enumerate().filter(|(_, query)| query.full_scan) {
            for other in others.iter().filter(|other| other.score.refused <= best.score.refused) {
                let as_much = 1.11 * other.score.work >= best.score.work;
                prop_assert!(other.score.queries[i].full_scan || as_much, "{}: {}", query.name, to_toml(&other.table));
            }
        }
    }
}

/// The errors and the warnings of a design with a candidate's table.
fn found(design: &Design, table: &str, candidate: &Candidate) -> [usize; 2] {
    found_with(design, table, candidate, &CheckOptions::new(Date { year: 2026, month: 1, day: 31 }))
}

fn found_with(design: &Design, table: &str, candidate: &Candidate, options: &CheckOptions) -> [usize; 2] {
    let mut design = design.clone();
    design.tables.insert(table.to_owned(), candidate.table.clone());
    let report = design.check(options);
    let of_table = |severity| {
        let findings = report.findings.iter().filter(|finding| finding.table == table && finding.severity == severity);
        // Split points come after the key.
        findings.filter(|finding| !["H09", "H10", "H21"].contains(&finding.rule.id)).count()
    };
    [Severity::Error, Severity::Warning].map(of_table)
}

/// No suggestion that serves the same queries has fewer errors, and then warnings, than the first.
fn first_has_fewest(text: &str) {
    let design = parse(text);
    for table in design.tables.keys() {
        let suggestions = suggest(text, table);
        let [best, others @ ..] = &suggestions.candidates[..] else { panic!("none") };
        let of_best = found(&design, table, best);
        for other in others {
            let mut queries = other.score.queries.iter().zip(&best.score.queries);
            let serves = queries.all(|(query, of_best)| !query.is_unserved() || of_best.is_unserved());
            let of_other = found(&design, table, other);
            assert!(
                !serves || of_best <= of_other,
                "{of_best:?} and {of_other:?}\n{}{}{text}",
                to_toml(&best.table),
                to_toml(&other.table)
            );
        }
    }
}

#[test]
fn check_finds_least_in_the_first_of_each_bad_page_and_study() {
    let bad = Rule::all().filter_map(|rule| {
        let (_, rest) = rule.page().split_once("\nBad:\n\n```toml\n")?;
        rest.split_once("```").map(|(text, _)| text.to_owned())
    });
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../studies/designs");
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let studies = files.filter(|path| path.extension().is_some_and(|end| end == "toml"));
    let texts: Vec<String> = bad.chain(studies.map(|path| std::fs::read_to_string(path).unwrap())).collect();
    assert!(texts.len() > 60, "{}", texts.len());
    texts.iter().for_each(|text| first_has_fewest(text));
    // A key that is behind by its findings is told by which.
    let tables =
        texts.iter().flat_map(|text| parse(text).tables.keys().map(|table| suggest(text, table)).collect::<Vec<_>>());
    let reasons: Vec<String> = tables.flat_map(|suggestions| suggestions.reasons).collect();
    let found: Vec<_> = reasons.iter().filter_map(|reason| reason.split_once(": check finds ")).collect();
    assert!(!found.is_empty());
    for (_, what) in found {
        let (severity, rest) = what.split_once(' ').unwrap();
        let rule = rest.split([' ', ',']).next().unwrap();
        assert!(["error", "warning"].contains(&severity) && Rule::named(rule).is_some(), "{what}");
    }
}

/// A sequence in front is an error at 20,000 writes a second, on an engine without a documented capacity too.
#[test]
fn what_check_calls_an_error_is_not_suggested() {
    for engine in ["tikv", "foundationdb", "hbase", "bigtable"] {
        let text = format!(
            "format = 1\n[cluster.c]\nengine = \"{engine}\"\nservers = 10\n[table.t]\nkey = [\"id: u64\"]\n\
             means.id = \"sequence\"\n[[table.t.write]]\nname = \"w\"\nrate = \"20k/s\"\n\
             [[table.t.query]]\nname = \"one\"\nfix = [\"id\"]\n"
        );
        let best = &suggest(&text, "t").candidates[0];
        assert!(!best.current && best.found[0] == 0, "{engine}: {}", to_toml(&best.table));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if std::env::var_os("ROWKEY_LONG").is_some() { 500 } else { 60 }))]

    #[test]
    fn check_finds_least_in_the_first(text in designs(), hot in hot_designs()) {
        first_has_fewest(&text);
        first_has_fewest(&hot.with(&hot.key));
    }
}

/// Two sides with few and with many values: each is served, the hot one by a salted table.
#[test]
fn a_secondary_table_is_salted_where_its_first_field_is_hot() {
    let text = r#"
format = 1
[cluster.c]
engine = "hbase"
servers = 20
[table.t]
key = ["user: u32", "kind: u32", "at: instant"]
rows = "1G"
keep = "forever"
stats.user = { distinct = "1M", skew = "zipf 0.7" }
stats.kind = { distinct = 20, skew = "zipf 1.3" }
[[table.t.write]]
name = "w"
rate = "60k/s"
order = "time"
[[table.t.query]]
name = "of a user"
fix = ["user"]
order = "newest"
limit = 20
rate = "10/s"
[[table.t.query]]
name = "of a kind"
fix = ["kind"]
order = "newest"
limit = 20
rate = "10/s"
"#;
    let suggestions = suggest(text, "t");
    let best = &suggestions.candidates[0];
    assert_eq!(first(&suggestions), ("u32, instant desc, u32".to_owned(), 1));
    assert_eq!(*best.table.table.secondary[0].salt.as_ref().unwrap().buckets, 20);
    assert!(best.score.refused == 0.0 && best.score.queries.iter().all(|query| !query.full_scan));
    assert_eq!(suggestions.remarks.len(), 1, "{:?}", suggestions.remarks);

    // As many servers as the writes need are assumed; that there are too few is said.
    let small = text.replace("servers = 20", "servers = 3");
    let suggestions = suggest(&small, "t");
    assert_eq!(suggestions.candidates[0].score.refused, 0.0);
    assert_eq!(*suggestions.candidates[0].table.table.secondary[0].salt.as_ref().unwrap().buckets, 6);
    let told = "all servers together take 30k writes/s: 12 servers are needed for its 2 tables";
    assert_eq!(suggestions.remarks, [told]);
}

/// Fields that depend on each other: users with bursts of rows. The rows of a query are those that `check` counts.
#[test]
fn a_sample_is_counted_as_check_counts_it() {
    let text = "format = 1\n[table.t]\nkey = [\"user: u64\", \"at: u64\"]\nmeans.at = \"seconds\"\nrows = \"1G\"\n\
                [[table.t.query]]\nname = \"a day\"\nfix = [\"user\"]\nrange.at = \"1 day\"\n";
    let design = parse(text);
    // A user's rows are all of one day, in a year.
    let key = |i: u64| format!("{:016x}{:016x}\n", i / 40, 1_700_000_000 + (i / 40 * 7919 % 365) * 86_400 + i % 40);
    let keys: String = (0..8000).map(key).collect();
    let profile = sample::read(keys.as_bytes(), KeyForm::Hex, &design.tables["t"].layout, None, |_, _| {}).unwrap();
    let options = CheckOptions::new(Date { year: 2026, month: 1, day: 31 }).profile("t", profile);
    let counted = design.query_costs(&options).next().unwrap().1[0].rows_read;
    let suggestions = design.suggest("t", &options).unwrap();
    let own = suggestions.candidates.iter().find(|candidate| candidate.current).unwrap();
    assert_eq!(own.score.queries[0].rows_read, counted);
    assert!(counted.is_some_and(|rows| rows > 1e6), "{counted:?}");
}

/// A query that returns three rows of a column says how many values this has.
#[test]
fn a_column_has_as_many_values_as_its_query_says() {
    let text = "format = 1\n[table.t]\nkey = [\"id: bytes[16]\"]\nmeans.id = \"uuid4\"\nrows = \"30M\"\n\
                [[table.t.query]]\nname = \"of a user\"\nwhere = [\"user\"]\nreturns = 3\n";
    let suggestions = suggest(text, "t");
    assert_eq!(suggestions.candidates[0].score.queries[0].rows_read.map(f64::round), Some(3.0));
    assert!(suggestions.assumed.iter().any(|assumed| assumed.contains("10M values")), "{:?}", suggestions.assumed);
    assert_eq!(suggestions.remarks, [""; 0]);
}

/// The findings and refused writes of the first are told.
#[test]
fn what_is_wrong_with_the_first_is_told() {
    let text = "format = 1\n[cluster.c]\nengine = \"tikv\"\n[table.t]\nkey = [\"name: text\"]\nrows = 100\n\
                [[table.t.write]]\nname = \"hit\"\norder = \"one row\"\nrate = \"15k/s\"\n";
    let remarks = suggest(text, "t").remarks;
    assert_eq!(remarks.len(), 2, "{remarks:?}");
    assert!(remarks[0].contains("take 10k of 15k writes/s") && remarks[1].contains("error H12"), "{remarks:?}");
}
