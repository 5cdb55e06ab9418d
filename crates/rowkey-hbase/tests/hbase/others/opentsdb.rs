//! OpenTSDB 2.4: its rows are read and written by typed keys, without a salt and with its own.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{ControlFlow, RangeInclusive};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hbase_client::{Family, TableName, TableSchema as Descriptor};
use rowkey::migrate::{Conversion, WideCopy};
use rowkey::nonblocking::{AsyncWideTable, Blocking};
use rowkey::wide::{Columns, FamilySchema, Mutation, Row, TableSchema};
use rowkey::{List, OwnedKey, RowKey, Select, Selection, WideTable};
use rowkey_hbase::HBase;
use rowkey_testkit::Random;
use rowkey_testkit::hbase::OpenTsdb;
use tokio::runtime::Handle;

use super::programs;
use crate::{Databases, runtime};

/// An id of a name.
type Uid = [u8; 3];
/// Names and values, by the names' ids.
type Tags = Vec<(Uid, Uid)>;

/// An hour of a series.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    metric: Uid,
    hour: u32,
    tags: Tags,
}

/// OpenTSDB's key.
trait Hour: OwnedKey + Clone + Send + Sync + 'static {
    fn of(place: &Place) -> Self;
    fn place(self) -> Place;
    fn hours(metric: Uid, hours: RangeInclusive<u32>) -> Selection<Self>;
}

macro_rules! hour {
    ($name:ident $(, $salt:meta)?) => {
        #[derive(RowKey, Clone, Debug)]
        $(#[$salt])?
        struct $name {
            metric: Uid,
            hour: u32,
            #[rowkey(raw)]
            tags: List<(Uid, Uid)>,
        }

        impl Hour for $name {
            fn of(Place { metric, hour, tags }: &Place) -> Self {
                Self { metric: *metric, hour: *hour, tags: List(tags.clone()) }
            }

            fn place(self) -> Place {
                Place { metric: self.metric, hour: self.hour, tags: self.tags.0 }
            }

            fn hours(metric: Uid, hours: RangeInclusive<u32>) -> Selection<Self> {
                Self::prefix().metric(metric).hour_range(hours)
            }
        }
    };
}

hour!(Unsalted);
// `tsd.storage.salt.width = 1`, and `tsd.storage.salt.buckets`.
hour!(Of20, rowkey(salt(buckets = 20, hash = java, by(metric, tags))));
hour!(Of7, rowkey(salt(buckets = 7, hash = java, by(metric, tags))));

/// The dictionary's row of a name.
#[derive(RowKey)]
struct Name {
    #[rowkey(raw)]
    name: String,
}

/// The dictionary's row of an id.
#[derive(RowKey)]
struct Id {
    id: Uid,
}

/// A point's value.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Number {
    Int(i64),
    Float(f32),
    Double(f64),
}

use Number::{Double, Float, Int};

impl Number {
    /// The bytes, of which an integer has as few as hold it.
    fn bytes(self) -> Vec<u8> {
        match self {
            Int(n) => match (i8::try_from(n), i16::try_from(n), i32::try_from(n)) {
                (Ok(n), ..) => n.to_be_bytes().to_vec(),
                (_, Ok(n), _) => n.to_be_bytes().to_vec(),
                (.., Ok(n)) => n.to_be_bytes().to_vec(),
                _ => n.to_be_bytes().to_vec(),
            },
            Float(n) => n.to_be_bytes().to_vec(),
            Double(n) => n.to_be_bytes().to_vec(),
        }
    }

    fn read(float: bool, bytes: &[u8]) -> Self {
        match (float, bytes) {
            (false, &[a]) => Int(i8::from_be_bytes([a]).into()),
            (false, &[a, b]) => Int(i16::from_be_bytes([a, b]).into()),
            (false, &[a, b, c, d]) => Int(i32::from_be_bytes([a, b, c, d]).into()),
            (true, &[a, b, c, d]) => Float(f32::from_be_bytes([a, b, c, d])),
            (_, &[a, b, c, d, e, f, g, h]) => {
                let bytes = [a, b, c, d, e, f, g, h];
                if float { Double(f64::from_be_bytes(bytes)) } else { Int(i64::from_be_bytes(bytes)) }
            }
            _ => panic!("no value has the bytes {bytes:?}"),
        }
    }
}

/// An hour's points, by their milliseconds.
type Points = BTreeMap<u32, Number>;

/// A point's cell: two bytes of whole seconds and four of a value, or four of milliseconds.
fn cell(at: u32, number: Number) -> (Vec<u8>, Vec<u8>) {
    let value = number.bytes();
    let flags = if matches!(number, Int(_)) { 0 } else { 8 } | (value.len() as u32 - 1);
    let qualifier = match at % 1000 {
        0 => ((at / 1000) << 4 | flags).to_be_bytes()[2..].to_vec(),
        _ => (0xf << 28 | at << 6 | flags).to_be_bytes().to_vec(),
    };
    (qualifier, value)
}

/// The points of a row, each a cell of its own, or those of the hour in one cell, which ends with one more byte.
fn points(row: &Row) -> Points {
    let mut points = Points::new();
    for cell in row.cells() {
        let (mut qualifiers, mut values) = (cell.qualifier, cell.value);
        while let [first, second, ..] = *qualifiers {
            let (at, width) = match (first >> 4, qualifiers) {
                (0xf, [a, b, c, d, ..]) => ((u32::from_be_bytes([*a, *b, *c, *d]) & 0x0fff_ffff) >> 6, 4),
                _ => (u32::from(u16::from_be_bytes([first, second]) >> 4) * 1000, 2),
            };
            let (qualifier, rest) = qualifiers.split_at(width);
            let flags = qualifier[width - 1];
            let (value, others) = values.split_at(usize::from(flags & 7) + 1);
            points.insert(at, Number::read(flags & 8 != 0, value));
            (qualifiers, values) = (rest, others);
        }
        let compacted = cell.qualifier.len() > 4 || cell.qualifier.len() == 4 && cell.qualifier[0] < 0xf0;
        assert_eq!(values.len(), usize::from(compacted), "{:?}", cell.qualifier);
    }
    points
}

/// A metric's name, and the tags in the order of their names.
type Series = (&'static str, Vec<(&'static str, &'static str)>);
/// The points of each series, by the milliseconds since 1970.
type Data = BTreeMap<Series, BTreeMap<u64, Number>>;

/// Temperatures of two cities in each hour of ten days, and for some hours many points with numbers of each width.
fn data() -> Data {
    let mut data = Data::new();
    for line in include_str!("../../../../../studies/data/temperatures.tsv").lines().skip(1).take(480) {
        let [city, time, degrees] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let day: u64 = time[8..10].parse().unwrap();
        let hour: u64 = time[11..13].parse().unwrap();
        let city = if city == "seattle" { "seattle" } else { "san-francisco" };
        let series = ("temperature", vec![("city", city), ("unit", "fahrenheit")]);
        let at = (1_262_304_000 + (day - 1) * 86_400 + hour * 3600) * 1000;
        data.entry(series).or_default().insert(at, Double(degrees.parse().unwrap()));
    }
    let mut random = Random(7);
    let ints = [0, 1, -1, 127, -128, 128, 32_767, -32_769, 1 << 31, -(1 << 31), i64::MAX, i64::MIN];
    let floats = [0.5, -0.25, 78.8, 1e300, -1e-9, 0.1, 16_777_217.5];
    for tags in [vec![], vec![("disk", "a")], vec![("disk", "b")]] {
        for metric in ["net.bytes", "net.load", "net.half"] {
            let tags = [&[("city", "seattle")][..], &tags].concat();
            let points = data.entry((metric, tags)).or_default();
            for _ in 0..100 {
                let at = 1_262_304_000_000 + random.below(4 * 3600) * 1000 + random.one_of(&[0, 0, 1, 123, 999]);
                let number = match metric {
                    "net.bytes" => Int(random.one_of(&ints)),
                    "net.load" => Double(random.one_of(&floats)),
                    _ => Float(random.one_of(&[0.5, -0.25, 1024.0625, 16_777_216.0])),
                };
                points.insert(at, number);
            }
        }
    }
    data
}

/// The tables of one OpenTSDB.
struct Tables {
    database: HBase,
    uids: AsyncWideTable<Name, HBase>,
    names: AsyncWideTable<Id, HBase>,
}

impl Tables {
    async fn create(database: HBase, data: &[&str]) -> Self {
        let tables = data.iter().map(|name| (*name, vec!["t"]));
        let others = [("tsdb-uid", vec!["id", "name"]), ("tsdb-tree", vec!["t"]), ("tsdb-meta", vec!["name"])];
        for (name, families) in tables.chain(others) {
            let table = Descriptor::new(TableName::new(database.namespace(), name));
            let table = families.into_iter().fold(table, |table, family| table.family(Family::new(family)));
            database.client().admin().create(&table, [""; 0]).await.unwrap();
        }
        let (uids, names) =
            (external(&database, "tsdb-uid", "id").await, external(&database, "tsdb-uid", "name").await);
        Self { database, uids, names }
    }

    /// OpenTSDB with its points in this table.
    fn start(&self, table: &str, settings: &[&str]) -> OpenTsdb {
        let space = self.database.namespace();
        let tables = [("data", table), ("uid", "tsdb-uid"), ("tree", "tsdb-tree"), ("meta", "tsdb-meta")];
        let tables = tables.map(|(kind, name)| format!("tsd.storage.hbase.{kind}_table={space}:{name}"));
        programs().opentsdb(&settings.iter().map(|&setting| setting.to_owned()).chain(tables).collect::<Vec<_>>())
    }

    async fn points<K: Hour>(&self, table: &str) -> AsyncWideTable<K, HBase> {
        external(&self.database, table, "t").await
    }

    /// The id of a name, whose id has that name.
    async fn uid(&self, kind: &str, name: &str) -> Uid {
        let row = self.uids.get(&Name { name: name.to_owned() }, &Columns::all()).await.unwrap();
        let id: Uid = row.value(("id", kind)).unwrap().try_into().unwrap();
        let named = self.names.get(&Id { id }, &Columns::all()).await.unwrap();
        assert_eq!(named.value(("name", kind)), Some(name.as_bytes()));
        id
    }

    /// The rows that this data has.
    async fn rows(&self, data: &Data) -> BTreeMap<Place, Points> {
        let mut rows = BTreeMap::<_, Points>::new();
        for ((metric, names), points) in data {
            let (metric, mut tags) = (self.uid("metrics", metric).await, Tags::new());
            for (name, value) in names {
                tags.push((self.uid("tagk", name).await, self.uid("tagv", value).await));
            }
            tags.sort_unstable();
            for (at, number) in points {
                let hour = at / 3_600_000 * 3600;
                let place = Place { metric, hour: hour as u32, tags: tags.clone() };
                rows.entry(place).or_default().insert((at - hour * 1000) as u32, *number);
            }
        }
        rows
    }
}

async fn external<K: RowKey>(database: &HBase, name: &str, family: &str) -> AsyncWideTable<K, HBase> {
    let schema = TableSchema::new().family(family, FamilySchema::new());
    let store = database.external_table(name, &schema).await.unwrap();
    AsyncWideTable::external(database.clone(), store)
}

/// The rows of a selection in their order, and the most cells that one has.
async fn scanned<K: Hour>(table: &AsyncWideTable<K, HBase>, select: impl Select<K>) -> (Vec<(Place, Points)>, usize) {
    let (mut scan, mut rows, mut most) = (table.scan(select, Columns::all()), Vec::new(), 0);
    while let Some(row) = scan.next().await {
        let (key, row) = row.unwrap();
        most = most.max(row.cells().count());
        rows.push((key.place(), points(&row)));
    }
    (rows, most)
}

/// A row with these points, each a cell of its own.
fn mutation(points: &Points) -> Mutation {
    points.iter().fold(Mutation::new(), |row, (at, number)| {
        let (qualifier, value) = cell(*at, *number);
        row.put(("t", qualifier), value)
    })
}

/// Writes the points by OpenTSDB: fractions of four bytes by lines, which it does not acknowledge, the rest by HTTP,
/// where it makes eight bytes of each fraction.
fn put(server: &OpenTsdb, data: &Data) {
    let (mut lines, mut all) = (String::new(), Vec::new());
    for ((metric, tags), points) in data {
        let each =
            |form: fn(&str, &str) -> String| tags.iter().map(|(name, value)| form(name, value)).collect::<Vec<_>>();
        let named = each(|name, value| format!("{name:?}:{value:?}")).join(",");
        let lined = each(|name, value| format!("{name}={value}")).join(" ");
        for (at, number) in points {
            let at = if at % 1000 == 0 { at / 1000 } else { *at };
            let number = match number {
                Int(number) => number.to_string(),
                Double(number) => format!("{number:?}"),
                Float(number) => {
                    lines += &format!("put {metric} {at} {:?} {lined}\n", f64::from(*number));
                    continue;
                }
            };
            all.push(format!(r#"{{"metric":{metric:?},"timestamp":{at},"value":{number},"tags":{{{named}}}}}"#));
        }
    }
    for points in all.chunks(300) {
        // Without `sync` it answers before the points are stored, and loses some of names that are new.
        let said = server.ask("POST", "/api/put?sync&details", &format!("[{}]", points.join(",")));
        assert_eq!(said, format!(r#"{{"success":{},"failed":0,"errors":[]}}"#, points.len()));
    }
    assert_eq!(server.lines(&lines), "");
}

/// The points of one series, as OpenTSDB tells them.
fn queried(server: &OpenTsdb, (metric, tags): &Series, from: u64, to: u64) -> BTreeMap<u64, Number> {
    let tags: Vec<_> = tags.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let of = format!("explicit_tags:{metric}%7B{}%7D", tags.join(","));
    let said = server.ask("GET", &format!("/api/query?start={from}&end={to}&ms=true&arrays=true&m=none:{of}"), "");
    let mut parts = said.split("\"dps\":[");
    let (Some(_), Some(points), None) = (parts.next(), parts.next(), parts.next()) else { panic!("{said}") };
    let points = points.strip_prefix('[').and_then(|points| points.strip_suffix("]]}]")).expect(&said);
    let point = |point: &str| {
        let (at, number) = point.split_once(',').unwrap();
        let float = number.contains(['.', 'E', 'e']);
        let number = if float { Double(number.parse().unwrap()) } else { Int(number.parse().unwrap()) };
        (at.parse().unwrap(), number)
    };
    points.split("],[").map(point).collect()
}

/// OpenTSDB's response to a query of each series has the points of the data.
fn assert_queried(server: &OpenTsdb, data: &Data) {
    for (series, points) in data {
        let (first, last) = (points.keys().next().unwrap(), points.keys().next_back().unwrap());
        let told =
            |(at, number): (&u64, &Number)| (*at, if let Float(n) = *number { Double(n.into()) } else { *number });
        let due: BTreeMap<_, _> = points.iter().map(told).collect();
        assert_eq!(queried(server, series, *first, *last), due, "{series:?}");
    }
}

/// Rows that typed keys write: of series that OpenTSDB has, in later hours, and of one that it has no point of.
fn later(data: &Data) -> Data {
    let later = |points: &BTreeMap<u64, Number>| points.iter().map(|(at, n)| (at + 864_000_000, *n)).collect();
    let mut later: Data = data.iter().map(|(series, points)| (series.clone(), later(points))).collect();
    let points = later[&("net.load", vec![("city", "seattle")])].clone();
    later.insert(("our.load", vec![("city", "tacoma"), ("unit", "fahrenheit")]), points);
    later
}

/// Waits until a table has these rows.
async fn arrived<K: Hour>(table: &AsyncWideTable<K, HBase>, due: &[(Place, Points)]) {
    let until = Instant::now() + Duration::from_secs(60);
    while scanned(table, ..).await.0 != due {
        assert!(Instant::now() < until, "{:?}, not {due:?}", scanned(table, ..).await.0);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Waits until each row is one cell, as OpenTSDB makes it of a row that it was asked for. The points stay the same.
async fn compacted<K: Hour>(table: &AsyncWideTable<K, HBase>, due: &[(Place, Points)]) {
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        let (found, cells) = scanned(table, ..).await;
        assert_eq!(found, due);
        if cells == 1 {
            return;
        }
        assert!(Instant::now() < until, "OpenTSDB does not compact its rows");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// OpenTSDB writes, typed keys read; typed keys write, OpenTSDB reads. Returns all that is there then.
async fn both_ways<K: Hour>(tables: &Tables, server: &OpenTsdb, compacts: bool) -> Data {
    let mut data = data();
    server.ask("POST", "/api/uid/assign", r#"{"metric":["our.load","net.half"],"tagv":["tacoma"]}"#);
    put(server, &data);
    let table = tables.points::<K>("tsdb").await;
    let theirs: Vec<_> = tables.rows(&data).await.into_iter().collect();
    arrived(&table, &theirs).await;
    assert_queried(server, &data);
    if compacts {
        compacted(&table, &theirs).await;
    }
    let metric = tables.uid("metrics", "temperature").await;
    let hours = 1_262_304_000 + 86_400..=1_262_304_000 + 2 * 86_400 - 1;
    let due = theirs.iter().filter(|(row, _)| row.metric == metric && hours.contains(&row.hour));
    let due: Vec<_> = due.cloned().collect();
    assert_eq!(due.len(), 48);
    assert_eq!(scanned(&table, K::hours(metric, hours.clone())).await.0, due);
    let (first, _) = &due[0];
    let one = K::hours(metric, hours).in_bucket_of(&K::of(first));
    let found = scanned(&table, one).await.0.into_iter().filter(|(row, _)| row.tags == first.tags).count();
    assert_eq!(found, 24);

    let ours = later(&data);
    let rows = tables.rows(&ours).await;
    table.mutate_many(rows.iter().map(|(place, points)| (K::of(place), mutation(points)))).await.unwrap();
    assert_queried(server, &ours);
    for (series, points) in ours {
        data.entry(series).or_default().extend(points);
    }
    assert_queried(server, &data);
    if compacts {
        compacted(&table, &tables.rows(&data).await.into_iter().collect::<Vec<_>>()).await;
    }
    data
}

/// A table, for jobs, which are synchronous.
fn blocking<K: Hour>(table: &AsyncWideTable<K, HBase>) -> WideTable<K, Blocking<HBase>> {
    let handle = Handle::current();
    let on = || {
        let handle = handle.clone();
        move |future| drop(handle.spawn(future))
    };
    let store = Blocking::on(Arc::clone(table.store()), on());
    WideTable::external(Blocking::on(table.database().clone(), on()), Arc::new(store))
}

/// Copies all rows to another number of buckets while OpenTSDB writes the table, and the rest after it has ended. Adds
/// to the data what OpenTSDB wrote meanwhile.
async fn moved<A: Hour, B: Hour>(
    old: &AsyncWideTable<A, HBase>,
    new: &AsyncWideTable<B, HBase>,
    server: OpenTsdb,
    data: &mut Data,
) {
    let keys = Conversion::keys(|old: A| B::of(&old.place()), |new: B| A::of(&new.place()));
    let copy = WideCopy::new(&blocking(old), &blocking(new), keys).unwrap();
    let gone = A::of(&Place { metric: [0xff; 3], hour: 0, tags: Tags::new() });
    old.mutate(&gone, &Mutation::new().put(("t", [0, 0]), [7])).await.unwrap();
    let (mut scan, mut all, mut begun) = (old.scan(.., Columns::all()), 0, 0);
    while let Some(row) = scan.next().await {
        all += 1;
        begun = row.unwrap().1.cells().map(|cell| cell.timestamp).fold(begun, i64::max);
    }

    // After each batch a point more in each of these rows, which are copied already or not.
    let mut hours = data.clone();
    hours.retain(|(metric, _), _| *metric == "temperature");
    for points in hours.values_mut() {
        *points = points.iter().filter(|(at, _)| *at % 3_600_000 == 0).take(100).map(|(at, n)| (*at, *n)).collect();
    }
    let written_to = hours.values().map(BTreeMap::len).sum::<usize>() as u64;
    let mut batches = 0;
    let backfill = copy.backfill().batch_rows(all as usize / 3).run_watched(|_| {
        batches += 1;
        let one_more =
            |points: &BTreeMap<u64, Number>| points.iter().map(|(at, n)| (at + batches * 1000, *n)).collect();
        let more: Data = hours.iter().map(|(series, points)| (series.clone(), one_more(points))).collect();
        put(&server, &more);
        for (series, points) in more {
            data.entry(series).or_default().extend(points);
        }
        ControlFlow::Continue(())
    });
    assert_eq!(backfill.unwrap().written, all);
    assert!(batches > 2 && written_to < all, "{batches} batches, {written_to} of {all} rows");
    old.delete(&gone).await.unwrap();
    let report = copy.verify().run().unwrap();
    assert_eq!((report.different, report.extra, report.missing), (written_to, 1, 0), "{report}");

    drop(server);
    assert_eq!(copy.backfill_since(begun + 1).run().unwrap().written, written_to);
    assert_eq!(copy.repair().run().unwrap().written, 1);
    let report = copy.verify().run().unwrap();
    assert!(report.is_clean() && report.rows == 2 * (all - 1), "{report}");
}

#[test]
#[ignore = "needs ROWKEY_HBASE"]
fn opentsdb() {
    let (runtime, databases) = (runtime(), Databases::new());
    runtime.block_on(async {
        let tables = Tables::create(databases.empty().await, &["tsdb"]).await;
        let server = tables.start("tsdb", &[]);
        both_ways::<Unsalted>(&tables, &server, true).await;
    });
    databases.end(runtime.handle());
}

#[test]
#[ignore = "needs ROWKEY_HBASE"]
fn opentsdb_with_a_salt() {
    let (runtime, databases) = (runtime(), Databases::new());
    runtime.block_on(async {
        let tables = Tables::create(databases.empty().await, &["tsdb", "tsdb.7", "tsdb.plain"]).await;
        let settings = |buckets| ["tsd.storage.enable_compaction=false", "tsd.storage.salt.width=1", buckets];
        let server = tables.start("tsdb", &settings("tsd.storage.salt.buckets=20"));
        let mut data = both_ways::<Of20>(&tables, &server, false).await;

        // Each cell of OpenTSDB's is as ours would be.
        let old = tables.points::<Of20>("tsdb").await;
        let (mut scan, mut buckets) = (old.scan(.., Columns::all()), BTreeSet::new());
        while let Some(row) = scan.next().await {
            let (key, row) = row.unwrap();
            let mut due: Vec<_> = points(&row).into_iter().map(|(at, number)| cell(at, number)).collect();
            due.sort_unstable();
            let cells: Vec<_> = row.cells().map(|cell| (cell.qualifier.to_vec(), cell.value.to_vec())).collect();
            assert_eq!(cells, due, "{key:?}");
            buckets.insert(key.encode()[0]);
        }
        assert!(buckets.len() > 4 && buckets.last() >= Some(&7), "{buckets:?}");

        let new = tables.points::<Of7>("tsdb.7").await;
        moved(&old, &new, server, &mut data).await;
        let server = tables.start("tsdb.7", &settings("tsd.storage.salt.buckets=7"));
        assert_queried(&server, &data);
        let later = later(&later(&data));
        put(&server, &later);
        for (series, points) in later {
            data.entry(series).or_default().extend(points);
        }
        arrived(&new, &tables.rows(&data).await.into_iter().collect::<Vec<_>>()).await;

        let unsalted = tables.points::<Unsalted>("tsdb.plain").await;
        moved(&new, &unsalted, server, &mut data).await;
        let server = tables.start("tsdb.plain", &settings("tsd.storage.salt.width=0"));
        assert_queried(&server, &data);
    });
    databases.end(runtime.handle());
}
