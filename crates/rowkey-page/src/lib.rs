//! The page to try rowkey: what it asks its program, which runs in the browser, and the page itself.
//!
//! [`answer`] takes a question as JSON and gives the response as JSON. The program `rowkey-page` reads one from
//! standard input and writes the other to standard output, so that it is the same in a terminal and, for WASI, in a page; `page`
//! puts that program and the files of `web/` into one file of HTML.
#![forbid(unsafe_code)]

mod check;
mod code;
mod complete;
mod infer;
mod key;
#[cfg(not(target_family = "wasm"))]
pub mod page;
mod question;
mod suggest;
mod units;

pub use self::question::answer;
