//! Python: a package of a module for each key, and the runtime.

mod call;
mod class;
mod codec;
mod encoding;
mod module;
mod natural;
mod package;
mod prefix;
mod run;
mod standard;
mod text;

pub use self::package::files;
