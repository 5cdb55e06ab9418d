//! Tests of calls while connections, servers and other clients fail.

mod clock;
mod cuts;
mod killed;
mod large;
mod load;
mod openings;
mod process;
mod proxy;
mod streams;
