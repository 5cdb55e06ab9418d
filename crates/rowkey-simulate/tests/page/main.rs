//! The page of a run.

mod labels;
mod made;
mod size;
