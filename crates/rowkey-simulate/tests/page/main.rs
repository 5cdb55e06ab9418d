//! The page of a run.

mod labels;
