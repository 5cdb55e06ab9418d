//! A sample of a table's keys: whether they are those of the design.

use hbase_client::{Filter, Result, Scan, Table};
use rowkey::LayoutBuf;
use rowkey_simulate::page;

/// Reads so many keys at most: the first ones of regions, evenly over the table, without their values.
pub(super) async fn keys(table: &Table, most: u64) -> Result<Vec<Vec<u8>>> {
    let regions = table.regions().await?;
    let count = regions.len() as u64;
    let each = most.div_ceil(count.max(1));
    let step = usize::try_from(count.div_ceil(most)).unwrap_or(1).max(1);
    let filter = Filter::all([Filter::first_cell(), Filter::no_values()]);
    let mut keys = Vec::new();
    for (region, _) in regions.iter().step_by(step) {
        let rest = most.saturating_sub(keys.len() as u64).min(each);
        let scan = Scan::new().start(region.start()).limit(rest);
        let scan = if region.end().is_empty() { scan } else { scan.stop_before(region.end()) };
        let mut scanner = table.scan(scan.filter(&filter));
        while let Some(row) = scanner.next().await? {
            keys.push(row.key().to_vec());
        }
    }
    Ok(keys)
}

/// The words on a sample: how many keys are none of a layout, and one of them.
pub(super) fn words(keys: &[Vec<u8>], layout: &LayoutBuf) -> String {
    let others: Vec<&Vec<u8>> = keys.iter().filter(|key| layout.decode(key).is_err()).collect();
    match others.first() {
        None => format!("all of {} sampled keys are of the design", keys.len()),
        Some(first) => {
            let shown = page::label(first, layout, &Default::default());
            format!("{} of {} sampled keys are none of the design, such as {shown}", others.len(), keys.len())
        }
    }
}
