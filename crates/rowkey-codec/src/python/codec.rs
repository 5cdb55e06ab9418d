//! The bodies of `encode` and `decode`.

use super::call::Call;
use super::run::{Part, parts};
use super::text::{Lines, WIDTH, bytes};
use crate::ir::{DeclKind, Field, Key, Lead, TextEnd, Type};

/// The types that a key is read from, as annotations have them.
pub(super) const ANY_BYTES: &str = "bytes | bytearray | memoryview";

/// The code of a key's bytes.
pub(super) struct KeyCode<'k> {
    key: &'k Key,
    parts: Vec<Part>,
}

/// A place in a key: a number of bytes after a variable, or after the key's beginning.
#[derive(Clone)]
struct Place(Option<usize>, usize);

impl Place {
    fn text(&self) -> String {
        match self {
            Self(None, at) => at.to_string(),
            Self(Some(part), 0) => format!("p{part}"),
            Self(Some(part), more) => format!("p{part} + {more}"),
        }
    }
}

impl<'k> KeyCode<'k> {
    pub(super) fn new(key: &'k Key) -> Self {
        let by: &[usize] = match &key.lead {
            Lead::None => &[],
            Lead::Salt(salt) => &salt.by,
            Lead::Digest(digest) => &digest.by,
        };
        let is_hashed = |index: usize| by.contains(&index);
        Self { key, parts: parts(&key.fields, &is_hashed) }
    }

    /// The `struct`s, which are made once.
    pub(super) fn structs(&self, out: &mut Lines) {
        for (at, part) in self.parts.iter().enumerate() {
            if let Part::Run { fields, .. } = part {
                let letters: String = fields.iter().map(|(_, field)| field.letters.as_str()).collect();
                let target = format!("_S{at} = ");
                let made = Call::of("struct.Struct", vec![Call::plain(format!("\">{letters}\""))]);
                out.line(0, &format!("{target}{}", made.laid_out(0, target.len(), 0)));
            }
        }
    }

    pub(super) fn encode(&self, out: &mut Lines) {
        out.line(1, "def encode(self) -> bytes:");
        out.doc(2, ["The bytes of the key. Raises rt.EncodeError if a value is none of its field's."]);
        out.line(2, "try:");
        let names: Vec<String> = (0..self.parts.len()).map(|at| format!("s{at}")).collect();
        for (part, name) in self.parts.iter().zip(&names) {
            let value = match part {
                Part::Run { fields, .. } => {
                    let packed = fields.iter().flat_map(|(_, field)| field.packed.iter().map(Call::plain)).collect();
                    Call::of(&format!("_{}.pack", name.to_uppercase()), packed)
                }
                Part::Field { index, .. } => self.field(*index),
            };
            out.line(3, &format!("{name} = {}", value.laid_out(3, name.len() + 3, 0)));
        }
        let body = joined(&names);
        match self.lead() {
            None if self.key.is_joined => {
                let value = Call::of("rt.without_empty_ends", vec![body]);
                out.line(3, &format!("return {}", value.laid_out(3, 7, 0)));
            }
            None => out.line(3, &format!("return {}", body.laid_out(3, 7, 0))),
            Some((by, cut)) => {
                out.line(3, &format!("body = {}", body.laid_out(3, 7, 0)));
                let hashed = names.iter().zip(&self.parts).filter(|(_, part)| part.is_hashed());
                let hashed: Vec<String> = hashed.map(|(name, _)| name.clone()).collect();
                let m = if by.is_empty() { Call::plain("body") } else { joined(&hashed) };
                let m = cut_off(out, m, cut);
                out.line(3, &format!("return {} + body", Call::of("_LEAD.of", vec![m]).laid_out(3, 7, 7)));
            }
        }
        out.line(2, "except rt.UNFIT as error:");
        let values = self.key.fields.iter().map(|field| match &field.ty {
            Type::Constant(_) => Call::plain("()"),
            _ => Call::plain(format!("self.{}", field.ident)),
        });
        let arguments = ["_LAYOUT", "_FIELDS"].map(Call::plain).into_iter();
        let arguments = arguments.chain([Call::list(values.collect()), Call::plain("error")]).collect();
        out.line(3, &format!("raise {} from error", Call::of("rt.not_encoded", arguments).laid_out(3, 6, 11)));
    }

    fn field(&self, index: usize) -> Call {
        let field = &self.key.fields[index];
        let value = Call::plain(format!("self.{}", field.ident));
        match &field.ty {
            Type::Constant(constant) => Call::plain(bytes(constant)),
            Type::Text(TextEnd::Escaped) if !field.desc => Call::of("rt.encode_text", vec![value]),
            _ => Call::of(&format!("_F{index}.bytes"), vec![value]),
        }
    }

    fn lead(&self) -> Option<(&[usize], usize)> {
        match &self.key.lead {
            Lead::None => None,
            Lead::Salt(salt) => Some((&salt.by, salt.cut)),
            Lead::Digest(digest) => Some((&digest.by, digest.cut)),
        }
    }

    pub(super) fn decode(&self, out: &mut Lines) {
        let ident = &self.key.ident;
        out.line(1, "@classmethod");
        out.line(1, &format!("def decode(cls, key: {ANY_BYTES}) -> {ident}:"));
        out.doc(2, ["The values of a key. Raises rt.DecodeError for any other bytes."]);
        out.line(2, "if not isinstance(key, bytes):");
        out.line(3, "key = rt.key_bytes(_LAYOUT, key)");
        out.line(2, "try:");
        let turned = |part: &Part| matches!(part, Part::Field { index, .. } if self.needs_inverted(*index));
        if self.parts.iter().any(turned) {
            out.line(3, "inverted = key.translate(rt.INVERTED)");
        }
        let mut place = Place(None, self.key.lead.width());
        let mut places = vec![place.clone()];
        for (at, part) in self.parts.iter().enumerate() {
            place = self.decode_part(at, part, place, out);
            places.push(place.clone());
        }
        out.line(3, &format!("if len(key) != {}:", place.text()));
        out.line(4, "raise ValueError");
        self.check_lead(&places, out);
        let member = |(index, field): (usize, &Field)| match &field.ty {
            Type::Constant(_) => None,
            _ => Some(Call::plain(self.value(index))),
        };
        let values: Vec<Call> = self.key.fields.iter().enumerate().filter_map(member).collect();
        out.line(3, &format!("return {}", Call::of("cls", values).laid_out(3, 7, 0)));
        out.line(2, "except rt.REFUSED as error:");
        out.line(3, "raise rt.not_decoded(_LAYOUT, _FIELDS, key, error) from error");
    }

    fn value(&self, index: usize) -> String {
        let packed = self.parts.iter().find_map(|part| match part {
            Part::Run { fields, .. } => fields.iter().find(|(at, _)| *at == index).map(|(_, field)| &field.value),
            Part::Field { .. } => None,
        });
        packed.map_or_else(|| format!("v{index}"), String::clone)
    }

    /// Returns whether a field's encoding reads inverted bytes.
    fn needs_inverted(&self, index: usize) -> bool {
        let field = &self.key.fields[index];
        field.desc || self.turns(&field.ty)
    }

    /// Returns whether a field within a type descends.
    fn turns(&self, ty: &Type) -> bool {
        let any = |fields: &[Field]| fields.iter().any(|field| field.desc || self.turns(&field.ty));
        match ty {
            Type::Option { inner, .. } => self.turns(inner),
            Type::List { item, .. } => self.turns(item),
            Type::Enum(at) | Type::Tuple(at) => match &self.key.types[*at].kind {
                DeclKind::Tuple(fields) => any(fields),
                DeclKind::Enum(variants) => variants.iter().any(|variant| any(&variant.fields)),
            },
            _ => false,
        }
    }

    fn decode_part(&self, at: usize, part: &Part, place: Place, out: &mut Lines) -> Place {
        match part {
            Part::Run { fields, .. } => {
                let names: Vec<&str> =
                    fields.iter().flat_map(|(_, field)| field.names.iter().map(String::as_str)).collect();
                let read =
                    Call::of(&format!("_S{at}.unpack_from"), vec![Call::plain("key"), Call::plain(place.text())]);
                out.line(3, &unpacked(&names, &read));
                let Place(part, more) = place;
                Place(part, more + fields.iter().map(|(_, field)| field.width).sum::<usize>())
            }
            Part::Field { index, .. } => {
                let field = &self.key.fields[*index];
                let (function, sources): (String, &[&str]) = match &field.ty {
                    Type::Text(TextEnd::Escaped) if !field.desc => ("rt.decode_text".to_owned(), &["key"]),
                    _ if field.desc => (format!("_F{index}.encoding.decode"), &["inverted", "key"]),
                    ty if self.turns(ty) => (format!("_F{index}.encoding.decode"), &["key", "inverted"]),
                    // The second one is not looked at.
                    _ => (format!("_F{index}.encoding.decode"), &["key", "key"]),
                };
                let mut arguments: Vec<Call> = sources.iter().map(|source| Call::plain(*source)).collect();
                arguments.push(Call::plain(place.text()));
                let targets = match &field.ty {
                    Type::Constant(_) => format!("_, p{at}"),
                    _ => format!("v{index}, p{at}"),
                };
                let read = Call::of(&function, arguments);
                out.line(3, &format!("{targets} = {}", read.laid_out(3, targets.len() + 3, 0)));
                Place(Some(at), 0)
            }
        }
    }

    fn check_lead(&self, places: &[Place], out: &mut Lines) {
        let Some((by, cut)) = self.lead() else { return };
        let width = self.key.lead.width();
        let slices: Vec<String> = match by {
            [] => vec![format!("key[{width}:]")],
            _ => {
                let hashed = self.parts.iter().zip(places.windows(2)).filter(|(part, _)| part.is_hashed());
                hashed.map(|(_, ends)| format!("key[{} : {}]", ends[0].text(), ends[1].text())).collect()
            }
        };
        let slices: Vec<String> = slices.into_iter().map(|slice| simple(&slice)).collect();
        let m = cut_off(out, joined(&slices), cut);
        let due = Call::of("_LEAD.of", vec![m]);
        let check = Call::of("rt.check_lead", vec![Call::plain(format!("key[:{width}]")), due]);
        out.line(3, &check.laid_out(3, 0, 0));
    }
}

/// A slice as formatters write it: without blanks if its bounds are single words.
fn simple(slice: &str) -> String {
    if slice.contains('+') { slice.to_owned() } else { slice.replace(" : ", ":") }
}

/// The sum of bytes.
fn joined(names: &[String]) -> Call {
    match names {
        [first] => Call::plain(first),
        names if names.len() <= 4 => Call::plain(names.join(" + ")),
        names => Call::of("b\"\".join", vec![Call::list(names.iter().map(Call::plain).collect())]),
    }
}

/// The bytes that are hashed, without the delimiter at its end.
fn cut_off(out: &mut Lines, m: Call, cut: usize) -> Call {
    if cut == 0 {
        return m;
    }
    out.line(3, &format!("m = {}", m.laid_out(3, 4, 0)));
    Call::plain(format!("m[:-{cut}]"))
}

/// An assignment to several names, as ruff has it: where they leave no room for the call it is in parentheses, where
/// they are longer than a line each has its own.
fn unpacked(names: &[&str], read: &Call) -> String {
    let targets = match names {
        [only] => format!("({only},)"),
        names => names.join(", "),
    };
    let left = (WIDTH - 4 * 3 - " = ".len()).saturating_sub(targets.len());
    if read.opened() <= left {
        return format!("{targets} = {}", read.laid_out(3, targets.len() + 3, 0));
    }
    if left > 0 {
        let (inner, outer) = (" ".repeat(4 * 4), " ".repeat(4 * 3));
        return format!("{targets} = (\n{inner}{}\n{outer})", read.laid_out(4, 0, 0));
    }
    let targets = Call::Of("(".to_owned(), names.iter().copied().map(Call::plain).collect(), ")");
    format!("{} = {}", targets.laid_out(3, 0, WIDTH), read.laid_out(3, 4, 0))
}
