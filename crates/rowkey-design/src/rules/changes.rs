//! Changes.

use super::rules;

rules! {}
