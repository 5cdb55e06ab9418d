//! F02: families with very different numbers of rows.

use super::asked;
use crate::design::{Engine, Family};
use crate::file::Count;
use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    const RATIO: f64 = 100.0;
    if context.engine != Engine::HBase {
        return;
    }
    let families = &context.table.table.family;
    let whole = crate::cost::rows(context.table);
    let rows = |family: &Family| family.rows.as_ref().map(|rows| rows.0).or(whole);
    let Some((big, most)) =
        families.iter().filter_map(|(name, family)| Some((name, rows(family)?))).max_by(|a, b| a.1.total_cmp(&b.1))
    else {
        return;
    };
    // The scans that read one family alone, and which.
    let scans = context.queries.iter().filter(|cost| cost.secondary.is_none());
    let scans = scans.filter(|cost| !asked::is_get(cost, &context.keys[0]));
    let only = |cost: &'_ crate::cost::QueryCost<'_>| {
        let mut asked = families.iter().filter(|(name, family)| asked::any(&cost.query.columns, name, family));
        asked.next().filter(|_| asked.next().is_none()).map(|(name, _)| name)
    };
    let alone: Vec<_> = scans.filter_map(|cost| Some((cost, only(cost)?))).collect();
    for (name, family) in families {
        let Some(few) = &family.rows else { continue };
        if most <= RATIO * few.0.max(1.0) {
            continue;
        }
        let scan = alone.iter().find(|(_, only)| *only == name).map(|(cost, _)| cost);
        if scan.is_none() && !context.queries.is_empty() {
            continue;
        }
        let message = format!(
            "the {} rows of {name:?} are spread over all regions of the {} rows of {big:?}",
            Count(few.0),
            Count(most)
        );
        let mut finding = found.finding(few.place, message).of(name.as_str()).number("rows", few.0, "").number(
            "rows of the largest family",
            most,
            "",
        );
        if let Some(scan) = scan {
            finding = finding.witness(format!("{:?} scans {name:?} alone", scan.query.name.as_str()));
        }
        found.push(finding.remedy(format!("put {name:?} into a table of its own"), Vec::new()));
    }
}
