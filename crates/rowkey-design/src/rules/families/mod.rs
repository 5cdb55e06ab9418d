//! Rules of column families, cells and their options.

mod asked;
mod cells;
pub(super) mod f01_many_families;
pub(super) mod f02_uneven_families;
pub(super) mod f03_long_names;
pub(super) mod f04_share_of_keys;
pub(super) mod f05_long_keys;
pub(super) mod f06_large_values;
pub(super) mod f07_many_versions;
pub(super) mod f08_ttl_and_timestamps;
pub(super) mod f09_unbounded_columns;
pub(super) mod f10_kept_forever;
pub(super) mod f11_bloom_filter;
pub(super) mod f12_deletes_of_old_rows;
pub(super) mod f13_uncompressed;
pub(super) mod f14_columns_together;
pub(super) mod f15_alike_tables;
pub(super) mod f16_unit_of_ttl;
