//! The compiler's messages about every mistake in a key: `ui/`, in folders by topic, each file beside its messages.
//!
//! The wording is that of one toolchain. With another one the test says that it checked nothing. After a change that is meant,
//! `TRYBUILD=overwrite cargo test -p rowkey-testkit --test ui` writes the new texts, to be read before they are kept.

use std::io::Write;
use std::process::Command;

/// The toolchain whose messages are kept.
const TOOLCHAIN: &str = "rustc 1.95.";

/// Not `eprintln`, which a test that passes does not show.
fn not_checked(why: &str) {
    std::io::stderr().write_all(format!("NOT CHECKED: {why}\n").as_bytes()).expect("stderr can be written");
}

#[test]
fn mistakes() {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("--version").output().expect("the compiler runs").stdout;
    let version = String::from_utf8_lossy(&version);
    if !version.starts_with(TOOLCHAIN) {
        return not_checked(&format!("the messages kept are those of {TOOLCHAIN}x, this is {version}"));
    }
    let tests = trybuild::TestCases::new();
    tests.compile_fail("tests/ui/*/*.rs");
}
