//! Idempotency of requests: which may be sent again after their response was lost.

/// The effect of a request that is applied twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Idempotency {
    /// It changes nothing.
    ReadOnly,
    /// Applied twice, it has the effect of once.
    Idempotent,
    /// The server stamps it with its time. It is retried, and a copy that is applied late can hide a newer write.
    ServerTimestamped,
    /// It has a nonce, by which the server that got it drops duplicates, as long as the region is not reopened.
    Nonce,
    /// It is not retried once it may have been sent.
    NonIdempotent,
}

impl Idempotency {
    /// The idempotency of several changes that are one request, without a nonce of each.
    pub(crate) fn of_all(changes: impl IntoIterator<Item = Self>) -> Self {
        changes.into_iter().fold(Self::Idempotent, |all, one| match (all, one) {
            (all, Self::ReadOnly | Self::Idempotent) => all,
            (Self::Idempotent | Self::ServerTimestamped, Self::ServerTimestamped) => Self::ServerTimestamped,
            _ => Self::NonIdempotent,
        })
    }
}
