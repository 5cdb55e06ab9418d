//! Words, and how they are joined.

use deunicode::deunicode_char;

/// The joint of the words of a name, and their case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// `HttpStatus`
    Pascal,
    /// `httpStatus`
    Camel,
    /// `http_status`
    Snake,
    /// `HTTP_STATUS`
    UpperSnake,
    /// `httpstatus`
    Flat,
}

impl Case {
    /// A name in this case: ASCII letters, digits and `_`, the first a letter.
    pub fn of(self, name: &str) -> String {
        let mut words = words(name);
        match words.first_mut() {
            None => words.push("field".to_owned()),
            Some(first) if first.starts_with(|char: char| char.is_ascii_digit()) => first.insert(0, 'f'),
            Some(_) => {}
        }
        match self {
            Self::Pascal => words.iter().map(|word| capital(word)).collect(),
            Self::Camel => words[..1].iter().cloned().chain(words[1..].iter().map(|word| capital(word))).collect(),
            Self::Snake => words.join("_"),
            Self::UpperSnake => words.join("_").to_uppercase(),
            Self::Flat => words.concat(),
        }
    }

    /// The character behind a reserved word.
    pub(super) fn filler(self) -> char {
        if self == Self::Flat { 'x' } else { '_' }
    }

    /// The text between a name and the number that tells it from others.
    pub(super) fn joint(self) -> &'static str {
        if self == Self::Flat { "" } else { "_" }
    }
}

/// The most characters that are taken of a name.
const LONGEST: usize = 60;

fn capital(word: &str) -> String {
    let (first, rest) = word.split_at(word.len().min(1));
    first.to_uppercase() + rest
}

/// The words of a name, in lower-case ASCII letters and digits.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let ascii: Vec<char> = ascii(name).chars().take(LONGEST).collect();
    for (i, &char) in ascii.iter().enumerate() {
        let before = i.checked_sub(1).and_then(|i| ascii.get(i)).copied().unwrap_or(' ');
        let after = ascii.get(i + 1).copied().unwrap_or(' ');
        let begins = !char.is_ascii_alphanumeric()
            || (char.is_ascii_uppercase()
                && (before.is_ascii_lowercase() || (before.is_ascii_uppercase() && after.is_ascii_lowercase())));
        if begins {
            words.push(String::new());
        }
        if let (true, Some(word)) = (char.is_ascii_alphanumeric(), words.last_mut()) {
            word.push(char.to_ascii_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The name in ASCII: letters of other scripts as they are transcribed, else by their number.
fn ascii(name: &str) -> String {
    let mut ascii = String::new();
    for char in name.chars() {
        match deunicode_char(char) {
            _ if char.is_ascii() => ascii.push(char),
            Some(text) if text.contains(|char: char| char.is_ascii_alphanumeric()) => ascii += text,
            _ => ascii += &format!(" u{:x} ", u32::from(char)),
        }
    }
    ascii
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_and_joined() {
        for (name, pascal, camel, snake) in [
            ("user", "User", "user", "user"),
            ("HTTPStatus", "HttpStatus", "httpStatus", "http_status"),
            ("userID", "UserId", "userId", "user_id"),
            ("user-id.of  it", "UserIdOfIt", "userIdOfIt", "user_id_of_it"),
            ("_0", "F0", "f0", "f0"),
            ("2nd try", "F2ndTry", "f2ndTry", "f2nd_try"),
            ("", "Field", "field", "field"),
            ("__", "Field", "field", "field"),
            ("Größe", "Grosse", "grosse", "grosse"),
            ("都市", "DuShi", "duShi", "du_shi"),
            ("a\u{10ffff}", "AU10ffff", "aU10ffff", "a_u10ffff"),
        ] {
            assert_eq!(Case::Pascal.of(name), pascal);
            assert_eq!(Case::Camel.of(name), camel);
            assert_eq!(Case::Snake.of(name), snake);
            assert_eq!(Case::UpperSnake.of(name), snake.to_uppercase());
            assert_eq!(Case::Flat.of(name), snake.replace('_', ""));
        }
        assert!(Case::Snake.of(&"ab c".repeat(500)).len() < 70);
    }
}
