//! Options of a database and of its tables.

use std::collections::BTreeMap;

use fjall::config::{BlockSizePolicy, BloomConstructionPolicy, CompressionPolicy, FilterPolicy, FilterPolicyEntry};
use fjall::{CompressionType, KeyspaceCreateOptions};

use rowkey::Error;
use rowkey::store::NewTable;

/// The durability of a write once the call has returned.
#[doc(alias = "WAL")]
#[doc(alias = "fsync")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Durability {
    /// Survives a crash of the process: the operating system has the write. This is the default, as in HBase and most
    /// embedded engines.
    #[default]
    Buffered,
    /// Survives a power loss: the disk has the write (`fdatasync`).
    #[doc(alias = "fdatasync")]
    Synced,
}

/// The options of a [`Fjall`](crate::Fjall) database and of its new tables.
#[derive(Clone, Debug, Default)]
pub struct FjallOptions {
    pub(super) durability: Durability,
    pub(super) cache_bytes: Option<u64>,
    pub(super) new_tables: TableOptions,
    pub(super) by_name: BTreeMap<String, TableOptions>,
    pub(super) truncate: bool,
}

/// The storage options of a table. They are fixed when the table is created; later ones have no effect on it. Numbers
/// are clamped to their range.
///
/// ```
/// use rowkey_fjall::TableOptions;
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
    /// LZ4 compression, blocks of 4 KiB, Bloom filters with 1 % false positives, a memtable of 64 MiB.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets whether blocks are compressed by LZ4. The two uppermost levels never are: they are small and soon
    /// rewritten. Default: `true`.
    #[doc(alias = "LZ4")]
    #[must_use]
    pub fn compression(self, compression: bool) -> Self {
        Self { compression, ..self }
    }

    /// Size of a block in bytes, clamped to 1 KiB..=1 MiB. Larger blocks compress better, smaller ones are read faster.
    /// Default: 4 KiB.
    #[doc(alias = "block size")]
    #[must_use]
    pub fn block_bytes(self, block_bytes: u32) -> Self {
        Self { block_bytes, ..self }
    }

    /// Target false-positive rate of the Bloom filters, clamped to 0.000001..=0.5; `None` turns them off. Default:
    /// 0.01.
    #[doc(alias = "bloom filter")]
    #[must_use]
    pub fn bloom_filter(self, false_positives: Option<f32>) -> Self {
        Self { bloom_filter: false_positives, ..self }
    }

    /// Number of bytes of rows that are collected in memory before they are written to a file, at least 1 MiB. Default:
    /// 64 MiB.
    #[doc(alias = "write buffer")]
    #[must_use]
    pub fn memtable_bytes(self, memtable_bytes: u64) -> Self {
        Self { memtable_bytes, ..self }
    }
}

impl TableOptions {
    /// These options, changed by the named options of a new table.
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
    /// [`Durability::Buffered`], and [`TableOptions::default`] for new tables.
    pub fn new() -> Self {
        Self::default()
    }

    /// Durability of writes, unless [`Fjall::durability`](crate::Fjall::durability) sets another. Default:
    /// [`Durability::Buffered`].
    #[must_use]
    pub fn durability(self, durability: Durability) -> Self {
        Self { durability, ..self }
    }

    /// Size of the block cache in bytes. Default: 32 MiB.
    #[doc(alias = "block cache")]
    #[must_use]
    pub fn cache_bytes(self, bytes: u64) -> Self {
        Self { cache_bytes: Some(bytes), ..self }
    }

    /// Options of tables that are created from now on.
    #[must_use]
    pub fn new_tables(self, options: TableOptions) -> Self {
        Self { new_tables: options, ..self }
    }

    /// Options of one table, if it is created from now on.
    #[must_use]
    pub fn table(mut self, name: &str, options: TableOptions) -> Self {
        self.by_name.insert(name.to_owned(), options);
        self
    }

    /// Sets whether a database with a damaged journal is opened all the same ([`FjallError::Journal`](crate::FjallError::Journal)). The journal is
    /// cut off where it can't be read any more, and later journals are removed. The error gives the number of those
    /// bytes. Their writes are lost, unless a table's file has them: afterwards the rows of one table may be older than
    /// those of another. So copy the directory first. Default: `false`.
    #[doc(alias = "repair")]
    #[doc(alias = "recovery")]
    #[must_use]
    pub fn truncate_damaged_journal(self, truncate: bool) -> Self {
        Self { truncate, ..self }
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
