//! A sample of a table's keys: whether they are those of the design.

use rowkey::LayoutBuf;
use rowkey_design::internal::quote::hbase_binary;

/// The keys of a sample that are none of a layout.
pub(super) struct Sampled {
    /// The words on them.
    pub(super) words: String,
    keys: usize,
    others: usize,
}

impl Sampled {
    /// Those of a layout.
    pub(super) fn of(keys: &[Vec<u8>], layout: &LayoutBuf) -> Self {
        let others: Vec<&Vec<u8>> = keys.iter().filter(|key| layout.decode(key).is_err()).collect();
        let (keys, count) = (keys.len(), others.len());
        let words = match others.first() {
            None => format!("all of {keys} sampled keys are of the design"),
            Some(first) => {
                format!("{count} of {keys} sampled keys are none of the design, such as \"{}\"", hbase_binary(first))
            }
        };
        Self { words, keys, others: count }
    }

    /// True if no key is of the layout.
    pub(super) const fn is_of_another(&self) -> bool {
        self.others > 0 && self.others == self.keys
    }

    /// The words that come before all others; none where all keys are of the layout.
    pub(super) fn first(self) -> Option<String> {
        let unruled = if self.is_of_another() { ": no rule is judged, and no key is decoded as it is" } else { "" };
        (self.others > 0).then(|| format!("{}{unruled}.", self.words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sampled(keys: &[&[u8]]) -> Sampled {
        let layout: LayoutBuf = "dec[3 '|'], dec[2]".parse().unwrap();
        Sampled::of(&keys.iter().map(|key| key.to_vec()).collect::<Vec<_>>(), &layout)
    }

    #[test]
    fn keys_of_another_layout_are_told_first_with_their_bytes() {
        assert_eq!(sampled(&[b"001|02"]).first(), None);
        let some = sampled(&[b"001|02", b"\0a\\"]);
        assert!(!some.is_of_another());
        let due = "1 of 2 sampled keys are none of the design, such as \"\\x00a\\x5C\"";
        assert_eq!(some.first().unwrap(), format!("{due}."));
        let all = sampled(&[b"x"]);
        assert!(all.is_of_another() && all.first().unwrap().contains(": no rule is judged"));
        assert_eq!(sampled(&[]).first(), None);
    }
}
