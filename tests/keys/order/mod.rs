//! Laws 1 to 5 on random layouts, and on typed keys of every type and attribute.
//!
//! `ROWKEY_LAWS_CASES` says how many cases each test runs. The soak is a million random layouts, each with several
//! rows; without `layouts` it is a million cases of every typed key too, which takes hours.
//!
//! ```text
//! ROWKEY_LAWS_CASES=1000000 cargo test --release --test keys order::layouts
//! ```

#[macro_use]
mod prove;

mod keys;
mod layouts;
mod ranges;

/// As many cases as `ROWKEY_LAWS_CASES` says, else these.
fn cases(unless_said: u32) -> u32 {
    let said = std::env::var_os("ROWKEY_LAWS_CASES").is_some();
    if said { rowkey::laws::cases() } else { rowkey_testkit::cases(unless_said / 5, unless_said) }
}
