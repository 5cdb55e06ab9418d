//! How a database is opened, and what its tables are like on disk.

use std::collections::BTreeMap;

use fjall::config::{BlockSizePolicy, BloomConstructionPolicy, CompressionPolicy, FilterPolicy, FilterPolicyEntry};
use fjall::{CompressionType, KeyspaceCreateOptions};

use rowkey::Error;
use rowkey::store::NewTable;

/// What an answered write has outlived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// This process may die: the operating system has it. As HBase and most embedded engines do unless told otherwise.
    #[default]
    Buffered,
    /// The machine may die: the disk has it (`fdatasync`).
    Synced,
}

/// How a [`Fjall`](crate::Fjall) database is opened, and what new tables are like.
#[derive(Clone, Debug, Default)]
pub struct FjallOptions {
    pub(super) durability: Durability,
    pub(super) cache_bytes: Option<u64>,
    pub(super) new_tables: TableOptions,
    pub(super) by_name: BTreeMap<String, TableOptions>,
}

/// What a table is like on disk. It is kept with the table from when it is made: later options do not change it. A number out
/// of its range is taken for the nearest in it.
///
/// ```
/// use rowkey::store::TableOptions;
///
/// let archive = TableOptions::new().block_bytes(64 << 10).bloom_filter(None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TableOptions {
    compression: bool,
    block_bytes: u32,
    bloom_filter: Option<f32>,
    memtable_bytes: u64,
}

impl Default for TableOptions {
    fn default() -> Self {
        Self { compression: true, block_bytes: 4096, bloom_filter: Some(0.01), memtable_bytes: 64 << 20 }
    }
}

impl TableOptions {
    /// Compressed blocks of 4 KiB, filters with 1 % false positives, 64 MiB in memory.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether blocks are compressed, by LZ4, but for those of the two uppermost levels, which are few and soon written anew.
    #[must_use]
    pub fn compression(self, compression: bool) -> Self {
        Self { compression, ..self }
    }

    /// How many bytes of rows a block has, from 1 KiB to 1 MiB: larger ones compress better, smaller ones are read faster.
    #[must_use]
    pub fn block_bytes(self, block_bytes: u32) -> Self {
        Self { block_bytes, ..self }
    }

    /// Of keys that are not there, how many are looked for in vain, from 0.000001 to 0.5: the rate of false positives of Bloom
    /// filters. None is no filters.
    #[must_use]
    pub fn bloom_filter(self, false_positives: Option<f32>) -> Self {
        Self { bloom_filter: false_positives, ..self }
    }

    /// How many bytes of rows are gathered in memory before they become a file, 1 MiB at least.
    #[must_use]
    pub fn memtable_bytes(self, memtable_bytes: u64) -> Self {
        Self { memtable_bytes, ..self }
    }
}

impl TableOptions {
    /// These options, with those that a new table has by name.
    pub(super) fn with(mut self, table: &str, new: &NewTable) -> Result<Self, Error> {
        new.check(table, &["compression", "block_bytes", "bloom_filter", "memtable_bytes"])?;
        for (option, value) in &new.options {
            let refused = |due: &str| Error::TableOption {
                table: table.to_owned(),
                option: option.to_owned(),
                what: format!("{value:?} is not {due}"),
            };
            match option.as_str() {
                "compression" => self.compression = value.parse().map_err(|_| refused("true or false"))?,
                "block_bytes" => {
                    let bytes = value.parse().ok().filter(|bytes| (1 << 10..=1 << 20).contains(bytes));
                    self.block_bytes = bytes.ok_or_else(|| refused("a number from 1024 to 1048576"))?;
                }
                "bloom_filter" if value == "none" => self.bloom_filter = None,
                "bloom_filter" => {
                    let rate = value.parse().ok().filter(|rate| (1e-6..=0.5).contains(rate));
                    self.bloom_filter = Some(rate.ok_or_else(|| refused("none, or a rate from 0.000001 to 0.5"))?);
                }
                _ => {
                    let bytes = value.parse().ok().filter(|&bytes| bytes >= 1 << 20);
                    self.memtable_bytes = bytes.ok_or_else(|| refused("a number of 1048576 or more"))?;
                }
            }
        }
        Ok(self)
    }
}

impl FjallOptions {
    /// [`Durability::Buffered`], and tables as [`TableOptions::default`] has them.
    pub fn new() -> Self {
        Self::default()
    }

    /// What an answered write has outlived, unless [`Fjall::durability`](crate::Fjall::durability) says another thing.
    #[must_use]
    pub fn durability(self, durability: Durability) -> Self {
        Self { durability, ..self }
    }

    /// How many bytes of blocks are kept in memory once they were read; 32 MiB unless told.
    #[must_use]
    pub fn cache_bytes(self, bytes: u64) -> Self {
        Self { cache_bytes: Some(bytes), ..self }
    }

    /// What tables are like that are made from now on.
    #[must_use]
    pub fn new_tables(self, options: TableOptions) -> Self {
        Self { new_tables: options, ..self }
    }

    /// What one table is like, if it is made from now on.
    #[must_use]
    pub fn table(mut self, name: &str, options: TableOptions) -> Self {
        self.by_name.insert(name.to_owned(), options);
        self
    }
}

impl TableOptions {
    pub(super) fn to_engine(self) -> KeyspaceCreateOptions {
        use CompressionType::{Lz4, None as Plain};
        let compression = if self.compression { [Plain, Plain, Lz4] } else { [Plain; 3] };
        let filter = match self.bloom_filter {
            Some(rate) => {
                FilterPolicyEntry::Bloom(BloomConstructionPolicy::FalsePositiveRate(rate.max(1e-6).clamp(1e-6, 0.5)))
            }
            None => FilterPolicyEntry::None,
        };
        KeyspaceCreateOptions::default()
            .data_block_compression_policy(CompressionPolicy::new(compression))
            .data_block_size_policy(BlockSizePolicy::all(self.block_bytes.clamp(1 << 10, 1 << 20)))
            .filter_policy(FilterPolicy::all(filter))
            .max_memtable_size(self.memtable_bytes.max(1 << 20))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_by_name_are_those_of_the_builder() {
        let named = |options: &[(&str, &str)]| {
            let new = options.iter().fold(NewTable::new(), |new, (name, value)| new.option(*name, *value));
            TableOptions::new().with("t", &new)
        };
        let all = [
            ("compression", "false"),
            ("block_bytes", "65536"),
            ("bloom_filter", "0.5"),
            ("bloom_filter", "none"),
            ("memtable_bytes", "1048576"),
        ];
        let built =
            TableOptions::new().compression(false).block_bytes(64 << 10).bloom_filter(None).memtable_bytes(1 << 20);
        assert_eq!(named(&all).unwrap(), built);
        assert_eq!(named(&[("bloom_filter", "0.25")]).unwrap(), TableOptions::new().bloom_filter(Some(0.25)));
        assert_eq!(named(&[]).unwrap(), TableOptions::new());
        for (name, value) in [
            ("compression", "lz4"),
            ("block_bytes", "1023"),
            ("block_bytes", "1048577"),
            ("block_bytes", "-1"),
            ("bloom_filter", "0"),
            ("bloom_filter", "NaN"),
            ("bloom_filter", "0.6"),
            ("memtable_bytes", "1048575"),
            ("memtable_bytes", ""),
            ("block_size", "4096"),
        ] {
            match named(&[(name, value)]) {
                Err(Error::TableOption { table, option, what }) => {
                    assert_eq!((&*table, &*option), ("t", name));
                    assert!(what.contains(value) || what.contains("block_bytes, bloom_filter"), "{what}");
                }
                other => panic!("{name} {value:?}: {other:?}"),
            }
        }
    }
}
