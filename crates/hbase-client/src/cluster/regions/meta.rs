//! Rows of `hbase:meta`. Their keys are `TABLE,START,ID.DIGEST.`, sorted by table, then start, then id, whatever bytes
//! these have: a comma in a start key sorts as a part of it.

use bytes::Bytes;
use prost::Message;

use super::cache::Place;
use crate::model::error::CallFault;
use crate::model::names::LONGEST_KEY;
use crate::model::region::{Location, Region};
use crate::model::row::{CellBlock, Row};
use crate::model::server::{Address, ServerName};
use crate::model::table_name::TableName;
use crate::pb;
use crate::rpc::{Answer, Payload};

/// A region of a table, as its row in meta has it.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) region: Region,
    /// None while the region is opened nowhere.
    pub(crate) server: Option<ServerName>,
    pub(crate) opening: i64,
    /// Split, or offline for another reason: others have its rows.
    pub(crate) gone: bool,
    /// Its state, such as `OPEN`.
    pub(crate) state: String,
}

impl Entry {
    pub(crate) fn of(row: &Row) -> Option<Self> {
        let info = row.value("info", "regioninfo")?.strip_prefix(b"PBUF")?;
        let info = pb::RegionInfo::decode(info).ok()?;
        let number = |qualifier| Some(u64::from_be_bytes(row.value("info", qualifier)?.try_into().ok()?));
        let text = |qualifier| row.value("info", qualifier).and_then(|text| std::str::from_utf8(text).ok());
        let address = text("server").and_then(|text| text.parse::<Address>().ok());
        Some(Self {
            region: Region::from_pb(&info, row.key_bytes())?,
            server: address.zip(number("serverstartcode")).map(|(address, code)| ServerName::new(address, code)),
            opening: number("seqnumDuringOpen").and_then(|number| number.try_into().ok()).unwrap_or(0),
            gone: info.offline() || info.split(),
            state: text("state").unwrap_or_default().into(),
        })
    }

    pub(crate) fn location(&self) -> Option<Location> {
        // A closed region is in meta with the server that had it.
        let server = self.server.clone().filter(|_| !self.gone && self.state != "CLOSED")?;
        Some(Location { region: self.region.clone(), server, opening: self.opening })
    }
}

/// The first and, behind the last, the end of a table's rows. A space is the smallest character behind every row of
/// `TABLE` and before those of other tables, in meta's order.
pub(crate) fn rows_of(table: &TableName) -> (Bytes, Bytes) {
    (format!("{table},,").into(), format!("{table} ,,").into())
}

/// The number of regions that are read at once: the wanted one, and those before it.
const NEIGHBOURS: u32 = 10;
/// A key that ends with it sorts after those of all regions with this start.
const LAST_ID: &[u8] = b"99999999999999";

/// A scan backwards from a place in a table.
pub(crate) fn look_up(table: &TableName, place: Place<'_>) -> pb::ScanRequest {
    let (first, behind) = rows_of(table);
    let prefix = format!("{table},");
    // All starts of regions are shorter than this, so none is between a key and what is left of it.
    let room = LONGEST_KEY.saturating_sub(prefix.len() + 1 + LAST_ID.len());
    let (start, include) = match place {
        Place::At(key) => ([prefix.as_bytes(), &key[..key.len().min(room)], b",", LAST_ID].concat().into(), true),
        Place::Before([]) => (behind, false),
        Place::Before(key) => ([prefix.as_bytes(), &key[..key.len().min(room)], b","].concat().into(), false),
    };
    pb::ScanRequest {
        region: Some(Region::meta().specifier()),
        scan: Some(pb::Scan {
            column: vec![pb::Column { family: "info".into(), qualifier: Vec::new() }],
            start_row: Some(start),
            include_start_row: Some(include),
            stop_row: Some(first),
            include_stop_row: Some(true),
            reversed: Some(true),
            caching: Some(NEIGHBOURS),
            ..Default::default()
        }),
        number_of_rows: Some(NEIGHBOURS),
        close_scanner: Some(true),
        ..Default::default()
    }
}

pub(crate) fn scan(request: &pb::ScanRequest) -> Payload<'_, pb::ScanRequest> {
    Payload { priority: Some(SYSTEM_PRIORITY), ..Payload::new("Scan", request) }
}

/// Calls to system tables go before others.
pub(crate) const SYSTEM_PRIORITY: u32 = 200;

/// The rows of a response that has whole rows only.
pub(crate) fn rows(answer: &Answer) -> Result<Vec<Row>, CallFault> {
    let response: pb::ScanResponse = answer.read()?;
    let mut block = CellBlock(answer.cells.clone());
    let in_block = response.cells_per_result.iter().map(|cells| block.take(*cells as usize));
    let rows: Option<Vec<_>> = match response.results.is_empty() {
        true => in_block.collect(),
        false => response.results.iter().map(|result| Row::of_messages(&result.cell)).collect(),
    };
    rows.ok_or(CallFault::malformed("the response of hbase:meta has cells that can't be decoded"))
}

/// The call for a table's state.
pub(crate) fn state_of(table: &TableName) -> pb::GetRequest {
    pb::GetRequest {
        region: Region::meta().specifier(),
        get: pb::Get {
            row: table.to_string().into(),
            column: vec![pb::Column { family: "table".into(), qualifier: vec!["state".into()] }],
            ..Default::default()
        },
    }
}

/// The state in its response, if the table has one.
pub(crate) fn state(answer: &Answer) -> Result<Option<pb::table_state::State>, CallFault> {
    let broken = || CallFault::malformed("hbase:meta has a table state that can't be decoded");
    let response: pb::GetResponse = answer.read()?;
    let Some(result) = response.result else { return Ok(None) };
    let row = CellBlock(answer.cells.clone()).row(&result).ok_or_else(broken)?;
    let Some(state) = row.value("table", "state") else { return Ok(None) };
    Ok(Some(pb::TableState::decode(state).map_err(|_| broken())?.state()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::cell::Parts;

    fn row(values: &[(&str, &[u8])]) -> Row {
        let mut bytes = Vec::new();
        for (qualifier, value) in values {
            let (row, qualifier) = (b"t,,5.0123.", qualifier.as_bytes());
            Parts { row, family: b"info", qualifier, timestamp: 1, kind: 4, value }.write(&mut bytes).unwrap();
        }
        CellBlock(bytes.into()).take(values.len()).unwrap()
    }

    #[test]
    fn an_entry_is_read() {
        let table_name = TableName::from("t").to_pb();
        let info = pb::RegionInfo { region_id: 5, table_name, end_key: Some("m".into()), ..Default::default() };
        let info = [b"PBUF", &info.encode_to_vec()[..]].concat();
        let of = |server: &[u8]| {
            let values: [(&str, &[u8]); 4] = [
                ("regioninfo", &info),
                ("seqnumDuringOpen", &9u64.to_be_bytes()),
                ("server", server),
                ("serverstartcode", &7u64.to_be_bytes()),
            ];
            Entry::of(&row(&values)).unwrap()
        };
        let location = of(b"h:1").location().unwrap();
        assert_eq!((location.server.to_string(), location.opening), ("h,1,7".into(), 9));
        assert_eq!((location.region.end(), location.region.name()), (&"m".into(), &"t,,5.0123.".into()));
        assert_eq!(of(b"").location(), None);
        assert!(Entry::of(&row(&[("regioninfo", b"PBUF\xff")])).is_none());
        assert!(Entry::of(&row(&[("server", b"h:1")])).is_none());
    }

    #[test]
    fn places_are_keys_of_meta() {
        let start = |place| look_up(&"n:t".into(), place).scan.unwrap().start_row.unwrap();
        assert_eq!(start(Place::At(b"k,1")), "n:t,k,1,99999999999999");
        assert_eq!(start(Place::Before(b"k")), "n:t,k,");
        assert_eq!(start(Place::Before(b"")), "n:t ,,");
    }

    #[test]
    fn long_keys_find_the_regions_of_whole_ones() {
        let start = |place: Place<'_>| look_up(&"n:t".into(), place).scan.unwrap().start_row.unwrap();
        // The row of a region in meta, with a number of one digit, has to be a row.
        let longest_start = LONGEST_KEY - "n:t,,1.0123456789abcdef0123456789abcdef.".len();
        for length in [longest_start, longest_start + 1, LONGEST_KEY - 1, LONGEST_KEY] {
            let key = vec![5; length];
            let (at, before) = (start(Place::At(&key)), start(Place::Before(&key)));
            assert!(at.len() <= LONGEST_KEY && before.len() <= LONGEST_KEY, "{} {}", at.len(), before.len());
            let at = at.strip_prefix(b"n:t,").unwrap().strip_suffix(b",99999999999999").unwrap();
            let before = before.strip_prefix(b"n:t,").unwrap().strip_suffix(b",").unwrap();
            for last in [4, 5, 6] {
                let region = [&key[..longest_start - 1], &[last]].concat();
                assert_eq!((region <= key, region < key), (&region[..] <= at, &region[..] < before), "{length} {last}");
            }
        }
    }
}
