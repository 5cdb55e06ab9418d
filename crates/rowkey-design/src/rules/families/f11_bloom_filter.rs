//! F11: a Bloom filter that does not fit the queries.

use super::asked;
use crate::cost::QueryCost;
use crate::design::{Bloom, Engine, Family};
use crate::finding::Edit;
use crate::rule::Severity;
use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    if context.engine != Engine::HBase {
        return;
    }
    let served = context.queries.iter().filter(|cost| cost.secondary.is_none());
    let (gets, scans): (Vec<_>, Vec<_>) = served.partition(|cost| asked::is_get(cost, &context.keys[0]));
    for (name, family) in &context.table.table.family {
        let Some(bloom) = &family.bloom else { continue };
        let (gets, scans) = (reading(&gets, name, family), reading(&scans, name, family));
        let edit = |word: &str| vec![Edit { place: bloom.place, text: format!("\"{word}\"") }];
        match bloom.value {
            Bloom::None => {
                let rate = |cost: &QueryCost<'_>| cost.query.hit_rate.unwrap_or(1.0);
                let Some(get) = gets.into_iter().min_by(|a, b| rate(a).total_cmp(&rate(b))) else { continue };
                let missing = 100.0 * (1.0 - rate(get)).clamp(0.0, 1.0);
                let query = get.query.name.as_str();
                let message = if missing > 0.0 {
                    format!(
                        "{missing:.0} % of the reads of {query:?} find nothing, and read a block of each file of {name:?}"
                    )
                } else {
                    format!("each read of {query:?} reads a block of each file of {name:?}")
                };
                let mut finding = found
                    .finding(bloom.place, message)
                    .of(name.as_str())
                    .number("reads that find nothing", missing, "%")
                    .witness(format!("{query:?} reads rows by their whole keys"));
                if missing == 0.0 {
                    finding.severity = Severity::Note;
                }
                found.push(finding.remedy("keep a Bloom filter of row keys", edit("row")));
            }
            Bloom::Row | Bloom::RowCol if gets.is_empty() && !scans.is_empty() => {
                let message =
                    format!("no query reads a row of {name:?} by its whole key: scans do not ask the Bloom filter");
                let queries: Vec<_> =
                    scans.iter().take(3).map(|cost| format!("{:?}", cost.query.name.as_str())).collect();
                let mut finding = found
                    .finding(bloom.place, message)
                    .of(name.as_str())
                    .number("scans", scans.len() as f64, "")
                    .witness(format!("scans: {}", queries.join(", ")));
                finding.severity = Severity::Note;
                found.push(finding.remedy("keep none", edit("none")));
            }
            Bloom::RowCol if gets.iter().all(|cost| cost.query.columns.is_empty()) && !gets.is_empty() => {
                let message =
                    format!("no query names the columns of {name:?} that it reads: a filter of columns does not help");
                let mut finding = found
                    .finding(bloom.place, message)
                    .of(name.as_str())
                    .number("reads of whole rows", gets.len() as f64, "")
                    .witness(format!("{:?} reads all columns", gets[0].query.name.as_str()));
                finding.severity = Severity::Note;
                found.push(finding.remedy("keep a Bloom filter of row keys", edit("row")));
            }
            Bloom::Row | Bloom::RowCol => {}
        }
    }
}

/// The queries that read something of a family.
fn reading<'c, 'd>(costs: &[&'c QueryCost<'d>], name: &str, family: &Family) -> Vec<&'c QueryCost<'d>> {
    costs.iter().copied().filter(|cost| asked::any(&cost.query.columns, name, family)).collect()
}
