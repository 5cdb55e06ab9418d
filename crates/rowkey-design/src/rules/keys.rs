//! Where writes and reads land.

mod front;
mod hot;
mod parts;
mod rows;
mod salt;

use super::rules;
use crate::design::Engine::{self, Bigtable, DynamoDb, HBase};
use crate::finding::Severity::{self, Error, Note, Warning};

/// The severity of a front that moves: a store that splits by ranges cannot divide it.
fn of_ranges(engine: Engine) -> Severity {
    if engine == DynamoDb { Warning } else { Error }
}

rules! {
    "H01" "the first field is a time: one place takes all writes" of_ranges, Some(front::ascending);
    "H02" "the first field is a time, descending: one place takes all writes" of_ranges, Some(front::descending);
    "H03" "the first field is a sequence, or an id that begins with a time" of_ranges, Some(front::ids);
    "H04" "one value takes more writes than a server does" |engine| if engine == DynamoDb { Error } else { Warning }, Some(front::dominant);
    "H05" "fewer values before the time than servers" of_ranges, Some(front::few);
    "H06" "a salt that does not spread the writes over the servers" |_| Warning, Some(salt::few);
    "H07" "a salt by fields that no query knows" |_| Warning, Some(salt::unknown);
    "H08" "a salt by the time alone" |_| Warning, Some(salt::of_time);
    "H09" "split points that do not fit the keys" |_| Warning, Some(parts::alphabet);
    "H10" "a new table without split points" |engine| if engine == HBase { Warning } else { Note }, Some(parts::unsplit);
    "H11" "more regions than the memory of a server has room for" |_| Warning, Some(parts::too_many);
    "H12" "one row takes the writes" |_| Error, Some(rows::one);
    "H13" "a row grows without bound" |engine| if matches!(engine, HBase | Bigtable) { Error } else { Warning }, Some(rows::growing);
    "H14" "the newest of all rows, under a salt" |_| Note, Some(salt::newest);
    "H15" "rows of a time that hold too much or too little" |_| Note, Some(rows::bucket);
    "H16" "text where a number or bytes would do" |_| Note, Some(rows::text);
    "H17" "a queue: rows are deleted where they are read" |engine| if matches!(engine, HBase | Bigtable) { Warning } else { Note }, Some(rows::queue);
    "H18" "regions before the time that is kept stay empty" |_| Note, Some(parts::left_behind);
    "H19" "a load in the order of the key" |_| Note, Some(front::load);
    "H20" "all keys begin with the same bytes" |_| Note, Some(parts::dead);
    "H21" "even split points for uneven values" |_| Note, Some(parts::uneven);
    "H22" "other tables share the servers of a hot one" |_| Note, Some(hot::neighbours);
    "H23" "the balancer does not divide a hot region" |_| Note, Some(hot::balancer);
    "H24" "more writes than all servers together take" |_| Warning, Some(hot::too_few_servers);
    "Q14" "a secondary table whose first field grows" of_ranges, Some(front::secondary);
}
