//! The simulated cluster, held against what is known of real ones.

mod known;
mod load;
