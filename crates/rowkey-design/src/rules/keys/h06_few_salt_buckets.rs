//! H06: a salt that does not spread the writes over the servers.

use crate::file::Count;
use crate::finding::Edit;
use crate::load::places_as_text;
use crate::rules::context::{Context, RuleSink};
use crate::rules::hot::{Hot, writes};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    let Some(salt) = &context.table.table.salt else { return };
    let chi_square = context.profile.and_then(|profile| uneven(&profile.buckets));
    if let Some((hot, places, buckets)) = few_buckets(context) {
        let all = f64::from(*salt.buckets);
        let message = if all < hot.servers && buckets > 0.9 * all {
            let (buckets, servers) = (Count(all).of("salt bucket"), Count(hot.servers).of("server"));
            format!("{buckets} for {servers}: the others take no writes")
        } else {
            format!(
                "the writes of {:?} land in {} at once, for {}: the fields of the salt have too few values",
                hot.load.write.name.as_str(),
                places_as_text(places),
                Count(hot.servers).of("server")
            )
        };
        let mut finding = found.finding(salt.place, message).number("buckets", all, "");
        finding =
            finding.number("buckets written, as even ones", buckets, "").number("places written at once", places, "");
        if let Some(ratio) = chi_square {
            finding = finding.number("buckets of the sample, greatest over mean", ratio, "");
        }
        let wanted = hot.buckets;
        let edits = if all < f64::from(wanted) && buckets > 0.9 * all {
            vec![Edit { place: salt.buckets.place, text: wanted.to_string() }]
        } else {
            Vec::new()
        };
        found.push(finding.remedy("more buckets than servers, by a field with 20 times as many values", edits));
    }
}

/// The first write whose places under the salt of the table are fewer than the servers that it needs, with them and the
/// buckets that are written.
pub(super) fn few_buckets<'c, 'd>(context: &'c Context<'d>) -> Option<(Hot<'c, 'd>, f64, f64)> {
    let all = f64::from(*context.table.table.salt.as_ref()?.buckets);
    writes(context, false).into_iter().find_map(|hot| {
        let (places, buckets) = (hot.places()?, hot.load.buckets?);
        let needed = hot.peak.map_or(hot.servers, |peak| (peak / hot.capacity).min(hot.servers));
        // As many places as buckets, all but for equal hashes, are no fewer.
        let is_few = hot.load.front.is_some() && (places <= 0.99 * needed || all < needed);
        is_few.then_some((hot, places, buckets))
    })
}

/// Greatest over mean, where the counts are not those of an even hash: chi-square beyond its mean by five deviations.
fn uneven(buckets: &[u64]) -> Option<f64> {
    let total: u64 = buckets.iter().sum();
    let mean = total as f64 / buckets.len().max(1) as f64;
    if buckets.len() < 2 || mean < 5.0 {
        return None;
    }
    let chi: f64 = buckets.iter().map(|&count| (count as f64 - mean).powi(2) / mean).sum();
    let free = (buckets.len() - 1) as f64;
    let most = buckets.iter().copied().max().unwrap_or(0) as f64;
    (chi > free + 5.0 * (2.0 * free).sqrt()).then_some(most / mean)
}
