//! Ranges, rows, bytes and regions of single queries.

use rowkey::{LayoutBuf, RowKey, Value};
use rowkey_design::internal::cost::{OrderFit, QueryCost};
use rowkey_design::internal::facts::KeyFacts;
use rowkey_design::internal::profile::Profile;
use rowkey_design::{CheckOptions, Date, Design, File};

use crate::list;

#[derive(RowKey)]
#[rowkey(salt(buckets = 5, by(user)))]
struct Event {
    user: String,
    #[rowkey(desc)]
    at: i64,
    kind: u8,
}

#[derive(RowKey)]
struct Tile {
    zoom: u8,
    id: [u8; 4],
    name: Option<u16>,
}

#[derive(RowKey)]
#[rowkey(hashed(bytes = 3, by(id)))]
struct Hashed {
    id: u32,
    at: u16,
}

fn same<K: RowKey>(typed: rowkey::Selection<K>, query: &str, keys: &[Vec<Value>]) {
    let layout = LayoutBuf::from(&K::LAYOUT);
    let fields = list(layout.fields().iter().map(|field| format!("\"{}: {field}\"", field.name)));
    let by = list(layout.by().iter().map(|&i| format!("\"{}\"", layout.fields()[i].name)));
    let lead = match layout.lead() {
        rowkey::lead::Lead::None => String::new(),
        rowkey::lead::Lead::Salt(salt) => format!("salt = {{ buckets = {}, by = [{by}] }}", salt.buckets),
        rowkey::lead::Lead::Digest(bytes) => format!("hashed = {{ bytes = {bytes}, by = [{by}] }}"),
        rowkey::lead::Lead::Hash(prefix) => format!("hashed = {{ of = \"{prefix}\", by = [{by}] }}"),
    };
    let text = format!("format = 1\n[table.t]\nkey = [{fields}]\n{lead}\n[[table.t.query]]\nname = \"q\"\n{query}\n");
    let design =
        Design::parse([File { name: "a".into(), text: text.clone() }]).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let of = &design.tables["t"];
    assert_eq!(of.layout.shape(), layout.shape());
    let facts = [KeyFacts::of(of, None)];
    let cost = QueryCost::of(&of.table.query[0], of, &facts, None, None);
    let ranges = cost.ranges_with(keys).unwrap();
    assert_eq!(ranges, typed.ranges_by_bucket(), "{text}");
    assert_eq!(cost.range_count(), ranges.iter().map(Vec::len).sum::<usize>(), "{text}");
}

#[test]
fn ranges_are_those_of_derived_prefixes() {
    use rowkey::Select;
    let event = |at: i64| vec![Value::Text("ada".into()), Value::Signed(at.into()), Value::Unsigned(3)];
    let user = || Event::prefix().user("ada");
    same(Event::prefix().select(), "", &[event(9)]);
    same(user().select(), "fix = [\"user\"]", &[event(9)]);
    same(user().at_range(4..=9), "fix = [\"user\"]\nrange = { at = 6 }", &[event(9)]);
    same(user().at_in([3, 9]), "fix = [\"user\"]\namong = { at = 2 }", &[event(9), event(3)]);
    same(user().at(9).kind(3).select(), "fix = [\"user\", \"at\", \"kind\"]", &[event(9)]);
    same(Event::prefix().user_starts_with("ad"), "starts_with = { user = 2 }", &[event(9)]);

    let tile = |name: u16| {
        let name = Value::Option(Some(Box::new(Value::Unsigned(name.into()))));
        vec![Value::Unsigned(7), Value::Bytes(vec![1, 2, 3, 4]), name]
    };
    let id = || Tile::prefix().zoom(7).id([1, 2, 3, 4]);
    same(id().name_range(Some(2)..=Some(5)), "fix = [\"zoom\", \"id\"]\nrange = { name = 4 }", &[tile(5)]);
    let (low, high) = ([1, 2, 0, 0], [1, 2, 255, 255]);
    same(Tile::prefix().zoom(7).id_range(low..=high), "fix = [\"zoom\"]\nstarts_with = { id = 2 }", &[tile(5)]);

    let hashed = vec![Value::Unsigned(7), Value::Unsigned(5)];
    same(Hashed::prefix().id(7).at_range(3..=5), "fix = [\"id\"]\nrange = { at = 3 }", &[hashed]);
}

/// The first and the last value of a range of an hour that ends with a value.
#[track_caller]
fn an_hour(shape: &str, means: &str, last: Value, first: Value) {
    let text = format!(
        "format = 1\n[table.t]\nkey = [\"a: u8\", \"t: {shape}\"]\n{means}\n[[table.t.query]]\nname = \"q\"\nfix = [\"a\"]\nrange = {{ t = \"1 hour\" }}\n"
    );
    let design = Design::parse([File { name: "a".into(), text }]).unwrap_or_else(|e| panic!("{e}"));
    let of = &design.tables["t"];
    let facts = [KeyFacts::of(of, None)];
    let cost = QueryCost::of(&of.table.query[0], of, &facts, None, None);
    let a = Value::Unsigned(7);
    let hour = rowkey::untyped::FieldValues::Between(
        std::ops::Bound::Included(first),
        std::ops::Bound::Included(last.clone()),
    );
    let expected = of.layout.ranges_by_bucket(std::slice::from_ref(&a), Some(&hour)).unwrap();
    assert_eq!(cost.ranges_with(&[vec![a, last]]).unwrap(), expected, "{shape} {means}");
    assert_eq!((cost.leading, cost.next, cost.range_count()), (1, true, 1));
}

#[test]
fn an_hour_in_every_unit() {
    let (last, now) = (1_767_225_600u64, 1_767_225_600i64);
    for (meaning, unit) in
        [("seconds", 1), ("milliseconds", 1000), ("microseconds", 1_000_000), ("nanoseconds", 1_000_000_000)]
    {
        let means = format!("means = {{ t = \"{meaning}\" }}");
        for shape in ["i64", "i64 desc"] {
            let value = |n: i64| Value::Signed(n.into());
            an_hour(shape, &means, value(now * unit), value(now * unit - 3600 * unit + 1));
        }
        let unit = unit as u64;
        let value = |n: u64| Value::Unsigned(n.into());
        an_hour("u64", &means, value(last * unit), value(last * unit - 3600 * unit + 1));
    }
    let seconds = "means = { t = \"seconds\" }";
    let value = |n: u64| Value::Unsigned(n.into());
    an_hour("u32", seconds, value(last), value(last - 3599));
    an_hour("instant desc", "", Value::Instant(now, 5), Value::Instant(now - 3600, 6));
    let some = |value| Value::Option(Some(Box::new(value)));
    an_hour("option<instant>", "", some(Value::Instant(now, 5)), some(Value::Instant(now - 3600, 6)));
    let hour = 3_600_000 - 1;
    let snowflake = |ms: u64| value(ms << 22);
    an_hour("u64", "means = { t = \"snowflake\" }", snowflake(400_000_000_000), snowflake(400_000_000_000 - hour));
    let uuid = |ms: u64, rest: u8| Value::Bytes([&ms.to_be_bytes()[2..], &[rest; 10]].concat());
    for means in ["means = { t = \"uuid7\" }", "means = { t = \"ulid\" }"] {
        an_hour("bytes[16]", means, uuid(last * 1000, 0x7a), uuid(last * 1000 - hour, 0));
    }
}

#[test]
fn a_range_that_begins_below_all_values() {
    let text = "format = 1\n[table.t]\nkey = [\"t: u8 desc\"]\n[[table.t.query]]\nname = \"q\"\nrange = { t = 10 }\n";
    let design = Design::parse([File { name: "a".into(), text: text.into() }]).unwrap();
    let of = &design.tables["t"];
    let facts = [KeyFacts::of(of, None)];
    let cost = QueryCost::of(&of.table.query[0], of, &facts, None, None);
    let at = |n: u128| cost.ranges_with(&[vec![Value::Unsigned(n)]]).unwrap();
    assert_eq!(at(20), [[rowkey::KeyRange::new([0xeb], Some([0xf5])).unwrap()]]);
    assert_eq!(at(4), [[rowkey::KeyRange::from_start([0xfb])]]);
}

#[test]
fn a_secondary_table_is_sampled_through_the_keys_of_the_table() {
    let text =
        "format = 1\n[table.t]\nkey = [\"id: u32\", \"kind: u8\"]\n[[table.t.query]]\nname = \"q\"\nfix = [\"kind\"]
[[table.t.secondary]]\nname = \"by_kind\"\nkey = [\"kind: u8\", \"id: u32\"]\nserves = [\"q\"]\n";
    let design = Design::parse([File { name: "a".into(), text: text.into() }]).unwrap();
    let of = &design.tables["t"];
    let mut profile = Profile::default();
    profile.keys = 1000;
    profile.sample = (0..1000u32).map(|id| [&id.to_be_bytes()[..], &[(id % 4) as u8]].concat()).collect();
    let mut keys = vec![KeyFacts::of(of, Some(&profile))];
    keys.extend(KeyFacts::of_secondaries(of, Some(&profile)));
    let cost = QueryCost::of(&of.table.query[0], of, &keys, None, Some(&profile));
    assert_eq!((cost.secondary, cost.leading, cost.full_scan), (Some(0), 1, false));
    assert_eq!(cost.rows_read, Some(250.0));
}

#[test]
fn bytes_are_of_the_columns_asked() {
    let text = "format = 1\n[table.t]\nkey = [\"id: u64\"]
[table.t.family.f]\ncolumns = [\"a\", \"b\"]\nsizes = { a = \"100 B\", b = \"1 kB\" }
[table.t.family.w]\ncolumns = { name = \"n: u16\", per_row = 10, value = \"8 B\" }
[[table.t.query]]\nname = \"all\"\nfix = [\"id\"]\n[[table.t.query]]\nname = \"a\"\nfix = [\"id\"]\ncolumns = [\"f:a\"]
[[table.t.query]]\nname = \"w\"\nfix = [\"id\"]\ncolumns = [\"w\"]\n[[table.t.query]]\nname = \"b\"\nfix = [\"id\"]\ncolumns = [\"b\"]\n";
    let design = Design::parse([File { name: "a".into(), text: text.into() }]).unwrap();
    let of = &design.tables["t"];
    let keys = [KeyFacts::of(of, None)];
    let bytes = |i: usize| QueryCost::of(&of.table.query[i], of, &keys, None, None).bytes_read.unwrap();
    // A cell: key, family, 20 bytes, column, value.
    let (a, b, w) =
        (8.0 + 1.0 + 20.0 + 1.0 + 100.0, 8.0 + 1.0 + 20.0 + 1.0 + 1000.0, 10.0 * (8.0 + 1.0 + 20.0 + 2.0 + 8.0));
    assert_eq!([bytes(0), bytes(1), bytes(2), bytes(3)], [a + b + w, a, w, b]);
}

#[test]
fn regions_of_declared_splits() {
    let text = "format = 1\n[cluster.c]\nengine = \"hbase\"\nservers = 3\n[table.t]\nkey = [\"a: u32\", \"b: u32\"]
salt = { buckets = 8, by = [\"a\"] }\nsplits = \"buckets\"\n[[table.t.query]]\nname = \"one\"\nfix = [\"a\"]\n[[table.t.query]]\nname = \"all\"\n";
    let design = Design::parse([File { name: "a".into(), text: text.into() }]).unwrap();
    let of = &design.tables["t"];
    let keys = [KeyFacts::of(of, None)];
    let cluster = &design.clusters["c"];
    let cost = |i: usize| QueryCost::of(&of.table.query[i], of, &keys, Some(cluster), None);
    assert_eq!((cost(0).regions, cost(0).servers, cost(0).buckets), (Some(1), Some(1.0), 1));
    assert_eq!((cost(1).regions, cost(1).servers, cost(1).buckets), (Some(8), Some(3.0), 8));
}

/// The rows that a query reads and returns of a table of a million rows and a thousand hosts.
fn reads(query: &str) -> [Option<f64>; 3] {
    let text = format!(
        "format = 1\n[table.t]\nkey = [\"host: text\", \"at: i64 desc\", \"kind: u32\"]\nrows = \"1M\"\nkeep = \"forever\"
means.at = \"milliseconds\"\nstats.host = {{ distinct = 1000 }}\n[[table.t.query]]\nname = \"q\"\nfix = [\"host\"]\n{query}\n"
    );
    let design = Design::parse([File { name: "a".into(), text }]).unwrap();
    let of = &design.tables["t"];
    let keys = [KeyFacts::of(of, None)];
    let cost = QueryCost::of(&of.table.query[0], of, &keys, None, None);
    [cost.rows_read, cost.rows_returned, cost.amplification()]
}

#[test]
fn a_narrower_query_reads_no_more_and_none_returns_more_than_it_reads() {
    assert_eq!(reads(""), [Some(1000.0), Some(1000.0), Some(1.0)]);
    assert_eq!(reads("range = { at = \"1 hour\" }"), [None; 3]);
    assert_eq!(reads("range = { at = \"1 hour\" }\nlimit = 100_000"), [Some(1000.0), Some(1000.0), Some(1.0)]);
    assert_eq!(reads("range = { at = \"1 hour\" }\nlimit = 20"), [Some(20.0), Some(20.0), Some(1.0)]);
    assert_eq!(reads("where = [\"kind\"]\nlimit = 100_000"), [Some(1000.0), None, None]);
}

/// Buckets of a time are one after the other: so many of them are the time in which rows were written.
#[test]
fn rows_of_a_time_are_known_by_the_number_of_its_buckets() {
    let rows = |stats: &str, range: &str| {
        let text = format!(
            "format = 1\n[table.t]\nkey = [\"shop: u32\", \"day: i64\"]\nrows = \"20M\"\nmeans.day = \"time bucket\"
stats.shop = {{ distinct = 40_000 }}\nstats.day = {{ {stats}bucket = \"1 day\" }}
[[table.t.query]]\nname = \"q\"\nfix = [\"shop\"]\nrange = {{ day = \"{range}\" }}\n"
        );
        let design = Design::parse([File { name: "a".into(), text }]).unwrap();
        let of = &design.tables["t"];
        QueryCost::of(&of.table.query[0], of, &[KeyFacts::of(of, None)], None, None).rows_read
    };
    assert_eq!(rows("distinct = 500, ", "30 days"), Some(30.0));
    assert_eq!(rows("distinct = 500, ", "12 h"), Some(1.0));
    assert_eq!(rows("distinct = 20, ", "30 days"), Some(31.0));
    assert_eq!(rows("", "30 days"), None);
}

/// A value that no other row has is of one row, however many there are.
#[test]
fn rows_of_own_values_are_known_without_the_number_of_all() {
    let rows = |key: &str, means: &str, more: &str, query: &str| {
        let text = format!(
            "format = 1\n[table.t]\nkey = [\"id: {key}\", \"line: u16\"]\nmeans.id = \"{means}\"\n{more}\n\
             [[table.t.query]]\nname = \"q\"\n{query}\n"
        );
        let design = Design::parse([File { name: "a".into(), text }]).unwrap_or_else(|e| panic!("{e}"));
        let of = &design.tables["t"];
        QueryCost::of(&of.table.query[0], of, &[KeyFacts::of(of, None)], None, None).rows_read
    };
    for (key, means) in [("u64", "sequence"), ("u64", "snowflake"), ("bytes[16]", "uuid7")] {
        for salt in ["", "salt = { buckets = 8, by = [\"id\"] }\n"] {
            for (query, due) in [("fix = [\"id\"]", 1.0), ("among.id = 5", 5.0), ("range.id = 100", 100.0)] {
                for of_all in ["", "rows = 1000", "rows = \"3G\""] {
                    let found = rows(key, means, &format!("{salt}{of_all}"), query);
                    let part = found.unwrap_or(0.0) / due;
                    assert!((part - 1.0).abs() < 1e-9, "{key} {means} {salt}{of_all} {query}: {found:?}");
                }
            }
        }
    }
    // Others may be of many rows.
    assert_eq!(rows("u64", "random", "", "fix = [\"id\"]"), None);
    assert_eq!(rows("u64", "sequence", "stats.id.distinct = 10", "fix = [\"id\"]"), None);
}

/// A range of dates, or of hours, has as many of them as it is long, and at least one.
#[test]
fn a_range_of_dates_has_as_many_as_it_is_long() {
    const LAST: i64 = 1_767_225_600;
    for (pattern, seconds) in [("yyyyMMdd", 86_400), ("yyyyMMddHH", 3600)] {
        for (width, due) in [(0.5, 1), (1.0, 1), (1.5, 2), (2.0, 2), (7.0, 7), (7.25, 8)] {
            let minutes = width * f64::from(seconds) / 60.0;
            let text = format!(
                "format = 1\n[table.t]\nkey = [\"a: u8\", \"on: date['{pattern}']\", \"x: u8\"]\n\
                 [[table.t.query]]\nname = \"q\"\nfix = [\"a\"]\nrange.on = \"{minutes} min\"\n"
            );
            let design = Design::parse([File { name: "a".into(), text }]).unwrap_or_else(|e| panic!("{e}"));
            let of = &design.tables["t"];
            let facts = [KeyFacts::of(of, None)];
            let cost = QueryCost::of(&of.table.query[0], of, &facts, None, None);
            let key = |back: i64| {
                let on = Value::Instant(LAST - back * i64::from(seconds), 0);
                vec![Value::Unsigned(7), on, Value::Unsigned(200)]
            };
            let ranges = cost.ranges_with(&[key(0)]).unwrap().concat();
            let is_in = |back: &i64| {
                let key = of.layout.encode(&key(*back)).unwrap();
                ranges.iter().any(|range| range.contains(&key))
            };
            let found: Vec<i64> = (-20..20).filter(is_in).collect();
            assert_eq!(found, (0..due).collect::<Vec<_>>(), "{pattern}, {width}");
        }
    }
}

/// The rows of a range of dates are those of any date that the sample has, not of the last alone.
#[test]
fn a_range_of_dates_is_run_on_each_date_of_a_sample() {
    let text = "format = 1\n[table.t]\nkey = [\"day: date['yyyyMMdd']\", \"id: u32\"]\n\
                [[table.t.query]]\nname = \"q\"\nrange.day = \"1 day\"\n";
    let design = Design::parse([File { name: "a".into(), text: text.into() }]).unwrap();
    let of = &design.tables["t"];
    let rows = |day: u32| 10 * day;
    let key = |day: u32, id: u32| {
        let day = Value::Instant(1_767_225_600 + i64::from(day) * 86_400, 0);
        of.layout.encode(&[day, Value::Unsigned(id.into())]).unwrap()
    };
    let mut profile = Profile::default();
    profile.sample =
        (1..=10).flat_map(|day| (0..rows(day)).map(move |id| (day, id))).map(|(day, id)| key(day, id)).collect();
    profile.keys = profile.sample.len() as u64;
    let keys = [KeyFacts::of(of, Some(&profile))];
    let read = QueryCost::of(&of.table.query[0], of, &keys, None, Some(&profile)).rows_read.unwrap();
    // A day is asked for as often as it has rows.
    let of_days = |of: &dyn Fn(f64) -> f64| (1..=10).map(|day| of(f64::from(rows(day)))).sum::<f64>();
    let due = of_days(&|rows| rows * rows) / of_days(&|rows| rows);
    assert!((read / due - 1.0).abs() < 0.1, "{read} rows of {due}");
}

/// However a query's values lie, it is in no more regions than it says.
#[test]
fn regions_are_at_most_those_of_any_values() {
    let costs = |table: &str, queries: &[&str]| -> Vec<(f64, usize)> {
        let mut text = format!("format = 1\n[table.t]\nrows = \"1M\"\n{table}\n");
        for (i, query) in queries.iter().enumerate() {
            text += &format!("[[table.t.query]]\nname = \"{i}\"\n{query}\n");
        }
        let design = Design::parse([File { name: "a".into(), text }]).unwrap_or_else(|e| panic!("{e}"));
        let of = &design.tables["t"];
        let keys = [KeyFacts::of(of, None)];
        let queries = of.table.query.iter();
        let cost = |query| QueryCost::of(query, of, &keys, None, None);
        queries.map(cost).map(|cost| (cost.rows_read.unwrap().round(), cost.regions.unwrap())).collect()
    };
    // What is made up for text is digits, which all sort before these points.
    let hosts = "key = [\"host: text\", \"at: i64 desc\"]\nmeans.at = \"seconds\"\nstats.host.distinct = 1000
        splits = { keys = [\"62\", \"63\", \"65\", \"6b007f\", \"6b0080\", \"6c\", \"6e\", \"70\"] }";
    let told = costs(hosts, &["fix = [\"host\"]", "among = { host = 2 }", "among = { host = 10 }", ""]);
    // One host has two of the points in it.
    assert_eq!(told, [(1000.0, 3), (2000.0, 6), (10_000.0, 9), (1e6, 9)]);

    // Random numbers lie anywhere: a range of them has as large a share of the rows as of the regions.
    let random = "key = [\"user: u32\", \"at: i64 desc\"]\nmeans = { user = \"random\", at = \"seconds\" }
        stats.user.distinct = 1000\nsplits = { uniform = 256 }";
    let told = costs(random, &["range = { user = 500 }", "range = { user = 2_000_000_000 }", "among = { user = 100 }"]);
    assert_eq!(told, [(0.0, 2), (465_661.0, 121), (100_000.0, 100)]);

    let salted =
        "key = [\"user: u32\", \"at: u32\"]\nmeans.at = \"seconds\"\nsalt = { buckets = 8 }\nsplits = \"buckets\"
        stats.user.distinct = 1000";
    assert_eq!(costs(salted, &["fix = [\"user\"]", "range = { user = 10 }"]), [(1000.0, 8), (10_000.0, 8)]);
}

/// Two queries of the newest rows and of some days, by keys whose second field is this.
fn by_time(field: &str, means: &str) -> (OrderFit, bool) {
    let text = format!(
        "format = 1\n[table.t]\nkey = [\"u: text['#']\", \"at: {field}\", \"x: u8\"]\n{means}\n\
         [[table.t.query]]\nname = \"newest\"\nfix = [\"u\"]\norder = \"newest\"\nlimit = 10\n\
         [[table.t.query]]\nname = \"days\"\nfix = [\"u\"]\nrange = {{ at = \"3 days\" }}\n"
    );
    let file = File { name: "a".into(), text: text.clone() };
    let design = Design::parse([file]).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let of = &design.tables["t"];
    let facts = [KeyFacts::of(of, None)];
    let [newest, days] = [0, 1].map(|query| QueryCost::of(&of.table.query[query], of, &facts, None, None));
    assert!(!days.hashed && !days.full_scan && newest.leading == 1, "{field}");
    (newest.order, days.next)
}

#[test]
fn orders_of_other_programs_are_those_of_their_bytes() {
    let millis = "means.at = \"milliseconds\"";
    assert_eq!(by_time("dec[13]", millis), (OrderFit::Reverse, true));
    assert_eq!(by_time("dec[13] desc", millis), (OrderFit::Key, true));
    assert_eq!(by_time("minus[9223372036854775807 19]", millis), (OrderFit::Key, true));
    assert_eq!(by_time("dec['#']", millis), (OrderFit::Sort, false));
    assert_eq!(by_time("date['yyyyMMdd']", ""), (OrderFit::Reverse, true));
    assert_eq!(by_time("date['ddMMyyyy']", ""), (OrderFit::Sort, false));
}

/// Several ranges, or beginnings, of a field are as many queries of one.
#[test]
fn parts_of_a_field_are_read_one_by_one() {
    for (condition, key) in [
        ("range = { at = 100 }", "\"host: text\", \"at: i64 desc\""),
        ("range = { at = \"1 h\" }", "\"host: text\", \"at: instant\""),
        ("starts_with = { at = 2 }", "\"host: text\", \"at: bytes\""),
        ("starts_with = { at = 3 }", "\"host: text\", \"at: text\", \"x: u8\""),
    ] {
        for salt in ["", "salt = { buckets = 4 }\n"] {
            let text = format!(
                "format = 1\n[table.t]\nkey = [{key}]\n{salt}rows = \"1G\"\nstats.host = {{ distinct = 1000 }}\n\
                 stats.at = {{ distinct = \"10M\" }}\nfamily.f.ttl = \"1 year\"\n\
                 [[table.t.query]]\nname = \"one\"\nfix = [\"host\"]\n{condition}\n\
                 [[table.t.query]]\nname = \"seven\"\nfix = [\"host\"]\n{condition}\nparts.at = 7\n\
                 [[table.t.query]]\nname = \"many\"\nfix = [\"host\"]\n{condition}\nparts.at = \"1M\"\n"
            );
            let design = Design::parse([File { name: "a".into(), text: text.clone() }])
                .unwrap_or_else(|e| panic!("{e}\n{text}"));
            let of = &design.tables["t"];
            let keys = [KeyFacts::of(of, None)];
            let cost = |i: usize| QueryCost::of(&of.table.query[i], of, &keys, None, None);
            let (one, seven, many) = (cost(0), cost(1), cost(2));
            assert_eq!(seven.range_count(), 7 * one.range_count(), "{text}");
            assert_eq!(many.range_count(), 1_000_000 * one.range_count(), "{text}");
            // Text and bytes have no alphabet.
            assert_eq!(one.rows_read.is_none(), condition.starts_with("starts_with"), "{text}");
            let Some(rows) = one.rows_read else { continue };
            assert!((seven.rows_read.unwrap() / rows - 7.0).abs() < 1e-6, "{text}");
            // No more than there are of the host.
            assert!(many.rows_read.unwrap() <= 1e6, "{text}: {:?}", many.rows_read);
        }
    }
}

#[test]
fn the_ranges_of_parts_are_those_of_each() {
    let text = "format = 1\n[table.t]\nkey = [\"host: text\", \"at: i64 desc\"]\nsalt = { buckets = 4 }\n\
                [[table.t.query]]\nname = \"one\"\nfix = [\"host\"]\nrange = { at = 10 }\n\
                [[table.t.query]]\nname = \"three\"\nfix = [\"host\"]\nrange = { at = 10 }\nparts.at = 3\n";
    let design = Design::parse([File { name: "a".into(), text: text.into() }]).unwrap();
    let of = &design.tables["t"];
    let facts = [KeyFacts::of(of, None)];
    let cost = |i: usize| QueryCost::of(&of.table.query[i], of, &facts, None, None);
    let keys = [-40, 7, 1000].map(|at| vec![Value::Text("ada".into()), Value::Signed(at)]);
    let mut each = vec![Vec::new(); 4];
    for key in &keys {
        let ranges = cost(0).ranges_with(std::slice::from_ref(key)).unwrap();
        each.iter_mut().zip(ranges).for_each(|(bucket, ranges)| bucket.extend(ranges));
    }
    assert_eq!(cost(1).ranges_with(&keys).unwrap(), each);
}

/// A secondary table may have some of the rows alone: its queries read as many, and it takes as many writes.
#[test]
fn a_sparse_secondary_table_has_rows_of_its_own() {
    let design = |rows: &str| {
        let text = format!(
            "format = 1\n[cluster.c]\nengine = \"hbase\"\nregion.writes = \"10k/s\"\n[table.t]\n\
             key = [\"id: u64\", \"at: instant\"]\nrows = \"1G\"\nmeans.id = \"random\"\nstats.state = {{ distinct = 10 }}\n\
             [[table.t.write]]\nname = \"put\"\nrate = \"50k/s\"\norder = \"time\"\n\
             [[table.t.query]]\nname = \"open\"\nfix = [\"state\"]\n[[table.t.query]]\nname = \"first\"\nlimit = 1\norder = \"newest\"\n\
             [[table.t.secondary]]\nname = \"by_state\"\nkey = [\"state: u8\", \"id: u64\", \"at: instant\"]\nserves = [\"open\"]\n{rows}\n\
             [[table.t.secondary]]\nname = \"by_time\"\nkey = [\"at: instant\", \"id: u64\"]\nserves = [\"first\"]\n{rows}\n"
        );
        Design::parse([File { name: "a".into(), text: text.clone() }]).unwrap_or_else(|e| panic!("{e}\n{text}"))
    };
    let read = |design: &Design| {
        let of = &design.tables["t"];
        let mut keys = vec![KeyFacts::of(of, None)];
        keys.extend(KeyFacts::of_secondaries(of, None));
        QueryCost::of(&of.table.query[0], of, &keys, None, None).rows_read.unwrap()
    };
    let hot = |design: &Design| {
        let report = design.check(&CheckOptions::new(Date { year: 2026, month: 1, day: 31 }));
        report.findings.iter().any(|finding| finding.rule.id == "Q14")
    };
    let (all, some, few) = (design(""), design("rows = \"500M\""), design("rows = \"1M\""));
    assert_eq!((read(&all), read(&some), read(&few)), (1e8, 5e7, 1e5));
    // A thousandth of the writes is less than a server takes.
    assert_eq!((hot(&all), hot(&some), hot(&few)), (true, true, false));
    let more = Design::parse([File {
        name: "a".into(),
        text: "format = 1\n[table.t]\nkey = [\"a: u8\"]\nrows = 5\nsecondary = [{ name = \"s\", key = [\"a: u8\"], rows = 6 }]".into(),
    }]);
    assert_eq!(more.unwrap_err().list.len(), 1);
}

/// No query of a sparse secondary table returns or reads more than is there, however many rows a value has.
#[test]
fn what_is_counted_of_a_value_is_of_the_table() {
    for key in ["\"id: u64\", \"user: u64\"", "\"user: u64\", \"id: u64\""] {
        let text = format!(
            "format = 1\n[table.t]\nkey = [\"id: u64\", \"user: u64\"]\nrows = \"1G\"\n\
             stats.user = {{ distinct = 1000, rows_per = {{ p50 = \"1M\" }} }}\n\
             [[table.t.query]]\nname = \"of a user\"\nfix = [\"user\"]\n\
             [[table.t.secondary]]\nname = \"s\"\nkey = [{key}]\nserves = [\"of a user\"]\nrows = 10\n"
        );
        let design = Design::parse([File { name: "a".into(), text }]).unwrap();
        let options = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
        let (_, costs) = design.query_costs(&options).next().unwrap();
        assert_eq!((costs[0].rows_read, costs[0].rows_returned), (Some(10.0), Some(10.0)), "{:?}", costs[0]);
    }
}

/// The ranges, the rows read and the order of a query of a table on an engine.
fn costs(engine: &str, table: &str, query: &str) -> (bool, usize, Option<f64>, OrderFit) {
    let text = format!(
        "format = 1\n[cluster.c]\nengine = \"{engine}\"\n[table.t]\n{table}\nrows = \"1G\"\nfamily.f.ttl = \"100 days\"\n\
         [[table.t.query]]\nname = \"q\"\n{query}\n"
    );
    let design =
        Design::parse([File { name: "a".into(), text: text.clone() }]).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let cluster = Some(&design.clusters["c"].value);
    let table = &design.tables["t"];
    let keys = [KeyFacts::of(table, None).on(cluster)];
    let cost = QueryCost::of(&table.table.query[0], table, &keys, cluster, None);
    (cost.full_scan, cost.range_count(), cost.rows_read.map(f64::round), cost.order)
}

/// Each of several values is the beginning of the ranges of the fields behind it.
#[test]
fn a_range_follows_each_of_several_values() {
    let table = "key = [\"tenant: u32\", \"kind: u8\", \"at: instant desc\"]\nstats.tenant = { distinct = 1000 }\n\
                 stats.kind = { distinct = 10 }";
    let of = |query: &str| costs("hbase", table, query);
    let merge = OrderFit::Merge { reverse: false };
    let newest = "order = \"newest\"\nlimit = 10";
    assert_eq!(of(&format!("among.tenant = 3\nfix = [\"kind\"]\n{newest}")), (false, 3, Some(30.0), merge));
    assert_eq!(of(&format!("among = {{ tenant = 3, kind = 2 }}\n{newest}")), (false, 6, Some(60.0), merge));
    let day = "among.tenant = 3\nfix = [\"kind\"]\nrange.at = \"1 day\"";
    assert_eq!(of(day), (false, 3, Some(3000.0), OrderFit::Free));
    assert_eq!(of(&format!("{day}\nparts.at = 2")), (false, 6, Some(6000.0), OrderFit::Free));
    assert_eq!(of(&format!("{day}\n{newest}")), (false, 3, Some(30.0), merge));
}
