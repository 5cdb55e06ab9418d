//! The options of a family, whoever printed or wrote them.

use super::super::draft::{Family, bytes, period};
use super::super::number::number;
use crate::design::{BlockEncoding, Bloom, Compression};

/// An option: its key, and its value as text.
pub(super) struct Given {
    pub(super) key: String,
    pub(super) value: String,
}

/// HBase's defaults of options that a design has no key for.
const DEFAULTS: &[(&str, &[&str])] = &[
    ("KEEP_DELETED_CELLS", &["false"]),
    ("REPLICATION_SCOPE", &["0"]),
    ("BLOCKCACHE", &["true"]),
    ("IN_MEMORY_COMPACTION", &["none"]),
    ("CACHE_DATA_ON_WRITE", &["false"]),
    ("CACHE_INDEX_ON_WRITE", &["false"]),
    ("CACHE_BLOOMS_ON_WRITE", &["false"]),
    ("CACHE_DATA_IN_L1", &["false"]),
    ("EVICT_BLOCKS_ON_CLOSE", &["false"]),
    ("PREFETCH_BLOCKS_ON_OPEN", &["false"]),
    ("NEW_VERSION_BEHAVIOR", &["false"]),
    ("COMPRESS_TAGS", &["true"]),
    ("COMPRESSION_COMPACT", &["none"]),
    ("COMPRESSION_COMPACT_MAJOR", &["none"]),
    ("COMPRESSION_COMPACT_MINOR", &["none"]),
    ("DFS_REPLICATION", &["0"]),
    ("ENCODE_ON_DISK", &["true"]),
    ("INDEX_BLOCK_ENCODING", &["none"]),
    ("LENGTH", &["2147483647"]),
    ("MOB_COMPACT_PARTITION_POLICY", &["daily"]),
    // Said together with IS_MOB.
    ("MOB_THRESHOLD", &["102400"]),
];

/// The options that a design has a key for.
const SAID: &[&str] = &[
    "VERSIONS",
    "MIN_VERSIONS",
    "TTL",
    "COMPRESSION",
    "DATA_BLOCK_ENCODING",
    "BLOOMFILTER",
    "BLOCKSIZE",
    "IN_MEMORY",
    "IS_MOB",
    "MOB_THRESHOLD",
];

/// Options of words that a design has no key for, and that HBase does not print by default.
const OTHERS: &[&str] = &["STORAGE_POLICY", "ENCRYPTION"];

/// True if an option's value is a number or a word, in which a blank says nothing.
pub(super) fn is_of_words(key: &str) -> bool {
    SAID.contains(&key) || OTHERS.contains(&key) || DEFAULTS.iter().any(|(known, _)| *known == key)
}

/// Adds options. Returns those whose values a design has no word for.
pub(super) fn options(family: &mut Family, given: &[Given]) -> Vec<usize> {
    let mob = given.iter().any(|given| given.key == "IS_MOB" && given.value.eq_ignore_ascii_case("true"));
    let refused = |(i, given): (usize, &Given)| option(family, &given.key, &given.value, mob).is_none().then_some(i);
    given.iter().enumerate().filter_map(refused).collect()
}

/// Adds an option, if a design can say it.
fn option(family: &mut Family, key: &str, value: &str, mob: bool) -> Option<()> {
    let word = value.to_ascii_lowercase();
    if !value.chars().all(|c| c.is_ascii_alphanumeric() || "_-. ()".contains(c)) {
        return None;
    }
    let known = |words: Vec<&'static str>| words.into_iter().find(|known| *known == word);
    match key {
        "VERSIONS" => family.option("versions", u32::try_from(number(value)?).ok()?.to_string()),
        "MIN_VERSIONS" if value == "0" => {}
        "MIN_VERSIONS" => family.option("min_versions", u32::try_from(number(value)?).ok()?.to_string()),
        "TTL" if forever(value) => {}
        "TTL" => family.option("ttl", period(number(value)?.checked_mul(1000)?)),
        "COMPRESSION" if word == "none" => {}
        "COMPRESSION" => {
            let word = known(Compression::ALL.iter().map(|word| word.word()).collect())?;
            family.option("compression", format!("\"{word}\""));
        }
        "DATA_BLOCK_ENCODING" if word == "none" => {}
        "DATA_BLOCK_ENCODING" => {
            let word = known(BlockEncoding::ALL.iter().map(|word| word.word()).collect())?;
            family.option("encoding", format!("\"{word}\""));
        }
        "BLOOMFILTER" if word == "row" => {}
        "BLOOMFILTER" => {
            let word = known(Bloom::ALL.iter().map(|word| word.word()).collect())?;
            family.option("bloom", format!("\"{word}\""));
        }
        "BLOCKSIZE" if number(value) == Some(65_536) => {}
        "BLOCKSIZE" => family.option("block", bytes(number(value)?)),
        "IN_MEMORY" | "IS_MOB" if word == "false" => {}
        "IN_MEMORY" if word == "true" => family.option("in_memory", "true"),
        "IN_MEMORY" => return None,
        "IS_MOB" if word == "true" => {
            if !family.options.iter().any(|(known, _)| *known == "mob") {
                family.option("mob", bytes(102_400));
            }
        }
        "IS_MOB" => return None,
        "MOB_THRESHOLD" if mob => family.option("mob", bytes(number(value)?)),
        _ if is_default(key, &word) => {}
        _ => family.comments.push(format!("A design has no key for {key} => {value}")),
    }
    Some(())
}

/// Notes an option of a map of options, such as `METADATA`.
pub(super) fn note(family: &mut Family, map: &str, key: &str, value: &str) {
    let (plain, word) = (key.replace('\n', ""), value.replace('\n', "").to_ascii_lowercase());
    if !is_default(&plain, &word) {
        family.comments.push(format!("A design has no key for {map}: {key} => {value}"));
    }
}

/// Notes an option that is a secret, without its value. False if it is none.
pub(super) fn note_secret(family: &mut Family, key: &str) -> bool {
    let is_secret = key == "ENCRYPTION_KEY";
    if is_secret {
        family.comments.push(format!("It has an {key}"));
    }
    is_secret
}

/// True if HBase does this anyway, of an option in small letters that a design has no key for.
fn is_default(key: &str, word: &str) -> bool {
    DEFAULTS.iter().any(|(known, words)| *known == key && words.contains(&word))
}

/// True of a TTL that never ends: its greatest value, or -1 of old versions.
fn forever(value: &str) -> bool {
    let word = value.to_ascii_uppercase();
    ["FOREVER", "-1"].contains(&word.as_str()) || number(value) == Some(i32::MAX as u64)
}
