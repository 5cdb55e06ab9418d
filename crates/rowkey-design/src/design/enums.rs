//! The words that values of a design are.

use crate::file::node::words;

words! {
    /// An engine.
    pub enum Engine ("engine") else crate::design::hints::of_an_engine {
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
        /// Apache Cassandra, and ScyllaDB.
        Cassandra = "cassandra",
        /// FoundationDB.
        FoundationDb = "foundationdb",
        /// fjall, embedded.
        Fjall = "fjall",
        /// RocksDB, embedded.
        RocksDb = "rocksdb",
    }

    /// A level of a rule: the severity of all its findings.
    pub enum Level ("level") {
        /// They are allowed.
        Allow = "allow",
        /// They are notes.
        Note = "note",
        /// They are warnings.
        Warning = "warning",
        /// They are errors.
        Error = "error",
    }

    /// The encoding of a salt bucket.
    pub enum SaltFormat ("format") {
        /// Bytes.
        Binary = "binary",
        /// Lower-case hex digits.
        Hex = "hex",
    }

    /// The meaning of a field's values.
    pub enum Meaning ("meaning") else crate::design::hints::of_a_meaning {
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
        /// A number that grows with each new row of the table: not the id of something else, such as a user of many
        /// rows.
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
        /// A status: it changes.
        Status = "status",
        /// A number that is written as text, in decimal digits.
        Number = "number as text",
        /// A number in the bytes that a processor has: little-endian, or signed or a float without the sign turned.
        NativeNumber = "native number",
        /// Words as people type them: in any case and Unicode form.
        Typed = "typed by people",
    }

    /// The meaning of two writes of one key.
    pub enum Unique ("word") {
        /// An upsert: the later replaces the earlier on purpose.
        Upsert = "upsert",
    }

    /// The time that rows are kept.
    pub enum Keep ("word") else crate::design::hints::of_keep {
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
        /// The bytes that keys have in common with the one before are left out.
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

    /// The source of the timestamps of cells.
    pub enum Timestamp ("timestamp") {
        /// The server's.
        Server = "server",
        /// The writer's, and not a time: a count, a date in the future.
        Custom = "custom",
        /// The writer's: the time of what the cell tells, in milliseconds.
        Event = "event",
    }

    /// The policy by which HBase splits regions, by the last part of its class.
    pub enum SplitPolicy ("split policy") else crate::design::hints::of_a_split_policy {
        /// `SteppingSplitPolicy`, the default of HBase 2: the only region of a table on its server at twice the flush
        /// size, all others at `max`.
        Stepping = "stepping",
        /// `IncreasingToUpperBoundRegionSplitPolicy`, the default of HBase 1: at the flush size by twice the cube of
        /// the number of regions of the table on its server, up to `max`.
        Increasing = "increasing",
        /// `ConstantSizeRegionSplitPolicy`: at `max`.
        Constant = "constant",
        /// `DisabledRegionSplitPolicy`: never.
        Disabled = "disabled",
    }

    /// The operation of a write.
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

impl Engine {
    /// True if it hashes the first fields of a key, the partition key, and sorts rows by the others inside a partition
    /// alone.
    pub fn hashes_partitions(self) -> bool {
        matches!(self, Self::DynamoDb | Self::Cassandra)
    }

    /// The bytes of its longest key, where there is a limit. DynamoDB: of a partition key and a sort key together.
    pub const fn longest_key(self) -> Option<usize> {
        match self {
            Self::HBase => Some(32_767),
            Self::Bigtable => Some(4096),
            Self::FoundationDb => Some(10_000),
            Self::Fjall => Some(65_535),
            Self::DynamoDb => Some(2048 + 1024),
            Self::Cassandra | Self::TiKv | Self::Cockroach | Self::RocksDb => None,
        }
    }

    /// The error for a key that exceeds the length limit of the engine; none for a shorter key.
    pub fn refuses_key(self, bytes: usize) -> Option<String> {
        let most = self.longest_key().filter(|most| bytes > *most)?;
        Some(format!("the key has {bytes} bytes, and one of {} has {most} at most", self.word()))
    }

    /// True if it splits a region with many reads, or with many writes, whatever its size.
    ///
    /// Bigtable: a tablet that is busier is split, and tablets are moved (cloud.google.com/bigtable/docs/overview).
    /// CockroachDB: a range of more than 2500 queries a second, of reads and writes, or with as much use of the
    /// processor (cockroachlabs.com/docs/stable/load-based-splitting). TiKV: a region of more than 3000 reads a second,
    /// or 30 MiB of them, and none for its writes (docs.pingcap.com/tidb/stable/configure-load-base-split).
    /// FoundationDB: a shard with a lot of recent writes, and one that is read much. HBase splits by size alone; where
    /// partitions are hashed, ranges are of hashes.
    pub const fn splits_by_load(self, reads: bool) -> bool {
        match self {
            Self::Bigtable | Self::Cockroach | Self::FoundationDb => true,
            Self::TiKv => reads,
            Self::HBase | Self::DynamoDb | Self::Cassandra | Self::Fjall | Self::RocksDb => false,
        }
    }

    /// The bytes at which a region is split, where the design does not say it.
    ///
    /// HBase: `hbase.hregion.max.filesize`. Bigtable: a tablet of "approximately 100-200 MB in size by default" (Chang
    /// et al., 2006), which stands for engines of whose sizes no number is documented too. TiKV:
    /// `coprocessor.region-split-size` since 8.4 (docs.pingcap.com/tidb/stable/tune-region-performance). CockroachDB:
    /// a range of "512 MiB or smaller" (cockroachlabs.com/glossary/distributed-db/range-shard). DynamoDB: a partition
    /// of 10 GB, of its guide. fjall and RocksDB have no regions: it divides pictures alone.
    pub const fn region_bytes(self) -> u64 {
        match self {
            Self::HBase => 10 << 30,
            Self::TiKv => 256 << 20,
            Self::Cockroach => 512 << 20,
            Self::DynamoDb => 10_000_000_000,
            Self::Bigtable | Self::Cassandra | Self::FoundationDb | Self::Fjall | Self::RocksDb => 200_000_000,
        }
    }

    /// The engine's word for the rows that one server has, side by side.
    pub fn region(self) -> &'static str {
        match self {
            Self::Bigtable => "tablet",
            Self::Cockroach => "range",
            Self::DynamoDb | Self::Cassandra => "partition",
            Self::FoundationDb => "shard",
            Self::HBase | Self::TiKv | Self::Fjall | Self::RocksDb => "region",
        }
    }
}
