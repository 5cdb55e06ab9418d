//! Values of plain tables as cells of wide ones.

use std::borrow::Cow;

use super::{Column, Condition, EmptyValues, WideGuarantees};

/// The form of a plain table's values in cells. It is that of the store, and stays as it is: tables have been written
/// in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlainValues {
    /// Each value is the cell's.
    AsGiven,
    /// No cell is empty, because the store takes an empty one for an absent one when it checks: the empty value is
    /// [`EMPTY`], and values that are that and zeros have one more zero.
    NeverEmpty,
}

/// The cell of the empty value. It is longer than a counter.
const EMPTY: &[u8] = b"\0rowkey:\0";

impl PlainValues {
    pub(crate) fn of(guarantees: &WideGuarantees) -> Self {
        match guarantees.empty_values {
            Some(EmptyValues::AsAbsent | EmptyValues::Compared) => Self::NeverEmpty,
            Some(EmptyValues::AsValues) | None => Self::AsGiven,
        }
    }

    pub(crate) fn cell(self, value: &[u8]) -> Cow<'_, [u8]> {
        match (self, zeros_after_empty(value)) {
            (Self::NeverEmpty, _) if value.is_empty() => EMPTY.into(),
            (Self::NeverEmpty, Some(_)) => [value, &[0]].concat().into(),
            _ => value.into(),
        }
    }

    /// The value of a cell. An empty cell is of another program.
    pub(crate) fn value(self, cell: &[u8]) -> &[u8] {
        match (self, zeros_after_empty(cell)) {
            (Self::NeverEmpty, Some(0)) => &[],
            (Self::NeverEmpty, Some(_)) => &cell[..cell.len() - 1],
            _ => cell,
        }
    }
}

/// The number of zeros, of a value that is [`EMPTY`] and zeros.
fn zeros_after_empty(value: &[u8]) -> Option<usize> {
    let rest = value.strip_prefix(EMPTY)?;
    rest.iter().all(|byte| *byte == 0).then_some(rest.len())
}

/// The condition that the column has an empty cell of another program, which is read as the empty value; `None` if
/// there is nothing more to look for than `expected`.
pub(crate) fn empty_of_others(
    column: &Column,
    expected: Option<&[u8]>,
    guarantees: &WideGuarantees,
) -> Option<Condition> {
    let can_compare = guarantees.empty_values == Some(EmptyValues::Compared);
    (can_compare && expected.is_some_and(<[u8]>::is_empty)).then(|| Condition::equal(column, []))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_value_is_read_as_it_was_written(
            start in prop_oneof![Just(vec![]), Just(EMPTY.to_vec()), Just(EMPTY[..8].to_vec())],
            zeros in 0usize..4,
            rest in prop::collection::vec(any::<u8>(), 0..3),
        ) {
            let value = [start, vec![0; zeros], rest].concat();
            for values in [PlainValues::AsGiven, PlainValues::NeverEmpty] {
                let cell = values.cell(&value);
                prop_assert_eq!(values.value(&cell), &*value);
                prop_assert!(values == PlainValues::AsGiven || !cell.is_empty());
            }
        }
    }

    /// The form is in tables.
    #[test]
    fn the_form_stays_as_it_is() {
        let values = PlainValues::NeverEmpty;
        let cell = |value: &[u8]| values.cell(value).into_owned();
        assert_eq!(cell(b""), b"\0rowkey:\0");
        assert_eq!(cell(b"\0rowkey:\0"), b"\0rowkey:\0\0");
        assert_eq!(cell(b"\0rowkey:\0\0"), b"\0rowkey:\0\0\0");
        for same in [&b"\0rowkey:\0x"[..], b"\0rowkey:", b"\0", &[0; 8], &[0; 9]] {
            assert_eq!(cell(same), same);
        }
        assert_eq!(values.value(b""), b"");
    }
}
