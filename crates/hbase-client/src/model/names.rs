//! Names of rows and families. Each is looked at once, where it is made: what no server could take is never sent.
//! Servers answer some of it as if it could be tried later, and for a whole region at once.

/// The key of a row: of 1 to 32,767 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RowKey<'a>(&'a [u8]);

/// The name of a family: of 1 to 127 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FamilyName<'a>(&'a [u8]);

/// The reason why a request is invalid, and can't be sent.
pub(crate) type Wrong = &'static str;

/// The name of a table or namespace that HBase does not take, and why.
#[derive(Debug)]
pub(crate) struct InvalidName(pub(crate) String);

/// Bytes of a row's key at most.
pub(crate) const LONGEST_KEY: usize = i16::MAX as usize;
const LONGEST_FAMILY: usize = i8::MAX as usize;

impl<'a> RowKey<'a> {
    pub(crate) fn new(key: &'a [u8]) -> Result<Self, Wrong> {
        match key.len() {
            0 => Err("the row key is empty"),
            1..=LONGEST_KEY => Ok(Self(key)),
            _ => Err("a row key is longer than 32767 bytes"),
        }
    }

    pub(crate) fn as_bytes(self) -> &'a [u8] {
        self.0
    }
}

impl<'a> FamilyName<'a> {
    pub(crate) fn new(name: &'a [u8]) -> Result<Self, Wrong> {
        match name.len() {
            0 => Err("a family's name is empty"),
            1..=LONGEST_FAMILY => Ok(Self(name)),
            _ => Err("a family's name is longer than 127 bytes"),
        }
    }

    pub(crate) fn as_bytes(self) -> &'a [u8] {
        self.0
    }
}

pub(crate) fn wrong_family(family: &[u8]) -> Option<Wrong> {
    FamilyName::new(family).err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_neither_empty_nor_too_long() {
        let row = |length: usize| RowKey::new(&vec![7; length]).is_ok();
        assert_eq!([0, 1, 32_767, 32_768].map(row), [false, true, true, false]);
        let family = |length: usize| FamilyName::new(&vec![7; length]).is_ok();
        assert_eq!([0, 1, 127, 128].map(family), [false, true, true, false]);
    }
}
