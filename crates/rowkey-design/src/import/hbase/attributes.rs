//! The attributes of a table: those of its regions, and comments for the others, of which none is left out.

use super::super::cluster;
use super::super::draft::Draft;

/// HBase's defaults.
const DEFAULTS: &[(&str, &str)] = &[
    ("METADATA: hbase.store.file-tracker.impl", "default"),
    ("CONFIGURATION: hbase.store.file-tracker.impl", "default"),
    ("REGION_REPLICATION", "1"),
    ("READONLY", "false"),
    ("COMPACTION_ENABLED", "true"),
    ("IS_META", "false"),
    ("IS_ROOT", "false"),
    ("METHOD", "table_att"),
];

/// Attributes whose values are numbers and words, in which a blank says nothing.
const OF_WORDS: &[&str] = &[
    "MAX_FILESIZE",
    "READONLY",
    "MEMSTORE_FLUSHSIZE",
    "FLUSH_POLICY",
    "SPLIT_POLICY",
    "DURABILITY",
    "REGION_REPLICATION",
    "REGION_MEMSTORE_REPLICATION",
    "COMPACTION_ENABLED",
    "SPLIT_ENABLED",
    "MERGE_ENABLED",
    "NORMALIZATION_ENABLED",
    "NORMALIZER_TARGET_REGION_COUNT",
    "NORMALIZER_TARGET_REGION_SIZE",
    "NORMALIZER_TARGET_REGION_SIZE_MB",
    "PRIORITY",
    "RSGROUP",
    "DEFERRED_LOG_FLUSH",
    "ERASURE_CODING_POLICY",
    "IS_META",
    "IS_ROOT",
    "METHOD",
    "OWNER",
];

/// True if an attribute's value is a number, a word, or the specification of a coprocessor: `jar|class|priority|options`.
pub(super) fn is_of_words(key: &str) -> bool {
    OF_WORDS.contains(&key) || is_coprocessor(key)
}

fn is_coprocessor(key: &str) -> bool {
    key.to_ascii_lowercase().starts_with("coprocessor")
}

/// Notes an attribute. Those of a map are named `METADATA: key`.
pub(super) fn note(draft: &mut Draft, key: &str, value: &str) {
    // What is read has no blanks, so that none is lost where its lines break.
    let (name, value_read) = (key.replace('\n', ""), value.replace('\n', ""));
    let is_read = cluster::take(draft, attribute(&name), &value_read);
    if !is_read && !DEFAULTS.contains(&(&*name, &*value_read.to_ascii_lowercase())) {
        draft.comments.push(format!("A design has no key for {key} => {value}"));
    }
    let of_phoenix = is_coprocessor(key) && value.split('|').any(|class| class.starts_with("org.apache.phoenix."));
    if of_phoenix && !draft.comments.iter().any(|comment| comment == PHOENIX) {
        draft.comments.insert(0, PHOENIX.to_owned());
    }
}

/// The name of an attribute: some versions print it in a map.
fn attribute(key: &str) -> &str {
    key.strip_prefix("METADATA: ").unwrap_or(key)
}

const PHOENIX: &str = "A table of Apache Phoenix, by its coprocessors: the types of its key are in Phoenix's catalog; \
                       rowkey import --from phoenix reads them";
