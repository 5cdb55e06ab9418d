//! Rows that a Java program writes with generated code, scanned with the derive, and the other way round:
//! `crates/rowkey-codec/examples/hbase`. `servers/hbase/test-codec` runs both.
//!
//! ```sh
//! cargo run -p rowkey-hbase --example salted_events -- hbase-data/conf/hbase-site.xml read events 100000
//! ```

use hbase_client::{Client, Options};
use rowkey::RowKey;
use rowkey::nonblocking::AsyncWideTable;
use rowkey::wide::{Columns, FamilySchema, Mutation, TableSchema};
use rowkey_hbase::HBase;

#[derive(RowKey, Clone, Debug, PartialEq)]
#[rowkey(salt(buckets = 8, by(user)))]
struct Event {
    user: String,
    #[rowkey(desc)]
    at: i64,
    kind: Option<u8>,
}

impl Event {
    fn of(number: i64) -> Self {
        let kind = (number % 3 != 0).then_some((number % 256) as u8);
        Self { user: format!("user {}", number % 997), at: 1000 * number, kind }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [site, command, name, rows] = args.as_slice() else { return Err("give: SITE read|write TABLE ROWS".into()) };
    let rows: i64 = rows.parse()?;
    let db = HBase::connect(Client::new(Options::from_site(site)?)?).await?;
    let schema = TableSchema::new().family("e", FamilySchema::new());
    let store = db.external_table(name, &schema).await?;
    let events: AsyncWideTable<Event, _> = AsyncWideTable::external(db, store);
    match command.as_str() {
        "write" => {
            for first in (0..rows).step_by(5000) {
                let some = (first..rows.min(first + 5000))
                    .map(|number| (Event::of(number), Mutation::new().put("e:what", format!("event {number}"))));
                let some: Vec<(Event, Mutation)> = some.collect();
                events.mutate_many(some.iter().map(|(event, what)| (event, what.clone()))).await?;
            }
        }
        "read" => {
            let (mut all, mut last, mut found) = (events.scan(.., Columns::all()), None::<Event>, 0);
            while let Some(row) = all.next().await {
                let (event, row) = row?;
                let number = event.at / 1000;
                let is_next = last.is_none_or(|last| (&last.user, -last.at) < (&event.user, -event.at));
                let what = row.read::<String>("e:what")?;
                if !is_next || event != Event::of(number) || what.as_deref() != Some(&*format!("event {number}")) {
                    return Err(format!("{event:?} {what:?} is not the next event").into());
                }
                (last, found) = (Some(event), found + 1);
            }
            if found != rows {
                return Err(format!("{found} events, due are {rows}").into());
            }
        }
        _ => return Err("read or write".into()),
    }
    println!("rust: {command} {name} {rows}");
    Ok(())
}
