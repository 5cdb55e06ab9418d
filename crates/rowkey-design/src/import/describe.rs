//! The output of `describe 'TABLE'` and `get_splits 'TABLE'` of HBase's shell.

use std::ops::Range;

use super::draft::{Draft, Family, Splits, bytes, period};
use super::{Reading, lines, of_shell};
use crate::design::{BlockEncoding, Bloom, Compression};

pub(super) fn read(text: &str, name: Option<&str>, reading: &mut Reading) -> Vec<Draft> {
    let mut drafts: Vec<Draft> = Vec::new();
    // How many are to follow, and the line that counts them.
    let (mut split_points, mut counted) = (0usize, 0..0);
    for (start, line) in lines(text) {
        let at = start..start + line.len();
        if split_points > 0 && (of_shell(line) || line.starts_with(COUNTED) || table(line).is_some()) {
            missing(split_points, counted.clone(), reading);
            split_points = 0;
        }
        if split_points > 0 {
            split_points -= 1;
            split_point(line, at, drafts.last_mut(), reading);
        } else if let Some(name) = table(line) {
            drafts.push(Draft { name: name.to_owned(), ..Draft::default() });
        } else if line.starts_with("{NAME => '") {
            if drafts.is_empty() {
                let Some(name) = name else {
                    let help = "paste the line `Table … is ENABLED` too, or give the name";
                    reading.problem(at, "the name of the table is not there", help);
                    return drafts;
                };
                drafts.push(Draft { name: name.to_owned(), ..Draft::default() });
            }
            if let (Some(family), Some(draft)) = (family(line.trim_end(), at, reading), drafts.last_mut()) {
                draft.families.push(family);
            }
        } else if let Some(regions) = line.strip_prefix(COUNTED) {
            // The first region begins at no split point.
            (split_points, counted) = (regions.trim().parse().unwrap_or(1usize).saturating_sub(1), at);
        }
    }
    if split_points > 0 {
        missing(split_points, counted, reading);
    }
    drafts
}

/// The line of `get_splits` before the split points: the number of regions, one more than there are points.
const COUNTED: &str = "Total number of splits = ";

fn missing(split_points: usize, counted: Range<usize>, reading: &mut Reading) {
    let lines = if split_points == 1 { "the last line is".to_owned() } else { format!("{split_points} lines are") };
    let message = format!("{lines} missing after this: a line for each split point, one fewer than are counted here");
    reading.problem(counted, message, "paste all that get_splits printed");
}

/// The name in `Table NAME is ENABLED`.
fn table(line: &str) -> Option<&str> {
    let line = line.strip_prefix("Table ")?.trim_end();
    let states = [" is ENABLED", " is DISABLED", " is ENABLING", " is DISABLING"];
    states.iter().find_map(|state| line.strip_suffix(state))
}

fn split_point(line: &str, at: Range<usize>, draft: Option<&mut Draft>, reading: &mut Reading) {
    let Some(draft) = draft else { return };
    let Some(point) = binary(line) else {
        reading.problem(at, "this is not a split point", "write printable ASCII, and other bytes as \\x0A");
        return;
    };
    match &mut draft.splits {
        Splits::Keys(points) => points.push(point),
        splits => *splits = Splits::Keys(vec![point]),
    }
}

/// The bytes of a key as HBase prints it.
fn binary(text: &str) -> Option<Vec<u8>> {
    let (mut bytes, mut rest) = (Vec::new(), text);
    while let Some(&first) = rest.as_bytes().first() {
        let escaped = rest.strip_prefix("\\x").and_then(|hex| hex.get(..2));
        if let Some(byte) = escaped.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            bytes.push(byte);
            rest = &rest[4..];
        } else if (b' '..=b'~').contains(&first) {
            bytes.push(first);
            rest = &rest[1..];
        } else {
            return None;
        }
    }
    (!bytes.is_empty()).then_some(bytes)
}

/// The options of a family, in order.
type Attributes<'t> = Vec<(&'t str, &'t str)>;

/// Splits `{NAME => 'NAME', KEY => 'value', METADATA => {…}}`.
///
/// HBase does not escape a name. A name ends at the first quote from which on each key is there once.
fn attributes(line: &str) -> Option<(&str, Attributes<'_>)> {
    let rest = line.strip_prefix("{NAME => '")?.strip_suffix('}')?;
    for (end, _) in rest.match_indices('\'').take(256) {
        if let Some(attributes) = pairs(&rest[end + 1..]) {
            return Some((&rest[..end], attributes));
        }
    }
    None
}

/// Reads `, KEY => 'value', KEY => {…}` to the end, each key once.
fn pairs(mut rest: &str) -> Option<Attributes<'_>> {
    let mut pairs: Attributes<'_> = Vec::new();
    while !rest.is_empty() {
        let (key, value) = rest.strip_prefix(", ")?.split_once(" => ")?;
        let word = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
        // HBase has about twenty.
        if pairs.len() > 64
            || key.is_empty()
            || key == "NAME"
            || !key.bytes().all(word)
            || pairs.iter().any(|(known, _)| *known == key)
        {
            return None;
        }
        let close = match value.as_bytes().first()? {
            b'\'' => '\'',
            b'{' => '}',
            _ => return None,
        };
        let (value, after) = value[1..].split_once(close)?;
        pairs.push((key, value));
        rest = after;
    }
    Some(pairs)
}

/// HBase's defaults of options that a design has no key for.
const DEFAULTS: &[(&str, &str)] = &[
    ("KEEP_DELETED_CELLS", "FALSE"),
    ("REPLICATION_SCOPE", "0"),
    ("BLOCKCACHE", "true"),
    ("IN_MEMORY_COMPACTION", "NONE"),
    ("CACHE_DATA_ON_WRITE", "false"),
    ("CACHE_INDEX_ON_WRITE", "false"),
    ("CACHE_BLOOMS_ON_WRITE", "false"),
    ("EVICT_BLOCKS_ON_CLOSE", "false"),
    ("PREFETCH_BLOCKS_ON_OPEN", "false"),
    ("NEW_VERSION_BEHAVIOR", "false"),
    ("COMPRESS_TAGS", "true"),
    ("DFS_REPLICATION", "0"),
    ("METADATA", "'INDEX_BLOCK_ENCODING' => 'NONE'"),
    // Said together with IS_MOB.
    ("MOB_THRESHOLD", "102400"),
];

fn family(line: &str, at: Range<usize>, reading: &mut Reading) -> Option<Family> {
    let Some((name, attributes)) = attributes(line) else {
        let help = "paste the whole line: {NAME => 'd', VERSIONS => '1', …}";
        reading.problem(at, "this is not the description of a family", help);
        return None;
    };
    let mut family = Family::new(name);
    let mob = attributes.contains(&("IS_MOB", "true"));
    for (key, value) in &attributes {
        if option(&mut family, key, value, mob).is_none() {
            let message = format!("a design has no {key} => '{}'", crate::quote::terminal(value));
            reading.problem(at.clone(), message, "change it in the text to one that a design has, or remove it there");
        }
    }
    Some(family)
}

/// Adds an option, if a design can say it.
fn option(family: &mut Family, key: &str, value: &str, mob: bool) -> Option<()> {
    let word = value.to_ascii_lowercase();
    let known = |words: &[&'static str]| words.iter().find(|known| **known == word).copied();
    let words = |all: Vec<&'static str>| known(&all);
    // The number before a unit: '33696000 SECONDS (390 DAYS)'.
    let number = || value.split(' ').next()?.parse::<u64>().ok();
    match key {
        "VERSIONS" => family.option("versions", u32::try_from(number()?).ok()?.to_string()),
        "MIN_VERSIONS" if value == "0" => {}
        "MIN_VERSIONS" => family.option("min_versions", u32::try_from(number()?).ok()?.to_string()),
        "TTL" if value == "FOREVER" || number() == Some(i32::MAX as u64) => {}
        "TTL" => family.option("ttl", period(number()?.checked_mul(1000)?)),
        "COMPRESSION" if word == "none" => {}
        "COMPRESSION" => {
            let word = words(Compression::ALL.iter().map(|word| word.word()).collect())?;
            family.option("compression", format!("\"{word}\""));
        }
        "DATA_BLOCK_ENCODING" if word == "none" => {}
        "DATA_BLOCK_ENCODING" => {
            let word = words(BlockEncoding::ALL.iter().map(|word| word.word()).collect())?;
            family.option("encoding", format!("\"{word}\""));
        }
        "BLOOMFILTER" if word == "row" => {}
        "BLOOMFILTER" => {
            let word = words(Bloom::ALL.iter().map(|word| word.word()).collect())?;
            family.option("bloom", format!("\"{word}\""));
        }
        "BLOCKSIZE" if number() == Some(65_536) => {}
        "BLOCKSIZE" => family.option("block", bytes(number()?)),
        "IN_MEMORY" | "IS_MOB" if word == "false" => {}
        "IN_MEMORY" if word == "true" => family.option("in_memory", "true"),
        "IS_MOB" if word == "true" => {
            if !family.options.iter().any(|(known, _)| *known == "mob") {
                family.option("mob", bytes(102_400));
            }
        }
        "MOB_THRESHOLD" if mob => family.option("mob", bytes(number()?)),
        _ if DEFAULTS.contains(&(key, value)) => {}
        _ => family.comments.push(format!("A design has no key for {key} => {value}")),
    }
    Some(())
}
