//! The page of a run.

mod browser;
mod labels;
mod looks;
mod made;
mod size;
