//! Where writes and reads land.

use super::rules;

rules! {}
