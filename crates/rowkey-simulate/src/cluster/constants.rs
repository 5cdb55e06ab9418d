//! The numbers of HBase 2.6.4, each with the class or setting that it was read in.
//!
//! The few that no source has were measured, or are assumed: their comments say so.

use rowkey_design::internal::design::Engine;

/// A second in milliseconds.
pub(crate) const SECOND_MS: u64 = 1000;

// Memstores.

/// The bytes of heap of a cell, besides its own: an entry of `ConcurrentSkipListMap`, with compressed pointers
/// (`ClassSize.CONCURRENT_SKIPLISTMAP_ENTRY`, [`MutableSegment.indexEntrySize`]).
pub(crate) const SKIPLIST_ENTRY: u64 = 40;
/// The bytes of heap of a cell's object, before its bytes (`ByteBufferKeyValue.FIXED_OVERHEAD`).
pub(crate) const CELL_OBJECT: u64 = 32;
/// The step that sizes on the heap are rounded up to (`ClassSize.align`).
pub(crate) const HEAP_ALIGN: u64 = 8;
/// The bytes of heap of an empty memstore (`MutableSegment.DEEP_OVERHEAD`).
pub(crate) const EMPTY_MEMSTORE: u64 = 256;
/// `hbase.hregion.memstore.flush.size`, where the settings have none.
pub(crate) const FLUSH_SIZE: u64 = 128 << 20;
/// `hbase.regionserver.optionalcacheflushinterval`: a memstore with an older row is flushed.
pub(crate) const FLUSH_AGE_MS: u64 = 3600 * SECOND_MS;
/// The range of the delay before that (`HRegionServer.PeriodicMemStoreFlusher.RANGE_OF_DELAY`).
pub(crate) const FLUSH_AGE_RANGE_MS: u64 = 300 * SECOND_MS;
/// `hbase.hstore.blockingStoreFiles`: with more files a flush waits for a compaction.
pub(crate) const BLOCKING_FILES: usize = 16;
/// `hbase.hstore.blockingWaitTime`: so long at most.
pub(crate) const BLOCKING_WAIT_MS: u64 = 90 * SECOND_MS;

// Files.

/// The bytes of a cell besides row, family, qualifier and value: the lengths of key and value (4 and 4), of row (2) and
/// family (1), timestamp (8), type (1) (`KeyValue.KEYVALUE_INFRASTRUCTURE_SIZE`, `KEY_INFRASTRUCTURE_SIZE`).
pub(crate) const CELL_FIXED: u64 = 20;
/// The sequence ids that a flush takes: its own, and those of the markers of its start and its end
/// (`HRegion.internalPrepareFlushStores`, `HRegion.internalFlushCacheAndCommit`).
pub(crate) const FLUSH_IDS: u64 = 3;
/// The sequence ids that a close and an opening take: two markers, and one by which the opening is further
/// (`HRegion.doClose`, `HRegion.initializeStores`, `HRegion.openHRegion`).
pub(crate) const OPEN_IDS: u64 = 3;
/// The size of a block, where the settings have none (`HConstants.DEFAULT_BLOCKSIZE`).
pub(crate) const BLOCK_SIZE: u64 = 64 << 10;
/// The least and the greatest size of a block (`TableDescriptorChecker`).
pub(crate) const BLOCK_SIZES: (u64, u64) = (1 << 10, 16 << 20);
/// The header of a block (`HConstants.HFILEBLOCK_HEADER_SIZE`).
pub(crate) const BLOCK_HEADER: u64 = 33;
/// The bytes that have a checksum of four (`HFile.DEFAULT_BYTES_PER_CHECKSUM`).
pub(crate) const CHECKSUM_OF: u64 = 16 << 10;
/// A checksum (`ChecksumType.CRC32C`).
pub(crate) const CHECKSUM: u64 = 4;
/// `hfile.index.block.max.size`: with more the index has a second level.
pub(crate) const INDEX_CHUNK: u64 = 128 << 10;
/// The bytes of an entry of an index of one level besides its key: offset, size and the key's length
/// (`BlockIndexChunkImpl.getRootSize`).
pub(crate) const INDEX_ENTRY: u64 = 13;
/// The same of an index of several levels: offset, size and the entry's place
/// (`HFileBlockIndex.SECONDARY_INDEX_ENTRY_OVERHEAD`, `BlockIndexChunkImpl.getNonRootSize`).
pub(crate) const LEAF_ENTRY: u64 = 16;
/// The bytes of a key in the index besides its row (`KeyValue.KEY_INFRASTRUCTURE_SIZE`).
pub(crate) const INDEX_KEY: u64 = 12;
/// `io.storefile.bloom.block.size`: a chunk of a filter of rows.
pub(crate) const BLOOM_CHUNK: u64 = 128 << 10;
/// The rows of a chunk (`BloomFilterUtil.computeMaxKeys` of 128 KiB, 1 % of error and 7 hashes).
pub(crate) const BLOOM_ROWS: u64 = 109_306;
/// The rest of a file: its information, the headers of index and filter, the indexes of filters and of other blocks.
/// Measured: of a file of 14 blocks whose keys have 24 bytes.
pub(crate) const FILE_REST: u64 = 851;
/// The trailer of a file (`FixedFileTrailer.computeTrailerSizeByVersion`, version 3).
pub(crate) const TRAILER: u64 = 4096;

/// `hbase.hfile.compaction.discharger.interval`, where the settings have none.
pub(crate) const DISCHARGER_MS: u64 = 120 * SECOND_MS;

// Compactions.

/// `hbase.hstore.compactionThreshold`, the old name of `hbase.hstore.compaction.min`.
pub(crate) const COMPACTION_MIN_FILES: usize = 3;
/// `hbase.hstore.compaction.max`.
pub(crate) const COMPACTION_MAX_FILES: usize = 10;
/// `hbase.hstore.compaction.ratio`, 1.2, as a numerator over ten.
pub(crate) const COMPACTION_RATIO_TENTHS: u128 = 12;
/// `REPLACE_IF_BETTER_BY` of `ExploringCompactionPolicy.isBetterSelection`, 1.05, as a numerator over a hundred.
pub(crate) const BETTER_BY_HUNDREDTHS: u128 = 105;
/// `hbase.regionserver.thread.compaction.throttle`: what is larger has a thread of its own. Of either kind there is one
/// (`CompactSplit.SMALL_COMPACTION_THREADS_DEFAULT`, `LARGE_COMPACTION_THREADS_DEFAULT`).
pub(crate) const LARGE_COMPACTION: u64 = 2_684_354_560;
/// `hbase.hstore.compaction.throughput.lower.bound`, in bytes a second: the rate of a server without pressure. It is
/// held after every so many bytes (`hbase.hstore.compaction.throughput.control.check.interval`), not before.
pub(crate) const COMPACTION_RATE: u64 = 50 << 20;
/// `hbase.hstore.close.check.interval`: a compaction of less is ended before a region closes, another is given up.
pub(crate) const CLOSE_CHECK_BYTES: u64 = 10_000_000;
/// `hbase.hregion.majorcompaction`.
pub(crate) const MAJOR_PERIOD_MS: u64 = 604_800_000;
/// `hbase.hregion.majorcompaction.jitter`, 0.5: half of the period, before and after.
pub(crate) const MAJOR_JITTER_MS: u64 = MAJOR_PERIOD_MS / 2;
/// `hbase.server.thread.wakefrequency` × `hbase.server.compactchecker.interval.multiplier`: how often it is asked
/// whether a major compaction is due.
pub(crate) const CHECKER_MS: u64 = 10_000 * SECOND_MS;

// Splits.

/// `hbase.hregion.max.filesize`, where the settings have none.
pub(crate) const MAX_FILESIZE: u64 = Engine::HBase.region_bytes();
/// `hbase.hregion.max.filesize.jitter`, where the settings have none.
pub(crate) const JITTER: f64 = 0.25;
/// The first limit in sizes of a memstore (`IncreasingToUpperBoundRegionSplitPolicy.configureForRegion`).
pub(crate) const INITIAL_FLUSHES: u64 = 2;
/// With more regions the limit is the full one (`IncreasingToUpperBoundRegionSplitPolicy.getSizeToCheck`).
pub(crate) const INCREASING_REGIONS: u64 = 100;
/// `hbase.regionserver.regionSplitLimit`: a server with so many regions splits none.
pub(crate) const REGION_SPLIT_LIMIT: u64 = 1000;

/// The regions at which this simulation splits no more: a bound of its time and memory.
pub(crate) const MOST_REGIONS: usize = 1 << 16;

// The balancer.

/// `hbase.balancer.period`, where the settings have none.
pub(crate) const BALANCER_MS: u64 = 300 * SECOND_MS;
/// `hbase.regions.slop`, 0.2, as a numerator over ten: a server with so much more or less than the mean is balanced.
pub(crate) const SLOP_TENTHS: u64 = 2;
/// The multipliers of the number of regions, in all and of each table (`RegionCountSkewCostFunction`,
/// `TableSkewCostFunction`): of one table both are the same number.
pub(crate) const COUNT_MULTIPLIERS: f64 = 535.0;
/// The multipliers of all functions that a table without replicas needs: these two; locality 25, of racks 15; moves 7;
/// reads, writes, memstores and files 5 each (the classes `*CostFunction`).
pub(crate) const ALL_MULTIPLIERS: f64 = 602.0;
/// `hbase.master.balancer.stochastic.minCostNeedBalance`.
pub(crate) const MIN_COST: f64 = 0.025;

/// `hbase.procedure.remote.dispatcher.delay.msec`: what a server is told waits so long for more that it is to be told
/// (`RemoteProcedureDispatcher.BufferNode.add`).
pub(crate) const DISPATCH_MS: u64 = 150;

// Durations that no source has: those measured are of recorded runs on one machine.

/// From a flush's or compaction's begin to its file, besides the time that its bytes take: measured with it, 6 ms of a
/// flush of 0.9 MB and 34 ms of a compaction of 8 MB.
pub(crate) const WRITE_MS: u64 = 2;
/// The bytes a second that flushes and compactions write while nothing holds them: measured so.
pub(crate) const WRITE_RATE: u64 = 200 << 20;
/// From the time at which a server is told to close a region to the close: measured. Of 215 closes alone, seven in ten
/// let no batch in that came 156 ms after the decision, and all let in what came within 145 ms of it.
pub(crate) const CLOSE_MS: std::ops::Range<u64> = 0..6;
/// The same of three closes in ten.
pub(crate) const LATE_CLOSE_MS: std::ops::Range<u64> = 6..40;
/// The part of closes that are late, in tenths.
pub(crate) const LATE_TENTHS: u64 = 3;
/// From a close to the time at which the master tells a server to open a region, of a split the daughters; and from
/// there to the opening: with the dispatcher's delay 240 to 340 ms, as was measured.
pub(crate) const REOPEN_MS: std::ops::Range<u64> = 60..130;
/// See [`REOPEN_MS`].
pub(crate) const OPEN_MS: std::ops::Range<u64> = 30..60;
