//! Asynchronous engines, tables and adapters.

mod conforming;
