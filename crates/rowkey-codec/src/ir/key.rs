//! The order and the width of a key's types, and where prefixes of it can end.

use super::{DeclKind, End, Field, Int, IntForm, Key, Lead, Order, Ordered, TextEnd, TextField, Type};

impl Key {
    /// The number of leading fields that a prefix can fix. Fields that end before the last bytes of the key have no
    /// prefixes behind them.
    pub fn most_fixed(&self) -> usize {
        let is_open = |field: &Field| matches!(&field.ty, Type::TextField(TextField { end: End::Rest(_), .. }));
        self.fields.iter().position(is_open).unwrap_or(self.fields.len())
    }

    /// The number of leading fields that a prefix must fix, so that its ranges are known: before a digest all that the
    /// digest is taken from.
    pub fn least_fixed(&self) -> usize {
        match &self.lead {
            Lead::Digest(digest) => digest.by.last().map_or(self.fields.len(), |last| last + 1),
            Lead::None | Lead::Salt(_) => 0,
        }
    }

    /// The fields that a prefix fixes, as few as have ranges: the first, or all that a digest is taken from. Constants
    /// are not named.
    pub fn least_prefix(&self) -> Vec<&Field> {
        let is_constant = |field: &Field| matches!(field.ty, Type::Constant(_));
        let fields = &self.fields[..self.most_fixed()];
        let first = fields.iter().position(|field| !is_constant(field)).map_or(0, |first| first + 1);
        let fixed = first.max(self.least_fixed());
        fields.iter().take(fixed).filter(|field| !is_constant(field)).collect()
    }

    /// The delimiter before the last field, if keys have it only with that field.
    pub fn until(&self) -> Option<&[u8]> {
        match self.fields.as_slice() {
            [.., Field { ty: Type::TextField(TextField { end: End::Until(delimiter), .. }), .. }, _] => Some(delimiter),
            _ => None,
        }
    }

    /// The fields of a key of integers alone, each in all its bytes and in the order of its values, with nothing before
    /// them: where each begins, and its integer. Such a key is right if it has their width.
    pub fn integers(&self) -> Option<Vec<(usize, &Field, Int)>> {
        let mut at = 0;
        let placed = self.fields.iter().map(|field| match &field.ty {
            Type::Int(int) if int.bits < 128 && int.width * 8 == int.bits && int.form == IntForm::Sorted => {
                let from = at;
                at += usize::from(int.width);
                Some((from, field, *int))
            }
            _ => None,
        });
        placed.collect::<Option<_>>().filter(|_| self.lead.width() == 0)
    }

    /// The order of the bytes of a type of this key.
    pub fn order(&self, ty: &Type) -> Order {
        let parts = |fields: &[Field]| fields.iter().all(|field| self.order(&field.ty) == Order::Ascending);
        let is_ascending = match ty {
            Type::TextField(field) => return field.order(),
            Type::Int(int) => int.form == IntForm::Sorted,
            Type::Ordered(Ordered::BigEndian | Ordered::BigEndianMicros) => false,
            Type::Option { inner, .. } => self.order(inner) == Order::Ascending,
            Type::List { item, .. } => self.order(item) == Order::Ascending,
            Type::Enum(at) | Type::Tuple(at) => match &self.types[*at].kind {
                DeclKind::Tuple(fields) => parts(fields),
                DeclKind::Enum(variants) => variants.iter().all(|variant| parts(&variant.fields)),
            },
            _ => true,
        };
        if is_ascending { Order::Ascending } else { Order::None }
    }

    /// The number of bytes of all values of a type; `None` if it differs.
    pub fn width(&self, ty: &Type) -> Option<usize> {
        let sum = |fields: &[Field]| fields.iter().try_fold(0, |sum, field| Some(sum + self.width(&field.ty)?));
        Some(match ty {
            Type::Int(int) => int.width.into(),
            Type::Float { bits } => usize::from(*bits) / 8,
            Type::Bool => 1,
            Type::Char => 4,
            Type::Text(TextEnd::Blanks(width) | TextEnd::Zeros(width)) => (*width).into(),
            Type::Array(len) => *len,
            Type::Uuid => 16,
            Type::Instant | Type::Duration => 12,
            Type::Quadkey(zoom) => usize::from(zoom.div_ceil(4)),
            Type::Tile => 8,
            Type::Constant(bytes) => bytes.len(),
            Type::TextField(field) => return field.whole_width(),
            Type::Tuple(at) | Type::Enum(at) => match &self.types[*at].kind {
                DeclKind::Tuple(fields) => return sum(fields),
                DeclKind::Enum(variants) => {
                    let mut widths = variants.iter().map(|variant| sum(&variant.fields));
                    let first = widths.next()??;
                    return widths.all(|width| width == Some(first)).then_some(1 + first);
                }
            },
            Type::Text(TextEnd::Escaped | TextEnd::Raw)
            | Type::Bytes { .. }
            | Type::Decimal { .. }
            | Type::Ip
            | Type::HostPath { .. }
            | Type::Ordered(_)
            | Type::Option { .. }
            | Type::List { .. } => return None,
        })
    }

    /// Returns whether a value of a type ends with the key, without an end of its own.
    pub fn ends_with_key(&self, ty: &Type) -> bool {
        match ty {
            Type::Text(TextEnd::Raw)
            | Type::Bytes { raw: true }
            | Type::Decimal { raw: true }
            | Type::HostPath { raw: true }
            | Type::List { raw: true, .. } => true,
            Type::TextField(field) => field.end == End::Key || field.after.is_some(),
            Type::Tuple(at) => match &self.types[*at].kind {
                DeclKind::Tuple(fields) => fields.last().is_some_and(|last| self.ends_with_key(&last.ty)),
                DeclKind::Enum(_) => false,
            },
            _ => false,
        }
    }
}
