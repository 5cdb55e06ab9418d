//! H03: the first field is a sequence, or an id that begins with a time.

use crate::facts::Growth;
use crate::rules::context::{Context, RuleSink};
use crate::rules::hot::{at_front, at_one_place};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    let Some(hot) = at_one_place(context, false) else { return };
    let Some(front) = hot.front() else { return };
    let what = match front.growth {
        Some(Growth::Sequence) => "each is greater than the one before",
        Some(Growth::TimeId) => "each begins with a time",
        _ => return,
    };
    let message = format!(
        "every row lands in one {}, as {:?} grows: {what} ({})",
        context.engine.region(),
        front.name,
        hot.rate()
    );
    let cure = "use random ids (UUID version 4), write the bits of a number in reverse order, or add a salt";
    let finding = at_front(context, found, &hot, message, cure);
    found.push(finding);
}
