//! The cluster of tables: HBase says of each table what a design says of all, the size of regions and how they split.

use super::draft::{Draft, bytes};
use super::hbase::number;
use crate::ddl::POLICIES;
use crate::quote;

/// The attributes of a table, each with a word of `region`.
#[derive(Default)]
pub(super) struct Regions(Vec<Attribute>);

struct Attribute {
    name: &'static str,
    given: String,
    word: &'static str,
    toml: String,
}

const WORDS: [(&str, &str); 3] = [("MAX_FILESIZE", "max"), ("MEMSTORE_FLUSHSIZE", "flush"), ("SPLIT_POLICY", "split")];

/// The sizes that a design file can say.
const SIZES: std::ops::Range<u64> = 1..1_000_000_000_000_000;

impl Regions {
    /// Takes an attribute in place of what was said of it before. False if a design has no word for it or its value.
    pub(super) fn take(&mut self, attribute: &str, value: &str) -> bool {
        self.forget(attribute);
        let Some((name, word)) = WORDS.into_iter().find(|(name, _)| *name == attribute) else { return false };
        let toml = match word {
            "split" => {
                let policy = POLICIES.into_iter().find(|(_, class)| *class == value);
                policy.map(|(policy, _)| quote::toml(policy.word()))
            }
            _ => number(value).filter(|size| SIZES.contains(size)).map(bytes),
        };
        let Some(toml) = toml else { return false };
        self.0.push(Attribute { name, given: value.to_owned(), word, toml });
        self.0.sort_by_key(|attribute| WORDS.iter().position(|(name, _)| *name == attribute.name));
        true
    }

    /// Forgets an attribute.
    pub(super) fn forget(&mut self, attribute: &str) {
        self.0.retain(|known| known.name != attribute);
    }

    /// The words of `region`, as TOML.
    fn toml(&self) -> String {
        let words = self.0.iter().map(|Attribute { word, toml, .. }| format!("{word} = {toml}\n"));
        words.collect()
    }
}

/// The cluster of the tables, as TOML, if any of them says something of its regions. Where they differ, each has a
/// comment.
pub(super) fn toml(drafts: &mut [Draft]) -> Option<String> {
    let first = drafts.first()?.regions.toml();
    if drafts.iter().all(|draft| draft.regions.toml() == first) {
        let cluster = format!("\n[cluster.hbase]\nengine = \"hbase\"\n\n[cluster.hbase.region]\n{first}");
        return Some(cluster).filter(|_| !first.is_empty());
    }
    for draft in drafts {
        draft.comments.extend(draft.regions.0.iter().map(|Attribute { name, given, word, .. }| {
            format!("A design says region.{word} of all its tables, and these differ: {name} => {given}")
        }));
    }
    None
}
