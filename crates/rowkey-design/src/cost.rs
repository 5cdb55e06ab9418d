//! What each query of a design reads: its ranges, by the same code as a program's, and its rows, from what is known of the
//! fields.

use std::ops::Bound;

use rowkey::layout::Scalar;
use rowkey::lead::Lead;
use rowkey::splits::Splits as SplitPoints;
use rowkey::untyped::{FieldBuf, FieldValues, TypeBuf};
use rowkey::{KeyRange, Value};

use crate::design::{Cluster, Columns, Family, Keep, Query, QueryOrder, Splits, Width, WriteKind};
use crate::facts::{Growth, KeyFacts, about};
use crate::problem::Located;
use crate::profile::Profile;
use crate::resolve::TableDesign;

/// How the order that a query wants fits its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderFit {
    /// It asks for none, or for that of the key.
    Free,
    /// The key has it.
    Key,
    /// A reverse scan has it.
    Reverse,
    /// The rows have to be sorted after they are read.
    Sort,
    /// No field of the key is known to grow with time.
    Unknown,
}

/// What one run of a query reads.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct QueryCost<'d> {
    /// The query.
    pub query: &'d Located<Query>,
    /// The secondary table that serves it; none for the table itself.
    pub secondary: Option<usize>,
    /// How many leading fields of the key it has one value of.
    pub leading: usize,
    /// Whether it selects by the field after those: a range, several values, the beginning of one.
    pub next: bool,
    /// The fields and columns that rows are filtered by after they are read.
    pub filter: Vec<&'d str>,
    /// Whether its ranges are the whole table.
    pub full_scan: bool,
    /// The ranges of one run, with values made up for its fields: a list for each salt bucket.
    pub ranges: Vec<Vec<KeyRange>>,
    /// How its order fits the key.
    pub order: OrderFit,
    /// The rows in its ranges.
    pub rows_selected: Option<f64>,
    /// The rows that one run reads.
    pub rows_read: Option<f64>,
    /// The rows that one run returns.
    pub rows_returned: Option<f64>,
    /// The bytes that one run reads, keys and values.
    pub bytes_read: Option<f64>,
    /// The regions of the new table that its ranges are in, where the splits are declared.
    pub regions: Option<usize>,
    /// The servers that it asks, at most.
    pub servers: Option<f64>,
}

impl<'d> QueryCost<'d> {
    /// What a query reads of a table, or of the secondary table that serves it.
    pub fn of(
        query: &'d Located<Query>,
        table: &'d TableDesign,
        keys: &[KeyFacts<'d>],
        cluster: Option<&Cluster>,
        profile: Option<&Profile>,
    ) -> Self {
        let serving = |secondary: &crate::design::Secondary| secondary.serves.iter().any(|name| **name == **query.name);
        let secondary = table.table.secondary.iter().position(|secondary| serving(secondary));
        let key = &keys[secondary.map_or(0, |i| i + 1)];
        let by = Chosen::of(query, key);
        let ranges = by.ranges(key);
        let (ranges, hashed) = match ranges {
            Some(ranges) => (ranges, false),
            None => (vec![vec![KeyRange::all()]], true),
        };
        let mut cost = Self {
            query,
            secondary,
            leading: if hashed { 0 } else { by.leading },
            next: by.next.is_some() && !hashed,
            filter: if hashed { all_of(query) } else { by.rest },
            full_scan: hashed || (by.leading == 0 && by.next.is_none()),
            ranges,
            order: order(query, key, by.leading),
            rows_selected: None,
            rows_read: None,
            rows_returned: None,
            bytes_read: None,
            regions: None,
            servers: None,
        };
        cost.count_rows(table, key, profile);
        cost.count_servers(table, key, cluster);
        cost
    }

    /// How many ranges one run scans.
    pub fn range_count(&self) -> usize {
        self.ranges.iter().map(Vec::len).sum()
    }

    /// The rows read for each returned.
    pub fn amplification(&self) -> Option<f64> {
        let (read, returned) = (self.rows_read?, self.rows_returned?);
        Some(read / returned.max(1.0).min(read.max(1.0)))
    }

    fn count_rows(&mut self, table: &TableDesign, key: &KeyFacts<'_>, profile: Option<&Profile>) {
        let query = self.query;
        let whole = rows(table);
        let per_row = bytes_per_row(table, key, &query.columns);
        let fraction = |name: &str| -> Option<f64> {
            let field = &key.fields[key.index(name)?];
            let one = field.spread.map(|spread| 1.0 / spread.distinct.max(1.0)).or(match field.growth {
                Some(Growth::Time(Some(seconds))) => retention(table).map(|kept| (seconds / kept).min(1.0)),
                Some(_) => whole.map(|rows| 1.0 / rows.max(1.0)),
                None => None,
            });
            if query.fix.iter().any(|fixed| fixed.as_str() == name) {
                return one;
            }
            if let Some(width) = query.range.get(name) {
                return match (width.value, field.growth) {
                    (Width::Time(period), Some(Growth::Time(_) | Growth::TimeId | Growth::Unknown)) => {
                        retention(table).map(|kept| (period.seconds() / kept).min(1.0))
                    }
                    (Width::Values(count), _) => one.map(|one| (one * count.0).min(1.0)),
                    (Width::Time(_), _) => None,
                };
            }
            if let Some(count) = query.among.get(name) {
                return one.map(|one| (one * count.value.0).min(1.0));
            }
            let letters = query.starts_with.get(name)?;
            one.map(|one| one.max(16f64.powf(-letters.value.0)))
        };
        let chosen = |name: &&str| !self.filter.contains(name);
        let used: Vec<&str> = all_of(query).into_iter().filter(chosen).collect();
        let selected: Option<f64> = used.iter().map(|name| fraction(name)).product();
        // A filter by what is not in the key has no statistics: it returns what the file's other numbers leave.
        let left: Option<f64> = self.filter.iter().map(|name| fraction(name)).product();
        let measured =
            profile.filter(|_| whole.is_none() && self.secondary.is_none()).map(|profile| profile.keys as f64);
        let known_key = used.len() >= key.fields.len();
        let estimated = || whole.or(measured).zip(selected).map(|(rows, part)| rows * part);
        self.rows_selected = if known_key { Some(1.0) } else { self.rows_of_group(key).or_else(estimated) };
        let matching = self.rows_selected.zip(left).map(|(rows, part)| rows * part);
        let skipped = query.offset.as_ref().map_or(0.0, |offset| offset.0);
        (self.rows_read, self.rows_returned) = match (&query.limit, self.order) {
            (None, _) => (self.rows_selected, matching),
            (Some(limit), OrderFit::Sort) => (self.rows_selected, matching.map(|rows| rows.min(limit.0))),
            (Some(limit), _) => {
                let wanted = (limit.0 + skipped) * self.ranges.len().max(1) as f64;
                let read = left.map(|left| wanted / left.max(1e-12));
                let read = match (read, self.rows_selected) {
                    (Some(read), Some(selected)) => Some(read.min(selected)),
                    (read, None) => read,
                    (None, selected) => selected,
                };
                let returned = matching.map_or(limit.0, |rows| rows.min(limit.0));
                (read, Some(returned))
            }
        };
        self.bytes_read = self.rows_read.map(|rows| rows * per_row);
    }

    /// The rows of one value of the last leading field, as the file counts them, where nothing after it is selected.
    fn rows_of_group(&self, key: &KeyFacts<'_>) -> Option<f64> {
        let last = self.leading.checked_sub(1).filter(|_| !self.next)?;
        let rows = key.fields.get(last)?.stats?.rows_per.as_ref()?;
        rows.p50.or(rows.p99).or(rows.max).map(|rows| rows.0)
    }

    /// The most rows that its ranges can have, as the file counts them: of the greatest value of the last leading field.
    pub fn most_rows(&self, key: &KeyFacts<'_>) -> Option<f64> {
        let last = self.leading.checked_sub(1).filter(|_| !self.next)?;
        let rows = key.fields.get(last).and_then(|field| field.stats).and_then(|stats| stats.rows_per.as_ref());
        rows.and_then(|rows| rows.max.or(rows.p99)).map(|rows| rows.0)
    }

    pub(crate) fn count_servers(&mut self, table: &TableDesign, key: &KeyFacts<'_>, cluster: Option<&Cluster>) {
        let Some(splits) = split_points(table, key) else {
            return;
        };
        let points: Vec<&[u8]> = splits.iter().collect();
        let mut spans: Vec<(usize, usize)> = self
            .ranges
            .iter()
            .flatten()
            .map(|range| {
                let first = points.partition_point(|point| *point <= range.start());
                let after = range.end().map_or(points.len(), |end| points.partition_point(|point| *point < end)) + 1;
                (first, after)
            })
            .collect();
        spans.sort_unstable();
        let (mut regions, mut counted) = (0, 0);
        for (first, after) in spans {
            regions += after.saturating_sub(first.max(counted));
            counted = counted.max(after);
        }
        self.regions = Some(regions);
        self.servers =
            cluster.and_then(|cluster| cluster.servers).map(|servers| f64::from(servers).min(regions as f64));
    }
}

/// The fields and columns that a query selects by, in its order.
fn all_of(query: &Query) -> Vec<&str> {
    let fixed = query.fix.iter().map(|name| name.as_str());
    let keys = query.range.keys().chain(query.among.keys()).chain(query.starts_with.keys()).map(String::as_str);
    fixed.chain(keys).chain(query.filter.iter().map(|name| name.as_str())).collect()
}

/// What of a query its key can select by.
struct Chosen<'d> {
    leading: usize,
    next: Option<FieldValues>,
    rest: Vec<&'d str>,
}

impl<'d> Chosen<'d> {
    fn of(query: &'d Query, key: &KeyFacts<'_>) -> Self {
        let fixed = |name: &str| query.fix.iter().any(|fixed| fixed.as_str() == name);
        let leading = key.fields.iter().take_while(|field| fixed(field.name)).count();
        let next = key.fields.get(leading).and_then(|field| next(query, field.name, field.field, field.growth));
        let used = leading + usize::from(next.is_some());
        let used: Vec<&str> = key.fields.iter().take(used).map(|field| field.name).collect();
        let rest = all_of(query).into_iter().filter(|name| !used.contains(name)).collect();
        Self { leading, next, rest }
    }

    /// None if the key is hashed by fields that the query has no value of.
    fn ranges(&self, key: &KeyFacts<'_>) -> Option<Vec<Vec<KeyRange>>> {
        let values: Vec<Value> = key.fields.iter().take(self.leading).map(|field| value(&field.field.ty, 1)).collect();
        key.layout.ranges_by_bucket(&values, self.next.as_ref()).ok()
    }
}

/// What a query asks of the field after the leading ones, with values made up.
pub(crate) fn next(query: &Query, name: &str, field: &FieldBuf, growth: Option<Growth>) -> Option<FieldValues> {
    if let Some(width) = query.range.get(name) {
        let values = match (width.value, growth) {
            (Width::Values(count), _) => count.0,
            (Width::Time(period), Some(Growth::Time(Some(unit)))) => period.seconds() / unit,
            (Width::Time(_), _) => 2.0,
        };
        let last = (values.clamp(1.0, 2f64.powi(40)) as u64).saturating_add(1);
        return Some(FieldValues::Between(
            Bound::Included(value(&field.ty, 1)),
            Bound::Excluded(value(&field.ty, last)),
        ));
    }
    if let Some(count) = query.among.get(name) {
        let count = count.value.0.clamp(1.0, 1000.0) as u64;
        // Not next to each other: neighbours would be one range.
        return Some(FieldValues::In((0..count).map(|i| value(&field.ty, 3 * i + 1)).collect()));
    }
    let count = query.starts_with.get(name)?.value.0.clamp(1.0, 64.0) as usize;
    match field.ty {
        TypeBuf::Scalar(Scalar::Text) => Some(FieldValues::StartsWith(Value::Text("m".repeat(count)))),
        TypeBuf::Scalar(Scalar::Bytes) => Some(FieldValues::StartsWith(Value::Bytes(vec![b'm'; count]))),
        // All under a domain, a directory or a tile are one range.
        TypeBuf::Scalar(Scalar::HostPath | Scalar::Url | Scalar::QuadKey(_) | Scalar::Tile) => {
            Some(FieldValues::Between(Bound::Included(value(&field.ty, 1)), Bound::Excluded(value(&field.ty, 2))))
        }
        _ => None,
    }
}

/// The k-th of a type's values, made up: the greater k, the greater the value, as far as the type has as many.
pub(crate) fn value(ty: &TypeBuf, k: u64) -> Value {
    match ty {
        TypeBuf::Scalar(scalar) => scalar_value(*scalar, k),
        TypeBuf::Option(inner) => Value::Option(Some(Box::new(value(inner, k)))),
        TypeBuf::List(inner) => Value::List(vec![value(inner, k)]),
        TypeBuf::Enum(variants) => match variants.first() {
            Some(first) => Value::Enum(first.tag, values(&first.fields, k)),
            None => Value::Tuple(Vec::new()),
        },
        TypeBuf::Tuple(fields) => Value::Tuple(values(fields, k)),
        _ => Value::Bytes(k.to_be_bytes().to_vec()),
    }
}

fn values(fields: &[FieldBuf], k: u64) -> Vec<Value> {
    fields.iter().map(|field| value(&field.ty, k)).collect()
}

fn scalar_value(scalar: Scalar, k: u64) -> Value {
    let bits = scalar.width().map_or(64, |width| 8 * width as u32);
    // Half of the range: valid for signed numbers too.
    let small = if bits > 64 { k } else { k & (u64::MAX >> (65 - bits)) };
    match scalar {
        Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 | Scalar::U128 => Value::Unsigned(small.into()),
        Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 | Scalar::I128 => Value::Signed(small.into()),
        Scalar::F32 => Value::F32(k as f32),
        Scalar::F64 => Value::F64(k as f64),
        Scalar::Bool => Value::Bool(k % 2 == 1),
        Scalar::Char => Value::Char(char::from_u32(0x4e00 + (k % 0x5000) as u32).unwrap_or('m')),
        Scalar::Instant => Value::Instant(i64::try_from(k).unwrap_or(i64::MAX).min(1 << 40), 0),
        Scalar::Duration => Value::Duration(std::time::Duration::from_secs(k)),
        Scalar::ByteArray(len) => {
            let number = k.to_be_bytes();
            let (zeros, bytes) = (len.saturating_sub(8), &number[8usize.saturating_sub(len)..]);
            Value::Bytes([vec![0; zeros], bytes.to_vec()].concat())
        }
        Scalar::Bytes => Value::Bytes(k.to_be_bytes().to_vec()),
        Scalar::Decimal => Value::Decimal(k.to_string()),
        Scalar::IpAddr => Value::Ip(std::net::Ipv4Addr::from(k as u32).into()),
        Scalar::QuadKey(zoom) => Value::Text(quadkey(zoom, k)),
        Scalar::Tile => Value::Text(quadkey(12, k)),
        Scalar::HostPath => Value::Text(format!("host{k:020}.example/")),
        Scalar::Url => Value::Tuple(vec![
            Value::Text(format!("host{k:020}.example/")),
            Value::Text("https".to_owned()),
            Value::Unsigned(0),
            Value::Text(String::new()),
        ]),
        _ => Value::Text(format!("{k:020}")),
    }
}

/// The digits of a tile.
fn quadkey(zoom: u8, k: u64) -> String {
    (0..u32::from(zoom))
        .rev()
        .map(|digit| char::from(b'0' + (k.checked_shr(2 * digit).unwrap_or(0) & 3) as u8))
        .collect()
}

fn order(query: &Query, key: &KeyFacts<'_>, leading: usize) -> OrderFit {
    let newest = match query.order.as_ref().map(|order| **order) {
        None | Some(QueryOrder::Any | QueryOrder::Key) => return OrderFit::Free,
        Some(QueryOrder::Newest) => true,
        Some(QueryOrder::Oldest) => false,
    };
    match key.growing() {
        None => OrderFit::Unknown,
        Some(field) if field < leading => OrderFit::Free,
        Some(field) if field > leading => OrderFit::Sort,
        Some(field) if key.fields[field].field.desc == newest => OrderFit::Key,
        Some(_) => OrderFit::Reverse,
    }
}

/// The seconds that rows are kept: the longest TTL of the families.
pub(crate) fn retention(table: &TableDesign) -> Option<f64> {
    if table.table.keep.as_ref().is_some_and(|keep| **keep == Keep::Forever) {
        return None;
    }
    let ttls = table.table.family.values().map(|family| family.ttl.as_ref().map(|ttl| ttl.seconds()));
    ttls.collect::<Option<Vec<_>>>()?.into_iter().reduce(f64::max)
}

/// The rows of the table when it is full grown: as the file says, or as its writes leave in the time that rows are kept.
pub(crate) fn rows(table: &TableDesign) -> Option<f64> {
    if let Some(rows) = &table.table.rows {
        return Some(rows.0);
    }
    let puts = table.table.write.iter().filter(|write| write.kind.unwrap_or(WriteKind::Put) == WriteKind::Put);
    let rate: f64 = puts.filter_map(|write| write.rate.as_ref()).map(|rate| rate.0).sum();
    (rate > 0.0).then_some(())?;
    Some(rate * retention(table)? / cells_per_row(table))
}

fn cells_per_row(table: &TableDesign) -> f64 {
    let counts = table.table.family.values().filter_map(|family| per_row(&family.value));
    counts.fold(1.0, f64::max)
}

/// The columns that a row has in a family whose columns are data.
pub(crate) fn per_row(family: &Family) -> Option<f64> {
    match &family.columns.as_ref()?.value {
        Columns::OfRow(of_row) => of_row.per_row.map(|count| count.0),
        Columns::Names(_) => None,
    }
}

/// The bytes of a row as a scan reads it: each cell with its key, family, qualifier, timestamp and type.
pub(crate) fn bytes_per_row(table: &TableDesign, key: &KeyFacts<'_>, columns: &[Located<String>]) -> f64 {
    let asked = |name: &str| columns.is_empty() || columns.iter().any(|column| column.as_str() == name);
    let mut bytes = 0.0;
    for (name, family) in &table.table.family {
        let cell = key.bytes + name.len() as f64 + CELL;
        match family.columns.as_ref().map(|columns| &columns.value) {
            Some(Columns::OfRow(of_row)) => {
                let value = of_row.value.map_or(0.0, |bytes| bytes.0);
                bytes += of_row.per_row.map_or(1.0, |count| count.0) * (cell + 2.0 + value);
            }
            Some(Columns::Names(names)) => {
                for name in names.iter().filter(|name| asked(name)) {
                    let value = family.sizes.get(name.as_str()).map_or(0.0, |size| about(&size.value));
                    bytes += cell + name.len() as f64 + value;
                }
            }
            None => {
                for (name, size) in family.sizes.iter().filter(|(name, _)| asked(name)) {
                    bytes += cell + name.len() as f64 + about(&size.value);
                }
            }
        }
    }
    bytes.max(key.bytes)
}

/// The bytes of a cell beside key, family, qualifier and value: HBase's lengths, timestamp and type.
pub(crate) const CELL: f64 = 20.0;

/// The declared split points of a table's or secondary table's key; none where they need a sample that was not read.
pub(crate) fn split_points(table: &TableDesign, key: &KeyFacts<'_>) -> Option<SplitPoints> {
    table.split_points(key.secondary)
}

/// The split points that a design declares, where they need no sample.
pub(crate) fn points(splits: &Splits, layout: &rowkey::LayoutBuf) -> Option<SplitPoints> {
    match splits {
        Splits::Buckets => match layout.lead() {
            Lead::Salt(salt) => SplitPoints::of_layout(salt.buckets, layout).ok(),
            _ => None,
        },
        Splits::Uniform(regions) => SplitPoints::uniform(*regions).ok(),
        Splits::Hex(regions) => SplitPoints::hex(*regions).ok(),
        Splits::Decimal(regions) => SplitPoints::decimal(*regions).ok(),
        Splits::Keys(keys) => {
            let text = keys.iter().map(|key| key.as_str()).collect::<Vec<_>>().join("\n");
            SplitPoints::from_hex(&text).ok()
        }
        Splits::Sample { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values made up are valid for every type, and ascending: a range of two of them is not empty.
    #[test]
    fn values_made_up_are_valid_and_ascending() {
        for shape in [
            "u8",
            "u16",
            "u32",
            "u64",
            "u128",
            "i8",
            "i16",
            "i32",
            "i64",
            "i128",
            "f32",
            "f64",
            "char",
            "text",
            "bytes",
            "bytes[1]",
            "bytes[3]",
            "bytes[8]",
            "bytes[20]",
            "ipaddr",
            "instant",
            "duration",
            "tile",
            "quadkey[1]",
            "quadkey[16]",
            "quadkey[29]",
            "decimal",
            "host_path",
            "url",
            "bool",
            "option<u32>",
            "list<text>",
            "(u8, text)",
            "enum{3: (), 7: (u16)}",
        ] {
            let layout: rowkey::LayoutBuf = shape.parse().unwrap_or_else(|error| panic!("{shape}: {error}"));
            let keys: Vec<_> = (0..4u64)
                .map(|k| {
                    let value = value(&layout.fields()[0].ty, k);
                    layout.encode(&[value]).unwrap_or_else(|error| panic!("{shape}: {error}"))
                })
                .collect();
            let few = ["bool", "enum{3: (), 7: (u16)}"].contains(&shape);
            assert!(few || keys.is_sorted_by(|a, b| a < b), "{shape}: {keys:?}");
        }
    }
}
