//! Rules of queries against the key.

mod bytes;
mod mend;
pub(super) mod q01_full_scan;
pub(super) mod q02_order;
pub(super) mod q03_fan_out;
pub(super) mod q04_filter;
pub(super) mod q05_offset;
pub(super) mod q06_prefix_of_another;
pub(super) mod q07_numbers_as_text;
pub(super) mod q08_native_numbers;
pub(super) mod q09_local_time;
pub(super) mod q10_mixed_layouts;
pub(super) mod q11_not_unique;
pub(super) mod q12_spellings;
pub(super) mod q13_hashed_order;
pub(super) mod q14_growing_secondary;
pub(super) mod q15_index_of_few_values;
pub(super) mod q16_atomic_rows;
pub(super) mod q17_tables_apart;
pub(super) mod q18_counters;
pub(super) mod q19_unused_field;
pub(super) mod q20_changing_field;
pub(super) mod q21_unbounded_result;
pub(super) mod q22_unused_secondary;
mod shown;
