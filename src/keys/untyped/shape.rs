//! The shape of a key, to text and back.
//!
//! ```text
//! key     = [prefix " "] field {", " field}
//! prefix  = "salt(" buckets " " hash [" hex"] [" by" {" " index}] ")" | "md5(" bytes [" by" {" " index}] ")"
//! field   = type [" desc"] [" nulls_first" | " nulls_last"] [" raw"]
//! scalar  = word | word "[" parameters "]"
//! type    = scalar | "option<" type ">" | "list<" type ">" | "enum{" tag ": " tuple {", " tag ": " tuple} "}" | tuple | word
//! tuple   = "(" [field {", " field}] ")"
//! ```

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use super::{CustomBuf, FieldBuf, LayoutBuf, LayoutError, TypeBuf, VariantBuf};
use crate::keys::foreign::{Foreign, HashPrefix, NotAHash};
use crate::keys::layout::{MAX_DEPTH, Nulls, Scalar};
use crate::keys::lead::{Lead, Salt, SaltFormat, SaltHash};

impl Display for LayoutBuf {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let by = |f: &mut Formatter<'_>| {
            if !self.by.is_empty() {
                f.write_str(" by")?;
            }
            self.by.iter().try_for_each(|index| write!(f, " {index}"))?;
            f.write_str(") ")
        };
        match &self.lead {
            Lead::None => {}
            Lead::Salt(Salt { buckets, hash, format }) => {
                write!(f, "salt({buckets} {}", hash.name)?;
                match format {
                    SaltFormat::Binary => {}
                    SaltFormat::Hex => f.write_str(" hex")?,
                    SaltFormat::Foreign(foreign) => write!(f, " {foreign}")?,
                }
                by(f)?;
            }
            Lead::Hash(prefix) => {
                write!(f, "hash({prefix}")?;
                by(f)?;
            }
            Lead::Digest(bytes) => {
                write!(f, "md5({bytes}")?;
                by(f)?;
            }
        }
        joined(f, &self.fields)
    }
}

fn joined<T: Display>(f: &mut Formatter<'_>, items: &[T]) -> fmt::Result {
    items.iter().enumerate().try_for_each(|(i, item)| write!(f, "{}{item}", if i == 0 { "" } else { ", " }))
}

impl Display for FieldBuf {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.ty.fmt(f)?;
        if self.desc {
            f.write_str(" desc")?;
        }
        f.write_str(match self.nulls {
            None => "",
            Some(Nulls::First) => " nulls_first",
            Some(Nulls::Last) => " nulls_last",
        })?;
        f.write_str(if self.raw { " raw" } else { "" })
    }
}

impl Display for TypeBuf {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scalar(scalar) => scalar.fmt(f),
            Self::Option(inner) => write!(f, "option<{inner}>"),
            Self::List(item) => write!(f, "list<{item}>"),
            Self::Enum(variants) => {
                f.write_str("enum{")?;
                joined(f, variants)?;
                f.write_str("}")
            }
            Self::Tuple(fields) => {
                f.write_str("(")?;
                joined(f, fields)?;
                f.write_str(")")
            }
            Self::Custom(custom) => f.write_str(&custom.shape),
        }
    }
}

impl Display for VariantBuf {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: (", self.tag)?;
        joined(f, &self.fields)?;
        f.write_str(")")
    }
}

/// Reads a shape. Fields are named `_0`, `_1` and so on, variants by their tag. A word that is not in the format is a
/// user's own encoding.
impl FromStr for LayoutBuf {
    type Err = LayoutError;

    fn from_str(shape: &str) -> Result<Self, LayoutError> {
        let mut p = Parser { text: shape, at: 0 };
        let (lead, by) = p.lead()?;
        let mut fields = vec![p.field(0, 0)?];
        while p.eat(", ") {
            fields.push(p.field(fields.len(), 0)?);
        }
        if p.at != shape.len() {
            return Err(p.error("expected `, ` or the end"));
        }
        Self::checked("key".to_owned(), lead, by, fields)
    }
}

impl FieldBuf {
    /// A field of this name, and of this shape: one of those that a key's shape has between commas.
    ///
    /// # Errors
    /// If it is not a valid shape of a field. [`LayoutBuf::of_fields`] checks the field's place in a key.
    ///
    /// ```
    /// use rowkey::untyped::FieldBuf;
    ///
    /// let field = FieldBuf::new("at", "i64 desc")?;
    /// assert!(field.desc && field.ty.width() == Some(8));
    /// let error = FieldBuf::new("at", "i64 descending").unwrap_err();
    /// assert_eq!(error.to_string(), "byte 8: expected the end of the field");
    /// # Ok::<(), rowkey::LayoutError>(())
    /// ```
    pub fn new(name: impl Into<String>, shape: &str) -> Result<Self, LayoutError> {
        let mut p = Parser { text: shape, at: 0 };
        let field = p.field(0, 0)?;
        if p.at != shape.len() {
            return Err(p.error("expected the end of the field"));
        }
        Ok(Self { name: name.into(), ..field })
    }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn error(&self, reason: impl Into<String>) -> LayoutError {
        LayoutError::new(format!("byte {}", self.at), reason)
    }

    fn eat(&mut self, token: &str) -> bool {
        let eaten = self.rest().starts_with(token);
        if eaten {
            self.at += token.len();
        }
        eaten
    }

    fn expect(&mut self, token: &str) -> Result<(), LayoutError> {
        if self.eat(token) { Ok(()) } else { Err(self.error(format!("expected `{token}`"))) }
    }

    fn number<T: FromStr + Display>(&mut self) -> Result<T, LayoutError> {
        let len = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        let digits = &self.rest()[..len];
        let number = digits.parse::<T>().ok().filter(|number| number.to_string() == digits);
        let number = number.ok_or_else(|| self.error("expected a number"))?;
        self.at += len;
        Ok(number)
    }

    fn word(&mut self) -> Result<String, LayoutError> {
        let len = self.rest().bytes().take_while(|byte| byte.is_ascii_graphic() && !b",:()<>{}".contains(byte)).count();
        if len == 0 {
            return Err(self.error("expected a type"));
        }
        let word = self.rest()[..len].to_owned();
        self.at += len;
        Ok(word)
    }

    fn lead(&mut self) -> Result<(Lead<String>, Vec<usize>), LayoutError> {
        let lead = if self.eat("salt(") {
            let buckets = self.number()?;
            self.expect(" ")?;
            let hash = SaltHash::named(self.word()?);
            Lead::Salt(Salt { buckets, hash, format: self.salt_format()? })
        } else if self.eat("hash(") {
            let read = HashPrefix::read(self.rest()).map(|(prefix, rest)| (prefix, self.text.len() - rest.len()));
            let (prefix, at) = read.ok_or_else(|| self.error(NotAHash.to_string()))?;
            self.at = at;
            Lead::Hash(prefix)
        } else if self.eat("md5(") {
            Lead::Digest(self.number()?)
        } else {
            return Ok((Lead::None, Vec::new()));
        };
        let mut by = Vec::new();
        if self.eat(" by") {
            while self.eat(" ") {
                by.push(self.number()?);
            }
            if by.is_empty() {
                return Err(self.error("expected the index of a field"));
            }
        }
        self.expect(") ")?;
        Ok((lead, by))
    }

    fn salt_format(&mut self) -> Result<SaltFormat, LayoutError> {
        let start = self.at;
        if !self.eat(" ") {
            return Ok(SaltFormat::Binary);
        }
        let bracketed = bracketed(self.rest()).map(str::to_owned);
        match bracketed.as_deref().map(|word| (word.len(), Scalar::from_shape(word))) {
            Some((len, Some(Scalar::Foreign(foreign)))) => {
                self.at += len;
                Ok(SaltFormat::Foreign(foreign))
            }
            Some(_) => Err(self.error("expected the format of a salt: `hex`, `dec[2 '-']`")),
            None => {
                self.at = start;
                Ok(if self.eat(" hex") { SaltFormat::Hex } else { SaltFormat::Binary })
            }
        }
    }

    fn field(&mut self, index: usize, depth: usize) -> Result<FieldBuf, LayoutError> {
        let ty = self.ty(depth)?;
        let desc = self.eat(" desc");
        let nulls = if self.eat(" nulls_first") {
            Some(Nulls::First)
        } else if self.eat(" nulls_last") {
            Some(Nulls::Last)
        } else {
            None
        };
        Ok(FieldBuf { name: format!("_{index}"), ty, desc, nulls, raw: self.eat(" raw") })
    }

    fn ty(&mut self, depth: usize) -> Result<TypeBuf, LayoutError> {
        if depth >= MAX_DEPTH {
            return Err(self.error(format!("types are nested more than {MAX_DEPTH} deep")));
        }
        if self.eat("option<") {
            let inner = self.ty(depth + 1)?;
            self.expect(">")?;
            return Ok(TypeBuf::Option(Box::new(inner)));
        }
        if self.eat("list<") {
            let item = self.ty(depth + 1)?;
            self.expect(">")?;
            return Ok(TypeBuf::List(Box::new(item)));
        }
        if self.eat("enum{") {
            let mut variants = Vec::new();
            while variants.is_empty() || self.eat(", ") {
                let tag: u8 = self.number()?;
                self.expect(": ")?;
                variants.push(VariantBuf { name: tag.to_string(), tag, fields: self.tuple(depth + 1)? });
            }
            self.expect("}")?;
            return Ok(TypeBuf::Enum(variants));
        }
        if self.rest().starts_with('(') {
            return self.tuple(depth + 1).map(TypeBuf::Tuple);
        }
        let start = self.at;
        let word = match bracketed(self.rest()).map(str::to_owned) {
            Some(word) => {
                self.at += word.len();
                word
            }
            None => self.word()?,
        };
        if let Some(scalar) = Scalar::from_shape(&word) {
            return Ok(TypeBuf::Scalar(scalar));
        }
        if !crate::keys::encode::is_custom_shape(&word) {
            self.at = start;
            let refusal = Foreign::refusal(&word).map_or(String::new(), |reason| format!(": {reason}"));
            return Err(self.error(format!("`{word}` is not a valid type{refusal}")));
        }
        Ok(TypeBuf::Custom(CustomBuf::new(word, None)))
    }

    fn tuple(&mut self, depth: usize) -> Result<Vec<FieldBuf>, LayoutError> {
        self.expect("(")?;
        let mut fields = Vec::new();
        while !self.eat(")") {
            if !fields.is_empty() {
                self.expect(", ")?;
            }
            fields.push(self.field(fields.len(), depth)?);
        }
        Ok(fields)
    }
}

/// A word with parameters in brackets at the beginning of a text, in which brackets in quotes do not count.
fn bracketed(text: &str) -> Option<&str> {
    let open = text.find(|char: char| !char.is_ascii_lowercase()).filter(|at| text[*at..].starts_with('['))?;
    let mut is_quoted = false;
    let close = text[open..].char_indices().find(|(_, char)| {
        is_quoted ^= *char == '\'';
        *char == ']' && !is_quoted
    })?;
    Some(&text[..=open + close.0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_come_back() {
        for shape in [
            "u64, i64 desc, u32",
            "salt(16 xxh3 hex by 0 2) text, option<u8> desc nulls_first, bytes[16], list<(u8, i16 desc)> raw",
            "md5(16 by 0) enum{1: (), 2: (u64, text)} desc, ()",
            "salt(4 md5) my-own, (ipaddr) desc",
            "salt(20 hash_code[java] dec[2 '-'] by 0) text['#'], dec[10]",
            "hash(md5 hex[4 '_'] by 0) text['_'], dec[10]",
            "hash(sha1 bytes[4]) text, u8",
            "text['#'], reversed[','], dec[10], dec[3 '::'], int['_'], minus[99 '#'], minus[9223372036854775807 19 '#']",
            "hex[16], hex[8 upper '#'], hex['#'], hexbytes[32 upper], hexbytes['-'], uuid[text], uuid[text '#']",
            "date['yyyy-MM-dd''T''HH' '#'], date['yyyyMMdd'], text['\\x00'], option<dec[3 '>']> desc, option<text['>']>, text[end]",
        ] {
            assert_eq!(shape.parse::<LayoutBuf>().unwrap().shape(), shape);
        }
    }

    #[test]
    fn what_is_no_shape_is_refused_with_its_place() {
        for (shape, error) in [
            ("", "byte 0: expected a type"),
            ("u64,i64", "byte 3: expected `, ` or the end"),
            ("bytes[04]", "byte 0: `bytes[04]` is not a valid type"),
            ("u8, dec['1']", "byte 4: `dec['1']` is not a valid type: its values can hold the delimiter"),
            ("uint[17]", "byte 0: `uint[17]` is not a valid type: the number of bytes of `uint[…]` is from 1 to 16"),
            ("enum{}", "byte 5: expected a number"),
            ("enum{2: (), 1: ()}", "fields[0].type.enum: the tags are not ascending, or one is repeated"),
            ("salt(0 xxh3) u8", "prefix.salt.buckets: 0 is not from 1 to 65536"),
            ("salt(1 xxh3 by 1) u8", "prefix.salt.by: there is no field 1"),
            ("text raw, u8", "fields[0].raw: raw is for the last field of a key, if it is ascending"),
            ("u8 nulls_last", "fields[0].nulls: the type is not an option"),
            (
                "option<u8> nulls_first",
                "fields[0].nulls: `nulls_first` is already the default of a field that is ascending: remove it",
            ),
            (
                "option<u8> desc nulls_last",
                "fields[0].nulls: `nulls_last` is already the default of a field that is descending: remove it",
            ),
            (
                "list<text> raw",
                "fields[0].raw: only text, bytes, host paths, decimals, and lists of items of one width can be raw",
            ),
            ("salt(20 xxh3 dec[1]) u8", "prefix.salt.format: dec[1] can't write 20 buckets"),
            ("salt(20 xxh3 text[2]) u8", "prefix.salt.format: text[2] can't write 20 buckets"),
            ("salt(20 xxh3 dec['-']) u8", "prefix.salt.format: dec['-'] can't write 20 buckets"),
            ("hash(md5 hex[33]) u8", "byte 5: expected a hash and how much of it: `md5 hex[4 '_']`"),
            ("md5(17) u8", "prefix.md5.bytes: 17 is not from 1 to 16"),
            ("md5(4 by 1) u8, u8", "prefix.md5.by: a digest is taken over the first fields, in order"),
        ] {
            assert_eq!(shape.parse::<LayoutBuf>().unwrap_err().to_string(), error, "{shape}");
        }
    }

    const BRACKETS: [(&str, &str); 4] = [("option<", ">"), ("list<", ">"), ("(", ")"), ("enum{1: (", ")}")];

    fn nested((open, close): (&str, &str), deep: usize) -> String {
        format!("{}u8{}", open.repeat(deep), close.repeat(deep))
    }

    /// On a thread with half of the stack that std gives to one, as others have called what reads a shape.
    fn with_little_stack(body: impl FnOnce() + Send + 'static) {
        std::thread::Builder::new().stack_size(1 << 20).spawn(body).unwrap().join().unwrap();
    }

    #[test]
    fn the_deepest_shape_is_read_and_what_is_deeper_is_refused() {
        with_little_stack(|| {
            for brackets in BRACKETS {
                let deepest = nested(brackets, MAX_DEPTH - 1);
                let layout: LayoutBuf = deepest.parse().unwrap();
                assert_eq!(layout.shape(), deepest);
                assert_eq!(layout.clone(), layout);
                assert!(layout.extends(&layout) && layout.fingerprint() == layout.clone().fingerprint());
                for deep in [MAX_DEPTH, MAX_DEPTH + 1, 1_000, 100_000, 1_000_000] {
                    let error = nested(brackets, deep).parse::<LayoutBuf>().unwrap_err();
                    assert!(error.reason.contains("nested more than 128 deep"), "{error:.200}");
                    let error = brackets.0.repeat(deep).parse::<LayoutBuf>().unwrap_err();
                    assert!(error.reason.contains("nested more than 128 deep"), "{error:.200}");
                }
            }
        });
    }

    #[test]
    fn keys_of_the_deepest_layouts_are_written_read_and_told() {
        let keys = [vec![1; 128], [vec![1; 128], vec![0; 127]].concat(), vec![1], vec![1; 128]];
        with_little_stack(move || {
            for (brackets, mut key) in BRACKETS.into_iter().zip(keys) {
                if let Some(value) = key.get_mut(127) {
                    *value = 7;
                }
                let layout: LayoutBuf = nested(brackets, MAX_DEPTH - 1).parse().unwrap();
                let values = layout.decode(&key).unwrap();
                assert_eq!(layout.encode(&values).unwrap(), key, "{brackets:?}");
                assert_eq!(layout.ranges(&values).unwrap().len(), 1);
                let told = layout.explain(&key);
                assert!(told.error.is_none() && !told.to_string().is_empty() && !told.picture().to_string().is_empty());
                assert!(layout.decode(&key[1..]).is_err());
                assert!(!format!("{values:?} {}", values[0]).is_empty());
            }
        });
    }
}
