//! Schemas of tables, with their options.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;

use super::values::{BlockEncoding, BloomFilter, Compression, Form, KeepDeletedCells, Value};
use crate::model::error::{Error, Result};
use crate::model::mutation::Durability;
use crate::model::table_name::TableName;
use crate::pb;

/// A table as it is created or described: families, and options of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
#[doc(alias = "TableDescriptor")]
pub struct TableSchema {
    name: TableName,
    families: BTreeMap<String, Family>,
    options: Options,
}

/// A family of columns, with its options.
#[derive(Debug, Clone, PartialEq, Eq)]
#[doc(alias = "ColumnFamilyDescriptor")]
pub struct Family {
    name: String,
    options: Options,
}

/// Options have names of two kinds: HBase's own ones for the thing, and settings of a server, set for this thing alone.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Options {
    attributes: BTreeMap<String, String>,
    settings: BTreeMap<String, String>,
    /// The first value that HBase could not read. Values from a server are not checked: it may know more than this
    /// crate.
    wrong: Option<String>,
}

impl Options {
    /// Looks at a value, and keeps it in place of one with the same name, of whichever kind that is. A name with a dot
    /// is that of a setting, as servers take it for one.
    fn set(&mut self, name: String, value: String, is_setting: bool, form: &Form) {
        if !form.fits(&value) && self.wrong.is_none() {
            self.wrong = Some(format!("{name} is {value:?}, and has to be {form}"));
        }
        let (kept, other) = match is_setting || name.contains('.') {
            true => (&mut self.settings, &mut self.attributes),
            false => (&mut self.attributes, &mut self.settings),
        };
        other.remove(&name);
        kept.insert(name, value);
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.attributes.get(name).or_else(|| self.settings.get(name)).map(String::as_str)
    }

    /// A number, or the default.
    fn number(&self, name: &str, default: u64) -> u64 {
        self.attributes.get(name).and_then(|value| value.parse().ok()).unwrap_or(default)
    }

    fn check(&self) -> Result<(), String> {
        self.wrong.clone().map_or(Ok(()), Err)
    }

    fn from_pb(attributes: &[pb::BytesBytesPair], settings: &[pb::NameStringPair]) -> Option<Self> {
        let text = |bytes: &Bytes| String::from_utf8(bytes.to_vec()).ok();
        let attribute = |pair: &pb::BytesBytesPair| Some((text(&pair.first)?, text(&pair.second)?));
        let setting = |pair: &pb::NameStringPair| (pair.name.clone(), pair.value.clone());
        Some(Self {
            attributes: attributes.iter().map(attribute).collect::<Option<_>>()?,
            settings: settings.iter().map(setting).collect(),
            wrong: None,
        })
    }

    /// Servers keep a table's settings among its own options, whose names have no dots.
    fn sorted(mut self) -> Self {
        let (settings, attributes) = self.attributes.into_iter().partition(|(name, _)| name.contains('.'));
        self.attributes = attributes;
        self.settings.extend::<BTreeMap<_, _>>(settings);
        self
    }

    fn attributes(&self) -> Vec<pb::BytesBytesPair> {
        let bytes = |text: &str| Bytes::copy_from_slice(text.as_bytes());
        let pair = |(name, value): (&String, &String)| pb::BytesBytesPair { first: bytes(name), second: bytes(value) };
        self.attributes.iter().map(pair).collect()
    }

    fn settings(&self) -> Vec<pb::NameStringPair> {
        let pair = |(name, value): (&String, &String)| pb::NameStringPair { name: name.clone(), value: value.clone() };
        self.settings.iter().map(pair).collect()
    }
}

/// Options by their names, of a table or a family. Those of the second kind have no method, and a form all the same.
macro_rules! options {
    (
        $($option:ident = $name:literal $java:literal: $type:ty, $doc:literal;)*
        $($($other:literal)|+: $form:expr;)*
    ) => {
        $(
            #[doc = $doc]
            #[doc = concat!("HBase's option `", $name, "`.")]
            #[doc(alias = $name)]
            #[doc(alias = $java)]
            #[must_use]
            pub fn $option(self, value: $type) -> Self {
                self.option($name, value.text())
            }
        )*

        /// The options that this crate knows, by HBase's names: those with methods, and others.
        pub const OPTIONS: &'static [&'static str] = &[$($name,)* $($($other,)+)*];

        fn form(name: &str) -> Form {
            match name {
                $($name => <$type as Value>::FORM,)*
                $($($other)|+ => $form,)*
                _ => Form::Text,
            }
        }

        /// An option by HBase's name for it, such as `COMPRESSION`. HBase takes any name, and keeps the value. Where
        /// HBase wants a number, a boolean or one of the names that this crate knows, anything else is an error of
        /// [`create`](crate::Admin::create) and [`alter`](crate::Admin::alter). An empty value stands for the default.
        /// A name with a dot is that of a [`setting`](Self::setting).
        #[must_use]
        #[doc(alias = "setValue")]
        pub fn option(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
            let (name, value) = (name.into(), value.into());
            let form = Self::form(&name);
            self.options.set(name, value, false, &form);
            self
        }

        /// A setting of the servers, such as `hbase.hstore.blockingStoreFiles`, for this alone. Nobody checks its
        /// value: with one that a server can't read, it may not open regions.
        #[must_use]
        #[doc(alias = "setConfiguration")]
        pub fn setting(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
            let (name, value) = (name.into(), value.into());
            // HBase takes a table's settings for options.
            let form = Self::form(&name);
            self.options.set(name, value, true, &form);
            self
        }

        /// The value of an option or a setting, by HBase's name for it. None if it has the default.
        #[doc(alias = "getValue")]
        #[doc(alias = "getConfigurationValue")]
        pub fn get(&self, name: &str) -> Option<&str> {
            self.options.get(name)
        }

        /// The options, by HBase's names.
        pub fn options(&self) -> impl Iterator<Item = (&str, &str)> {
            self.options.attributes.iter().map(|(name, value)| (name.as_str(), value.as_str()))
        }

        /// The settings of the servers.
        pub fn settings(&self) -> impl Iterator<Item = (&str, &str)> {
            self.options.settings.iter().map(|(name, value)| (name.as_str(), value.as_str()))
        }
    };
}

impl TableSchema {
    /// A table without families.
    pub fn new(name: impl Into<TableName>) -> Self {
        Self { name: name.into(), families: BTreeMap::new(), options: Options::default() }
    }

    /// The name.
    pub fn name(&self) -> &TableName {
        &self.name
    }

    /// Adds a family, in place of one with the same name.
    #[must_use]
    pub fn family(mut self, family: impl Into<Family>) -> Self {
        let family = family.into();
        self.families.insert(family.name.clone(), family);
        self
    }

    /// Takes a family out, if it is there.
    #[must_use]
    pub fn remove_family(mut self, name: &str) -> Self {
        self.families.remove(name);
        self
    }

    /// The families, by name.
    pub fn families(&self) -> impl Iterator<Item = &Family> {
        self.families.values()
    }

    options! {
        max_file_size = "MAX_FILESIZE" "setMaxFileSize": u64, "Bytes from which a region is split.";
        flush_size = "MEMSTORE_FLUSHSIZE" "setMemStoreFlushSize": u64,
            "Bytes in memory from which a region is flushed.";
        durability = "DURABILITY" "setDurability": Durability, "Durability of writes that name none.";
        read_only = "READONLY" "setReadOnly": bool, "Makes the table read-only.";
        split_policy = "SPLIT_POLICY" "setRegionSplitPolicyClassName": &str,
            "The class that decides when a region is split.";
        replicas = "REGION_REPLICATION" "setRegionReplication": u32, "Copies of each region.";
        "COMPACTION_ENABLED" | "SPLIT_ENABLED" | "MERGE_ENABLED" | "NORMALIZATION_ENABLED"
            | "REGION_MEMSTORE_REPLICATION": bool::FORM;
        "PRIORITY": u32::FORM;
    }

    /// A family that only one of the two has.
    pub(crate) fn other_family<'a>(&'a self, other: &'a Self) -> Option<&'a str> {
        let gone = self.families.keys().find(|name| !other.families.contains_key(*name));
        gone.or_else(|| other.families.keys().find(|name| !self.families.contains_key(*name))).map(String::as_str)
    }

    /// Checks that HBase can have a table with this schema.
    pub(crate) fn check(&self) -> Result<()> {
        self.name.check()?;
        self.options.check().map_err(|wrong| Error::invalid(wrong).of_table(&self.name))?;
        self.families.values().try_for_each(|family| {
            let wrong = |wrong| Error::invalid(format!("family {:?}: {wrong}", family.name)).of_table(&self.name);
            family.check().map_err(wrong)
        })
    }

    pub(crate) fn to_pb(&self) -> pb::TableSchema {
        let family = |family: &Family| pb::ColumnFamilySchema {
            name: family.name.clone().into(),
            attributes: family.options.attributes(),
            configuration: family.options.settings(),
        };
        pb::TableSchema {
            table_name: Some(self.name.to_pb()),
            attributes: self.options.attributes(),
            column_families: self.families.values().map(family).collect(),
            configuration: self.options.settings(),
        }
    }

    pub(crate) fn from_pb(schema: &pb::TableSchema) -> Option<Self> {
        let family = |family: &pb::ColumnFamilySchema| {
            let name = String::from_utf8(family.name.to_vec()).ok()?;
            let options = Options::from_pb(&family.attributes, &family.configuration)?;
            Some((name.clone(), Family { name, options }))
        };
        Some(Self {
            name: TableName::from_pb(schema.table_name.as_ref()?)?,
            families: schema.column_families.iter().map(family).collect::<Option<_>>()?,
            options: Options::from_pb(&schema.attributes, &schema.configuration)?.sorted(),
        })
    }
}

impl Family {
    /// A family with HBase's defaults: one version, kept for ever.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), options: Options::default() }
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Sets the time to live of a cell, rounded up to whole seconds: at least one. HBase's option `TTL`.
    #[must_use]
    #[doc(alias = "setTimeToLive")]
    #[doc(alias = "TTL")]
    pub fn ttl(self, time: Duration) -> Self {
        let seconds = time.as_secs().saturating_add(u64::from(time.subsec_nanos() > 0));
        self.option("TTL", seconds.min(i32::MAX as u64).to_string())
    }

    /// The number of versions of a column that are kept: [`max_versions`](Self::max_versions), or HBase's default, 1.
    #[doc(alias = "getMaxVersions")]
    pub fn get_max_versions(&self) -> u32 {
        self.number("VERSIONS", 1)
    }

    /// The number of versions that are kept though their time is over: [`min_versions`](Self::min_versions), or HBase's
    /// default, none.
    #[doc(alias = "getMinVersions")]
    pub fn get_min_versions(&self) -> u32 {
        self.number("MIN_VERSIONS", 0)
    }

    /// The time to live of a cell: [`ttl`](Self::ttl). None if it lives for ever, which is HBase's
    /// default.
    #[doc(alias = "getTimeToLive")]
    pub fn get_ttl(&self) -> Option<Duration> {
        const FOR_EVER: u32 = i32::MAX as u32;
        let seconds = self.number("TTL", FOR_EVER);
        (seconds < FOR_EVER).then(|| Duration::from_secs(seconds.into()))
    }

    fn number(&self, option: &str, default: u32) -> u32 {
        u32::try_from(self.options.number(option, default.into())).unwrap_or(default)
    }

    options! {
        max_versions = "VERSIONS" "setMaxVersions": u32, "Versions of a column that are kept, at least 1.";
        min_versions = "MIN_VERSIONS" "setMinVersions": u32,
            "Versions kept beyond their time to live, at most `max_versions`.";
        compression = "COMPRESSION" "setCompressionType": Compression, "Compression of blocks.";
        encoding = "DATA_BLOCK_ENCODING" "setDataBlockEncoding": BlockEncoding, "Encoding of keys in blocks.";
        bloom_filter = "BLOOMFILTER" "setBloomFilterType": BloomFilter, "Kind of Bloom filter.";
        block_size = "BLOCKSIZE" "setBlocksize": u32, "Bytes of a block.";
        in_memory = "IN_MEMORY" "setInMemory": bool, "Keeps its blocks longest in the cache.";
        block_cache = "BLOCKCACHE" "setBlockCacheEnabled": bool, "Caches its blocks. Default: true.";
        keep_deleted_cells = "KEEP_DELETED_CELLS" "setKeepDeletedCells": KeepDeletedCells,
            "Visibility of deleted cells.";
        replication_scope = "REPLICATION_SCOPE" "setScope": u32, "Replication to other clusters: 1, or none: 0.";
        "TTL": u32::FORM;
        "COMPRESSION_COMPACT" | "COMPRESSION_COMPACT_MAJOR" | "COMPRESSION_COMPACT_MINOR": Compression::FORM;
        // The other one, PREFIX_TREE, ends the servers of 2.6 when they read a file with it.
        "INDEX_BLOCK_ENCODING": Form::Name(&["NONE"]);
        "IN_MEMORY_COMPACTION": Form::Name(&["NONE", "BASIC", "EAGER", "ADAPTIVE"]);
        "IS_MOB" | "NEW_VERSION_BEHAVIOR" | "COMPRESS_TAGS" | "EVICT_BLOCKS_ON_CLOSE" | "PREFETCH_BLOCKS_ON_OPEN"
            | "CACHE_DATA_ON_WRITE" | "CACHE_INDEX_ON_WRITE" | "CACHE_BLOOMS_ON_WRITE": bool::FORM;
        "MOB_THRESHOLD": u64::FORM;
        "DFS_REPLICATION": Form::Number(i16::MAX as u64);
    }

    fn check(&self) -> Result<(), String> {
        let name = &self.name;
        let forbidden = |c: char| matches!(c, ':' | '/' | '\\') || c.is_ascii_control();
        if name.is_empty()
            || name.len() > 127
            || name.starts_with('.')
            || name.contains(forbidden)
            || name == "recovered.edits"
        {
            return Err("a name has 1 to 127 bytes, none of `:`, `/`, `\\` and control characters, does not begin with `.`, and is \
                        not `recovered.edits`"
                .into());
        }
        self.options.check()?;
        for option in ["VERSIONS", "TTL", "BLOCKSIZE"] {
            if self.options.number(option, 1) == 0 {
                return Err(format!("{option} is 0, and has to be at least 1"));
            }
        }
        let (most, least) = (self.options.number("VERSIONS", 1), self.options.number("MIN_VERSIONS", 0));
        match least > most {
            true => Err(format!("MIN_VERSIONS is {least}, which is more than VERSIONS, {most}")),
            false => Ok(()),
        }
    }
}

impl From<&str> for Family {
    fn from(name: &str) -> Self {
        Self::new(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::error::ErrorKind;

    #[test]
    fn a_schema_is_the_same_on_the_wire() {
        let family = Family::new("f").max_versions(3).ttl(Duration::from_secs(60)).setting("a.b", "c");
        let schema = TableSchema::new("n:t").family(family).family("g").read_only(true).setting("x.y", "z");
        assert_eq!(TableSchema::from_pb(&schema.to_pb()), Some(schema));
    }

    #[test]
    fn a_name_with_a_dot_is_that_of_a_setting_and_has_one_value() {
        let family = |value| Family::new("f").option("a.b", value);
        let schema = TableSchema::new("t").family(family("1")).option("c.d", "1");
        let read = TableSchema::from_pb(&schema.to_pb()).unwrap();
        assert_eq!(read, schema);
        let changed = read.option("c.d", "2").family(family("1").setting("a.b", "3"));
        let sent = changed.to_pb();
        let pair = |name: &str, value: &str| vec![pb::NameStringPair { name: name.into(), value: value.into() }];
        assert_eq!((sent.attributes, sent.configuration), (vec![], pair("c.d", "2")));
        let of_family = &sent.column_families[0];
        assert_eq!((&of_family.attributes, &of_family.configuration), (&vec![], &pair("a.b", "3")));
        assert_eq!((changed.get("c.d"), changed.get("none")), (Some("2"), None));

        // One that another client set as an option of a family is not left beside the new value.
        let mut sent = schema.to_pb();
        let option = pb::BytesBytesPair { first: "a.b".into(), second: "old".into() };
        sent.column_families[0] =
            pb::ColumnFamilySchema { name: "f".into(), attributes: vec![option], configuration: vec![] };
        let read = TableSchema::from_pb(&sent).unwrap();
        let family = read.families().next().unwrap().clone().option("a.b", "new");
        let sent = read.family(family).to_pb();
        assert_eq!(sent.column_families[0].configuration, pair("a.b", "new"));
        assert_eq!(sent.column_families[0].attributes, []);
    }

    #[test]
    fn what_a_family_keeps_is_read() {
        let of = |family: &Family| (family.get_max_versions(), family.get_min_versions(), family.get_ttl());
        assert_eq!(of(&Family::new("f")), (1, 0, None));
        let day = Duration::from_secs(86_400);
        assert_eq!(of(&Family::new("f").max_versions(7).min_versions(2).ttl(day)), (7, 2, Some(day)));
        assert_eq!(of(&Family::new("f").ttl(Duration::MAX).option("VERSIONS", "")), (1, 0, None));
    }

    #[test]
    fn what_hbase_could_not_open_is_told() {
        let of = |family: Family| TableSchema::new("t").family(family).check().map_err(|error| error.to_string());
        let f = || Family::new("f");
        let good = f().max_versions(3).min_versions(3).block_size(1).ttl(Duration::from_millis(1));
        of(good.option("NEW_IN_HBASE", "x").encoding(BlockEncoding::FastDiff).setting("a.b", "x")).unwrap();
        of(f().option("VERSIONS", "").ttl(Duration::MAX)).unwrap();
        for (wrong, why) in [
            (f().max_versions(0), "family \"f\": VERSIONS is 0, and has to be at least 1"),
            (f().min_versions(2), "family \"f\": MIN_VERSIONS is 2, which is more than VERSIONS, 1"),
            (f().ttl(Duration::ZERO), "family \"f\": TTL is 0, and has to be at least 1"),
            (f().block_size(0), "family \"f\": BLOCKSIZE is 0, and has to be at least 1"),
            (
                f().max_versions(u32::MAX),
                "family \"f\": VERSIONS is \"4294967295\", and has to be a number up to 2147483647",
            ),
            (f().option("IS_MOB", "yes"), "family \"f\": IS_MOB is \"yes\", and has to be true or false"),
            (
                f().option("KEEP_DELETED_CELLS", "yes"),
                "family \"f\": KEEP_DELETED_CELLS is \"yes\", and has to be one of FALSE, TRUE, TTL",
            ),
        ] {
            assert_eq!(of(wrong).unwrap_err(), why);
        }
        let durable = |schema: TableSchema| schema.check().map_err(|error| error.kind());
        let t = || TableSchema::new("t").family("f");
        assert_eq!(durable(t().durability(Durability::FsyncWal)), Ok(()));
        assert_eq!(durable(t().option("DURABILITY", "FOO")), Err(ErrorKind::Invalid));
        assert_eq!(durable(t().setting("DURABILITY", "FOO")), Err(ErrorKind::Invalid));
    }

    #[test]
    fn hbase_has_rules_for_names_of_families() {
        let of = |name: &str| TableSchema::new("t").family(name).check().is_ok();
        assert!(["f", "a b", "ä.", "_", &"f".repeat(127)].into_iter().all(of));
        let wrong = ["", "f:x", "a/b", "a\\b", "a\nb", ".f", "recovered.edits", &"f".repeat(128)];
        assert!(!wrong.into_iter().any(of));
    }

    #[test]
    fn what_a_newer_server_knows_is_sent_back() {
        let mut sent = TableSchema::new("t").family("f").to_pb();
        let option = |name: &'static str| pb::BytesBytesPair { first: name.into(), second: "NEWER".into() };
        sent.attributes.push(option("DURABILITY"));
        sent.column_families[0].attributes.extend([option("COMPRESSION"), option("VERSIONS")]);
        let read = TableSchema::from_pb(&sent).unwrap().remove_family("g");
        read.check().unwrap();
        assert_eq!(read.to_pb(), sent);
        assert_eq!(read.remove_family("f").families().count(), 0);
    }
}
