//! Q14: a secondary table whose first field grows.

use crate::rules::context::{Context, RuleSink};
use crate::rules::hot::{at_front, at_one_place};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    let Some(hot) = at_one_place(context, true) else { return };
    let Some(front) = hot.front() else { return };
    let message =
        format!("each row's entry lands in one region of {:?}, as {:?} grows", hot.key.name.as_str(), front.name);
    let cure = "give the secondary table a salt, or another first field";
    let finding = at_front(context, found, &hot, message, cure);
    found.push(finding);
}
