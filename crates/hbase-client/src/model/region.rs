//! Regions and their locations.

use std::fmt::Write;

use bytes::Bytes;

use crate::model::server::ServerName;
use crate::model::table_name::TableName;
use crate::pb;

/// A region: the rows of a table from a key to another.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[doc(alias = "RegionInfo")]
#[doc(alias = "HRegionLocation")]
pub struct Region {
    table: TableName,
    start: Bytes,
    end: Bytes,
    id: u64,
    name: Bytes,
}

/// `hbase:meta` has one region, with a name of an old form.
const META: &[u8] = b"hbase:meta,,1";

impl Region {
    pub(crate) fn meta() -> Self {
        let table = TableName::meta();
        Self { table, start: Bytes::new(), end: Bytes::new(), id: 1, name: Bytes::from_static(META) }
    }

    /// A region as meta has it, with its name, which is the key of its row there.
    pub(crate) fn from_pb(info: &pb::RegionInfo, name: Bytes) -> Option<Self> {
        let table = TableName::from_pb(&info.table_name)?;
        let (start, end) = (info.start_key().to_vec().into(), info.end_key().to_vec().into());
        (info.replica_id() == 0).then_some(Self { table, start, end, id: info.region_id, name })
    }

    pub(crate) fn to_pb(&self) -> pb::RegionInfo {
        pb::RegionInfo {
            region_id: self.id,
            table_name: self.table.to_pb(),
            start_key: Some(self.start.clone()),
            end_key: Some(self.end.clone()),
            ..Default::default()
        }
    }

    pub(crate) fn specifier(&self) -> pb::RegionSpecifier {
        let r#type = pb::region_specifier::RegionSpecifierType::RegionName.into();
        pb::RegionSpecifier { r#type, value: self.name.clone() }
    }

    /// The table.
    pub fn table(&self) -> &TableName {
        &self.table
    }

    /// The first key. Empty in the first region.
    pub fn start(&self) -> &Bytes {
        &self.start
    }

    /// The key behind the last one. Empty in the last region.
    pub fn end(&self) -> &Bytes {
        &self.end
    }

    /// Its number: a region that replaces others has a greater one.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Its whole name: table, start key, id and, between dots, the encoded name.
    pub fn name(&self) -> &Bytes {
        &self.name
    }

    /// Its name in logs, in HBase's shell and in its folder: a digest of the whole one.
    pub fn encoded_name(&self) -> String {
        if self.name == META {
            return "1588230740".into();
        }
        let name = self.name.strip_suffix(b".").unwrap_or(&self.name);
        let from = name.iter().rposition(|byte| *byte == b'.').map_or(0, |at| at + 1);
        String::from_utf8_lossy(name.get(from..).unwrap_or_default()).into_owned()
    }

    /// Returns whether the key is in the region.
    pub fn contains(&self, row: &[u8]) -> bool {
        self.start <= *row && (self.end.is_empty() || *row < *self.end)
    }

    /// Returns whether the region has keys right below this one; an empty one stands for the end of the table.
    pub(crate) fn contains_before(&self, row: &[u8]) -> bool {
        match row.is_empty() {
            true => self.end.is_empty(),
            false => self.start < *row && (self.end.is_empty() || *row <= *self.end),
        }
    }
}

/// A region, and the server that has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Location {
    pub(crate) region: Region,
    pub(crate) server: ServerName,
    /// The number of its opening there. A later opening has a greater one.
    pub(crate) opening: i64,
}

/// Bytes as text: what is not printable ASCII is written in hexadecimal.
pub(crate) fn readable(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for byte in bytes {
        match byte {
            b'\\' => text.push_str("\\\\"),
            b' '..=b'~' => text.push(char::from(*byte)),
            // Writing to a string does not fail.
            byte => drop(write!(text, "\\x{byte:02x}")),
        }
    }
    text
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn region(start: &'static str, end: &'static str, id: u64) -> Region {
        let table = TableName::from("t");
        let name = format!("t,{start},{id}.0123abcd.").into();
        Region { table, start: start.into(), end: end.into(), id, name }
    }

    #[test]
    fn a_region_knows_its_keys() {
        let middle = region("b", "d", 1);
        assert!(middle.contains(b"b") && middle.contains(b"cz") && !middle.contains(b"d") && !middle.contains(b"a"));
        assert!(middle.contains_before(b"d") && middle.contains_before(b"c") && !middle.contains_before(b"b"));
        assert!(!middle.contains_before(b""));
        let last = region("d", "", 1);
        assert!(last.contains(b"zz") && last.contains_before(b"") && last.contains_before(b"zz"));
        assert_eq!(middle.encoded_name(), "0123abcd");
        assert_eq!(Region::meta().encoded_name(), "1588230740");
    }
}
