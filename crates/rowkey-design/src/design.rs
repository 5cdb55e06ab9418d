//! A design: clusters and tables with their keys, families, statistics, writes and queries, as the file has them.

use serde_json::{Value as Json, json};
use toml_datetime::Datetime;

use rowkey::untyped::{FieldBuf, TypeBuf};

use crate::file::node::{FromToml, Node, Reading, nearest, record, words};
use crate::file::{Bounds, Bytes, Count, Named, Period, Rate};
use crate::problem::Located;

record! {
    /// What one file has.
    pub struct DesignFile {
        /// The version of this format: 1.
        format: Located<u32> where Bounds::whole(1, 1),
        /// Where tables are to be: engine, servers, what a region holds and takes.
        cluster: Named<Cluster>,
        /// The tables, by name.
        table: Named<Table>,
    }

    /// A cluster: what a table's limits, DDL and loads depend on.
    pub struct Cluster {
        /// The engine.
        engine: Engine,
        /// The number of region servers or nodes.
        servers: Option<u32> where Bounds::FROM_ONE,
        /// The memory of one server's process.
        heap: Option<Bytes> where Bounds::POSITIVE,
        /// What a region or tablet holds and takes.
        region: Option<Region>,
    }

    /// What a region or tablet of a cluster holds and takes.
    pub struct Region {
        /// The size at which it is split: HBase's `hbase.hregion.max.filesize`.
        max: Option<Bytes> where Bounds::POSITIVE,
        /// The size at which a memstore is flushed: HBase's `hbase.hregion.memstore.flush.size`.
        flush: Option<Bytes> where Bounds::POSITIVE,
        /// The writes that the server of one region takes. Below this rate no finding speaks of where load lands.
        writes: Option<Rate>,
        /// The reads that the server of one region takes.
        reads: Option<Rate>,
    }

    /// A table.
    pub struct Table {
        /// What it holds, for people.
        about: Option<String>,
        /// The fields of its row key, in key order, each as `name: shape`, with the shapes of FORMAT.md.
        key: Vec<Located<KeyField>>,
        /// A salt before the fields.
        salt: Option<Located<Salt>>,
        /// A digest before the fields.
        hashed: Option<Located<Digest>>,
        /// What fields say where their type does not: milliseconds, a sequence, a random number.
        means: Named<Meaning>,
        /// The fingerprint that the key's layout must have: `Layout::fingerprint` of its struct.
        fingerprint: Option<Located<String>>,
        /// Whether two writes of one key are one thing.
        unique: Option<Located<Unique>>,
        /// The points at which the new table is split.
        splits: Option<Located<Splits>>,
        /// How long rows are kept, where no TTL says it.
        keep: Option<Located<Keep>>,
        /// How many rows it holds when it is full grown.
        rows: Option<Located<Count>> where Bounds::MANY,
        /// The column families.
        family: Named<Family>,
        /// What is known of the values of fields.
        stats: Named<FieldStats>,
        /// A file of keys that statistics are taken from: a path from the design file.
        sample: Option<Located<String>>,
        /// What writes rows.
        write: Vec<Located<Write>>,
        /// What reads rows.
        query: Vec<Located<Query>>,
        /// Tables of the same rows under other keys.
        secondary: Vec<Located<Secondary>>,
        /// Findings that are known and accepted.
        allow: Vec<Located<Allow>>,
    }

    /// A salt: the rows are spread over buckets by a hash.
    pub struct Salt {
        /// The number of buckets.
        buckets: Located<u32> where Bounds::whole(1, 65_536),
        /// The fields that the bucket is taken from. Default: all.
        by: Vec<Located<String>>,
        /// The hash. Default: xxh3.
        hash: Option<Located<String>>,
        /// How the bucket is written. Default: binary.
        format: Option<SaltFormat>,
    }

    /// A digest (MD5) of the first fields, before them.
    pub struct Digest {
        /// The number of bytes of the digest.
        bytes: Located<u32> where Bounds::whole(1, 16),
        /// The fields that it is taken from. Default: all.
        by: Vec<Located<String>>,
    }

    /// A column family.
    pub struct Family {
        /// What it holds, for people.
        about: Option<String>,
        /// How long cells live.
        ttl: Option<Located<Period>>,
        /// The most versions of a cell that are kept. Default: 1.
        versions: Option<Located<u32>> where Bounds::FROM_ONE,
        /// The fewest versions that are kept after the TTL has expired.
        min_versions: Option<Located<u32>>,
        /// The compression of its files.
        compression: Option<Located<Compression>>,
        /// The encoding of keys in its blocks.
        encoding: Option<Located<BlockEncoding>>,
        /// The Bloom filter of its files.
        bloom: Option<Located<Bloom>>,
        /// The size of a block of its files.
        block: Option<Located<Bytes>> where Bounds::POSITIVE,
        /// Whether its blocks are kept in memory first.
        in_memory: Option<bool>,
        /// Values above this size are stored apart (HBase's MOB).
        mob: Option<Located<Bytes>>,
        /// Whose timestamps cells have.
        timestamp: Option<Located<Timestamp>>,
        /// How many rows have cells in it. Default: all.
        rows: Option<Located<Count>> where Bounds::MANY,
        /// The columns.
        columns: Option<Located<Columns>>,
        /// The sizes of values, by column.
        sizes: Named<Size>,
    }

    /// Columns whose names are data: one for each thing that a row holds.
    pub struct ColumnsOfRow {
        /// The name: `what: shape`.
        name: String,
        /// How many a row has.
        per_row: Option<Count> where Bounds::POSITIVE,
        /// The most that a row can have.
        max: Option<Count> where Bounds::MANY,
        /// The size of a value.
        value: Option<Bytes>,
    }

    /// A size that varies.
    pub struct SizeSpread {
        /// The median.
        p50: Option<Bytes>,
        /// The size that 99 of 100 do not exceed.
        p99: Option<Bytes>,
        /// The greatest.
        max: Option<Bytes>,
    }

    /// A count that varies.
    pub struct CountSpread {
        /// The median.
        p50: Option<Count> where Bounds::POSITIVE,
        /// The count that 99 of 100 do not exceed.
        p99: Option<Count> where Bounds::POSITIVE,
        /// The greatest.
        max: Option<Count> where Bounds::POSITIVE,
    }

    /// What is known of the values of a field.
    pub struct FieldStats {
        /// How many values it has: of the whole table, or of each value of `per`.
        distinct: Option<Located<Count>> where Bounds::MANY,
        /// How uneven they are: `zipf 0.9`, or `uniform`, the default.
        skew: Option<Located<Skew>>,
        /// The field for each of whose values `distinct` counts.
        per: Option<Located<String>>,
        /// The most values that it has for one value of `per`.
        max: Option<Count> where Bounds::MANY,
        /// Whether its values grow with time.
        grows: Option<bool>,
        /// How many rows a value has.
        rows_per: Option<CountSpread>,
        /// The bytes of a value, where its type has no fixed width.
        size: Option<Size>,
    }

    /// Something that writes rows.
    pub struct Write {
        /// Its name.
        name: Located<String>,
        /// What it does. Default: put.
        kind: Option<WriteKind>,
        /// How many rows it writes.
        rate: Option<Located<Rate>>,
        /// The highest rate.
        peak: Option<Located<Rate>>,
        /// The order of the keys it writes: `time`, `random`, `random in FIELD`, `key`, or `one row`.
        order: Option<Located<WriteOrder>>,
        /// Whether it writes many rows at once, once.
        bulk: Option<bool>,
        /// Fields of the key, or of a secondary table's key, that it changes.
        updates: Vec<Located<String>>,
        /// Whether a counter may be off by some: an increment that is sent again counts twice.
        approximate: Option<bool>,
        /// The columns that it writes.
        columns: Vec<Located<String>>,
        /// Whether it changes several rows, all or none of them.
        atomic: Option<bool>,
    }

    /// Something that reads rows.
    pub struct Query {
        /// Its name.
        name: Located<String>,
        /// The fields that it has one value of.
        fix: Vec<Located<String>>,
        /// The field that it has a range of, and how wide.
        range: Named<Width>,
        /// The field that it has several values of, and how many.
        among: Named<Count> where Bounds::MANY,
        /// The field that it has the beginning of, and how many characters or bytes.
        starts_with: Named<Count> where Bounds::MANY,
        /// What it filters by that is not in the key, or not next in it.
        filter as "where": Vec<Located<String>>,
        /// The order that it wants.
        order: Option<Located<QueryOrder>>,
        /// The most rows that it returns.
        limit: Option<Located<Count>> where Bounds::MANY,
        /// How many rows it returns, where the statistics of fields do not tell: after a filter by a column.
        returns: Option<Located<Count>> where Bounds::ANY,
        /// How many rows it skips.
        offset: Option<Located<Count>> where Bounds::WHOLE,
        /// The columns that it reads. Default: all.
        columns: Vec<Located<String>>,
        /// How often it runs.
        rate: Option<Located<Rate>>,
        /// The time within which it has to return.
        online: Option<Located<Period>>,
        /// Whether it reads much on purpose, and nobody waits for it.
        batch: Option<bool>,
        /// The share of reads that find a row. Default: 1.
        hit_rate: Option<f64> where Bounds::from_to(0.0, 1.0),
        /// Whether its rows have to be changed or read atomically.
        atomic: Option<bool>,
        /// What it may cost.
        budget: Option<Budget>,
    }

    /// What a query may cost.
    pub struct Budget {
        /// The most ranges.
        ranges: Option<Count> where Bounds::MANY,
        /// The most rows read for each returned.
        read_per_returned: Option<f64> where Bounds::from_to(1.0, 1e24),
    }

    /// A table of the same rows under another key, kept by [`rowkey::secondary`].
    pub struct Secondary {
        /// Its name.
        name: Located<String>,
        /// The fields of its row key.
        key: Vec<Located<KeyField>>,
        /// A salt before the fields.
        salt: Option<Located<Salt>>,
        /// The fingerprint that its key's layout must have.
        fingerprint: Option<Located<String>>,
        /// The queries that it serves.
        serves: Vec<Located<String>>,
        /// The points at which the new table is split.
        splits: Option<Located<Splits>>,
    }

    /// A finding that is known and accepted.
    pub struct Allow {
        /// The rule.
        rule: Located<String>,
        /// What it is found in: a query, a write, a family, a field, or a secondary table. Default: the table.
        of: Option<Located<String>>,
        /// Why it is accepted.
        why: Located<String>,
        /// The last day on which it is.
        until: Option<Located<Date>>,
    }
}

words! {
    /// An engine.
    pub enum Engine ("engine") {
        /// Apache HBase.
        HBase = "hbase",
        /// Google Bigtable.
        Bigtable = "bigtable",
        /// TiKV.
        TiKv = "tikv",
        /// CockroachDB.
        Cockroach = "cockroachdb",
        /// Amazon DynamoDB.
        DynamoDb = "dynamodb",
        /// FoundationDB.
        FoundationDb = "foundationdb",
        /// fjall, embedded.
        Fjall = "fjall",
        /// RocksDB, embedded.
        RocksDb = "rocksdb",
    }

    /// How a salt bucket is written.
    pub enum SaltFormat ("format") {
        /// Bytes.
        Binary = "binary",
        /// Lower-case hex digits.
        Hex = "hex",
    }

    /// What a field says.
    pub enum Meaning ("meaning") {
        /// Seconds since 1970.
        Seconds = "seconds",
        /// Milliseconds since 1970.
        Millis = "milliseconds",
        /// Microseconds since 1970.
        Micros = "microseconds",
        /// Nanoseconds since 1970.
        Nanos = "nanoseconds",
        /// A number of days, hours or other buckets of time.
        TimeBucket = "time bucket",
        /// A date and time of day without a time zone.
        LocalTime = "local time",
        /// A number that grows by one with each row.
        Sequence = "sequence",
        /// A snowflake: a time and a counter in 64 bits.
        Snowflake = "snowflake",
        /// A UUID of version 7, or 1 reordered: it begins with a time.
        Uuid7 = "uuid7",
        /// A random UUID.
        Uuid4 = "uuid4",
        /// A ULID.
        Ulid = "ulid",
        /// A hash of something.
        Digest = "digest",
        /// A random number.
        Random = "random",
        /// A counter that tells keys of one moment apart.
        TieBreaker = "tie breaker",
        /// The same for all rows, or a version of the format.
        Constant = "constant",
        /// What something is at now: it changes.
        Status = "status",
        /// A number that is written as text, in decimal digits.
        Number = "number as text",
        /// A number in the bytes that a processor has: little-endian, or signed or a float without the sign turned.
        NativeNumber = "native number",
        /// Words as people type them: in any case and Unicode form.
        Typed = "typed by people",
    }

    /// Whether two writes of one key are one thing.
    pub enum Unique ("word") {
        /// They are: the later replaces the earlier on purpose.
        Upsert = "upsert",
    }

    /// How long rows are kept.
    pub enum Keep ("word") {
        /// For ever.
        Forever = "forever",
    }

    /// A compression.
    pub enum Compression ("compression") {
        /// None.
        None = "none",
        /// Snappy.
        Snappy = "snappy",
        /// LZ4.
        Lz4 = "lz4",
        /// Gzip.
        Gz = "gz",
        /// LZO.
        Lzo = "lzo",
        /// Bzip2.
        Bzip2 = "bzip2",
        /// Zstandard.
        Zstd = "zstd",
    }

    /// The encoding of keys in a block.
    pub enum BlockEncoding ("encoding") {
        /// None.
        None = "none",
        /// What keys have in common with the one before is left out.
        Prefix = "prefix",
        /// As prefix, and lengths and timestamps too.
        Diff = "diff",
        /// As diff, faster.
        FastDiff = "fast_diff",
        /// With an index of rows in each block.
        RowIndex = "row_index_v1",
    }

    /// A Bloom filter.
    pub enum Bloom ("Bloom filter") {
        /// None.
        None = "none",
        /// Of row keys.
        Row = "row",
        /// Of row keys and columns.
        RowCol = "rowcol",
    }

    /// Whose timestamps cells have.
    pub enum Timestamp ("timestamp") {
        /// The server's.
        Server = "server",
        /// The writer's, and not a time: a count, a date in the future.
        Custom = "custom",
        /// The writer's: the time of what the cell tells, in milliseconds.
        Event = "event",
    }

    /// What a write does.
    pub enum WriteKind ("kind") {
        /// Puts rows or cells.
        Put = "put",
        /// Deletes them.
        Delete = "delete",
        /// Adds to a counter.
        Increment = "increment",
        /// Reads a counter, adds to it in the program, and puts it back, whatever it is by then.
        ReadAddPut = "read, add, put",
    }

    /// The order that a query wants.
    pub enum QueryOrder ("order") {
        /// The latest first.
        Newest = "newest",
        /// The earliest first.
        Oldest = "oldest",
        /// That of the key.
        Key = "key",
        /// Any.
        Any = "any",
    }
}

/// A field of a key: `name: shape`.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyField {
    /// The name.
    pub name: String,
    /// The field; `None` if its shape is not valid, which is noted.
    pub field: Option<FieldBuf>,
}

impl FromToml for KeyField {
    fn from_toml(node: Node<'_, '_>, reading: &mut Reading<'_>) -> Option<Self> {
        const HELP: &str = "write it as \"name: shape\", for example \"at: i64 desc\"";
        let text = String::from_toml(node, reading)?;
        let Some((name, shape)) = text.split_once(':') else {
            reading.problem(node, format!("{text:?} is not a field"), HELP);
            return None;
        };
        let (name, shape) = (name.trim().to_owned(), shape.trim());
        if name.is_empty() || name.contains(char::is_whitespace) {
            reading.problem(node, format!("{name:?} is not the name of a field"), HELP);
            return None;
        }
        let field = match FieldBuf::new(name.clone(), shape) {
            Ok(FieldBuf { ty: TypeBuf::Custom(custom), .. }) => {
                let help = nearest(&custom.shape, SHAPES);
                reading.problem(node, format!("`{}` is not a type of the format", custom.shape), help);
                None
            }
            Ok(field) => Some(field),
            Err(error) => {
                reading.problem(node, format!("{shape:?} is not a shape: {error}"), HELP);
                None
            }
        };
        Some(Self { name, field })
    }

    fn schema() -> Json {
        json!({"type": "string", "pattern": "^\\s*[^\\s:]+\\s*:.*\\S.*$"})
    }
}

/// The words of FORMAT.md's grammar.
const SHAPES: &[&str] = &[
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "f32",
    "f64",
    "bool",
    "char",
    "text",
    "bytes",
    "ipaddr",
    "instant",
    "duration",
    "tile",
    "decimal",
    "host_path",
    "url",
];

/// Where a new table is split.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Splits {
    /// Between the salt buckets.
    Buckets,
    /// So that this many regions have equal parts of all keys.
    Uniform(u32),
    /// So that this many regions have equal parts of all hex digits.
    Hex(u32),
    /// So that this many regions have equal parts of all decimal digits.
    Decimal(u32),
    /// So that this many regions have equal parts of a sample.
    Sample {
        /// The file, a path from the design file.
        path: String,
        /// How many.
        regions: u32,
    },
    /// At these keys, in hex.
    Keys(Vec<Located<String>>),
}

record! {
    /// Splits by a rule, as the file has them.
    pub struct SplitsTable {
        /// Equal parts of all keys.
        uniform: Option<u32> where Bounds::FROM_ONE,
        /// Equal parts of all hex digits.
        hex: Option<u32> where Bounds::FROM_ONE,
        /// Equal parts of all decimal digits.
        decimal: Option<u32> where Bounds::FROM_ONE,
        /// Equal parts of the keys in a file.
        sample: Option<String>,
        /// How many regions a sample is divided into.
        regions: Option<u32> where Bounds::FROM_ONE,
        /// These keys, in hex.
        keys: Option<Vec<Located<String>>>,
    }
}

impl FromToml for Splits {
    fn from_toml(node: Node<'_, '_>, reading: &mut Reading<'_>) -> Option<Self> {
        const HELP: &str = "write \"buckets\", { uniform = 16 }, { hex = 16 }, { decimal = 10 }, { sample = \"keys.tsv\", regions = 40 } or { keys = [\"0a\"] }";
        if node.get_ref().is_str() {
            if node.get_ref().as_str() == Some("buckets") {
                return Some(Self::Buckets);
            }
        } else if node.get_ref().is_table() {
            let before = reading.problems.len();
            let table = SplitsTable::from_toml(node, reading)?;
            match table {
                // What is wrong is said where it is.
                _ if reading.problems.len() > before => return None,
                SplitsTable { uniform: Some(n), hex: None, decimal: None, sample: None, regions: None, keys: None } => {
                    return Some(Self::Uniform(n));
                }
                SplitsTable { uniform: None, hex: Some(n), decimal: None, sample: None, regions: None, keys: None } => {
                    return Some(Self::Hex(n));
                }
                SplitsTable { uniform: None, hex: None, decimal: Some(n), sample: None, regions: None, keys: None } => {
                    return Some(Self::Decimal(n));
                }
                SplitsTable {
                    uniform: None,
                    hex: None,
                    decimal: None,
                    sample: Some(path),
                    regions: Some(regions),
                    keys: None,
                } => return Some(Self::Sample { path, regions }),
                SplitsTable {
                    uniform: None,
                    hex: None,
                    decimal: None,
                    sample: None,
                    regions: None,
                    keys: Some(keys),
                } => return Some(Self::Keys(keys)),
                _ => {}
            }
        }
        reading.problem(node, "these are not split points", HELP);
        None
    }

    fn schema() -> Json {
        json!({"anyOf": [{"const": "buckets"}, SplitsTable::schema()]})
    }
}

/// The columns of a family.
#[derive(Clone, Debug, PartialEq)]
pub enum Columns {
    /// These.
    Names(Vec<Located<String>>),
    /// Columns whose names are data.
    OfRow(ColumnsOfRow),
}

impl FromToml for Columns {
    fn from_toml(node: Node<'_, '_>, reading: &mut Reading<'_>) -> Option<Self> {
        if node.get_ref().is_table() {
            ColumnsOfRow::from_toml(node, reading).map(Self::OfRow)
        } else {
            FromToml::from_toml(node, reading).map(Self::Names)
        }
    }

    fn schema() -> Json {
        json!({"anyOf": [<Vec<Located<String>>>::schema(), ColumnsOfRow::schema()]})
    }
}

/// The size of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Size {
    /// About this.
    About(Bytes),
    /// It varies.
    Spread(SizeSpread),
}

impl FromToml for Size {
    fn from_toml(node: Node<'_, '_>, reading: &mut Reading<'_>) -> Option<Self> {
        if node.get_ref().is_table() {
            SizeSpread::from_toml(node, reading).map(Self::Spread)
        } else {
            Bytes::from_toml(node, reading).map(Self::About)
        }
    }

    fn schema() -> Json {
        json!({"anyOf": [Bytes::schema(), SizeSpread::schema()]})
    }
}

/// How wide a range of a field is: a length of time, or a number of its values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Width {
    /// A length of time.
    Time(Period),
    /// A number of values.
    Values(Count),
}

impl FromToml for Width {
    fn from_toml(node: Node<'_, '_>, reading: &mut Reading<'_>) -> Option<Self> {
        if node.get_ref().as_str().is_some_and(Period::is_meant) {
            return Period::from_toml(node, reading).map(Self::Time);
        }
        if let Some(text) = node.get_ref().as_str().filter(|text| Count::parse(text).is_none()) {
            let help = "write it as \"1 hour\", 2_000 or \"2M\"";
            reading.problem(node, format!("{text:?} is neither a length of time nor a count"), help);
            return None;
        }
        Count::from_toml_in(Bounds::MANY, node, reading).map(Self::Values)
    }

    fn schema() -> Json {
        json!({"anyOf": [Period::schema(), Count::schema_in(Bounds::MANY)]})
    }
}

/// How uneven the values of a field are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Skew {
    /// All as often as each other.
    Uniform,
    /// The k-th most frequent in proportion to `1 / k^s`.
    Zipf(f64),
}

impl FromToml for Skew {
    fn from_toml(node: Node<'_, '_>, reading: &mut Reading<'_>) -> Option<Self> {
        let text = String::from_toml(node, reading)?;
        if text == "uniform" {
            return Some(Self::Uniform);
        }
        let exponent =
            text.strip_prefix("zipf ").filter(|s| s.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'));
        let exponent = exponent.filter(|s| s.starts_with(|c: char| c.is_ascii_digit()) && !s.ends_with('.'));
        let skew = exponent.and_then(|s| s.parse().ok()).filter(|s: &f64| (0.0..=10.0).contains(s)).map(Self::Zipf);
        if skew.is_none() {
            reading.problem(node, format!("{text:?} is not a distribution"), "write \"uniform\" or \"zipf 0.9\"");
        }
        skew
    }

    fn schema() -> Json {
        json!({"type": "string", "pattern": "^(uniform|zipf 0*([0-9](\\.[0-9]+)?|10(\\.0+)?))$"})
    }
}

/// The order of the keys that something writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteOrder {
    /// As time goes on: the fields that grow do.
    Time,
    /// Any.
    Random,
    /// Any value of this field, and within it as time goes on.
    RandomIn(String),
    /// That of the key, as a load of sorted rows.
    Key,
    /// Always the same row.
    OneRow,
}

impl FromToml for WriteOrder {
    fn from_toml(node: Node<'_, '_>, reading: &mut Reading<'_>) -> Option<Self> {
        let text = String::from_toml(node, reading)?;
        match text.as_str() {
            "time" => Some(Self::Time),
            "random" => Some(Self::Random),
            "key" => Some(Self::Key),
            "one row" => Some(Self::OneRow),
            other => {
                let field = other.strip_prefix("random in ").filter(|field| !field.is_empty());
                if field.is_none() {
                    let help = "write \"time\", \"random\", \"random in FIELD\", \"key\" or \"one row\"";
                    reading.problem(node, format!("{other:?} is not an order of writes"), help);
                }
                field.map(|field| Self::RandomIn(field.to_owned()))
            }
        }
    }

    fn schema() -> Json {
        json!({"type": "string", "pattern": "^(time|random|random in .+|key|one row)$"})
    }
}

/// A day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    /// The year.
    pub year: u16,
    /// The month, from 1.
    pub month: u8,
    /// The day of the month, from 1.
    pub day: u8,
}

impl std::fmt::Display for Date {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

impl FromToml for Date {
    fn from_toml(node: Node<'_, '_>, reading: &mut Reading<'_>) -> Option<Self> {
        let date = match node.get_ref().as_datetime() {
            Some(Datetime { date: Some(date), time: None, .. }) => Some(date),
            _ => None,
        };
        if date.is_none() {
            reading.problem(node, "this is not a day", "write it as 2027-06-30, without quotes");
        }
        date.map(|date| Self { year: date.year, month: date.month, day: date.day })
    }

    fn schema() -> Json {
        json!({"type": "string", "format": "date"})
    }
}
