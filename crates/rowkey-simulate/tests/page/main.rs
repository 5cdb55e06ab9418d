//! The page of a run.

mod checks;
mod labels;
mod looks;
mod made;
mod size;
mod watched;
