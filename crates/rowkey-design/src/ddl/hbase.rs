//! Commands of HBase's shell.

use std::fmt::Write;

use super::region::Value;
use super::{NewTable, Said, shown, versions, whole_bytes, whole_seconds};
use crate::design::{BlockEncoding, Bloom, Compression, Family};
use crate::problem::{Located, Span};
use crate::quote;

/// The family of a table whose design names none.
const DEFAULT_FAMILY: &str = "d";
/// The sizes of blocks that HBase takes: `TableDescriptorChecker`.
const BLOCK: std::ops::RangeInclusive<u64> = 1024..=16 * 1024 * 1024;
/// A block's size where nothing says it.
const DEFAULT_BLOCK: u64 = 64 * 1024;
/// The values above this size are stored apart where nothing says it: `ColumnFamilyDescriptorBuilder`.
const DEFAULT_MOB: u64 = 100 * 1024;
/// HBase's `Integer.MAX_VALUE`, which as a TTL is for ever.
const FOREVER: u64 = i32::MAX as u64;

/// `create` for each table. An option that says what HBase does anyway is left out, except VERSIONS: a cluster can have
/// another default for it.
pub(super) fn ddl(tables: &[NewTable<'_>], regions: &[(&'static str, Value)], said: &mut Said) -> Vec<Vec<String>> {
    let mut created = Vec::new();
    for table in tables {
        let mut text = String::new();
        table_name(table.name, said);
        _ = write!(text, "create {}", quote::jruby(table.name.as_bytes()));
        if table.families.is_empty() {
            let name = shown(table.name);
            let message =
                format!("{name} has no column family, and HBase wants one: it is created with {DEFAULT_FAMILY:?}");
            said.note(table.name.place, message);
            _ = write!(text, ",\n  {{NAME => \"{DEFAULT_FAMILY}\", VERSIONS => 1}}");
        }
        for (name, family) in table.families() {
            family_name(name, family.place, said);
            _ = write!(text, ",\n  {{NAME => {}{}}}", quote::jruby(name.as_bytes()), options(family, said));
        }
        for (attribute, value) in regions {
            _ = match value {
                Value::Bytes(bytes) => write!(text, ",\n  {attribute} => {bytes}"),
                Value::Class(class) => write!(text, ",\n  {attribute} => \"{class}\""),
            };
        }
        if let Some((points, _)) = table.points() {
            let points: Vec<_> = points.iter().map(quote::jruby_splits).collect();
            _ = write!(text, ",\n  SPLITS => [{}]", points.join(", "));
        }
        created.push(vec![text]);
    }
    created
}

/// The options of a family, each with a comma before it.
fn options(family: &Family, said: &mut Said) -> String {
    let mut text = String::new();
    let (most, fewest) = versions(family, i32::MAX as u32, said);
    _ = write!(text, ", VERSIONS => {most}");
    if fewest > 0 {
        _ = write!(text, ", MIN_VERSIONS => {fewest}");
    }
    if let Some(seconds) = family.ttl.as_ref().and_then(|ttl| whole_seconds(ttl, FOREVER - 1, said)) {
        _ = write!(text, ", TTL => {seconds}");
    }
    codec(family, said);
    for (option, word) in words(family) {
        _ = write!(text, ", {option} => \"{word}\"");
    }
    if let Some(bytes) = block(family, said) {
        _ = write!(text, ", BLOCKSIZE => {bytes}");
    }
    if family.in_memory == Some(true) {
        text.push_str(", IN_MEMORY => true");
    }
    if let Some(bytes) = mob(family, said) {
        text.push_str(", IS_MOB => true");
        if bytes != DEFAULT_MOB {
            _ = write!(text, ", MOB_THRESHOLD => {bytes}");
        }
    }
    text
}

/// The options whose values are words, where they are not HBase's defaults.
pub(super) fn words(family: &Family) -> Vec<(&'static str, String)> {
    let compression = family.compression.as_ref().map(|word| word.value).filter(|word| *word != Compression::None);
    let encoding = family.encoding.as_ref().map(|word| word.value).filter(|word| *word != BlockEncoding::None);
    let bloom = family.bloom.as_ref().map(|word| word.value).filter(|word| *word != Bloom::Row);
    let options = [
        ("COMPRESSION", compression.map(Compression::word)),
        ("DATA_BLOCK_ENCODING", encoding.map(BlockEncoding::word)),
        ("BLOOMFILTER", bloom.map(Bloom::word)),
    ];
    options.into_iter().filter_map(|(option, word)| Some((option, word?.to_ascii_uppercase()))).collect()
}

/// Notes a compression that HBase's servers may lack: they refuse the table then.
pub(super) fn codec(family: &Family, said: &mut Said) {
    use Compression::{Bzip2, Lz4, Lzo, Snappy, Zstd};

    if let Some(word) = family.compression.as_ref().filter(|word| [Bzip2, Lz4, Lzo, Snappy, Zstd].contains(&word.value))
    {
        said.note(word.place, format!("HBase refuses the table where its servers have no library for {}", word.value));
    }
}

/// The size of a block, where it is not HBase's default.
pub(super) fn block(family: &Family, said: &mut Said) -> Option<u64> {
    let size = family.block.as_ref()?;
    whole_bytes(size, "a block", *BLOCK.start(), *BLOCK.end(), said).filter(|bytes| *bytes != DEFAULT_BLOCK)
}

/// The size above which values are stored apart.
pub(super) fn mob(family: &Family, said: &mut Said) -> Option<u64> {
    whole_bytes(family.mob.as_ref()?, "the size of MOB", 0, 1 << 53, said)
}

/// Notes what HBase refuses as a table's name: `TableName.isLegalTableQualifierName`.
pub(super) fn table_name(name: &Located<String>, said: &mut Said) {
    let (namespace, qualifier) = name.split_once(':').unwrap_or(("default", name));
    let word = |c: char| c == '_' || c.is_ascii_digit() || c.is_alphabetic();
    let legal = !namespace.is_empty()
        && namespace.chars().all(word)
        && !qualifier.is_empty()
        && qualifier.len() <= 255
        && !qualifier.starts_with(['.', '-'])
        && qualifier.chars().all(|c| word(c) || c == '-' || c == '.')
        && !["zookeeper", "hbase"].contains(&qualifier);
    if !legal {
        let help = "write letters, digits, `_`, `-` and `.`, of which the last two do not begin a name; before it a \
                    namespace and `:` if you like";
        said.problem(name.place, format!("HBase takes no table named {}", shown(name)), help);
    } else if namespace == "hbase" {
        said.problem(name.place, "the namespace `hbase` is HBase's own", "use another");
    } else if namespace != "default" {
        said.note(name.place, format!("the namespace has to be there first: create_namespace {namespace:?}"));
    }
}

/// Notes what HBase refuses as a family's name: `ColumnFamilyDescriptorBuilder.isLegalColumnFamilyName`.
pub(super) fn family_name(name: &str, place: Span, said: &mut Said) {
    let legal = !name.is_empty()
        && name.len() <= 127
        && !name.starts_with('.')
        && name != "recovered.edits"
        && !name.bytes().any(|byte| byte.is_ascii_control() || b":/\\".contains(&byte));
    if !legal {
        let help = "write up to 127 bytes without `:`, `/`, `\\` and control characters; the first is not `.`";
        said.problem(place, format!("HBase takes no family named {}", shown(name)), help);
    }
}
