//! H01: the first field is a time: monotonically increasing keys.

use crate::facts::Growth;
use crate::rules::context::{Context, RuleSink};
use crate::rules::hot::{at_front, at_one_place};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    time(context, found, false);
}

const CURE: &str = "begin the key with the field that queries fix, if it has more values than there are servers; \
                    else add a salt";

/// The finding of a first field that is a time, in this direction.
pub(super) fn time(context: &Context<'_>, found: &mut RuleSink<'_>, desc: bool) {
    let Some(hot) = at_one_place(context, false) else { return };
    let Some(front) = hot.front().filter(|front| front.is_descending().unwrap_or(false) == desc) else { return };
    if !matches!(front.growth, Some(Growth::Time(_) | Growth::Unknown)) {
        return;
    }
    let end = if desc { "first" } else { "last" };
    let write = hot.load.write.name.as_str();
    let region = context.engine.region();
    // Where keys are hashed, none is the last.
    let place = match context.engine.hashes_partitions() {
        true => format!("of a moment lands in one {region}"),
        false => format!("of {write:?} lands in the {end} {region}"),
    };
    let message = format!("every row {place}, as {:?} grows ({})", front.name, hot.rate());
    let finding = at_front(context, found, &hot, message, CURE);
    found.push(finding);
}
