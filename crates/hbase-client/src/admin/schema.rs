use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;

use crate::pb;
use crate::table_name::TableName;

/// A table as it is created or described: families, and options of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSchema {
    name: TableName,
    families: BTreeMap<String, Family>,
    options: Options,
}

/// A family of columns, with its options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Family {
    name: String,
    options: Options,
}

/// Options have names of two kinds: HBase's own ones for the thing, and settings of a server, set for this thing alone.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Options {
    attributes: BTreeMap<String, String>,
    settings: BTreeMap<String, String>,
}

impl Options {
    fn from_pb(attributes: &[pb::BytesBytesPair], settings: &[pb::NameStringPair]) -> Option<Self> {
        let text = |bytes: &Bytes| String::from_utf8(bytes.to_vec()).ok();
        let attribute = |pair: &pb::BytesBytesPair| Some((text(&pair.first)?, text(&pair.second)?));
        let setting = |pair: &pb::NameStringPair| (pair.name.clone(), pair.value.clone());
        Some(Self {
            attributes: attributes.iter().map(attribute).collect::<Option<_>>()?,
            settings: settings.iter().map(setting).collect(),
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

/// Options by their names, of a table or a family.
macro_rules! options {
    ($($option:ident = $name:literal: $type:ty, $doc:literal;)*) => {
        $(
            #[doc = $doc]
            #[doc = concat!("HBase's option `", $name, "`.")]
            #[must_use]
            pub fn $option(self, value: $type) -> Self {
                self.option($name, value.to_string())
            }
        )*

        /// An option by HBase's name for it, such as `COMPRESSION`.
        #[must_use]
        pub fn option(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
            self.options.attributes.insert(name.into(), value.into());
            self
        }

        /// A setting of the servers, such as `hbase.hstore.blockingStoreFiles`, for this alone.
        #[must_use]
        pub fn setting(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
            self.options.settings.insert(name.into(), value.into());
            self
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

    /// The families, by name.
    pub fn families(&self) -> impl Iterator<Item = &Family> {
        self.families.values()
    }

    options! {
        max_file_size = "MAX_FILESIZE": u64, "Bytes from which a region is split.";
        flush_size = "MEMSTORE_FLUSHSIZE": u64, "Bytes in memory from which a region is flushed.";
        durability = "DURABILITY": &str, "How safe a write is that does not say.";
        read_only = "READONLY": bool, "Whether nothing can be written.";
        split_policy = "SPLIT_POLICY": &str, "The class that decides when a region is split.";
        replicas = "REGION_REPLICATION": u32, "Copies of each region.";
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

    /// How long a cell lives, in whole seconds. HBase's option `TTL`.
    #[must_use]
    pub fn time_to_live(self, time: Duration) -> Self {
        self.option("TTL", time.as_secs().clamp(1, i32::MAX as u64).to_string())
    }

    options! {
        versions = "VERSIONS": u32, "Versions of a column that are kept.";
        min_versions = "MIN_VERSIONS": u32, "Versions that are kept though their time is over.";
        compression = "COMPRESSION": &str, "How blocks are compressed: `NONE`, `ZSTD`, `LZ4`, `SNAPPY`, `GZ`, `LZO`.";
        encoding = "DATA_BLOCK_ENCODING": &str, "How keys are shortened in blocks: `NONE`, `FAST_DIFF`, `PREFIX`, `DIFF`, `ROW_INDEX_V1`.";
        bloom_filter = "BLOOMFILTER": &str, "What Bloom filters are of: `NONE`, `ROW`, `ROWCOL`.";
        block_size = "BLOCKSIZE": u32, "Bytes of a block.";
        in_memory = "IN_MEMORY": bool, "Whether its blocks stay longest in the cache.";
        block_cache = "BLOCKCACHE": bool, "Whether its blocks are cached.";
        keep_deleted_cells = "KEEP_DELETED_CELLS": &str, "Whether deleted cells can still be read: `FALSE`, `TRUE`, `TTL`.";
        replication_scope = "REPLICATION_SCOPE": u32, "Whether it is replicated: 1, or not: 0.";
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

    #[test]
    fn a_schema_is_the_same_on_the_wire() {
        let family = Family::new("f").versions(3).time_to_live(Duration::from_secs(60)).setting("a.b", "c");
        let schema = TableSchema::new("n:t").family(family).family("g").read_only(true).setting("x", "y");
        assert_eq!(TableSchema::from_pb(&schema.to_pb()), Some(schema));
    }
}
