//! Families, cells, options.

mod asked;
mod cells;
mod count;
mod keys_of_cells;
mod lifetime;
mod limits;
mod options;

use super::rules;
use crate::design::Engine::{Bigtable, HBase};
use crate::finding::Severity::{Error, Note, Warning};

rules! {
    "F01" "more families than the engine is made for" |_| Warning, Some(count::families);
    "F02" "families with very different numbers of rows" |_| Warning, Some(count::rows_of_families);
    "F03" "long names of families and columns" |_| Note, Some(keys_of_cells::names);
    "F04" "most of each cell is its key" |engine| if engine == HBase { Warning } else { Note }, Some(keys_of_cells::share);
    "F05" "keys longer than the engine takes" |_| Error, Some(limits::keys);
    "F06" "cells or rows larger than the engine takes" |_| Error, Some(limits::values);
    "F07" "hundreds of versions of a cell" |engine| if engine == HBase { Warning } else { Note }, Some(lifetime::versions);
    "F08" "TTL and timestamps, or TTL and versions, that do not fit" |_| Error, Some(lifetime::timestamps);
    "F09" "no bound on the columns of a row" |engine| if matches!(engine, HBase | Bigtable) { Warning } else { Note }, Some(count::columns);
    "F10" "rows of a time that nothing ever removes" |_| Note, Some(lifetime::forever);
    "F11" "a Bloom filter that does not fit the queries" |_| Warning, Some(options::bloom);
    "F12" "old rows are deleted one by one" |_| Warning, Some(lifetime::deletes);
    "F13" "neither encoding nor compression of cells that are mostly key" |_| Note, Some(options::uncompressed);
    "F14" "columns that are always read and written together" |_| Note, Some(keys_of_cells::together);
    "F15" "many tables of the same kind" |engine| if engine == Bigtable { Warning } else { Note }, Some(count::tables);
}
