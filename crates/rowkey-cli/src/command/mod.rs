//! The sub-commands, a file each.

pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod ddl;
pub(crate) mod diff;
pub(crate) mod explain;
pub(crate) mod fmt;
pub(crate) mod import;
pub(crate) mod man;
pub(crate) mod rule;
pub(crate) mod schema;
pub(crate) mod suggest;
