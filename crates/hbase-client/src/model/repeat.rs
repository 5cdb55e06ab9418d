//! Which requests may be sent again.

/// Whether a call may be made again after one whose answer was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// It changes nothing.
    Read,
    /// Twice is as good as once.
    Always,
    /// It has a nonce, which the server that got it knows as long as the region is open there.
    WhereItIs,
    /// Twice is not once.
    Never,
}
