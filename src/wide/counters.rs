//! Counters: new values, and the error of a cell that is not a counter.

use std::collections::HashMap;

use super::{Column, Columns, Row};
use crate::store::error::Error;

/// The value of each counter after its addition, where the second addition to a counter is added to the first's sum, as
/// in [`RepeatedCounters::Cumulative`](super::RepeatedCounters::Cumulative). `last` is the value of a column after all
/// of them; `None` if it is not known. For authors of engines whose server tells the last value alone.
///
/// ```
/// use rowkey::wide::{Column, counter_sums};
///
/// let [a, b] = ["f:a", "f:b"].map(Column::from);
/// let counters = [(a.clone(), 2), (b, 1), (a.clone(), 3)];
/// assert_eq!(counter_sums(&counters, |column| Some(if *column == a { 10 } else { 7 })), Some(vec![7, 7, 10]));
/// ```
pub fn counter_sums(counters: &[(Column, i64)], last: impl Fn(&Column) -> Option<i64>) -> Option<Vec<i64>> {
    let mut sums: HashMap<&Column, i64> = HashMap::with_capacity(counters.len());
    let mut values = Vec::with_capacity(counters.len());
    for (column, by) in counters.iter().rev() {
        let sum = match sums.get(column) {
            Some(sum) => *sum,
            None => last(column)?,
        };
        values.push(sum);
        sums.insert(column, sum.wrapping_sub(*by));
    }
    values.reverse();
    Some(values)
}

/// The columns of counters.
pub fn counter_columns(counters: &[(Column, i64)]) -> Columns {
    counters.iter().fold(Columns::all(), |columns, (column, _)| columns.column(column))
}

/// The error of the first cell that is not a counter, after an increment was refused; `None` if all are counters by now.
/// `stored` is the row. For authors of engines.
pub fn not_a_counter(key: &[u8], counters: &[(Column, i64)], stored: &Row) -> Option<Error> {
    counters.iter().find_map(|(column, _)| {
        let len = stored.value(column)?.len();
        (len != 8).then(|| Error::NotACounterCell { row: key.to_vec(), column: column.to_string(), len })
    })
}
