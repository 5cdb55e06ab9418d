//! Tables that are made up, and how HBase's versions print them.

use proptest::prelude::*;
use rowkey_design::internal::import::{LiveFamily, LiveTable};

#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) name: String,
    pub(super) families: Vec<Family>,
    /// Attributes of the table.
    pub(super) attributes: Vec<(String, String)>,
    /// A setting of its own, which may have blanks.
    pub(super) metadata: Option<String>,
}

#[derive(Clone, Debug)]
pub(super) struct Family {
    pub(super) name: String,
    versions: u32,
    min_versions: u32,
    ttl: Option<u32>,
    compression: &'static str,
    encoding: &'static str,
    bloom: &'static str,
    block: u32,
    in_memory: bool,
    mob: Option<u32>,
}

prop_compose! {
    fn family(names: &'static str)(
        name in names,
        versions in prop_oneof![1..5u32, Just(2_147_483_647)],
        min_versions in 0..2u32,
        ttl in proptest::option::of(1..100_000_000u32),
        compression in prop::sample::select(&["NONE", "SNAPPY", "GZ", "ZSTD"][..]),
        encoding in prop::sample::select(&["NONE", "FAST_DIFF", "ROW_INDEX_V1"][..]),
        bloom in prop::sample::select(&["NONE", "ROW", "ROWCOL"][..]),
        block in prop::sample::select(&[65_536u32, 8192, 1_048_576][..]),
        in_memory: bool,
        mob in proptest::option::of(prop::sample::select(&[102_400u32, 1_000_000][..])),
    ) -> Family {
        Family { name, versions, min_versions, ttl, compression, encoding, bloom, block, in_memory, mob }
    }
}

prop_compose! {
    pub(super) fn table(names: &'static str)(
        name in "[a-z][a-z0-9_.-]{0,30}",
        mut families in prop::collection::vec(family(names), 1..4),
        attributes in prop::sample::subsequence(vec![
            ("MAX_FILESIZE", "10737418240"),
            ("SPLIT_POLICY", "org.apache.hadoop.hbase.regionserver.ConstantSizeRegionSplitPolicy"),
            ("DURABILITY", "ASYNC_WAL"),
            ("coprocessor$1", "|org.apache.phoenix.coprocessor.ScanRegionObserver|805306366|"),
            ("coprocessor$2", "hdfs:///jars/a.jar|com.example.Observer|1001|a=b,c=d"),
        ], 0..=5),
        metadata in proptest::option::of("[a-z]{1,20}( [a-z]{1,12}){0,6}"),
    ) -> Table {
        families.sort_by(|a, b| a.name.cmp(&b.name));
        families.dedup_by(|a, b| a.name == b.name);
        let attributes = attributes.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
        Table { name, families, attributes, metadata }
    }
}

/// The versions whose texts differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    V090,
    V096,
    V1,
    V2,
    V3,
}

impl Family {
    /// The options, and whether each is HBase's default.
    fn options(&self, version: Version) -> Vec<(&'static str, String, bool)> {
        let new = version == Version::V2 || version == Version::V3;
        let old = version == Version::V090 || version == Version::V096;
        let ttl = match (self.ttl, version) {
            (None, _) if old => "2147483647".to_owned(),
            (None, _) => "FOREVER".to_owned(),
            (Some(seconds), _) if old => seconds.to_string(),
            (Some(seconds), _) => match seconds % 86_400 {
                0 => format!("{seconds} SECONDS ({} DAYS)", seconds / 86_400),
                _ => format!(
                    "{seconds} SECONDS ({} HOURS {} MINUTES {} SECONDS)",
                    seconds / 3600,
                    seconds / 60 % 60,
                    seconds % 60
                ),
            },
        };
        let block = if new { format!("{} B ({}KB)", self.block, self.block / 1024) } else { self.block.to_string() };
        let mut options = vec![
            ("DATA_BLOCK_ENCODING", self.encoding.to_owned(), self.encoding == "NONE"),
            ("BLOOMFILTER", self.bloom.to_owned(), self.bloom == "ROW"),
            ("REPLICATION_SCOPE", "0".to_owned(), true),
            ("VERSIONS", self.versions.to_string(), self.versions == 1),
            ("COMPRESSION", self.compression.to_owned(), self.compression == "NONE"),
            ("MIN_VERSIONS", self.min_versions.to_string(), self.min_versions == 0),
            ("TTL", ttl, self.ttl.is_none()),
            ("KEEP_DELETED_CELLS", if old { "false" } else { "FALSE" }.to_owned(), true),
            ("BLOCKSIZE", block, self.block == 65_536),
            ("IN_MEMORY", self.in_memory.to_string(), !self.in_memory),
            ("BLOCKCACHE", "true".to_owned(), true),
        ];
        if let Some(mob) = self.mob {
            options.push(("IS_MOB", "true".to_owned(), false));
            options.push(("MOB_THRESHOLD", mob.to_string(), false));
        }
        if new {
            options.insert(0, ("INDEX_BLOCK_ENCODING", "NONE".to_owned(), true));
        }
        options
    }

    /// As HBase prints it: in the shell with what is default.
    pub(super) fn printed(&self, version: Version, defaults: bool) -> String {
        let options = self.options(version).into_iter().filter(|(.., default)| defaults || !default);
        let mut text = format!("{{NAME => '{}'", self.name);
        options.for_each(|(key, value, _)| text += &format!(", {key} => '{value}'"));
        if version == Version::V3 && defaults {
            text += ", METADATA => {'IN_MEMORY_COMPACTION' => 'NONE'}";
        }
        text + "}"
    }

    /// As a client reads it: the values that old versions print, without their units.
    fn live(&self) -> LiveFamily {
        let options = self.options(Version::V096).into_iter().map(|(key, value, _)| (key.to_owned(), value));
        LiveFamily { name: self.name.clone(), options: options.collect(), ..LiveFamily::default() }
    }

    fn toml(&self, table: &str) -> String {
        let mut text = format!("[table.{table:?}.family.{:?}]\nversions = {}\n", self.name, self.versions);
        let mut add = |line: String| text += &(line + "\n");
        if self.min_versions > 0 {
            add(format!("min_versions = {}", self.min_versions));
        }
        if let Some(seconds) = self.ttl {
            add(format!("ttl = \"{seconds} s\""));
        }
        add(format!("compression = {:?}", self.compression.to_lowercase()));
        add(format!("encoding = {:?}", self.encoding.to_lowercase()));
        add(format!("bloom = {:?}", self.bloom.to_lowercase()));
        add(format!("block = \"{} B\"", self.block));
        add(format!("in_memory = {}", self.in_memory));
        if let Some(mob) = self.mob {
            add(format!("mob = \"{mob} B\""));
        }
        text
    }
}

impl Table {
    pub(super) fn toml(&self) -> String {
        let of_regions = self.attributes.iter().filter_map(|(attribute, _)| match attribute.as_str() {
            "MAX_FILESIZE" => Some("max = \"10 GiB\"\n"),
            "SPLIT_POLICY" => Some("split = \"constant\"\n"),
            _ => None,
        });
        let of_regions: String = of_regions.collect();
        let head = format!(
            "format = 1\n[cluster.c]\nengine = \"hbase\"\n[cluster.c.region]\n{of_regions}\
             [table.{:?}]\nkey = [\"row: bytes raw\"]\n",
            self.name
        );
        self.families.iter().fold(head, |text, family| text + &family.toml(&self.name))
    }

    /// As a client reads it.
    pub(super) fn live(&self) -> LiveTable {
        let metadata = self.metadata.iter().map(|value| ("about".to_owned(), value.clone()));
        LiveTable {
            name: self.name.clone(),
            attributes: self.attributes.iter().cloned().chain(metadata).collect(),
            families: self.families.iter().map(Family::live).collect(),
            ..LiveTable::default()
        }
    }

    /// What follows the table's name: with the brace that HBase 1 leaves out.
    pub(super) fn attributes(&self, version: Version) -> String {
        let attributes = self.attributes.iter().map(|(key, value)| format!("{key} => '{value}'"));
        let name = if version == Version::V096 { "CONFIG" } else { "METADATA" };
        let metadata = self.metadata.as_ref().map(|value| format!("{name} => {{'about' => '{value}'}}"));
        let all: Vec<String> = attributes.chain(metadata).collect();
        let all = all.join(", ");
        match version {
            _ if all.is_empty() => String::new(),
            Version::V090 => format!(", {all}"),
            Version::V096 => format!(", {{METHOD => 'table_att', {all}}}"),
            Version::V1 => format!(", {{TABLE_ATTRIBUTES => {{{all}}}"),
            Version::V2 | Version::V3 => format!(", {{TABLE_ATTRIBUTES => {{{all}}}}}"),
        }
    }

    /// In one row, as HBase 0.9 and the web interface print it.
    pub(super) fn in_one_row(&self, version: Version, defaults: bool) -> String {
        let families: Vec<String> = self.families.iter().map(|family| family.printed(version, defaults)).collect();
        let (name, attributes, families) = (&self.name, self.attributes(version), families.join(", "));
        match version {
            Version::V090 => format!("{{NAME => '{name}'{attributes}, FAMILIES => [{families}]}}"),
            _ => format!("'{name}'{attributes}, {families}"),
        }
    }
}
