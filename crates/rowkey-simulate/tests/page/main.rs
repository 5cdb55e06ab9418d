//! The page of a run.

mod browser;
mod checks;
mod labels;
mod looks;
mod made;
mod size;
