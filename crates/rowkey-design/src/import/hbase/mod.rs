//! Texts of HBase: output of its shell and web interface, commands of its shell, names of regions.

mod attributes;
mod columns;
mod describe;
mod family;
mod joined;
mod live;
mod maps;
mod output;
pub(crate) mod region;
mod ruby;
mod shell;
mod table;

pub(super) use self::describe::read as describe;
pub(super) use self::live::{attributes, family};
pub(super) use self::shell::read as shell;
