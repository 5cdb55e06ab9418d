//! `#[derive(RowKey)]`.
