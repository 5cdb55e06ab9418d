//! Hints for words of other databases, and for words that stand elsewhere in a design file.

/// The help for words that queries of other databases have.
pub(super) fn of_a_query(word: &str) -> Option<&'static str> {
    Some(match word.to_lowercase().as_str() {
        "rank" | "row_number" | "position" | "percentile" | "nth" => {
            "no sorted store counts the rows before one: keep a count of rows for each range of scores and add them up, \
             a secondary table by score for the first ones (`order`, `limit`), or a sorted set outside"
        }
        "order_by" | "sort" | "sort_by" | "top" => {
            "rows come in the order of their keys: by another field they are those of a secondary table, whose key has \
             what the query fixes and then that field, `desc` for the greatest first; `order = \"key\"` and a `limit`"
        }
        "count" | "sum" | "avg" | "min" | "max" | "group_by" | "aggregate" | "distinct" => {
            "no sorted store adds up the rows of a query: keep the number in a row of its own, by a write of \
             `kind = \"increment\"`; or say `batch = true` of a query that reads them all"
        }
        "burst" | "bursts" | "schedule" | "diurnal" => return of_a_write(word),
        "join" => "no sorted store joins tables: the row has what is read with it, or the program reads both",
        "any_of" | "in" | "one_of" | "or" => {
            "write `among = { FIELD = 3 }` for three values of a field, `parts` for several ranges or beginnings of one"
        }
        "prefix" | "like" => "write `starts_with = { FIELD = 3 }` for the first three characters of a field",
        _ => return None,
    })
}

/// The format's type of a word that other languages and databases have for it.
pub(super) fn type_of_others(word: &str) -> Option<&'static str> {
    Some(match word.to_lowercase().as_str() {
        "string" | "str" | "varchar" => "text",
        "long" | "bigint" => "i64",
        "int" | "integer" => "i32",
        "short" | "smallint" => "i16",
        "tinyint" => "i8",
        "double" => "f64",
        "float" => "f32",
        "boolean" => "bool",
        "uuid" | "guid" => "bytes[16]",
        "timestamp" | "datetime" => "instant",
        "binary" | "varbinary" | "blob" => "bytes",
        _ => return None,
    })
}

/// The help for keys that are not at the top of a file.
pub(super) fn of_a_file(word: &str) -> Option<&'static str> {
    Some(match word {
        "engine" | "servers" | "heap" | "region" => "it is of a cluster: write it after `[cluster.NAME]`",
        "key" | "write" | "query" | "stats" | "means" | "salt" | "rows" | "family" | "secondary" => {
            "it is of a table: write it after `[table.NAME]`"
        }
        "tables" => "write `[table.NAME]`",
        "clusters" => "write `[cluster.NAME]`",
        "balancer" => "it is of a cluster: write it after `[cluster.NAME]`",
        _ => return None,
    })
}

/// The help for keys that a table does not have.
pub(super) fn of_a_table(word: &str) -> Option<&'static str> {
    Some(match word {
        "ttl" | "versions" | "compression" | "on_disk" | "bloom" | "encoding" | "columns" | "column" => {
            "it is of a column family: write it after `[table.NAME.family.NAME]`"
        }
        "families" | "column_family" | "column_families" | "cf" => "write `[table.NAME.family.NAME]`",
        "engine" | "servers" | "balancer" => "it is of a cluster: write it after `[cluster.NAME]`",
        "queries" | "reads" | "fix" | "range" | "order" | "limit" => "write `[[table.NAME.query]]`",
        "split_policy" => "write `region.split = \"constant\"` of the cluster",
        "writes" | "rate" | "peak" | "shape" => "write `[[table.NAME.write]]`",
        "primary_key" | "row_key" | "rowkey" | "fields" => "write `key = [\"host: text\", \"at: instant desc\"]`",
        "index" | "indexes" | "secondary_index" | "gsi" => "write `[[table.NAME.secondary]]`",
        "buckets" | "salt_buckets" => "write `salt = { buckets = 16 }`",
        "partition_key" => "write `partition = [\"user\"]`",
        "distinct" | "skew" => "it is of a field: write `stats.FIELD = { distinct = \"1M\" }`",
        _ => return None,
    })
}

/// The help for words that others have for what a region has.
pub(super) fn of_a_region(word: &str) -> Option<&'static str> {
    Some(match word.to_lowercase().as_str() {
        "split_policy" | "policy" => "write `split = \"constant\"`, or another policy",
        "bandwidth" | "throughput" | "byte_rate" => "write `bytes = \"50 MB/s\"`",
        "size" | "max_filesize" | "max_size" => "write `max = \"10 GiB\"`",
        "balancer" => "it is of the cluster: write it beside `region`",
        _ => return None,
    })
}

/// The help for words that others have for what a family has.
pub(super) fn of_a_family(word: &str) -> Option<&'static str> {
    Some(match word.to_lowercase().as_str() {
        "ratio" | "compression_ratio" | "compressed" | "disk" => {
            "write `on_disk = 0.4` where files are four tenths as large as what is written"
        }
        _ => return None,
    })
}

/// The help for words that others have for what a write has.
pub(super) fn of_a_write(word: &str) -> Option<&'static str> {
    Some(match word.to_lowercase().as_str() {
        "burst" | "bursts" | "pattern" | "profile" | "schedule" | "curve" | "diurnal" => {
            "write `shape = \"by day\"`, or `shape = \"bursts of 10 min every 1 h\"`"
        }
        _ => return None,
    })
}

/// The help for names of engines.
pub(super) fn of_an_engine(word: &str) -> Option<&'static str> {
    Some(match word.to_lowercase().as_str() {
        "scylla" | "scylladb" | "astra" | "keyspaces" => "write `cassandra`",
        "phoenix" | "accumulo" => "write `hbase`: its keys are ordered as those of HBase",
        "dynamo" => "write `dynamodb`",
        "crdb" | "cockroach" | "yugabyte" | "yugabytedb" => "write `cockroachdb`",
        "tidb" => "write `tikv`",
        "fdb" => "write `foundationdb`",
        "leveldb" | "lmdb" | "sled" | "redb" => "write `rocksdb`: an engine of one process",
        _ => return None,
    })
}

/// The help for names of split policies.
pub(super) fn of_a_split_policy(word: &str) -> Option<&'static str> {
    let lower = word.to_lowercase();
    let name = lower.rsplit(['.', '$']).next().unwrap_or_default();
    Some(match name {
        "steppingsplitpolicy" | "default" | "auto" => "write `stepping`: the default of HBase 2",
        "increasingtoupperboundregionsplitpolicy" => "write `increasing`",
        "constantsizeregionsplitpolicy" | "size" => "write `constant`",
        "disabledregionsplitpolicy" | "none" | "off" | "never" | "manual" => "write `disabled`",
        "busyregionsplitpolicy"
        | "keyprefixregionsplitpolicy"
        | "delimitedkeyprefixregionsplitpolicy"
        | "busy"
        | "key prefix" => "leave it out: it decides by more than sizes, which are all that a design says",
        _ => return None,
    })
}

/// The help for words that others have for a balancer.
pub(super) fn of_balancer(word: &str) -> Option<&'static str> {
    match word.to_lowercase().as_str() {
        "none" | "false" | "disabled" | "no" => Some("write \"off\""),
        "on" | "true" | "enabled" | "yes" => Some("write how often it runs: { period = \"5 min\" }, HBase's default"),
        word if crate::file::Period::parse(word).is_some() => Some("write { period = \"5 min\" }"),
        _ => None,
    }
}

/// The help for words that others have for the shape of a rate.
pub(super) fn of_a_shape(word: &str) -> Option<&'static str> {
    let lower = word.to_lowercase();
    Some(match lower.split([' ', '_', '-']).next().unwrap_or_default() {
        "steady" | "flat" | "even" | "uniform" | "none" => "write `constant`",
        "daily" | "day" | "diurnal" | "sine" | "sinus" | "sinusoid" | "wave" => "write `by day`",
        "burst" | "bursts" | "bursty" | "batch" | "cron" | "hourly" | "spikes" | "spike" => {
            "write how long a burst is and how often one begins: `bursts of 10 min every 1 h`"
        }
        _ => return None,
    })
}

/// The help for other times that rows are kept.
pub(super) fn of_keep(_: &str) -> Option<&'static str> {
    Some("write `forever`; a time to live is of a column family: `ttl = \"30 days\"`")
}

/// The help for meanings.
pub(super) fn of_a_meaning(word: &str) -> Option<&'static str> {
    Some(match word.to_lowercase().as_str() {
        "uuid" | "guid" => "write `uuid4` of random ones, `uuid7` of those that begin with a time",
        "time" | "timestamp" | "date" | "datetime" | "epoch" => {
            "write its unit: `seconds`, `milliseconds`, `microseconds`, `nanoseconds`, or `time bucket`"
        }
        "id" | "serial" | "auto_increment" | "auto increment" | "autoincrement" | "counter" => {
            "write `sequence` of numbers that grow with each new row; the id of something else needs no meaning"
        }
        "hash" | "md5" | "sha1" | "sha256" => "write `digest`",
        "grows" | "growing" | "monotonic" => "write `stats.FIELD.grows = true`",
        _ => return None,
    })
}
