use rowkey::{Memory, RowKey, Table};

#[derive(RowKey)]
struct Visit {
    day: u16,
}

struct Agent {
    name: String,
}

fn main() {
    let visits: Table<Visit, Agent, _> = Table::open(Memory::new(), "visits").unwrap();
    visits.put(&Visit { day: 1 }, &Agent { name: "curl".into() }).unwrap();
}
