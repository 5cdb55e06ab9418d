//! The order of names that tools sort imports by.

use std::cmp::Ordering;

/// The natural order of names: numbers in them by their value, but digit by digit where one begins with 0.
pub(super) fn natural(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    loop {
        let ((first, a_rest), (other, b_rest)) = match (a.split_first(), b.split_first()) {
            (Some(a), Some(b)) => (a, b),
            (a, b) => return a.is_some().cmp(&b.is_some()),
        };
        let ordering = if first.is_ascii_digit() && other.is_ascii_digit() {
            let (a_number, b_number);
            ((a_number, a), (b_number, b)) = (number(a), number(b));
            match [*first, *other].contains(&b'0') {
                true => a_number.cmp(b_number),
                false => a_number.len().cmp(&b_number.len()).then(a_number.cmp(b_number)),
            }
        } else {
            (a, b) = (a_rest, b_rest);
            first.cmp(other)
        };
        if ordering.is_ne() {
            return ordering;
        }
    }
}

/// The digits that a name begins with, and the rest of it.
fn number(name: &[u8]) -> (&[u8], &[u8]) {
    name.split_at(name.iter().take_while(|byte| byte.is_ascii_digit()).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `ruff check --select I` sorts them.
    #[test]
    fn names_are_in_the_order_of_isort() {
        let sorted = [
            "a", "a0", "a00", "a001", "a01", "a1", "a1_b", "a1_b0", "a1b", "a2", "a10", "a100", "a_b", "ab", "day",
            "day0", "day0_x", "day00_x", "v", "v0", "v1",
        ];
        for (at, a) in sorted.iter().enumerate() {
            for (other, b) in sorted.iter().enumerate() {
                assert_eq!(natural(a, b), at.cmp(&other), "{a} {b}");
            }
        }
    }
}
