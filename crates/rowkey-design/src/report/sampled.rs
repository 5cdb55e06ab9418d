//! The profile of a sample of keys, for people and for programs.

use serde_json::{Value as Json, json};

use crate::file::{Bytes, Count};
use crate::profile::{Direction, FieldProfile, Profile};
use crate::quote::{hbase_binary, terminal};

use super::columns::aligned;
use super::counted;

/// More than this share on one side is a moving front.
const MOVING: f64 = 0.8;

fn direction(direction: Direction, in_key_order: bool) -> &'static str {
    match direction {
        _ if in_key_order => "-",
        Direction { right, .. } if right > MOVING => "grows",
        Direction { left, .. } if left > MOVING => "falls",
        _ => "no",
    }
}

/// A table of the fields, between a line on the keys and a line on the regions.
pub(super) fn text(table: &str, profile: &Profile) -> String {
    let mut text = format!(
        "sample of {}: {}, {} different, {} do not decode, {} to {} a key\n",
        terminal(table),
        counted(profile.keys as usize, "key"),
        Count(profile.distinct.round()),
        profile.undecoded,
        Bytes(profile.shortest as f64),
        Bytes(profile.longest as f64),
    );
    if let (Some(mean), Some(most)) = (profile.value_bytes, profile.largest_value) {
        text +=
            &format!("the values of a row have {} on average, {} at most\n", Bytes(mean.round()), Bytes(most as f64));
    }
    if let Some((number, fault)) = &profile.first_undecoded {
        text += &format!("the first is on line {number}: {}\n", terminal(fault));
    }
    if !profile.dead_prefix.is_empty() {
        text += &format!("all begin with {}\n", hbase_binary(&profile.dead_prefix));
    }
    let header = ["field", "values", "as even as", "most frequent", "bytes", "moves"].map(str::to_owned).to_vec();
    let rows = profile.fields.iter().map(|field| {
        let top = field.top.first().map_or(String::new(), |(value, _)| format!(" {value}"));
        vec![
            field.name.clone(),
            Count(field.distinct.round()).to_string(),
            Count(field.n_eff.round()).to_string(),
            most_frequent(field) + &top,
            format!("{:.1}", field.bytes),
            direction(field.direction, profile.in_key_order).to_owned(),
        ]
    });
    text += &aligned(&std::iter::once(header).chain(rows).collect::<Vec<_>>());
    let about = profile.fields.iter().filter(|field| !field.exact).map(|field| terminal(&field.name));
    let about = about.collect::<Vec<_>>().join(", ");
    if !about.is_empty() && profile.keys > profile.undecoded {
        text += &format!(
            "the numbers of {about} are about: of 20 such, 19 are within 2.4 % (values), 4.4 % (as even as), 0.6 points (most frequent)\n"
        );
    }
    if profile.regions.len() > 1 {
        let (parts, what) = match profile.region_bytes.is_empty() {
            true => (&profile.regions, "keys"),
            false => (&profile.region_bytes, "bytes"),
        };
        let mean = parts.iter().map(|&part| part as f64).sum::<f64>() / parts.len() as f64;
        let most = parts.iter().copied().max().unwrap_or(0) as f64;
        let empty = profile.regions.iter().filter(|&&keys| keys == 0).count();
        text += &format!(
            "{} regions under the declared splits: the fullest has {:.2} times the mean of {what}, {empty} are empty\n",
            profile.regions.len(),
            most / mean.max(1e-9)
        );
    }
    text
}

/// The share of the most frequent value: of what is not counted exactly, no less than the error is told.
fn most_frequent(field: &FieldProfile) -> String {
    const ERROR: f64 = 0.006;
    if !field.exact && field.p_max < ERROR {
        return format!("under {} %", ERROR * 100.0);
    }
    let percent = field.p_max * 100.0;
    // Two digits that are not zero, or one after the point.
    let first = if percent > 0.0 { percent.log10().floor().clamp(-9.0, 0.0) } else { 0.0 };
    format!("{percent:.0$} %", 1 + first.abs() as usize)
}

pub(super) fn json(profile: &Profile) -> Json {
    let fields = profile.fields.iter().map(|field| {
        json!({
            "name": field.name, "exact": field.exact, "distinct": field.distinct, "n_eff": field.n_eff, "p_max": field.p_max,
            "top": field.top, "bytes": field.bytes, "left": field.direction.left, "right": field.direction.right,
        })
    });
    json!({
        "keys": profile.keys, "distinct": profile.distinct, "undecoded": profile.undecoded,
        "first_undecoded": profile.first_undecoded.as_ref().map(|(number, fault)| json!({"line": number, "fault": fault})), "bytes": profile.bytes,
        "shortest": profile.shortest, "longest": profile.longest, "dead_prefix": hbase_binary(&profile.dead_prefix),
        "in_key_order": profile.in_key_order, "fields": fields.collect::<Vec<_>>(), "buckets": profile.buckets,
        "regions": profile.regions, "region_bytes": profile.region_bytes, "value_bytes": profile.value_bytes,
        "largest_value": profile.largest_value,
    })
}
