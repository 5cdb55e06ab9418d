//! Go: a package with a file for each key, and the runtime beside it as a package of its own.
//!
//! A key is a struct. Its bytes are appended by calls of the runtime, in the order of the fields; what is read is
//! assigned in the same order. Types of prefixes have methods for the next field alone, so a wrong order does not
//! compile.

mod append;
mod code;
mod decl;
mod doc;
mod key;
mod layout;
mod limits;
mod module;
mod package;
mod prefix;
mod read;
mod show;
mod size;
mod standard;
mod ty;

pub use self::package::files;
