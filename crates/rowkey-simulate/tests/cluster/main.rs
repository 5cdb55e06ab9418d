//! The simulated cluster, held against laws and against what is known of real ones.

mod balance;
mod deletes;
mod known;
mod laws;
mod load;
mod policies;
mod random;
mod versions;
