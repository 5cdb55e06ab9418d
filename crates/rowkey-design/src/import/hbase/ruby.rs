//! Strings of Ruby.

type Wrong = (usize, &'static str);

/// Returns the bytes of a string in single or double quotes at the beginning of a text, and its length with the quotes.
///
/// # Errors
/// The byte at which it cannot be read, and what is expected there.
pub(super) fn string(text: &str) -> Result<(Vec<u8>, usize), Wrong> {
    let mut characters = text.char_indices();
    let Some((_, quote)) = characters.next() else { return Err((0, "a string")) };
    let mut bytes = Vec::new();
    let mut at = quote.len_utf8();
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = &text[at + c.len_utf8()..];
        if c == quote {
            return Ok((bytes, at + c.len_utf8()));
        }
        at += c.len_utf8();
        if c == '#' && quote == '"' && rest.starts_with(['{', '$', '@']) {
            return Err((at - 1, "a string that Ruby does not compute"));
        }
        if c != '\\' {
            bytes.extend(c.encode_utf8(&mut [0; 4]).bytes());
            continue;
        }
        let Some(escaped) = rest.chars().next() else { break };
        if quote == '\'' {
            // Before any other character a backslash is one.
            if escaped != '\'' && escaped != '\\' {
                bytes.push(b'\\');
                continue;
            }
            bytes.extend(escaped.encode_utf8(&mut [0; 4]).bytes());
            at += escaped.len_utf8();
        } else {
            at += escape(rest, &mut bytes).ok_or((at - 1, "an escape of Ruby"))?;
        }
    }
    Err((0, "a quote that ends this string"))
}

/// Adds what an escape after a backslash stands for, and returns its length.
fn escape(rest: &str, bytes: &mut Vec<u8>) -> Option<usize> {
    let digits =
        |radix: u32, most: usize, text: &str| text.chars().take(most).take_while(|c| c.is_digit(radix)).count();
    let first = rest.chars().next()?;
    let simple = match first {
        'n' => Some(b'\n'),
        't' => Some(b'\t'),
        'r' => Some(b'\r'),
        's' => Some(b' '),
        'e' => Some(0x1b),
        'a' => Some(7),
        'b' => Some(8),
        'f' => Some(0x0c),
        'v' => Some(0x0b),
        _ => None,
    };
    if let Some(byte) = simple {
        bytes.push(byte);
        return Some(1);
    }
    match first {
        'x' => {
            let len = digits(16, 2, &rest[1..]);
            bytes.push(u8::from_str_radix(rest.get(1..1 + len)?, 16).ok()?);
            Some(1 + len)
        }
        '0'..='7' => {
            let len = digits(8, 3, rest);
            bytes.push(u8::try_from(u32::from_str_radix(rest.get(..len)?, 8).ok()?).ok()?);
            Some(len)
        }
        'u' => {
            let (hex, len) = match rest[1..].strip_prefix('{') {
                Some(inside) => (inside.split_once('}')?.0, inside.find('}')? + 3),
                None => (rest.get(1..5)?, 5),
            };
            let c = char::from_u32(u32::from_str_radix(hex, 16).ok()?)?;
            bytes.extend(c.encode_utf8(&mut [0; 4]).bytes());
            Some(len)
        }
        // Of a control character, which nobody writes here.
        'c' | 'C' | 'M' => None,
        '\n' => Some(1),
        c => {
            bytes.extend(c.encode_utf8(&mut [0; 4]).bytes());
            Some(c.len_utf8())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::string;

    #[test]
    fn strings_are_those_of_ruby() {
        for (text, expected) in [
            (r"'a\'b\\c\x00'", &b"a'b\\c\\x00"[..]),
            (r##""a\x00\xff\101\u00e9\u{1f600}\n\#{x}\q""##, "a\0\u{0}A\u{e9}\u{1f600}\n#{x}q".as_bytes()),
            ("\"\"", b""),
        ] {
            let (bytes, len) = string(text).expect("a string");
            // The byte ff is no text.
            let shown: Vec<u8> = bytes.iter().map(|byte| if *byte == 0xff { 0 } else { *byte }).collect();
            assert_eq!((&shown[..], len), (expected, text.len()), "{text}");
        }
        for wrong in ["\"a", "\"#{x}\"", r#""\x""#, r#""\u{110000}""#, "'", "\"\\"] {
            assert!(string(wrong).is_err(), "{wrong}");
        }
        assert_eq!(string("'a' b").expect("a string").1, 3);
    }
}
