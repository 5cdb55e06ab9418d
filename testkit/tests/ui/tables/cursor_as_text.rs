use rowkey::{Memory, RowKey, Table};

#[derive(RowKey)]
struct Visit {
    day: u16,
}

fn main() {
    let visits: Table<Visit, (), _> = Table::open(Memory::new(), "visits").unwrap();
    let _ = visits.scan(..).after("01738983b81655f989").page(10);
}
