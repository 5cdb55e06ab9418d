use rowkey::RowKey;

#[derive(RowKey)]
struct Key {
    host: &'static str,
    path: std::borrow::Cow<'static, str>,
}

fn main() {}
