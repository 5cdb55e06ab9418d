use rowkey::{KeyRange, Memory, RowKey, Table};

#[derive(RowKey)]
struct Visit {
    host: String,
    day: u16,
}

fn main() -> rowkey::Result<()> {
    let visits: Table<Visit, String, _> = Table::open(Memory::new(), "visits")?;
    let key = Visit { host: "a".into(), day: 1 };
    let _ = visits.scan(KeyRange::all());
    let _ = visits.scan("a".."b");
    let _ = visits.scan(&key);
    let _ = visits.scan("a");
    visits.put(&key, "x")?;
    let _: Table<Visit, String> = Table::open(Memory::new(), "visits")?;
    Ok(())
}
