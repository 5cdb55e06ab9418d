//! A sample of a table's keys: whether they are those of the design.

use rowkey::LayoutBuf;
use rowkey_simulate::page;

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
