//! Answers one question from standard input on standard output.

use std::io::{self, Read as _, Write as _};

fn main() -> io::Result<()> {
    let mut question = String::new();
    io::stdin().lock().read_to_string(&mut question)?;
    io::stdout().lock().write_all(rowkey_page::answer(&question).as_bytes())
}
