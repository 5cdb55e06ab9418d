//! The regions in the order of their keys.

use super::head::head;

/// The numbers of regions by their first keys; one begins with the empty key.
#[derive(Debug, Default)]
pub(crate) struct Starts(Vec<Start>);

#[derive(Debug)]
struct Start {
    head: u128,
    key: Box<[u8]>,
    number: usize,
}

impl Start {
    fn is_after(&self, head: u128, key: &[u8]) -> bool {
        self.head > head || (self.head == head && *self.key > *key)
    }
}

impl Starts {
    /// Adds a region.
    pub(crate) fn insert(&mut self, key: &[u8], number: usize) {
        let head = head(key);
        self.0.insert(self.after(head, key), Start { head, key: key.into(), number });
    }

    fn after(&self, head: u128, key: &[u8]) -> usize {
        self.0.partition_point(|start| !start.is_after(head, key))
    }

    /// The place of the region that has a key. It is often that of the last key, `last`.
    #[inline]
    pub(crate) fn place(&self, key: &[u8], last: usize) -> usize {
        let head = head(key);
        let begins_after = |at: usize| self.0.get(at).is_none_or(|start| start.is_after(head, key));
        if !begins_after(last) && begins_after(last + 1) {
            return last;
        }
        self.after(head, key).saturating_sub(1)
    }

    /// The number of the region at a place, if there is one.
    pub(crate) fn at(&self, place: usize) -> Option<usize> {
        self.0.get(place).map(|start| start.number)
    }

    /// The number of regions.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The numbers of all regions, in the order of their keys.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = usize> {
        self.0.iter().map(|start| start.number)
    }
}
