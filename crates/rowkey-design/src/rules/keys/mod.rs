//! Rules of row keys: where writes and reads land.

pub(super) mod h01_time_first;
pub(super) mod h02_time_first_descending;
pub(super) mod h03_sequence_first;
pub(super) mod h04_dominant_value;
pub(super) mod h05_few_values_before_time;
pub(super) mod h06_few_salt_buckets;
pub(super) mod h07_salt_unknown_to_queries;
pub(super) mod h08_salt_of_time;
pub(super) mod h09_splits_misfit;
pub(super) mod h10_no_splits;
pub(super) mod h11_too_many_regions;
pub(super) mod h12_one_row;
pub(super) mod h13_growing_row;
pub(super) mod h14_newest_under_salt;
pub(super) mod h15_time_bucket_size;
pub(super) mod h16_text_for_number;
pub(super) mod h17_queue;
pub(super) mod h18_empty_regions;
pub(super) mod h19_load_in_key_order;
pub(super) mod h20_constant_prefix;
pub(super) mod h21_even_splits;
pub(super) mod h22_neighbours;
pub(super) mod h23_balancer;
pub(super) mod h24_too_few_servers;
pub(super) mod h25_row_key_schema;
pub(super) mod h26_hot_reads;
