//! Options of a client, given in code or read from `hbase-site.xml`.

mod number;
pub(crate) mod options;
mod security;
mod site;
