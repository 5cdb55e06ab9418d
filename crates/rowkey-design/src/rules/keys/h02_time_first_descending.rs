//! H02: the first field is a descending time: monotonically decreasing keys.

use super::h01_time_first::time;
use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    time(context, found, true);
}
