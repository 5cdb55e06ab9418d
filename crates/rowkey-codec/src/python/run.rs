//! Neighbouring fields of a fixed width as one `struct`.

use crate::ir::{Field, Int, IntForm, Type};

/// Fields that are written at once.
#[derive(Debug)]
pub(super) enum Part {
    /// Fields of one `struct`.
    Run { fields: Vec<(usize, Packed)>, is_hashed: bool },
    /// One field.
    Field { index: usize, is_hashed: bool },
}

impl Part {
    pub(super) fn is_hashed(&self) -> bool {
        match self {
            Self::Run { is_hashed, .. } | Self::Field { is_hashed, .. } => *is_hashed,
        }
    }
}

/// A field within a `struct`: its letters, what is packed, and how its value comes back from what was unpacked.
#[derive(Clone, Debug)]
pub(super) struct Packed {
    pub(super) letters: String,
    pub(super) width: usize,
    pub(super) packed: Vec<String>,
    /// The names of what was unpacked.
    pub(super) names: Vec<String>,
    pub(super) value: String,
}

/// The field at an index, if it can be one of a `struct`.
pub(super) fn packed(field: &Field, index: usize) -> Option<Packed> {
    let (x, v, desc) = (format!("self.{}", field.ident), format!("v{index}"), field.desc);
    Some(match &field.ty {
        Type::Int(Int { bits, signed, width, form }) if *bits <= 64 && *width == bits / 8 => {
            let letter = letter(*bits);
            match form {
                IntForm::Sorted => {
                    let (packed, value) = turned(*bits, *signed, desc, &x, &v);
                    one(letter.to_owned(), *bits, packed, v, value)
                }
                IntForm::Big => one(letter.to_lowercase(), *bits, x, v.clone(), v),
                IntForm::Little => return None,
            }
        }
        Type::Float { bits } => {
            let (packed, value) = turned(*bits, false, desc, &format!("rt.f{bits}_bits({x})"), &v);
            one(letter(*bits).to_owned(), *bits, packed, v, format!("rt.f{bits}_of({value})"))
        }
        Type::Instant | Type::Duration => {
            let is_instant = field.ty == Type::Instant;
            let (seconds, nanos) = (format!("{v}s"), format!("{v}n"));
            let (packed_seconds, seconds_back) = turned(64, is_instant, desc, &format!("{x}.seconds"), &seconds);
            let checked = format!("rt.checked_nanos({x}.nanos)");
            let (packed_nanos, nanos_back) = turned(32, false, desc, &checked, &nanos);
            let class = if is_instant { "rt.Instant" } else { "rt.Duration" };
            Packed {
                letters: "QI".to_owned(),
                width: 12,
                packed: vec![packed_seconds, packed_nanos],
                names: vec![seconds, nanos],
                value: format!("{class}({seconds_back}, rt.checked_nanos({nanos_back}))"),
            }
        }
        Type::Array(width) if *width > 0 => array(*width, format!("rt.exact({x}, {width})"), v, desc),
        Type::Uuid => {
            let Packed { packed, names, value, .. } = array(16, format!("{x}.bytes"), v, desc);
            Packed { letters: "16s".to_owned(), width: 16, packed, names, value: format!("rt.UUID(bytes={value})") }
        }
        _ => return None,
    })
}

fn letter(bits: u8) -> &'static str {
    match bits {
        8 => "B",
        16 => "H",
        32 => "I",
        _ => "Q",
    }
}

fn one(letters: String, bits: u8, packed: String, name: String, value: String) -> Packed {
    Packed { letters, width: usize::from(bits) / 8, packed: vec![packed], names: vec![name], value }
}

fn array(width: usize, packed: String, v: String, desc: bool) -> Packed {
    let turned = |text: &str| if desc { format!("{text}.translate(rt.INVERTED)") } else { text.to_owned() };
    Packed { letters: format!("{width}s"), width, packed: vec![turned(&packed)], value: turned(&v), names: vec![v] }
}

/// The number that is packed, and the number of what was unpacked: the highest bit flipped if it is signed, all bits
/// inverted if it descends.
fn turned(bits: u8, signed: bool, desc: bool, x: &str, v: &str) -> (String, String) {
    let (half, all) = (1u128 << (bits - 1), (1u128 << bits) - 1);
    match (signed, desc) {
        (false, false) => (x.to_owned(), v.to_owned()),
        (true, false) => (format!("{x} + {half}"), format!("{v} - {half}")),
        (false, true) => (format!("{all} - {x}"), format!("{all} - {v}")),
        (true, true) => (format!("{} - {x}", half - 1), format!("{} - {v}", half - 1)),
    }
}

/// The parts of fields: those of a `struct` together, but none of them of two kinds, as `is_hashed` says.
pub(super) fn parts(fields: &[Field], is_hashed: &dyn Fn(usize) -> bool) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for (index, field) in fields.iter().enumerate() {
        let hashed = is_hashed(index);
        match (packed(field, index), parts.last_mut()) {
            (Some(field), Some(Part::Run { fields, is_hashed })) if *is_hashed == hashed => fields.push((index, field)),
            (Some(field), _) => parts.push(Part::Run { fields: vec![(index, field)], is_hashed: hashed }),
            (None, _) => parts.push(Part::Field { index, is_hashed: hashed }),
        }
    }
    parts
}
