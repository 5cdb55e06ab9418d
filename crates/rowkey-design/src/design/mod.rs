//! A design: clusters and tables with their keys, families, statistics, writes and queries, as the file has them.

mod enums;
mod hints;
mod schema;
mod shape;
mod values;

pub use self::enums::{
    BlockEncoding, Bloom, Compression, Engine, Keep, Level, Meaning, QueryOrder, SaltFormat, SplitPolicy, Timestamp,
    Unique, WriteKind,
};
pub use self::schema::{json_schema, reference};
pub use self::shape::{Balancer, BalancerPeriod, Shape};
pub use self::values::{Columns, Date, KeyField, NotADay, Size, Skew, Splits, SplitsTable, Width, WriteOrder};
use crate::file::node::record;
use crate::file::{Bounds, ByteRate, Bytes, Count, Named, Period, Rate};
use crate::problem::Located;

record! {
    /// The contents of one file.
    pub struct DesignFile else hints::of_a_file {
        /// The version of this format: 1.
        format: Located<u32> where Bounds::whole(1, 1),
        /// The clusters that tables are for: engine, servers, size and load of a region.
        cluster: Named<Cluster>,
        /// The tables, by name.
        table: Named<Table>,
        /// The levels of rules, by id: the severity of all findings of a rule, in all tables of the design.
        rules: Named<Level>,
    }

    /// A cluster: what a table's limits, DDL and loads depend on.
    pub struct Cluster {
        /// The engine.
        engine: Engine,
        /// The number of region servers or nodes. For an engine of one process it means nothing.
        servers: Option<u32> where Bounds::FROM_ONE,
        /// The memory of one server's process.
        heap: Option<Bytes> where Bounds::POSITIVE,
        /// The size and load of a region or tablet.
        region: Option<Region>,
        /// The balancer of HBase, which moves regions until each server has as many: `"off"`, or its period, as in
        /// `{ period = "5 min" }`: `hbase.balancer.period`.
        balancer: Option<Balancer>,
    }

    /// The size and load of a region or tablet of a cluster.
    pub struct Region else hints::of_a_region {
        /// The size at which it is split: HBase's `hbase.hregion.max.filesize`, or `MAX_FILESIZE` of tables, which
        /// `rowkey ddl` writes.
        max: Option<Bytes> where Bounds::POSITIVE,
        /// The size at which a memstore is flushed: HBase's `hbase.hregion.memstore.flush.size`, or
        /// `MEMSTORE_FLUSHSIZE` of tables, which `rowkey ddl` writes.
        flush: Option<Bytes> where Bounds::POSITIVE,
        /// The writes that the server of one region takes. Below this rate no finding speaks of where load lands; only
        /// where it is not said, H10 does of a table that is not split yet. On DynamoDB in write units, of 1 KB each. Default: 14000/s on Bigtable
        /// and 1000/s on DynamoDB, as their documents say; elsewhere 10000/s, which is a rule of thumb for HBase. An
        /// engine of one process takes all.
        writes: Option<Rate>,
        /// The reads of rows by their key that the server of one region takes. On DynamoDB in read units. Default:
        /// 17000/s on Bigtable and 3000/s on DynamoDB, as their documents say; elsewhere none is known, and reads are
        /// not judged. An engine of one process takes all.
        reads: Option<Rate>,
        /// The bytes of keys and values that the server of one region takes. Writes of large rows are fewer than
        /// `writes` then. Default: any number.
        bytes: Option<ByteRate>,
        /// The policy by which HBase splits it: `SPLIT_POLICY` of tables, which `rowkey ddl` writes. Default:
        /// `stepping`, that of HBase 2.
        split: Option<SplitPolicy>,
    }

    /// A table.
    pub struct Table else hints::of_a_table {
        /// A description, for people.
        about: Option<String>,
        /// The fields of its row key, in key order, each as `name: shape`, with the shapes of FORMAT.md.
        key: Vec<Located<KeyField>>,
        /// A salt before the fields.
        salt: Option<Located<Salt>>,
        /// A digest before the fields.
        hashed: Option<Located<Digest>>,
        /// The first fields of the key that are the partition key, on DynamoDB and Cassandra: these engines sort rows
        /// inside a partition alone. A salt is a part of it. Default: the first field. Other engines sort all keys.
        partition: Option<Vec<Located<String>>>,
        /// The meaning of fields where their type does not tell it: milliseconds, a sequence, a random number.
        means: Named<Meaning>,
        /// The fingerprint that the key's layout must have: `Layout::fingerprint` of its struct.
        fingerprint: Option<Located<String>>,
        /// The meaning of two writes of one key.
        unique: Option<Located<Unique>>,
        /// The points at which the new table is split.
        splits: Option<Located<Splits>>,
        /// The time that rows are kept, where there is no TTL.
        keep: Option<Located<Keep>>,
        /// The number of rows when it is full grown.
        rows: Option<Located<Count>> where Bounds::MANY,
        /// The column families.
        family: Named<Family>,
        /// Statistics of the values of fields.
        stats: Named<FieldStats>,
        /// A file of keys that statistics are taken from: a path from the design file. After a tab a line can have the
        /// bytes of the row's values.
        sample: Option<Located<String>>,
        /// The writes of rows.
        write: Vec<Located<Write>>,
        /// The queries of rows.
        query: Vec<Located<Query>>,
        /// Tables of the same rows under other keys.
        secondary: Vec<Located<Secondary>>,
        /// Findings that are known and accepted.
        allow: Vec<Located<Allow>>,
        /// The levels of rules in this table, by id, which win over those of the whole design.
        rules: Named<Level>,
    }

    /// A salt: the rows are spread over buckets by a hash.
    pub struct Salt {
        /// The number of buckets.
        buckets: Located<u32> where Bounds::whole(1, 65_536),
        /// The fields that the bucket is taken from. Default: all.
        by: Vec<Located<String>>,
        /// The hash. Default: xxh3.
        hash: Option<Located<String>>,
        /// The encoding of the bucket. Default: binary.
        format: Option<SaltFormat>,
        /// The bucket as another program writes it, in the words of a shape: `dec[2 '-']`.
        text: Option<Located<String>>,
    }

    /// A digest of the first fields, before them.
    pub struct Digest {
        /// The number of bytes of MD5. Default: 16.
        bytes: Option<Located<u32>> where Bounds::whole(1, 16),
        /// The beginning of a hash as another program writes it, in the words of a shape: `sha1 hex[4 '_']`.
        of: Option<Located<String>>,
        /// The fields that it is taken from. Default: all.
        by: Vec<Located<String>>,
    }

    /// A column family.
    pub struct Family else hints::of_a_family {
        /// A description, for people.
        about: Option<String>,
        /// The time to live of cells.
        ttl: Option<Located<Period>>,
        /// The most versions of a cell that are kept. Default: 1.
        versions: Option<Located<u32>> where Bounds::FROM_ONE,
        /// The fewest versions that are kept after the TTL has expired.
        min_versions: Option<Located<u32>>,
        /// The compression of its files.
        compression: Option<Located<Compression>>,
        /// The bytes on disk of a byte of keys and values, after compression and encoding: 0.4 where files are four
        /// tenths as large. Default: 1.
        on_disk: Option<Located<f64>> where Bounds::from_to(0.001, 2.0),
        /// The encoding of keys in its blocks.
        encoding: Option<Located<BlockEncoding>>,
        /// The Bloom filter of its files.
        bloom: Option<Located<Bloom>>,
        /// The size of a block of its files: HBase's 64 KB are `"64 KiB"`, for `kB` and `KB` are 1000 bytes.
        block: Option<Located<Bytes>> where Bounds::POSITIVE,
        /// True if its blocks are kept in memory first.
        in_memory: Option<bool>,
        /// Values above this size are stored apart (HBase's MOB).
        mob: Option<Located<Bytes>>,
        /// The source of the timestamps of cells.
        timestamp: Option<Located<Timestamp>>,
        /// The number of rows that have cells in it. Default: all.
        rows: Option<Located<Count>> where Bounds::MANY,
        /// The columns: their names; or one table for columns whose names are data.
        columns: Option<Located<Columns>>,
        /// The sizes of values, by column.
        sizes: Named<Size>,
    }

    /// Columns whose names are data: one for each thing that a row holds.
    pub struct ColumnsOfRow {
        /// The name: `what: shape`.
        name: String,
        /// The number in a row.
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

    /// Statistics of the values of a field.
    pub struct FieldStats {
        /// The number of its values: of the whole table, or of each value of `per`.
        distinct: Option<Located<Count>> where Bounds::MANY,
        /// Their skew: `zipf 0.9`, `uniform`, or `one value 0.3` where one has 30 % of the rows and the others the
        /// rest. Default: as a sample says, else `uniform`.
        skew: Option<Located<Skew>>,
        /// The field for each of whose values `distinct` counts.
        per: Option<Located<String>>,
        /// The most values that it has for one value of `per`.
        max: Option<Count> where Bounds::MANY,
        /// True if its values grow with time.
        grows: Option<bool>,
        /// The time that one value of a time bucket stands for: `"1 h"` of the number of an hour.
        bucket: Option<Located<Period>>,
        /// The number of rows of a value.
        rows_per: Option<CountSpread>,
        /// The bytes of a value, where its type has no fixed width.
        size: Option<Size>,
    }

    /// Something that writes rows.
    pub struct Write else hints::of_a_write {
        /// Its name.
        name: Located<String>,
        /// Its operation. Default: put.
        kind: Option<WriteKind>,
        /// The rows that it writes, on average.
        rate: Option<Located<Rate>>,
        /// The highest rate.
        peak: Option<Located<Rate>>,
        /// The course of its rate: `constant`, `by day` with one maximum a day, or `bursts of 10 min every 1 h`.
        /// Default: constant, at `rate`.
        shape: Option<Located<Shape>>,
        /// The order of the keys it writes: `time`, `random`, `random in FIELD`, `key`, or `one row`. Of a key that
        /// begins with what grows `random` is not taken: each of its writes counts as one at the end.
        order: Option<Located<WriteOrder>>,
        /// True if it writes many rows at once, once.
        bulk: Option<bool>,
        /// Fields of the key, or of a secondary table's key, that it changes.
        updates: Vec<Located<String>>,
        /// True if a counter may be off by some: an increment that is sent again counts twice.
        approximate: Option<bool>,
        /// The columns that it writes.
        columns: Vec<Located<String>>,
        /// True if it changes several rows, all or none of them.
        atomic: Option<bool>,
    }

    /// Something that reads rows.
    pub struct Query else hints::of_a_query {
        /// Its name.
        name: Located<String>,
        /// The fields that it has one value of.
        fix: Vec<Located<String>>,
        /// The field that it has a range of, and how wide: how many numbers, of which the rows are taken to have all,
        /// or any of the type where the field means `random`, `uuid4` or `digest`.
        range: Named<Width>,
        /// The field that it has several values of, and how many.
        among: Named<Count> where Bounds::MANY,
        /// The field that it has the beginning of, and how many characters or bytes; of a host path or URL, the domain.
        /// A sample says how many rows begin alike; without one it is not known, but for `random`, `uuid4` and
        /// `digest`.
        starts_with: Named<Count> where Bounds::MANY,
        /// The number of ranges, or of beginnings, that it has of a field of `range` or `starts_with`. Default: 1.
        parts: Named<Count> where Bounds::MANY,
        /// The fields and columns that it filters by: not in the key, or not next in it.
        filter as "where": Vec<Located<String>>,
        /// The order that it wants.
        order: Option<Located<QueryOrder>>,
        /// The most rows that it returns.
        limit: Option<Located<Count>> where Bounds::MANY,
        /// The number of rows that it returns, where the statistics of fields do not tell: after a filter by a column.
        returns: Option<Located<Count>> where Bounds::ANY,
        /// The number of rows that it skips.
        offset: Option<Located<Count>> where Bounds::WHOLE,
        /// The columns that it reads. Default: all.
        columns: Vec<Located<String>>,
        /// The number of its runs, on average.
        rate: Option<Located<Rate>>,
        /// The highest number of its runs.
        peak: Option<Located<Rate>>,
        /// The course of its rate, as of a write.
        shape: Option<Located<Shape>>,
        /// The age of the rows that it asks for, mostly: `"1 h"` for those of the last hour.
        recent: Option<Located<Period>>,
        /// The skew of the values that it asks for, by field: as in `stats`. Default: that of the field's rows.
        skew: Named<Skew>,
        /// The time within which it has to return.
        online: Option<Located<Period>>,
        /// True if it reads much on purpose, and nobody waits for it.
        batch: Option<bool>,
        /// The share of reads that find a row. Default: 1.
        hit_rate: Option<f64> where Bounds::from_to(0.0, 1.0),
        /// True if its rows have to be changed or read atomically.
        atomic: Option<bool>,
        /// Its budget.
        budget: Option<Budget>,
    }

    /// The budget of a query.
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
        /// The first fields of the key that are the partition key, as of a table.
        partition: Option<Vec<Located<String>>>,
        /// The fingerprint that its key's layout must have.
        fingerprint: Option<Located<String>>,
        /// The queries that it serves.
        serves: Vec<Located<String>>,
        /// The number of its rows, where some of the table's have none in it: those without its fields. Beside `rows`
        /// of the table it is also the share of the writes that it takes. Default: all.
        rows: Option<Located<Count>> where Bounds::MANY,
        /// The points at which the new table is split.
        splits: Option<Located<Splits>>,
    }

    /// A finding that is known and accepted.
    pub struct Allow {
        /// The rule.
        rule: Located<String>,
        /// The query, write, family, field or secondary table that has it. Default: the table.
        of: Option<Located<String>>,
        /// Why it is accepted.
        why: Located<String>,
        /// The last day on which it is.
        until: Option<Located<Date>>,
    }
}

impl Query {
    /// True if it wants the latest rows first, or the earliest; none if it wants neither.
    pub(crate) fn newest_first(&self) -> Option<bool> {
        match self.order.as_deref()? {
            QueryOrder::Newest => Some(true),
            QueryOrder::Oldest => Some(false),
            QueryOrder::Key | QueryOrder::Any => None,
        }
    }

    /// True if it wants its rows in an order.
    pub(crate) fn is_ordered(&self) -> bool {
        !matches!(self.order.as_deref(), None | Some(QueryOrder::Any))
    }
}
