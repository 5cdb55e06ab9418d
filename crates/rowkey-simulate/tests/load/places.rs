//! The places that drawn writes land in, beside those that `check` counts with.

use std::collections::HashMap;

use proptest::prelude::*;
use rowkey_design::internal::facts::KeyFacts;
use rowkey_design::internal::load::WriteLoad;
use rowkey_simulate::load::{Drawn, Options};

use super::{all, design, designs};

/// The rows of one moment.
const ROWS: u64 = 20_000;

/// What is drawn: `Σ p²` without the pairs of a row with itself, and the share of the busiest place.
struct Found {
    squares: f64,
    busiest: f64,
}

/// The places of keys: what comes before the time.
fn found(keys: &[Vec<u8>], key: &KeyFacts<'_>, fields: &[usize]) -> Found {
    let lead = key.layout.lead().width();
    let mut places: HashMap<Vec<u8>, u64> = HashMap::new();
    for bytes in keys {
        let values = key.layout.decode(bytes).unwrap_or_else(|error| panic!("{error}: {bytes:x?}"));
        let place: Vec<_> = fields.iter().map(|&field| values[field].clone()).collect();
        *places.entry([&bytes[..lead], format!("{place:?}").as_bytes()].concat()).or_default() += 1;
    }
    let rows = keys.len() as f64;
    let pairs: f64 = places.values().map(|&count| count as f64 * (count as f64 - 1.0)).sum();
    let most = places.values().max().map_or(0.0, |&count| count as f64);
    Found { squares: pairs / (rows * (rows - 1.0)), busiest: most / rows }
}

/// Holds what is drawn of a write against what `check` says of it.
fn hold(name: &str, load: &WriteLoad<'_>, key: &KeyFacts<'_>, keys: &[Vec<u8>]) {
    let (Some(places), Some(busiest)) = (load.places, load.busiest) else { return };
    let found = found(keys, key, &load.fields);
    let rows = keys.len() as f64;
    let squares = 1.0 / places;
    // Pairs are counted: as many of them as one in a root of their number is chance, and how often the most frequent
    // value is drawn. Some rows of one second are the same where the time is in seconds.
    let chance = 20.0 / (rows * rows)
        + 6.0 * ((2.0 * squares).sqrt() / rows + 2.0 * squares * (1.0 / (rows * busiest)).sqrt().min(1.0));
    let share = 6.0 * (busiest / rows).sqrt() + 12.0 / rows;
    let is_known = key.fields.iter().all(|field| field.spread.is_some() || field.growth.is_some());
    // Which hash the frequent values have is chance too.
    let hashed = if key.layout.lead().width() > 0 { 0.2 } else { 0.02 };
    let said = format!("{name}: {:?} for {squares:.2e}, {:?} for {busiest:.2e}", found.squares, found.busiest);
    assert!(found.squares <= squares * (1.0 + hashed) + chance, "{said}");
    assert!(found.busiest <= busiest * (1.0 + hashed) + share, "{said}");
    // Of what nobody knows the values, there are so many places at least.
    if is_known {
        assert!(found.squares >= squares * (1.0 - hashed) - chance, "{said}");
        assert!(found.busiest >= busiest * (1.0 - hashed) - share, "{said}");
    }
}

/// The keys that one write of a table puts.
fn keys(drawn: &mut Drawn<'_>) -> Vec<Vec<u8>> {
    all(drawn).into_iter().filter(|event| event.op == "put").map(|event| event.key).collect()
}

/// A design in which a table has one of its writes alone.
fn with_one_write(design: &rowkey_design::Design, table: &str, write: usize) -> rowkey_design::Design {
    let mut alone = design.clone();
    let of = &mut alone.tables[table].table.write;
    *of = vec![of.swap_remove(write)];
    // A share of rows is of a moment: all are written at once.
    of[0].value.bulk = None;
    (of[0].value.kind, of[0].value.updates) = (None, Vec::new());
    of[0].value.columns.clear();
    (of[0].value.peak, of[0].value.shape) = (None, None);
    let rate = rowkey_design::internal::file::Rate(ROWS as f64);
    of[0].value.rate = Some(rowkey_design::internal::Located { value: rate, place: of[0].place });
    alone
}

#[test]
fn writes_of_the_studies_land_where_check_says() {
    let options = Options { seconds: 1.0, writes_alone: true, ..Options::default() };
    let mut held = 0;
    for (path, design) in designs() {
        let cluster = design.clusters.values().next().map(|cluster| &cluster.value);
        for (name, table) in &design.tables {
            for write in 0..table.table.write.len() {
                let alone = with_one_write(&design, name, write);
                let table = &alone.tables[name.as_str()];
                let facts = KeyFacts::all(table, None, cluster);
                for key in &facts {
                    let secondary = key.secondary;
                    let drawn = Drawn::new(&alone, name, secondary, cluster, None, &options);
                    let mut drawn = drawn.unwrap_or_else(|error| panic!("{path} {name}: {error}"));
                    let load = WriteLoad::of(&table.table.write[0], key);
                    let keys = keys(&mut drawn);
                    assert!(keys.len() as f64 > 0.9 * ROWS as f64 * key.share, "{path} {name}: {}", keys.len());
                    hold(&format!("{path} {name} {:?}", key.name.as_str()), &load, key, &keys);
                    held += 1;
                }
            }
        }
    }
    assert!(held > 40, "{held}");
}

#[derive(Clone, Debug)]
struct Field {
    distinct: u64,
    skew: String,
    ty: &'static str,
    per: bool,
}

fn field() -> impl Strategy<Value = Field> {
    let skew = prop_oneof![
        Just("uniform".to_owned()),
        (0u32..20).prop_map(|tenths| format!("zipf {:.1}", f64::from(tenths) / 10.0)),
        (1u32..100).prop_map(|percent| format!("one value 0.{percent:02}")),
    ];
    let ty = prop::sample::select(vec!["u32", "i64", "text", "bytes[4]", "u64", "bytes[16]", "hex[8]", "dec[9]"]);
    let distinct = prop_oneof![1u64..20, 20u64..10_000, 10_000u64..100_000_000];
    (distinct, skew, ty, any::<bool>()).prop_map(|(distinct, skew, ty, per)| Field { distinct, skew, ty, per })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn writes_land_where_check_says(
        fields in prop::collection::vec(field(), 1..4),
        time in prop::option::of(0usize..4),
        salt in prop::option::of(1u32..40),
        seed: u64,
    ) {
        let time = time.map(|time| time.min(fields.len()));
        let mut key: Vec<String> = fields.iter().enumerate().map(|(i, field)| format!("\"f{i}: {}\"", field.ty)).collect();
        if let Some(time) = time {
            key.insert(time, "\"at: instant\"".to_owned());
        }
        let mut text = format!("format = 1\n[table.t]\nkey = [{}]\n", key.join(", "));
        if let Some(buckets) = salt {
            text += &format!("salt = {{ buckets = {buckets} }}\n");
        }
        for (i, field) in fields.iter().enumerate() {
            // Those of each value of the field before: of types that have as many.
            let per = match field.per && i > 0 && !matches!(field.ty, "u32" | "hex[8]" | "dec[9]" | "bytes[4]") {
                true => format!(", per = \"f{}\"", i - 1),
                false => String::new(),
            };
            text += &format!("stats.f{i} = {{ distinct = {}, skew = {:?}{per} }}\n", field.distinct, field.skew);
        }
        let order = if time.is_some() { "time" } else { "random" };
        text += &format!("[[table.t.write]]\nname = \"w\"\nrate = \"{ROWS}/s\"\norder = {order:?}\n");
        let design = design(&text);
        let options = Options { seconds: 1.0, seed, ..Options::default() };
        let mut drawn = Drawn::new(&design, "t", None, None, None, &options).unwrap();
        let table = &design.tables["t"];
        let key = KeyFacts::of(table, None);
        hold(&text, &WriteLoad::of(&table.table.write[0], &key), &key, &keys(&mut drawn));
    }
}
