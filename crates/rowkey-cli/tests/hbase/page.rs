//! The cells of a page.

use std::collections::BTreeSet;

use rowkey_simulate::recording::Run;
use rowkey_simulate::run::Interval;
use serde_json::Value as Json;

/// The cells of a page of one table are the counts of its intervals.
pub(crate) fn is_of(page: &str, run: &Run) {
    let (_, data) = page.split_once("id=\"cells\">").unwrap();
    let data: Json = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
    let columns = usize::try_from(data["columns"].as_u64().unwrap()).unwrap();
    let rates = data["grids"][0]["writes"]["rates"].as_array().unwrap();
    let regions = run.intervals.iter().flat_map(|interval| &interval.regions);
    let starts: BTreeSet<&[u8]> = regions.map(|region| region.start.0.as_slice()).collect();
    assert_eq!((columns, rates.len()), (run.intervals.len(), starts.len() * columns));
    let mut begin = 0;
    for (column, Interval { t_ms, regions, .. }) in run.intervals.iter().enumerate() {
        let seconds = (t_ms - begin) as f64 / 1000.0;
        for (row, start) in starts.iter().enumerate() {
            let region = regions.iter().rfind(|region| region.start.0.as_slice() <= *start).unwrap();
            let due = region.rows_this_interval as f64 / seconds;
            let drawn = rates[row * columns + column].as_f64().unwrap();
            assert!((drawn - due).abs() <= 0.5, "{row} {column}: {drawn} of {due}");
        }
        begin = *t_ms;
    }
}
