//! `ip_hours`: what an address did, hour by hour.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::Write;
use std::net::IpAddr;

use ipnet::IpNet;
use jiff::Timestamp;
use rowkey::wide::{Columns, FamilySchema, Row, TableSchema};
use rowkey::{Bucket, RowKey, Seconds};
use rowkey_studies::engine::{Cells, Db};
use rowkey_studies::output::list;
use rowkey_studies::output::report::{self, Query};

use super::Wide;
use super::views::View;

type Hour = Bucket<Seconds, 3_600>;

/// An address in an hour, the latest hour first.
#[derive(RowKey, Debug, Clone, PartialEq)]
pub(super) struct IpHour {
    ip: IpAddr,
    #[rowkey(desc)]
    hour: Hour,
}

pub(crate) struct Hours {
    db: Db,
    hours: Wide<IpHour>,
}

impl Hours {
    pub(crate) fn open(db: &Db, cells: &Cells) -> Result<Self, Box<dyn Error>> {
        let schema = TableSchema::new().family("n", FamilySchema::new());
        Ok(Self { db: db.clone(), hours: Wide::open(cells.clone(), "ip_hours", &schema)? })
    }

    /// A visitor whom the log names, and not by an address, has no row.
    pub(crate) fn add(&self, view: &View) -> Result<(), Box<dyn Error>> {
        let Ok(ip) = view.visitor.parse() else { return Ok(()) };
        let key = IpHour { ip, hour: Hour::floor(view.at)? };
        self.hours.increment_many(&key, &[("n:views".into(), 1), ("n:bytes".into(), view.counted_bytes())])?;
        Ok(())
    }

    pub(crate) fn tell(
        &self,
        out: &mut impl Write,
        ip: IpAddr,
        end: Seconds,
        show: usize,
    ) -> Result<(), Box<dyn Error>> {
        let some = self.hours.scan(IpHour::prefix().ip(ip), Columns::all()).limit(3).collect::<Result<Vec<_>, _>>()?;
        if let Some((key, _)) = some.first() {
            report::key(out, "The key of ip_hours", key)?;
        }
        let drawn = some.iter().map(|(key, row)| {
            let (views, bytes) = counts(row)?;
            Ok([
                key.ip.to_string(),
                Timestamp::from_second(key.hour.start().0)?.to_string(),
                views.to_string(),
                bytes.to_string(),
            ])
        });
        let drawn = drawn.collect::<Result<Vec<_>, Box<dyn Error>>>()?;
        report::table(out, "Table ip_hours", ["ip", "hour", "n:views", "n:bytes"], drawn)?;

        let since = Seconds(end.0.saturating_sub(12 * 3_600));
        let theirs = || IpHour::prefix().ip(ip);
        let recent = theirs().hour_range(Hour::floor(since)?..);
        let all = self.hours.scan(theirs(), Columns::all());
        for (title, scan) in [
            (format!("Hours of {ip}"), all),
            (
                format!("Hours of {ip} from {} on", Timestamp::from_second(Hour::floor(since)?.start().0)?),
                self.hours.scan(recent, Columns::all()),
            ),
        ] {
            let query = Query::of(&self.db);
            let rows = scan.collect::<Result<Vec<_>, _>>()?;
            query.returned(out, title, rows.len(), cells(&rows))?;
            let line = |(key, row): &(IpHour, Row)| {
                let (views, bytes) = counts(row)?;
                Ok(format!("{}  views {views}  bytes {bytes}", Timestamp::from_second(key.hour.start().0)?))
            };
            list(out, show, rows.iter().map(line).collect::<Result<Vec<_>, Box<dyn Error>>>()?)?;
        }

        let net = IpNet::new(ip, if ip.is_ipv4() { 16 } else { 48 })?.trunc();
        let query = Query::of(&self.db);
        let rows = self.hours.scan(IpHour::prefix().ip_within(&net), Columns::all()).collect::<Result<Vec<_>, _>>()?;
        query.returned(out, format!("Addresses of {net}"), rows.len(), cells(&rows))?;
        let mut addresses = BTreeMap::<_, (i64, usize)>::new();
        for (key, row) in &rows {
            let address = addresses.entry(key.ip).or_default();
            *address = (address.0.saturating_add(counts(row)?.0), address.1 + 1);
        }
        let line = |(ip, (views, hours))| format!("{ip}  views {views}  hours {hours}");
        Ok(list(out, show, addresses.into_iter().map(line))?)
    }
}

/// Views and bytes.
fn counts(row: &Row) -> Result<(i64, i64), rowkey::Error> {
    Ok((row.read("n:views")?.unwrap_or(0), row.read("n:bytes")?.unwrap_or(0)))
}

fn cells(rows: &[(IpHour, Row)]) -> usize {
    rows.iter().map(|(_, row)| row.cells().count()).sum()
}
