//! Rows out of the chunks of a ReadRows response, and what a server may not send.

use super::proto::read_rows_response::CellChunk;
use super::proto::read_rows_response::cell_chunk::RowStatus;

/// A row as the server sent it. Its families have no order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WireRow {
    /// The row's key.
    pub key: Vec<u8>,
    /// The families and qualifiers that cells refer to, each at its first cell.
    pub columns: Vec<(String, Vec<u8>)>,
    /// The cells in the order in which they came.
    pub cells: Vec<WireCell>,
}

/// A cell of a [`WireRow`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WireCell {
    /// The index of its column.
    pub column: usize,
    /// Microseconds since 1970.
    pub micros: i64,
    /// The labels that a filter gave it.
    pub labels: Vec<String>,
    /// The value.
    pub value: Vec<u8>,
}

/// Puts chunks together. A row is complete when its last chunk says so, and a server may take back a row before that.
#[derive(Debug)]
pub(crate) struct Merger {
    reverse: bool,
    /// The last key that was completed or scanned.
    last: Option<Vec<u8>>,
    row: Option<WireRow>,
    /// True while the value of the last cell continues in the next chunk.
    in_cell: bool,
    /// The approximate number of bytes of the row; `most` is their limit.
    bytes: usize,
    most: usize,
}

/// The reason why a chunk is refused.
pub(crate) type Violation = &'static str;

pub(super) const TOO_LARGE: Violation = "a row is too large";

impl Merger {
    /// After `last`, if something was read before.
    pub(crate) fn new(reverse: bool, last: Option<Vec<u8>>) -> Self {
        Self { reverse, last, row: None, in_cell: false, bytes: 0, most: usize::MAX }
    }

    /// Refuses a row with more bytes.
    pub(crate) fn most(mut self, bytes: usize) -> Self {
        self.most = bytes;
        self
    }

    pub(crate) fn largest_row(&self) -> usize {
        self.most
    }

    /// The key of the row that has begun.
    pub(crate) fn row_key(&self) -> Option<&[u8]> {
        self.row.as_ref().map(|row| row.key.as_slice())
    }

    /// The last key that was completed or scanned: the scan goes on after it.
    pub(crate) fn last(&self) -> Option<&[u8]> {
        self.last.as_deref()
    }

    fn is_next(&self, key: &[u8]) -> bool {
        self.last.as_deref().is_none_or(|last| if self.reverse { key < last } else { key > last })
    }

    fn out_of_order(&self) -> Violation {
        if self.reverse { "row keys must be strictly decreasing" } else { "row keys must be strictly increasing" }
    }

    /// The server has scanned up to this key without a row to return.
    pub(crate) fn scanned(&mut self, key: Vec<u8>) -> Result<(), Violation> {
        if self.row.is_some() {
            return Err("a scanned key came inside a row");
        }
        if !self.is_next(&key) {
            return Err(self.out_of_order());
        }
        self.last = Some(key);
        Ok(())
    }

    /// Takes a chunk, and returns the row that it completes.
    pub(crate) fn push(&mut self, mut chunk: CellChunk) -> Result<Option<WireRow>, Violation> {
        if matches!(chunk.row_status, Some(RowStatus::ResetRow(true))) {
            let is_bare = chunk.row_key.is_empty()
                && chunk.family_name.is_none()
                && chunk.qualifier.is_none()
                && chunk.timestamp_micros == 0
                && chunk.labels.is_empty()
                && chunk.value.is_empty();
            return match self.row.take() {
                None => Err("a reset came outside of a row"),
                Some(_) if !is_bare => Err("a reset has a cell"),
                Some(_) => {
                    self.in_cell = false;
                    Ok(None)
                }
            };
        }
        self.bytes = if self.row.is_some() { self.bytes } else { 0 };
        self.bytes = self.bytes.saturating_add(bytes_of(&chunk));
        if self.in_cell {
            self.go_on(&chunk)?;
        } else {
            self.begin_cell(&mut chunk)?;
        }
        if self.bytes > self.most {
            return Err(TOO_LARGE);
        }
        let is_last = matches!(chunk.row_status, Some(RowStatus::CommitRow(true)));
        let more = chunk.value_size > 0;
        if is_last && more {
            return Err("a row ends inside a cell");
        }
        let Some(row) = &mut self.row else { return Err("a cell came outside of a row") };
        if self.in_cell {
            if let Some(cell) = row.cells.last_mut() {
                cell.value.extend_from_slice(&chunk.value);
            }
        } else {
            let mut value = chunk.value;
            if more {
                // The size is the server's word: what is reserved for it is bounded.
                value.reserve(usize::try_from(chunk.value_size).unwrap_or(0).min(MOST_RESERVED));
            }
            let column = row.columns.len().saturating_sub(1);
            row.cells.push(WireCell { column, micros: chunk.timestamp_micros, labels: chunk.labels, value });
        }
        self.in_cell = more;
        if !is_last {
            return Ok(None);
        }
        let row = self.row.take();
        if let Some(row) = &row {
            self.last.get_or_insert_default().clone_from(&row.key);
        }
        Ok(row)
    }

    /// Checks a chunk that continues a value.
    fn go_on(&self, chunk: &CellChunk) -> Result<(), Violation> {
        let is_plain = chunk.row_key.is_empty()
            && chunk.family_name.is_none()
            && chunk.qualifier.is_none()
            && chunk.timestamp_micros == 0
            && chunk.labels.is_empty();
        if is_plain { Ok(()) } else { Err("a column came inside a cell") }
    }

    /// Takes the row and the column of a chunk that begins a cell.
    fn begin_cell(&mut self, chunk: &mut CellChunk) -> Result<(), Violation> {
        match &self.row {
            None if chunk.row_key.is_empty() => return Err("a row has no key"),
            None if !self.is_next(&chunk.row_key) => return Err(self.out_of_order()),
            None => self.row = Some(WireRow { key: std::mem::take(&mut chunk.row_key), ..WireRow::default() }),
            Some(row) if !chunk.row_key.is_empty() && chunk.row_key != row.key => {
                return Err("a row begins before the one before it has ended");
            }
            Some(_) => {}
        }
        let Some(row) = &mut self.row else { return Ok(()) };
        match (chunk.family_name.take(), chunk.qualifier.take()) {
            (Some(family), Some(qualifier)) => row.columns.push((family, qualifier)),
            (None, Some(qualifier)) => {
                let Some((family, _)) = row.columns.last() else { return Err("a cell has no family") };
                row.columns.push((family.clone(), qualifier));
            }
            (Some(_), None) => return Err("a family has no qualifier"),
            (None, None) if row.columns.is_empty() => return Err("a cell has no column"),
            (None, None) => {}
        }
        Ok(())
    }

    /// Checks that the responses may end here.
    pub(crate) fn end(&self) -> Result<(), Violation> {
        if self.row.is_some() { Err("the rows end inside a row") } else { Ok(()) }
    }
}

/// About as many as a cell takes in memory.
pub(super) fn bytes_of(chunk: &CellChunk) -> usize {
    let column = chunk.family_name.as_ref().map_or(0, String::len) + chunk.qualifier.as_ref().map_or(0, Vec::len);
    let labels: usize = chunk.labels.iter().map(|label| size_of::<String>() + label.len()).sum();
    size_of::<WireCell>() + chunk.row_key.len() + chunk.value.len() + column + labels
}

/// The most bytes that are reserved at once for a value in several chunks.
const MOST_RESERVED: usize = 1 << 20;

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use proptest::prelude::*;

    use super::*;

    fn chunk() -> CellChunk {
        CellChunk::default()
    }

    fn begins(row: &str, family: &str, qualifier: &str, value: &str) -> CellChunk {
        let (family_name, qualifier) = (Some(family.to_owned()), Some(qualifier.into()));
        CellChunk { row_key: row.into(), family_name, qualifier, value: value.into(), ..chunk() }
    }

    fn commits(chunk: CellChunk) -> CellChunk {
        CellChunk { row_status: Some(RowStatus::CommitRow(true)), ..chunk }
    }

    fn goes_on(chunk: CellChunk) -> CellChunk {
        CellChunk { value_size: 100, ..chunk }
    }

    fn reset() -> CellChunk {
        CellChunk { row_status: Some(RowStatus::ResetRow(true)), ..chunk() }
    }

    /// The rows before the first violation, and the violation.
    fn merged(reverse: bool, chunks: impl IntoIterator<Item = CellChunk>) -> (Vec<WireRow>, Result<(), Violation>) {
        let (mut merger, mut rows) = (Merger::new(reverse, None), Vec::new());
        for chunk in chunks {
            match merger.push(chunk) {
                Ok(row) => rows.extend(row),
                Err(found) => return (rows, Err(found)),
            }
        }
        (rows, merger.end())
    }

    #[test]
    fn what_a_server_may_not_send() {
        let a = || begins("a", "f", "q", "v");
        let value = || CellChunk { value: b"v".to_vec(), ..chunk() };
        for chunks in [
            vec![commits(chunk())],
            vec![value()],
            vec![CellChunk { row_key: b"a".to_vec(), ..chunk() }],
            vec![CellChunk { family_name: None, ..a() }],
            vec![CellChunk { qualifier: None, ..a() }],
            vec![a()],
            vec![a(), begins("b", "f", "q", "v")],
            vec![commits(a()), commits(a())],
            vec![commits(begins("b", "f", "q", "v")), commits(a())],
            vec![commits(a()), commits(value())],
            vec![reset()],
            vec![commits(a()), reset()],
            vec![a(), CellChunk { value: b"v".to_vec(), ..reset() }],
            vec![commits(goes_on(a()))],
            vec![goes_on(a()), commits(begins("a", "f", "q", "v"))],
            vec![goes_on(a()), CellChunk { timestamp_micros: 1, ..commits(value()) }],
            vec![goes_on(a()), commits(CellChunk { labels: vec!["l".to_owned()], ..value() })],
        ] {
            let (rows, result) = merged(false, chunks.clone());
            assert!(result.is_err(), "{chunks:?}");
            assert!(rows.len() < chunks.len(), "{chunks:?}");
        }
        assert_eq!(
            merged(true, [commits(a()), commits(begins("b", "f", "q", "v"))]).1,
            Err("row keys must be strictly decreasing")
        );
    }

    #[test]
    fn a_row_that_is_too_large_is_refused_by_its_key() {
        let cell = bytes_of(&begins("a", "f", "q", "v"));
        let more = || CellChunk { value: b"v".to_vec(), ..chunk() };
        let merger = || {
            let mut merger = Merger::new(false, None).most(2 * cell);
            merger.push(begins("a", "f", "q", "v")).unwrap();
            merger
        };
        let mut refused = merger();
        refused.push(more()).unwrap();
        assert_eq!(refused.push(more()), Err(TOO_LARGE));
        assert_eq!(refused.row_key(), Some(&b"a"[..]));
        let mut at_once = Merger::new(false, None).most(cell - 1);
        assert_eq!(at_once.push(commits(begins("a", "f", "q", "v"))), Err(TOO_LARGE));
        assert_eq!(at_once.row_key(), Some(&b"a"[..]));
        // The bytes before a reset count no more.
        let mut reset_before = merger();
        reset_before.push(reset()).unwrap();
        reset_before.push(begins("a", "f", "q", "v")).unwrap();
        reset_before.push(commits(more())).unwrap();
    }

    #[test]
    fn a_scanned_key_is_between_rows() {
        let mut merger = Merger::new(false, Some(b"b".to_vec()));
        assert!(merger.scanned(b"b".to_vec()).is_err());
        merger.scanned(b"c".to_vec()).unwrap();
        assert!(merger.push(commits(begins("c", "f", "q", "v"))).is_err());
        merger.push(begins("d", "f", "q", "v")).unwrap();
        assert!(merger.scanned(b"e".to_vec()).is_err());
    }

    /// A row as a server may send it: cells cut into pieces, perhaps begun and taken back before.
    fn sent(row: &WireRow, cuts: &[usize], resets: usize) -> Vec<CellChunk> {
        let mut whole = Vec::new();
        let mut before: Option<&(String, Vec<u8>)> = None;
        for (index, cell) in row.cells.iter().enumerate() {
            let column = &row.columns[cell.column];
            let is_new = before.is_none_or(|before| before != column);
            let family = before.is_none_or(|(family, _)| *family != column.0);
            before = Some(column);
            let cut = cuts[index % cuts.len()] % (cell.value.len() + 1);
            let first = CellChunk {
                row_key: if index == 0 { row.key.clone() } else { Vec::new() },
                family_name: family.then(|| column.0.clone()),
                qualifier: is_new.then(|| column.1.clone()),
                timestamp_micros: cell.micros,
                labels: cell.labels.clone(),
                value: cell.value[..cut].to_vec(),
                value_size: if cut < cell.value.len() { i32::try_from(cell.value.len()).unwrap() } else { 0 },
                row_status: None,
            };
            whole.push(first);
            if cut < cell.value.len() {
                whole.push(CellChunk { value: cell.value[cut..].to_vec(), ..chunk() });
            }
        }
        let begun: Vec<CellChunk> = whole[..whole.len() - 1].to_vec();
        let taken_back =
            (0..if begun.is_empty() { 0 } else { resets }).flat_map(|_| begun.iter().cloned().chain([reset()]));
        let mut chunks: Vec<CellChunk> = taken_back.collect();
        chunks.extend(whole);
        if let Some(last) = chunks.last_mut() {
            last.row_status = Some(RowStatus::CommitRow(true));
        }
        chunks
    }

    fn row(key: Vec<u8>, cells: &[(usize, Vec<u8>)]) -> WireRow {
        let columns = [("a", "x"), ("a", "y"), ("b", "x"), ("c", "")];
        let mut row = WireRow { key, ..WireRow::default() };
        for (micros, (column, value)) in (0..).zip(cells) {
            let (family, qualifier) = columns[column % columns.len()];
            let column = (family.to_owned(), qualifier.as_bytes().to_vec());
            if row.columns.last() != Some(&column) {
                row.columns.push(column);
            }
            let labels = if value.len() % 3 == 1 { vec!["l".to_owned()] } else { Vec::new() };
            row.cells.push(WireCell { column: row.columns.len() - 1, micros, labels, value: value.clone() });
        }
        row
    }

    const CELLS: Range<usize> = 1..5;

    proptest! {
        #[test]
        fn rows_come_out_as_they_were_sent(
            keys in prop::collection::btree_set(prop::collection::vec(any::<u8>(), 1..3), 1..5),
            cells in prop::collection::vec((0usize..4, prop::collection::vec(any::<u8>(), 0..6)), CELLS),
            cuts in prop::collection::vec(0usize..8, 1..4),
            resets in 0usize..3,
            reverse: bool,
        ) {
            let mut rows: Vec<WireRow> = keys.into_iter().map(|key| row(key, &cells)).collect();
            if reverse {
                rows.reverse();
            }
            let chunks: Vec<CellChunk> = rows.iter().flat_map(|row| sent(row, &cuts, resets)).collect();
            prop_assert_eq!(merged(reverse, chunks.clone()), (rows.clone(), Ok(())));
            // Cut anywhere, the rows before are whole.
            for length in 0..chunks.len() {
                let (some, end) = merged(reverse, chunks[..length].to_vec());
                prop_assert_eq!(&some[..], &rows[..some.len()]);
                prop_assert!(end.is_err() || some.len() < rows.len());
            }
        }

        #[test]
        fn no_chunks_panic(
            parts in prop::collection::vec(
                (any::<bool>(), any::<bool>(), any::<bool>(), 0u8..4, any::<i32>(), 0u8..3, prop::collection::vec(any::<u8>(), 0..2)),
                0..12,
            ),
            reverse: bool,
        ) {
            let chunks = parts.into_iter().map(|(family, qualifier, key, status, value_size, column, value)| CellChunk {
                row_key: if key { value.clone() } else { Vec::new() },
                family_name: family.then(|| column.to_string()),
                qualifier: qualifier.then(|| vec![column]),
                row_status: match status {
                    0 => None,
                    1 => Some(RowStatus::ResetRow(true)),
                    2 => Some(RowStatus::CommitRow(true)),
                    _ => Some(RowStatus::CommitRow(false)),
                },
                value_size,
                value,
                ..chunk()
            });
            let (rows, _) = merged(reverse, chunks);
            let sorted = rows.is_sorted_by(|a, b| if reverse { a.key > b.key } else { a.key < b.key });
            prop_assert!(sorted);
            prop_assert!(rows.iter().all(|row| !row.cells.is_empty() && row.cells.iter().all(|cell| cell.column < row.columns.len())));
        }
    }

    /// Google's cases of ReadRows, as protobuf's JSON.
    #[test]
    #[ignore = "needs ROWKEY_READ_ROWS_CASES, the file readrows.json that servers/bigtable/conformance prints"]
    fn googles_cases() {
        let path = std::env::var_os("ROWKEY_READ_ROWS_CASES").expect("ROWKEY_READ_ROWS_CASES is a path");
        let file: serde_json::Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let cases = file["readRowsTests"].as_array().unwrap();
        assert!(cases.len() >= 48);
        let list = |value: &serde_json::Value| value.as_array().cloned().unwrap_or_default();
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        let number = |value: &serde_json::Value| value.as_str().map_or(0, |number| number.parse().unwrap());
        for case in cases {
            let chunks = list(&case["chunks"]).into_iter().map(|sent| {
                let flag = |name: &str| sent[name].as_bool() == Some(true);
                CellChunk {
                    row_key: base64(&text(&sent["rowKey"])),
                    family_name: sent["familyName"].as_str().map(str::to_owned),
                    qualifier: sent["qualifier"].as_str().map(base64),
                    timestamp_micros: number(&sent["timestampMicros"]),
                    labels: list(&sent["labels"]).iter().map(text).collect(),
                    value: base64(&text(&sent["value"])),
                    value_size: i32::try_from(sent["valueSize"].as_i64().unwrap_or_default()).unwrap(),
                    row_status: match (flag("commitRow"), flag("resetRow")) {
                        (true, _) => Some(RowStatus::CommitRow(true)),
                        (_, true) => Some(RowStatus::ResetRow(true)),
                        _ => None,
                    },
                }
            });
            let (rows, end) = merged(false, chunks);
            let cells: Vec<_> = rows
                .iter()
                .flat_map(|row| {
                    row.cells.iter().map(|cell| {
                        let (family, qualifier) = &row.columns[cell.column];
                        let [key, qualifier, value] =
                            [&row.key, qualifier, &cell.value].map(|bytes| String::from_utf8(bytes.clone()).unwrap());
                        (key, family.clone(), qualifier, cell.micros, value, cell.labels.join(","))
                    })
                })
                .collect();
            let (errors, expected): (Vec<_>, Vec<_>) =
                list(&case["results"]).into_iter().partition(|result| result["error"].as_bool() == Some(true));
            let expected: Vec<_> = expected
                .iter()
                .map(|cell| {
                    let [key, family, qualifier, value, label] =
                        ["rowKey", "familyName", "qualifier", "value", "label"].map(|name| text(&cell[name]));
                    (key, family, qualifier, number(&cell["timestampMicros"]), value, label)
                })
                .collect();
            assert_eq!((cells, end.is_err()), (expected, !errors.is_empty()), "{}", case["description"]);
        }
    }

    fn base64(text: &str) -> Vec<u8> {
        let digit = |byte: u8| match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            _ => 63,
        };
        let digits: Vec<u8> = text.bytes().filter(|byte| *byte != b'=').map(digit).collect();
        let bits = |digits: &[u8]| digits.iter().fold(0u32, |bits, digit| bits << 6 | u32::from(*digit));
        digits
            .chunks(4)
            .flat_map(|four| (bits(four) << (6 * (4 - four.len()))).to_be_bytes()[1..four.len()].to_vec())
            .collect()
    }
}
