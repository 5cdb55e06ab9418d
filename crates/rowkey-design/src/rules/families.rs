//! Families, cells, options.

use super::rules;

rules! {}
