//! H09: split points that do not fit the keys.

use rowkey::foreign::Foreign;
use rowkey::layout::Scalar;
use rowkey::lead::{Lead, SaltFormat};
use rowkey::untyped::TypeBuf;

use crate::design::Splits;
use crate::finding::Edit;
use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    let Some(splits) = &context.table.table.splits else { return };
    let key = &context.keys[0];
    let Some(first) = key.fields.first() else { return };
    if let Some(profile) = context.profile.filter(|profile| profile.regions.len() > 1 && profile.keys >= 1000) {
        let (parts, what) = match profile.region_bytes.is_empty() {
            true => (&profile.regions, "keys"),
            false => (&profile.region_bytes, "bytes"),
        };
        let mean = parts.iter().map(|&part| part as f64).sum::<f64>() / parts.len() as f64;
        let most = parts.iter().copied().max().unwrap_or(0) as f64;
        let empty = profile.regions.iter().filter(|&&keys| keys == 0).count() as f64 / profile.regions.len() as f64;
        if most > 2.0 * mean || empty > 0.2 {
            let message = format!(
                "of {} regions the fullest has {:.1} times the mean of the sample's {what}, and {:.0} % have none",
                profile.regions.len(),
                most / mean,
                empty * 100.0
            );
            let finding = found.finding(splits.place, message).number("greatest over mean", most / mean, "");
            let finding = finding.number("empty regions", empty * 100.0, "%");
            found.push(finding.remedy("split by a sample: `splits = { sample = \"…\", regions = … }`", Vec::new()));
        }
        return;
    }
    let text = match first.field.ty {
        TypeBuf::Scalar(Scalar::Foreign(foreign)) => {
            matches!(foreign, Foreign::Text(_) | Foreign::Char(_) | Foreign::ZeroPadded(_))
        }
        TypeBuf::Scalar(scalar) => matches!(scalar, Scalar::Text | Scalar::Char | Scalar::HostPath | Scalar::Url),
        _ => false,
    };
    let hex_lead = match key.layout.lead() {
        Lead::Salt(salt) => salt.format != SaltFormat::Binary,
        Lead::Hash(prefix) => prefix.taken().1.is_some(),
        _ => false,
    };
    let plain = matches!(key.layout.lead(), Lead::None);
    let why = match &splits.value {
        Splits::Hex(_) | Splits::Decimal(_) if !(plain && text && !first.field.desc || hex_lead) => {
            "split points of digits, and keys that do not begin with digits"
        }
        Splits::Uniform(_) if plain && text => "split points over all bytes, and keys that begin with text",
        // Text has no control characters: as hex, a byte of one begins with 0 or 1.
        Splits::Keys(keys)
            if plain
                && text
                && !first.field.desc
                && !keys.is_empty()
                && keys.iter().all(|key| key.starts_with(['0', '1'])) =>
        {
            "split points before all text, and keys that begin with text"
        }
        _ => return,
    };
    let message = format!("{why}: nearly all rows are in few regions");
    let finding =
        found.finding(splits.place, message).witness(format!("the key begins with {}: {}", first.name, first.field));
    let edits = match (&splits.value, key.layout.lead()) {
        (_, Lead::Salt(_)) => vec![Edit { place: splits.place, text: "\"buckets\"".to_owned() }],
        (Splits::Hex(regions) | Splits::Decimal(regions), _) => {
            vec![Edit { place: splits.place, text: format!("{{ uniform = {regions} }}") }]
        }
        _ => Vec::new(),
    };
    found.push(finding.remedy("split by the key's own alphabet, or by a sample", edits));
}
