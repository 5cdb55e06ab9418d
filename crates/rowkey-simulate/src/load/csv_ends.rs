//! The ends of records of CSV.

/// The place of the next byte in a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum At {
    #[default]
    Begin,
    Plain,
    Quoted,
    /// After a quote in a quoted field: it ends the field, unless another follows.
    Quote,
}

impl At {
    const fn after(self, byte: u8) -> Self {
        match (self, byte) {
            (Self::Quoted, b'"') => Self::Quote,
            (Self::Begin | Self::Quote, b'"') | (Self::Quoted, _) => Self::Quoted,
            (_, b',' | b'\n' | b'\r') => Self::Begin,
            _ => Self::Plain,
        }
    }
}

/// Finds where records end in what is read part by part: the reader of CSV says nothing of a quote that is open.
#[derive(Debug, Default)]
pub(super) struct Ends(At);

impl Ends {
    /// The place after the last record that ends in the next part, if one does.
    pub(super) fn last(&mut self, part: &[u8]) -> Option<usize> {
        // Most traces have no quotes: then the last byte alone counts.
        if self.0 != At::Quoted && !part.contains(&b'"') {
            self.0 = part.last().map_or(self.0, |byte| self.0.after(*byte));
            return Some(part.iter().rposition(|byte| is_end(*byte))? + 1);
        }
        let mut last = None;
        for (at, byte) in part.iter().enumerate() {
            last = self.next(*byte).then_some(at + 1).or(last);
        }
        last
    }

    /// True if a record ends with the next byte.
    pub(super) fn next(&mut self, byte: u8) -> bool {
        self.0 = self.0.after(byte);
        is_end(byte) && self.0 == At::Begin
    }

    /// True if a quote is open.
    pub(super) fn is_open(&self) -> bool {
        self.0 == At::Quoted
    }
}

fn is_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever parts bytes come in, a quote is open after them just if a record would go on, and the last record ends
    /// where it does.
    #[test]
    fn a_quote_is_open_until_it_is_closed() {
        for (text, is_open, end) in [
            ("a,b\n", false, 4),
            ("a,\"b", true, 0),
            ("a,\"b\"", false, 0),
            ("a,\"b\"\"", true, 0),
            ("a,\"b\"\"\",c", false, 0),
            ("\"a,\nb", true, 0),
            ("a\"b,c", false, 0),
            ("a,b\n\"c", true, 4),
            ("a,b\r\n\"c\n\"\rd", false, 10),
            ("\"a\",\"", true, 0),
            ("\"", true, 0),
            ("\"\"", false, 0),
            ("", false, 0),
        ] {
            for part in 1..=text.len().max(1) {
                let (mut ends, mut last) = (Ends::default(), 0);
                for (number, part_of) in text.as_bytes().chunks(part).enumerate() {
                    last = ends.last(part_of).map_or(last, |end| number * part + end);
                }
                assert_eq!((ends.is_open(), last), (is_open, end), "{text:?} in parts of {part}");
            }
        }
    }
}
