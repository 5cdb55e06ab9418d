//! What is built over tables: ids, secondary tables, migrations.

mod ids;
mod ids_names;
mod migrate;
mod pieces;
mod secondary;
mod secondary_turns;
mod wide_copy;
