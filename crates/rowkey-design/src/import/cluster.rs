//! The cluster of tables: HBase says of each table what a design says of all, the size of regions and how they split.

use super::draft::{Attribute, Draft, bytes};
use super::number::number;
use crate::ddl::POLICIES;
use crate::quote;

/// The attributes, each with its word of `region`.
const WORDS: [(&str, &str); 3] = [("MAX_FILESIZE", "max"), ("MEMSTORE_FLUSHSIZE", "flush"), ("SPLIT_POLICY", "split")];

/// The sizes that a design file can say.
const SIZES: std::ops::Range<u64> = 1..1_000_000_000_000_000;

/// Takes an attribute of a table in place of what was said of it before. False if a design has no word for it or its
/// value.
pub(super) fn take(draft: &mut Draft, attribute: &str, value: &str) -> bool {
    forget(draft, attribute);
    let Some((name, word)) = WORDS.into_iter().find(|(name, _)| *name == attribute) else { return false };
    let toml = match word {
        "split" => {
            let policy = POLICIES.into_iter().find(|(_, class)| *class == value);
            policy.map(|(policy, _)| quote::toml(policy.word()))
        }
        _ => number(value).filter(|size| SIZES.contains(size)).map(bytes),
    };
    let Some(toml) = toml else { return false };
    draft.regions.push(Attribute { name, given: value.to_owned(), word, toml });
    draft.regions.sort_by_key(|attribute| WORDS.iter().position(|(name, _)| *name == attribute.name));
    true
}

/// Forgets an attribute of a table.
pub(super) fn forget(draft: &mut Draft, attribute: &str) {
    draft.regions.retain(|known| known.name != attribute);
}

/// The cluster of the tables, as TOML, if its servers are known or any of them says something of its regions. Where they
/// differ, each has a comment.
pub(super) fn toml(drafts: &mut [Draft], servers: Option<usize>) -> Option<String> {
    let first = words(drafts.first()?);
    let cluster = "\n[cluster.hbase]\nengine = \"hbase\"\n";
    let counted = servers.map(|servers| format!("{cluster}servers = {servers}\n"));
    if drafts.iter().all(|draft| words(draft) == first) {
        let regions = format!("\n[cluster.hbase.region]\n{first}");
        return match first.is_empty() {
            true => counted,
            false => Some(counted.unwrap_or_else(|| cluster.to_owned()) + &regions),
        };
    }
    for draft in drafts {
        draft.comments.extend(draft.regions.iter().map(|Attribute { name, given, word, .. }| {
            format!("A design says region.{word} of all its tables, and these differ: {name} => {given}")
        }));
    }
    counted
}

/// The words of `region` of a table, as TOML.
fn words(draft: &Draft) -> String {
    draft.regions.iter().map(|Attribute { word, toml, .. }| format!("{word} = {toml}\n")).collect()
}
