//! Places in a text as browsers count them: in UTF-16 units.

/// The UTF-16 units before each byte of a text.
pub(crate) struct Units(Option<Vec<u32>>);

impl Units {
    pub(crate) fn of(text: &str) -> Self {
        if text.is_ascii() {
            return Self(None);
        }
        let mut before = Vec::with_capacity(text.len() + 1);
        let mut units = 0;
        for character in text.chars() {
            before.extend(std::iter::repeat_n(units, character.len_utf8()));
            units += character.len_utf16() as u32;
        }
        before.push(units);
        Self(Some(before))
    }

    pub(crate) fn at(&self, byte: usize) -> usize {
        match &self.0 {
            None => byte,
            Some(before) => before.get(byte).or(before.last()).map_or(0, |units| *units as usize),
        }
    }
}

/// The byte of a text at a place in UTF-16 units; the text's end where it is beyond it.
pub(crate) fn byte_at(text: &str, unit: usize) -> usize {
    let mut units = 0;
    for (byte, character) in text.char_indices() {
        if units >= unit {
            return byte;
        }
        units += character.len_utf16();
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_utf_16() {
        let text = "aé😀\nb";
        let units = Units::of(text);
        for (byte, character) in text.char_indices() {
            let unit = text[..byte].encode_utf16().count();
            assert_eq!((units.at(byte), byte_at(text, unit)), (unit, byte), "{character}");
        }
        assert_eq!((units.at(text.len()), units.at(99), byte_at(text, 99)), (6, 6, text.len()));
    }
}
