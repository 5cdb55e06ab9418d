//! Q10: keys of several layouts in one table.

use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    let Some(profile) = context.profile.filter(|profile| profile.undecoded > 0) else { return };
    let place = context.table.table.sample.as_ref().map_or(context.table.name.place, |sample| sample.place);
    let (undecoded, keys) = (profile.undecoded, profile.keys.max(profile.undecoded));
    let message = format!("{undecoded} of {keys} keys of the sample are not of this layout");
    let mut finding = found.finding(place, message);
    finding = finding.number("keys that do not decode", undecoded as f64, "").number("keys", keys as f64, "");
    if let Some((number, fault)) = &profile.first_undecoded {
        finding = finding.witness(format!("key {number}: {fault}"));
    }
    found.push(finding.remedy(
        "find what wrote them; purge them, or migrate them to this layout: a scan that meets one fails, or skips it",
        Vec::new(),
    ));
}
