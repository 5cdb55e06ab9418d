//! Writes the page to try rowkey, and prints how large it is.

use std::io::{self, Write as _};

fn main() -> io::Result<()> {
    let (path, page) = rowkey_page::page::build()?;
    let megabytes = |bytes: usize| bytes as f64 / 1e6;
    let (whole, program) = (megabytes(page.html.len()), megabytes(page.program));
    writeln!(io::stdout(), "{}: {whole:.2} MB; the program in it has {program:.2} MB uncompressed", path.display())
}
