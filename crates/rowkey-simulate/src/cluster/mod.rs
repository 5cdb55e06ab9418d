//! The simulated cluster: what an HBase 2.6.4 makes of a table's regions.
//!
//! A [`Cluster`] has what decides where a region is cut and on which server it is: memstores in bytes of heap, flushed
//! at the batch that crosses their size; files with the blocks that HBase would write; compactions; the split policies;
//! how regions close and open, the halves of the parent's files and the discharger that lets them go; the balancer of
//! region counts; expiry, deletes and major compactions. Each was read in HBase's sources, which its comment names; the
//! numbers are in `constants.rs`.
//!
//! The balancer goes by the number of regions alone. HBase's weighs reads, writes, memstores and files too, but each
//! with 5 of 602: a server that does all the work of a table whose regions are spread evenly costs less than the 0.025
//! that move a region. A real one, asked 90 times, never moved one for its load.
//!
//! It has no normalizer and no merges, no failures of servers, no limits of a server's memory or log, one column
//! family, and no other tables: R, the number of regions on a server, is of this table. Writes are never refused: those
//! to a region that is closed wait in its memstore, and a memstore beyond four times its size, where HBase refuses
//! writes, grows on.

mod all;
mod apply;
mod balancer;
mod call;
mod compact;
mod compaction;
mod constants;
mod draw;
mod due;
mod file;
mod flush;
mod head;
mod hfile;
mod index;
mod major;
mod memstore;
mod merge;
mod moves;
mod options;
mod policy;
mod reads;
mod region;
mod report;
mod rows;
mod share;
mod split;
mod split_point;
mod starts;
mod state;
mod store;
mod versions;
mod whole;

pub(crate) use self::constants::{
    BALANCER_MS, BLOCK_SIZE, CELL_FIXED, DISCHARGER_MS, FLUSH_SIZE, JITTER, MAX_FILESIZE,
};
pub use self::options::ClusterOptions;
pub use self::split_point::split_point;
pub use self::state::Cluster;
