use rowkey::RowKey;

#[derive(RowKey)]
struct Odd {
    id: u64,
    next: Box<Even>,
}

#[derive(RowKey)]
struct Even {
    id: u64,
    next: Option<Box<Odd>>,
}

fn main() {
    let _ = Odd::LAYOUT;
}
