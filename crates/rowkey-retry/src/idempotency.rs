//! Idempotency of requests: which may be sent again after their response was lost.

/// The effect of a request that is applied twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Idempotency {
    /// It changes nothing.
    ReadOnly,
    /// Applied twice, it has the effect of once.
    Idempotent,
    /// The server stamps it with its time. It is retried, and a copy that is applied late can hide a newer write.
    /// [`strict`](Self::strict) refuses that.
    ServerTimestamped,
    /// It has a nonce, by which the server drops duplicates.
    Nonce,
    /// It is not retried once it may have executed.
    NonIdempotent,
}

impl Idempotency {
    /// The idempotency of several changes that are one request, without a nonce of each.
    #[must_use]
    pub fn of_all(changes: impl IntoIterator<Item = Self>) -> Self {
        changes.into_iter().fold(Self::Idempotent, |all, one| match (all, one) {
            (all, Self::ReadOnly | Self::Idempotent) => all,
            (Self::Idempotent | Self::ServerTimestamped, Self::ServerTimestamped) => Self::ServerTimestamped,
            _ => Self::NonIdempotent,
        })
    }

    /// The same for a client whose writes never hide newer ones: what the server stamps is
    /// [`NonIdempotent`](Self::NonIdempotent).
    #[must_use]
    pub fn strict(self) -> Self {
        if self == Self::ServerTimestamped { Self::NonIdempotent } else { self }
    }

    /// Returns whether it may change something.
    #[must_use]
    pub fn is_write(self) -> bool {
        self != Self::ReadOnly
    }
}

#[cfg(test)]
mod tests {
    use super::Idempotency::{Idempotent, NonIdempotent, Nonce, ReadOnly, ServerTimestamped};
    use super::*;

    #[test]
    fn changes_together_are_as_the_worst_of_them() {
        for (changes, all) in [
            (&[][..], Idempotent),
            (&[Idempotent, ReadOnly], Idempotent),
            (&[Idempotent, ServerTimestamped, Idempotent], ServerTimestamped),
            (&[ServerTimestamped, NonIdempotent, Idempotent], NonIdempotent),
            (&[NonIdempotent, ServerTimestamped], NonIdempotent),
            // The nonce is that of one change, and would drop the others.
            (&[Nonce, Idempotent], NonIdempotent),
        ] {
            assert_eq!(Idempotency::of_all(changes.iter().copied()), all, "{changes:?}");
        }
    }

    #[test]
    fn strict_changes_what_the_server_stamps_alone() {
        for same in [ReadOnly, Idempotent, Nonce, NonIdempotent] {
            assert_eq!(same.strict(), same);
        }
        assert_eq!(ServerTimestamped.strict(), NonIdempotent);
    }
}
