//! The messages of the protocol, generated from the files in `proto`.

#![allow(missing_docs, unreachable_pub, dead_code, clippy::all, clippy::pedantic)]

include!("hbase.pb.rs");
