use rowkey::RowKey;

#[derive(RowKey)]
struct Key {
    path: std::path::PathBuf,
    os: std::ffi::OsString,
    at: std::time::Instant,
}

fn main() {}
