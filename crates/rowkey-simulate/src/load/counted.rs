//! The rows of a query's ranges by the statistics: those that `check` counts at the rates that are run.

use rowkey_design::internal::cost::{QueryCost, retention};
use rowkey_design::internal::design::{Cluster, Query, Width};
use rowkey_design::internal::drawn::spread;
use rowkey_design::internal::facts::{Growth, KeyFacts};
use rowkey_design::internal::file::{Count, Rate};
use rowkey_design::internal::profile::Profile;
use rowkey_design::internal::{Located, TableDesign};

use crate::event::Most;

/// The rows of a range of a query.
#[derive(Clone, Debug)]
pub(super) struct Counted {
    /// Those of one value and in one bucket; none where nothing tells them.
    pub(super) rows: Option<f64>,
    /// The rows of the table that they are counted with, where the design does not say how many it has: those of the
    /// whole run.
    pub(super) of_run: Option<f64>,
    /// The rows that there can be; none where the values of a field are not known.
    pub(super) most: Option<Most>,
    pub(super) window: Option<Window>,
}

/// A range of time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    /// The field that is the time: its index in the key.
    pub(super) field: usize,
    pub(super) seconds: f64,
    /// The greatest age of its end at which all of its rows are kept.
    pub(super) oldest: f64,
}

impl Counted {
    /// Those of each query that a key serves. `times`: the factor of all rates; `rows`: those that are put in the run.
    pub(super) fn all(
        key: &KeyFacts<'_>,
        cluster: Option<&Cluster>,
        profile: Option<&Profile>,
        times: f64,
        rows: f64,
    ) -> Vec<Self> {
        let mut table = key.table.clone();
        scale(&mut table, times);
        let mut grown = table.clone();
        let place = table.name.place;
        grown.table.rows.get_or_insert(Located { value: Count(rows.max(1.0)), place });
        let of = |table: &TableDesign, is_drawn: bool| {
            let mut keys = KeyFacts::all(table, profile, cluster);
            let mut key = keys.swap_remove(key.secondary.map_or(0, |index| index + 1));
            // Those of fields of which nothing is said are as they are drawn.
            for field in key.fields.iter_mut().filter(|field| is_drawn && field.growth.is_none()) {
                field.spread = Some(spread(field));
            }
            let costs = QueryCost::served(table, &key, cluster, profile);
            let counted = |cost: &QueryCost<'_>| (cost.rows_of_range(), most_of(cost), window(cost, &key));
            costs.iter().map(counted).collect::<Vec<_>>()
        };
        let said = of(&table, false).into_iter().zip(of(&table, true)).zip(of(&grown, true));
        let counted = said.map(|(((said, most, window), (drawn, ..)), (of_run, ..))| {
            let known = said.or(drawn);
            let of_run = of_run.filter(|_| known.is_none() && table.table.rows.is_none());
            Self { rows: known.or(of_run), of_run: of_run.map(|_| rows.max(1.0)), most, window }
        });
        counted.collect()
    }
}

/// Multiplies all rates and peaks of a table by a factor.
pub(crate) fn scale(table: &mut TableDesign, factor: f64) {
    let scale = |rate: &mut Option<Located<Rate>>| {
        if let Some(rate) = rate {
            rate.value.0 *= factor;
        }
    };
    let writes = table.table.write.iter_mut().flat_map(|write| [&mut write.value.rate, &mut write.value.peak]);
    let queries = table.table.query.iter_mut().flat_map(|query| [&mut query.value.rate, &mut query.value.peak]);
    writes.chain(queries).for_each(scale);
}

/// The rows that there can be in a range of a query; none where the values of a field are not known.
fn most_of(cost: &QueryCost<'_>) -> Option<Most> {
    let keys = cost.keys_of_range()?.max(1.0);
    let rows = cost.rows_of_range().map_or(keys, |rows| rows.clamp(1.0, keys));
    Some(Most { keys: keys.ceil() as u64, rows: rows.round() as u64 })
}

/// The range of time of a query, if it selects by one.
fn window(cost: &QueryCost<'_>, key: &KeyFacts<'_>) -> Option<Window> {
    let query: &Query = cost.query;
    let ranges = query.range.iter().filter_map(|(name, width)| match width.value {
        Width::Time(period) => Some((key.index(name)?, period.seconds())),
        _ => None,
    });
    let is_time = |field: usize| matches!(key.fields[field].growth, Some(Growth::Time(_) | Growth::TimeId));
    let (field, seconds) = ranges.filter(|(field, _)| *field < cost.used()).find(|(field, _)| is_time(*field))?;
    let oldest = retention(key.table).map_or(f64::INFINITY, |kept| (kept - seconds).max(0.0));
    Some(Window { field, seconds, oldest })
}
