//! Which country an address belongs to: ranges under their *last* address, so that one seek finds the only one that can
//! hold it. And the same ranges in two designs, one value against one column a field.
//!
//!     cargo run --release -p rowkey-studies -- ip_country --table ipv4-country.csv.gz 8.8.8.8 2001:4860::8888
//!
//! Ranges that do not overlap sort by their ends as by their starts. The first end at or after an address is that of
//! the range around it, or of one after a gap; which of the two, the start says, and that is in the value.
//!
//! Fields that are always read together are best one value: one cell. In a column a field each cell repeats the row
//! key, family, qualifier and timestamp, and an address needs both columns, as the start tells whether it is in the
//! range. A column can be written without the others being read. A scan of one column returns that alone; the store
//! reads past the other, which stands beside it.

mod ranges;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::OsString;
use std::io::Write;
use std::net::IpAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use indicatif::HumanCount;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use ranges::{Range, any, disjoint, load};
use rowkey::store::Costs;
use rowkey::wide::{Columns, FamilySchema, Mutation, Row, TableSchema};
use rowkey::{Layout, Postcard, RowKey, Table, WideTable, WriteBatch};
use rowkey_studies::engine::{Db, Engine, Wide};
use rowkey_studies::output::{progress, report};

/// A range of addresses, by its last one. IPv4 sorts before IPv6, so one table holds both.
#[derive(RowKey, Debug, Clone, Copy)]
struct RangeEnd {
    end: IpAddr,
}

/// The range's first address, and its country.
type Found = (IpAddr, String);

/// The keys of its tables.
pub(crate) const LAYOUTS: &[(&str, Layout)] = &[("ranges", RangeEnd::LAYOUT)];

/// Finds the countries of addresses.
#[derive(Parser)]
struct Args {
    /// Ranges as lines of start,end,country, plain or gzip [default: a sample]
    #[arg(long)]
    table: Option<PathBuf>,
    /// How many random addresses are looked up and compared with a sorted vector
    #[arg(long, default_value_t = 20_000)]
    random: u32,
    /// Addresses of either family [default: a few]
    addresses: Vec<IpAddr>,
}

const ADDRESSES: [&str; 7] =
    ["1.1.1.1", "8.8.8.8", "17.253.144.10", "127.0.0.1", "2001:638::1", "2001:db8::1", "2a00:1450:4001::8a"];

/// The same ranges in some design.
trait Design {
    fn write(&self, ranges: &[Range]) -> Result<(), Box<dyn Error>>;
    /// Says of a range that is there which country it belongs to.
    fn set_country(&self, end: IpAddr, country: &str) -> Result<(), Box<dyn Error>>;
    fn countries(&self) -> Result<Vec<String>, Box<dyn Error>>;
    fn everything(&self) -> Result<Vec<Range>, Box<dyn Error>>;
    /// The one seek: the first row at or after the address, if it begins at or before it.
    fn look_up(&self, address: IpAddr) -> Result<Option<Range>, Box<dyn Error>>;
}

/// Start and country in one value.
struct OneValue {
    table: Table<RangeEnd, Postcard<Found>, Db>,
}

impl Design for OneValue {
    fn write(&self, ranges: &[Range]) -> Result<(), Box<dyn Error>> {
        for ranges in progress(ranges.chunks(1000)) {
            let mut batch = WriteBatch::new();
            for (start, end, country) in ranges {
                batch.put(&self.table, &RangeEnd { end: *end }, &Postcard((*start, country.clone())))?;
            }
            batch.write(self.table.database())?;
        }
        Ok(())
    }

    fn set_country(&self, end: IpAddr, country: &str) -> Result<(), Box<dyn Error>> {
        let country = |Postcard((start, _)): Postcard<Found>| Postcard((start, country.to_owned()));
        Ok(self.table.update(&RangeEnd { end }, |found| found.map(country)).map(drop)?)
    }

    fn countries(&self) -> Result<Vec<String>, Box<dyn Error>> {
        self.table.scan(..).map(|row| Ok(row?.1.0.1)).collect()
    }

    fn everything(&self) -> Result<Vec<Range>, Box<dyn Error>> {
        let range = |row: Result<_, rowkey::Error>| {
            let (RangeEnd { end }, Postcard((start, country))) = row?;
            Ok((start, end, country))
        };
        self.table.scan(..).map(range).collect()
    }

    fn look_up(&self, address: IpAddr) -> Result<Option<Range>, Box<dyn Error>> {
        let row = self.table.first_at_or_after(&RangeEnd { end: address })?;
        Ok(row.and_then(|(RangeEnd { end }, Postcard((start, country)))| {
            (start <= address).then_some((start, end, country))
        }))
    }
}

/// Start and country in a column each.
struct ColumnAField {
    table: WideTable<RangeEnd, Wide>,
}

impl ColumnAField {
    fn range(end: IpAddr, row: &Row) -> Result<Range, Box<dyn Error>> {
        let fields = row.read::<Postcard<IpAddr>>("range:start")?.zip(row.read("range:country")?);
        let (Postcard(start), country) = fields.ok_or_else(|| format!("{end} lacks a column"))?;
        Ok((start, end, country))
    }
}

impl Design for ColumnAField {
    fn write(&self, ranges: &[Range]) -> Result<(), Box<dyn Error>> {
        for ranges in progress(ranges.chunks(1000)) {
            let row = |(start, end, country): &Range| {
                let start = Mutation::new().put_value("range:start", &Postcard(*start))?;
                Ok((RangeEnd { end: *end }, start.put("range:country", country.as_str())))
            };
            self.table.mutate_many(ranges.iter().map(row).collect::<Result<Vec<_>, rowkey::Error>>()?)?;
        }
        Ok(())
    }

    fn set_country(&self, end: IpAddr, country: &str) -> Result<(), Box<dyn Error>> {
        Ok(self.table.put(&RangeEnd { end }, "range:country", &country.to_owned())?)
    }

    fn countries(&self) -> Result<Vec<String>, Box<dyn Error>> {
        let rows = self.table.scan(.., Columns::of("range:country"));
        rows.map(|row| Ok(row?.1.read("range:country")?.unwrap_or_default())).collect()
    }

    fn everything(&self) -> Result<Vec<Range>, Box<dyn Error>> {
        let range = |row: Result<_, rowkey::Error>| {
            let (RangeEnd { end }, row) = row?;
            Self::range(end, &row)
        };
        self.table.scan(.., Columns::all()).map(range).collect()
    }

    fn look_up(&self, address: IpAddr) -> Result<Option<Range>, Box<dyn Error>> {
        let row = self.table.first_at_or_after(&RangeEnd { end: address }, Columns::all())?;
        let range = row.map(|(RangeEnd { end }, row)| Self::range(end, &row)).transpose()?;
        Ok(range.filter(|(start, ..)| *start <= address))
    }
}

fn run(args: &Args, on: &Engine, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let db = on.open()?;
    let one = OneValue { table: Table::open(db.clone(), "ranges")? };
    let schema = TableSchema::new().family("range", FamilySchema::new());
    let columns = ColumnAField { table: WideTable::open(db.wide(), "ranges.columns", &schema)? };
    let designs: [&dyn Design; 2] = [&one, &columns];

    let given = load(args.table.as_deref())?;
    let lines = given.len() as u64;
    let sorted = disjoint(given);
    writeln!(out, "{} ranges, {} where they overlap no more", HumanCount(lines), HumanCount(sorted.len() as u64))?;
    let ((), written) = both(&db, designs, |design| design.write(&sorted))?;
    if let Some((_, end, _)) = sorted.first() {
        report::key(out, "The key of a range", &RangeEnd { end: *end })?;
    }
    let first = || sorted.iter().take(3);
    let rows = first().map(|(start, end, country)| [end.to_string(), format!("{start}, {country}")]);
    report::table(out, "The table ranges, one value", ["row key: end", "value: start, country"], rows)?;
    let rows = first().map(|(start, end, country)| [end.to_string(), country.clone(), start.to_string()]);
    let titles = ["row key: end", "range:country", "range:start"];
    report::table(out, "The table ranges, a column a field", titles, rows)?;

    let addresses = match &args.addresses[..] {
        [] => ADDRESSES.iter().map(|address| address.parse()).collect::<Result<_, _>>()?,
        addresses => addresses.to_vec(),
    };
    let look_up = |design: &dyn Design| addresses.iter().map(|&at| design.look_up(at)).collect::<Result<Vec<_>, _>>();
    let query = report::Query::of(&db);
    let answers = look_up(&one)?;
    let found = answers.iter().flatten().count();
    query.returned(out, "Addresses", found, found)?;
    for (address, found) in addresses.iter().zip(&answers) {
        let address = address.to_string();
        match found {
            Some((start, end, country)) => writeln!(out, "  {address:39} {country:4} {start} to {end}")?,
            None => writeln!(out, "  {address:39} none")?,
        }
    }

    let (query, mut random, mut found) = (report::Query::of(&db), Xoshiro256PlusPlus::seed_from_u64(1), 0);
    for _ in progress(0..args.random) {
        let address = any(&mut random, &sorted);
        let answer = one.look_up(address)?;
        let at = sorted.partition_point(|(_, end, _)| *end < address);
        let due = sorted.get(at).filter(|(start, ..)| *start <= address);
        if answer.as_ref() != due {
            return Err(format!("{address}: the table says {answer:?}, the sorted vector {due:?}").into());
        }
        found += usize::from(answer.is_some());
    }
    query.returned(out, "Random addresses", found, found)?;
    let (lookups, none) =
        (HumanCount(args.random.into()), HumanCount(u64::from(args.random).saturating_sub(found as u64)));
    writeln!(out, "  {lookups} lookups agree with a sorted vector, {none} of them none")?;

    let query = report::Query::of(&db);
    let list = columns.countries()?;
    query.returned(out, "Countries with most ranges, from their column", list.len(), list.len())?;
    let mut ranges = BTreeMap::<_, u64>::new();
    list.into_iter().for_each(|country| *ranges.entry(country).or_default() += 1);
    let mut ranges: Vec<_> = ranges.into_iter().collect();
    ranges.sort_by_key(|(_, count)| Reverse(*count));
    ranges.iter().take(5).try_for_each(|(country, count)| writeln!(out, "  {country:4} {}", HumanCount(*count)))?;

    let (_, countries) = both(&db, designs, |design| design.countries())?;
    let (_, looked_up) = both(&db, designs, look_up)?;
    let (_, everything) = both(&db, designs, |design| design.everything())?;
    let set =
        |design: &dyn Design| sorted.first().map_or(Ok(()), |(_, end, country)| design.set_country(*end, country));
    let ((), again) = both(&db, designs, set)?;
    let (wrote, read) = (|of: Costs| [of.cells_written, of.bytes_written], |of: Costs| [of.cells_read, of.bytes_read]);
    let lines = [
        ("written: all ranges", written.map(wrote)),
        ("written: one country", again.map(wrote)),
        ("read: to write one country", again.map(read)),
        ("read: the addresses above", looked_up.map(read)),
        ("read: every country", countries.map(read)),
        ("read: everything, as it is stored", everything.map(read)),
    ];
    let line = |(what, [one, columns]): (&str, [[u64; 2]; 2])| {
        let [one_cells, one_bytes] = one.map(|number| HumanCount(number).to_string());
        let [columns_cells, columns_bytes] = columns.map(|number| HumanCount(number).to_string());
        [what.to_owned(), one_cells, one_bytes, columns_cells, columns_bytes]
    };
    let titles = ["", "one value: cells", "bytes", "a column a field: cells", "bytes"];
    report::table(out, "One value, and a column a field", titles, lines.map(line))
}

/// The cost in either design, and the result, which has to be the same.
fn both<T: PartialEq>(
    db: &Db,
    designs: [&dyn Design; 2],
    ask: impl Fn(&dyn Design) -> Result<T, Box<dyn Error>>,
) -> Result<(T, [Costs; 2]), Box<dyn Error>> {
    let costs = |design: &dyn Design| {
        let before = db.costs();
        Ok::<_, Box<dyn Error>>((ask(design)?, db.costs() - before))
    };
    let [(one, cost), (other, other_cost)] = [costs(designs[0])?, costs(designs[1])?];
    if one == other { Ok((one, [cost, other_cost])) } else { Err("the designs answer differently".into()) }
}

/// Runs the study with these arguments, the first of which is its name.
pub(crate) fn main(args: Vec<OsString>) -> ExitCode {
    crate::study(args, run)
}
