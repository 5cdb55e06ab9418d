//! The tables of `metrics` and a real OpenTSDB: each reads what the other has written.

use std::collections::BTreeMap;
use std::path::Path;

use clap::Parser;
use rowkey::wide::{Columns, FamilySchema, TableSchema, WideDatabase};
use rowkey_studies::engine::{Engine, EngineArgs};
use rowkey_studies::series::tsdb::{Ask, Of, Points, Series, Tsdb, points};
use rowkey_testkit::hbase::{OpenTsdb, Programs};

use super::site;

#[derive(Parser)]
struct Args {
    #[command(flatten)]
    engine: EngineArgs,
}

/// The first second of an hour.
const HOUR: u32 = 1_262_304_000;

/// The points of a series, as OpenTSDB tells them.
fn queried(server: &OpenTsdb, (metric, tags): &Series) -> BTreeMap<u32, f64> {
    let tags: Vec<_> = tags.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let of = format!("explicit_tags:{metric}%7B{}%7D", tags.join(","));
    let said = server.ask("GET", &format!("/api/query?start={HOUR}&end={}&m=none:{of}", HOUR + 7200), "");
    let parsed: serde_json::Value = serde_json::from_str(&said).unwrap();
    let points = parsed[0]["dps"].as_object().unwrap_or_else(|| panic!("{said}"));
    points.iter().map(|(at, value)| (at.parse().unwrap(), value.as_f64().unwrap())).collect()
}

/// Both have these points of each series.
fn assert_both_have(tsdb: &Tsdb<3600>, server: &OpenTsdb, all: &Points) {
    for (series, due) in all {
        assert_eq!(queried(server, series), *due, "{series:?}");
        let (metric, tags) = tsdb.ids(series).unwrap();
        let ask = Ask { metric, window: HOUR..=HOUR + 7200, of: Of::One(tags), by: None, every: 1 };
        let sums = tsdb.ask(&ask).unwrap().sums;
        assert_eq!(sums.into_iter().map(|((_, at), of)| (at, of.sum)).collect::<BTreeMap<_, _>>(), *due, "{series:?}");
    }
}

/// Cells by row, and the points of all.
fn stored(tsdb: &Tsdb<3600>) -> (Vec<usize>, usize) {
    let rows: Vec<_> = tsdb.rows.scan(.., Columns::all()).map(|row| row.unwrap().1).collect();
    let cells = rows.iter().map(|row| row.cells().count()).collect();
    (cells, rows.iter().map(|row| points(row).unwrap().len()).sum())
}

#[test]
#[ignore = "needs ROWKEY_HBASE, and the feature hbase"]
fn opentsdb_and_metrics_read_the_rows_of_each_other() {
    let (site, namespace) = (site(), format!("opentsdb{}", std::process::id()));
    let args = Args::parse_from(["metrics", "--hbase", &site, "--namespace", &namespace]);
    let engine = Engine::new("metrics", args.engine);
    let db = engine.open().unwrap();
    let tsdb = Tsdb::<3600>::open(db.clone(), "tsdb").unwrap();
    let mut all = Points::new();
    for (n, method) in ["GET", "POST", "HEAD", "PUT"].into_iter().enumerate() {
        for (metric, scale) in [("web.hits", 1.0), ("web.bytes", -0.1)] {
            let series = (metric, vec![("status", "200".to_owned()), ("method", method.to_owned())]);
            let at = |step: usize| HOUR + (step * (700 + n)) as u32;
            all.insert(series, (0..10).map(|step| (at(step), step as f64 * scale)).collect());
        }
    }
    let written: Vec<_> =
        all.iter().flat_map(|(series, points)| points.iter().map(move |(at, value)| (series, *at, *value))).collect();
    tsdb.write(&written).unwrap();

    for (name, families) in [("uid", &["id", "name"][..]), ("tree", &["t"]), ("meta", &["name"])] {
        let schema = TableSchema::new();
        let schema = families.iter().fold(schema, |schema, family| schema.family(*family, FamilySchema::new()));
        db.wide().table(name, &schema).unwrap();
    }
    let tables = [("data", "tsdb"), ("uid", "uid"), ("tree", "tree"), ("meta", "meta")];
    let tables = tables.map(|(kind, name)| format!("tsd.storage.hbase.{kind}_table={namespace}:{name}"));
    let salt = ["tsd.storage.salt.width=1", "tsd.storage.salt.buckets=8", "tsd.storage.enable_compaction=false"];
    let settings: Vec<_> = salt.map(str::to_owned).into_iter().chain(tables).collect();
    let server = Programs::new(Path::new(&site).ancestors().nth(2).unwrap()).opentsdb(&settings);
    for (kind, names) in [("metric", &tsdb.metrics), ("tagk", &tsdb.tag_names), ("tagv", &tsdb.tag_values)] {
        let mut names = names.starting("", 100).unwrap();
        names.sort_by_key(|(_, id)| *id);
        for (name, [a, b, c]) in names {
            let said = server.ask("POST", "/api/uid/assign", &format!(r#"{{"{kind}":["{name}"]}}"#));
            assert!(said.contains(&format!(r#""{name}":"{a:02X}{b:02X}{c:02X}""#)), "{said}");
        }
    }
    assert_both_have(&tsdb, &server, &all);
    let (cells, count) = stored(&tsdb);
    assert!(cells.iter().sum::<usize>() == 80 && count == 80 && cells.len() == 16, "{cells:?}");
    tsdb.compact().unwrap();
    assert_eq!(stored(&tsdb), (vec![1; 16], 80));
    assert_both_have(&tsdb, &server, &all);

    // Into the same rows: integers of each width, and floats, which it makes four or eight bytes of.
    let mut points = Vec::new();
    for (series, of_series) in &mut all {
        for (at, value) in [(1, "7"), (2, "-300"), (3, "70000"), (4, "5000000000"), (5, "0.5"), (4500, "1.1")] {
            let tags: Vec<_> = series.1.iter().map(|(name, value)| format!("{name:?}:{value:?}")).collect();
            let (metric, at) = (series.0, HOUR + at);
            points.push(format!(
                r#"{{"metric":{metric:?},"timestamp":{at},"value":{value},"tags":{{{}}}}}"#,
                tags.join(",")
            ));
            of_series.insert(at, value.parse().unwrap());
        }
    }
    let said = server.ask("POST", "/api/put?sync&details", &format!("[{}]", points.join(",")));
    assert_eq!(said, r#"{"success":48,"failed":0,"errors":[]}"#);
    assert_both_have(&tsdb, &server, &all);
    tsdb.compact().unwrap();
    assert_eq!(stored(&tsdb), (vec![1; 16], 128));
    assert_both_have(&tsdb, &server, &all);
    drop(server);
    engine.close().unwrap();
}
