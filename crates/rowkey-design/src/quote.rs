//! Writes text and bytes that may be hostile for where they go: a terminal, a shell, SQL, HCL, HTML, Java, Go.
//!
//! The output is printable ASCII, but for [`terminal`], [`xml`], [`hcl`], [`toml()`] and SQL, which leave printable
//! characters of other alphabets as they are. None of it holds a line break. Each function returns the quotes too,
//! where its target has any.
//!
//! ```
//! use rowkey_design::internal::quote;
//!
//! assert_eq!(quote::jruby(b"#{exit}\xff"), r#""\#{exit}\xFF""#);
//! assert_eq!(quote::shell(b"it's").as_deref(), Some(r"'it'\''s'"));
//! assert_eq!(quote::hcl("${file(\"x\")}"), r#""\u0024{file(\"x\")}""#);
//! assert_eq!(quote::terminal("\x1b[31m"), r"\x1b[31m");
//! ```

use std::fmt::Write;

/// Bytes as a double-quoted string of Ruby, for HBase's shell, which is JRuby: there `#{…}`, `#$x` and `#@x` in double
/// quotes run, and `\xNN` in single quotes stands for four characters.
///
/// This is the form of row keys, families, columns and values in `get`, `put`, `scan` and `create`. Split points need
/// [`jruby_splits`].
pub fn jruby(bytes: &[u8]) -> String {
    let mut text = String::from('"');
    for &byte in bytes {
        match byte {
            b'"' | b'\\' | b'#' => push_escaped(&mut text, byte),
            b' '..=b'~' => text.push(char::from(byte)),
            _ => hex(&mut text, "\\x", byte),
        }
    }
    text + "\""
}

/// A split point as `SPLITS` of HBase's shell wants it: the shell reads `\xNN` in it a second time.
pub fn jruby_splits(point: &[u8]) -> String {
    jruby(hbase_binary(point).as_bytes())
}

/// Bytes as HBase prints them (`Bytes.toStringBinary`): printable ASCII as it is, others as `\xNN`.
///
/// A backslash is written `\x5C`, so that `Bytes.toBytesBinary` gives the same bytes back.
pub fn hbase_binary(bytes: &[u8]) -> String {
    let mut text = String::new();
    for &byte in bytes {
        match byte {
            b'\\' => text.push_str("\\x5C"),
            b' '..=b'~' => text.push(char::from(byte)),
            _ => hex(&mut text, "\\x", byte),
        }
    }
    text
}

/// Bytes as one word of a shell: as they are, in single quotes, or as `$'…'`, which bash, zsh, ksh and POSIX of 2024
/// have.
///
/// None if they hold a zero byte: no argument of a program can. Whether a word that begins with `-` is an option is the
/// program's affair.
pub fn shell(bytes: &[u8]) -> Option<String> {
    if bytes.contains(&0) {
        return None;
    }
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_./:=,@%+-".contains(byte);
    let printable = |byte: &u8| (b' '..=b'~').contains(byte);
    let mut text = String::new();
    if !bytes.is_empty() && bytes[0] != b'=' && bytes.iter().all(plain) {
        text.extend(bytes.iter().copied().map(char::from));
    } else if bytes.iter().all(printable) {
        text.push('\'');
        for &byte in bytes {
            match byte {
                b'\'' => text.push_str("'\\''"),
                _ => text.push(char::from(byte)),
            }
        }
        text.push('\'');
    } else {
        text.push_str("$'");
        for &byte in bytes {
            match byte {
                b'\'' | b'\\' => push_escaped(&mut text, byte),
                b' '..=b'~' => text.push(char::from(byte)),
                // Three digits end the escape, whatever follows.
                _ => _ = write!(text, "\\{byte:03o}"),
            }
        }
        text.push('\'');
    }
    Some(text)
}

/// One argument `name=value,value…` of `cbt`, as a word of a shell: `cbt` reads the values as a line of CSV.
///
/// None if a value holds a zero byte, or CR before LF, which `cbt` reads as LF alone, or if the only value is empty,
/// which `cbt` reads as no line at all.
pub fn cbt_list<'v>(name: &str, values: impl IntoIterator<Item = &'v [u8]>) -> Option<String> {
    let mut argument = format!("{name}=").into_bytes();
    let start = argument.len();
    for (i, value) in values.into_iter().enumerate() {
        if value.windows(2).any(|pair| pair == b"\r\n") || value.ends_with(b"\r") {
            return None;
        }
        if i > 0 {
            argument.push(b',');
        }
        if value.iter().any(|byte| b",\"\r\n".contains(byte)) || value.starts_with(b" ") {
            argument.push(b'"');
            value.iter().for_each(|&byte| match byte {
                b'"' => argument.extend(b"\"\""),
                _ => argument.push(byte),
            });
            argument.push(b'"');
        } else {
            argument.extend(value);
        }
    }
    (argument.len() > start).then_some(())?;
    shell(&argument)
}

/// A name of Phoenix's SQL in double quotes, which keep its case.
///
/// None if it is empty or holds a double quote, which Phoenix has no escape for, or a control character, which nobody
/// would see.
pub fn sql_name(name: &str) -> Option<String> {
    let hidden = |c: char| c == '"' || unprintable(c);
    (!name.is_empty() && !name.contains(hidden)).then(|| format!("\"{name}\""))
}

/// Text as a string of Phoenix's SQL, where a backslash begins an escape and a quote is doubled.
///
/// None if it holds a control character, for most of which Phoenix has no escape.
pub fn sql_text(text: &str) -> Option<String> {
    if text.contains(unprintable) {
        return None;
    }
    Some(format!("'{}'", text.replace('\\', "\\\\").replace('\'', "''")))
}

/// Text as a string of HCL, Terraform's language, where `${…}` and `%{…}` run.
pub fn hcl(text: &str) -> String {
    let mut quoted = String::from('"');
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            // As `$${` it would depend on what is before.
            '$' | '%' if characters.peek() == Some(&'{') => _ = write!(quoted, "\\u{:04x}", u32::from(c)),
            c if unprintable(c) && u32::from(c) > 0xffff => _ = write!(quoted, "\\U{:08x}", u32::from(c)),
            c if unprintable(c) => _ = write!(quoted, "\\u{:04x}", u32::from(c)),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

/// Text as a string of TOML.
pub fn toml(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if unprintable(c) => _ = write!(quoted, "\\U{:08x}", u32::from(c)),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

/// A name as a key of TOML: bare where it can be.
pub fn toml_key(name: &str) -> String {
    let bare = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    if !name.is_empty() && name.bytes().all(bare) { name.to_owned() } else { toml(name) }
}

/// Text for HTML, SVG and XML, both between tags and in an attribute's value in quotes of either kind.
///
/// Characters that XML forbids or nobody sees are shown as in [`terminal`].
pub fn xml(text: &str) -> String {
    let mut quoted = String::new();
    for c in text.chars() {
        match c {
            '&' => quoted.push_str("&amp;"),
            '<' => quoted.push_str("&lt;"),
            '>' => quoted.push_str("&gt;"),
            '"' => quoted.push_str("&quot;"),
            '\'' => quoted.push_str("&#39;"),
            c => shown(&mut quoted, c),
        }
    }
    quoted
}

/// Text for a terminal, and for a comment of one line in a script: control characters, line breaks, and characters that
/// turn the direction of text or that nobody sees are shown as escapes, not sent.
pub fn terminal(text: &str) -> String {
    let mut safe = String::new();
    text.chars().for_each(|c| shown(&mut safe, c));
    safe
}

/// Bytes as an expression of Java, with HBase's `Bytes`.
///
/// ```
/// assert_eq!(rowkey_design::internal::quote::java(b"a\x00\\"), r#"Bytes.toBytesBinary("a\\x00\\x5C")"#);
/// ```
pub fn java(bytes: &[u8]) -> String {
    format!("Bytes.toBytesBinary({})", java_text(&hbase_binary(bytes)))
}

/// Text as a string of Java.
pub fn java_text(text: &str) -> String {
    let mut quoted = String::from('"');
    for unit in text.encode_utf16() {
        match u8::try_from(unit) {
            Ok(byte @ (b'"' | b'\\')) => push_escaped(&mut quoted, byte),
            // In octal: Java reads `\u` before all else, so that `\u000a` would end the line.
            Ok(byte @ (..b' ' | 0x7f)) => _ = write!(quoted, "\\{byte:03o}"),
            Ok(byte @ b' '..=b'~') => quoted.push(char::from(byte)),
            _ => _ = write!(quoted, "\\u{unit:04x}"),
        }
    }
    quoted + "\""
}

/// Bytes as a string of Go, which can hold any.
pub fn go(bytes: &[u8]) -> String {
    let mut text = String::from('"');
    for &byte in bytes {
        match byte {
            b'"' | b'\\' => push_escaped(&mut text, byte),
            b' '..=b'~' => text.push(char::from(byte)),
            _ => _ = write!(text, "\\x{byte:02x}"),
        }
    }
    text + "\""
}

/// True if a terminal or an editor would not show a character, or would show others elsewhere because of it.
pub(crate) fn unprintable(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}'
            | '\u{e0000}'..='\u{e0fff}')
}

fn shown(text: &mut String, c: char) {
    match c {
        '\n' => text.push_str("\\n"),
        '\r' => text.push_str("\\r"),
        '\t' => text.push_str("\\t"),
        c if c.is_ascii_control() => _ = write!(text, "\\x{:02x}", u32::from(c)),
        c if unprintable(c) => _ = write!(text, "\\u{{{:x}}}", u32::from(c)),
        c => text.push(c),
    }
}

fn push_escaped(text: &mut String, byte: u8) {
    text.push('\\');
    text.push(char::from(byte));
}

fn hex(text: &mut String, prefix: &str, byte: u8) {
    _ = write!(text, "{prefix}{byte:02X}");
}

/// JSON as text that a terminal may be sent: what it would not show is escaped.
///
/// ```
/// use rowkey_design::internal::quote::json_text;
///
/// assert_eq!(json_text(&serde_json::json!(["\u{202e}\u{7f}"]), false), r#"["\u202e\u007f"]"#);
/// ```
pub fn json_text(json: &serde_json::Value, pretty: bool) -> String {
    let text = if pretty { format!("{json:#}") } else { json.to_string() };
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        // Line breaks are between values alone: in strings they are escaped already.
        if c != '\n' && unprintable(c) {
            c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| safe += &format!("\\u{unit:04x}"));
        } else {
            safe.push(c);
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each byte alone, and before each of the characters that escapes end or begin with.
    fn hostile() -> Vec<Vec<u8>> {
        let after = b"0 7 a f { $ @ ' \" \\ # x u n";
        let singles = (0..=255u8).map(|byte| vec![byte]);
        let pairs = (0..=255u8).flat_map(|byte| after.iter().map(move |&next| vec![byte, next]));
        let texts = ["", "#{exit}", "#$0", "#@x", "$(id)", "`id`", "'; id; '", "%{ if true }", "$${x}", "\u{202e}abc"];
        singles.chain(pairs).chain(texts.iter().map(|text| text.as_bytes().to_vec())).collect()
    }

    fn ascii(text: &str) -> bool {
        text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
    }

    /// Undoes a double-quoted string: `\` and a digit of `digits`, or any other character for itself.
    fn unquoted(text: &str, escape: &str, radix: u32, digits: usize) -> Vec<u8> {
        let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).expect("quotes");
        let (mut bytes, mut rest) = (Vec::new(), inner);
        while let Some(c) = rest.chars().next() {
            assert_ne!(c, '"', "{text}");
            if let Some(number) = rest.strip_prefix(escape) {
                let number = number.get(..digits).expect("digits");
                bytes.push(u8::from_str_radix(number, radix).expect("a byte"));
                rest = &rest[escape.len() + digits..];
            } else if c == '\\' {
                bytes.push(rest.as_bytes()[1]);
                rest = &rest[2..];
            } else {
                bytes.push(c as u8);
                rest = &rest[1..];
            }
        }
        bytes
    }

    #[test]
    fn strings_of_jruby_and_go_give_the_bytes_back() {
        for bytes in hostile() {
            let text = jruby(&bytes);
            assert!(ascii(&text), "{text}");
            assert_eq!(unquoted(&text, "\\x", 16, 2), bytes);
            let interpolated = text.as_bytes().windows(2).any(|pair| pair[1] == b'#' && pair[0] != b'\\');
            assert!(!interpolated, "{text}");
            let text = go(&bytes);
            assert!(ascii(&text), "{text}");
            assert_eq!(unquoted(&text, "\\x", 16, 2), bytes);
        }
    }

    #[test]
    fn strings_of_java_and_splits_give_the_bytes_back() {
        for bytes in hostile() {
            let binary = hbase_binary(&bytes);
            assert_eq!(unquoted(&format!("\"{}\"", binary.replace('"', "\\\"")), "\\x", 16, 2), bytes);
            assert_eq!(unquoted(&jruby_splits(&bytes), "\\x", 16, 2), binary.as_bytes());
            let java = java(&bytes);
            assert!(ascii(&java) && !java.contains("\\u"), "{java}");
        }
        assert_eq!(java_text("a\n\u{1}é😀\"\\"), r#""a\012\001\u00e9\ud83d\ude00\"\\""#);
    }

    #[test]
    fn a_real_shell_gives_words_back() {
        let words: Vec<_> = hostile().into_iter().filter(|bytes| !bytes.contains(&0)).collect();
        let line = words.iter().map(|word| shell(word).expect("no zero")).collect::<Vec<_>>().join(" ");
        assert!(ascii(&line), "{line}");
        let output = std::process::Command::new("bash")
            .args(["-c", &format!("printf '%s\\0' {line}")])
            .env("LC_ALL", "C")
            .output()
            .expect("bash");
        let back: Vec<_> = output.stdout.split(|&byte| byte == 0).map(<[u8]>::to_vec).collect();
        assert_eq!(back[..words.len()], words);
        assert_eq!(shell(b"a\0b"), None);
    }

    #[test]
    fn lists_of_cbt_are_csv() {
        let list = cbt_list("splits", [&b"a,b"[..], b"c\"d", b"\xff", b"plain"]);
        assert_eq!(list.as_deref(), Some(r#"$'splits="a,b","c""d",\377,plain'"#));
        assert_eq!(cbt_list("splits", [&b"a\r\nb"[..]]), None);
        assert_eq!(cbt_list("splits", [&b"a\0b"[..]]), None);
        assert_eq!(cbt_list("splits", [&b""[..]]), None);
    }

    #[test]
    fn sql_refuses_what_it_has_no_escape_for() {
        assert_eq!(sql_name("a b'; --").as_deref(), Some("\"a b'; --\""));
        assert_eq!([sql_name("a\"b"), sql_name(""), sql_name("a\nb"), sql_name("\u{202e}")], [None, None, None, None]);
        assert_eq!(sql_text(r"it's \").as_deref(), Some(r"'it''s \\'"));
        assert_eq!(sql_text("\0"), None);
    }

    #[test]
    fn templates_of_hcl_do_not_run() {
        for (text, quoted) in [
            ("${x}", r#""\u0024{x}""#),
            ("$${x}", r#""$\u0024{x}""#),
            ("%{x}", r#""\u0025{x}""#),
            ("$x 5%", r#""$x 5%""#),
            ("a\"\\\n\0", r#""a\"\\\u000a\u0000""#),
            ("\u{202e}é\u{e0001}", r#""\u202eé\U000e0001""#),
        ] {
            assert_eq!(hcl(text), quoted);
        }
    }

    #[test]
    fn strings_of_toml_give_the_text_back() {
        let alone = (0..=0x10ffff).step_by(101).filter_map(char::from_u32).map(String::from);
        for text in alone.chain(["a\"\\\n\u{202e}é".to_owned(), String::new()]) {
            let line = format!("x = {}", toml(&text));
            let table = ::toml::de::DeTable::parse(&line).expect("TOML");
            assert_eq!(table.get_ref().get("x").and_then(|x| x.get_ref().as_str()), Some(text.as_str()));
        }
    }

    #[test]
    fn markup_and_terminals_get_no_control_characters() {
        assert_eq!(xml("<a href=\"x\" b='&'>\0"), "&lt;a href=&quot;x&quot; b=&#39;&amp;&#39;&gt;\\x00");
        assert_eq!(terminal("a\u{1b}[31m\u{9b}\u{202e}\r\n\té日"), r"a\x1b[31m\u{9b}\u{202e}\r\n\té日");
        for c in (0..=0x10ffff).filter_map(char::from_u32) {
            let safe = terminal(&c.to_string());
            assert!(!safe.contains(|c: char| c.is_control()));
        }
    }
}
