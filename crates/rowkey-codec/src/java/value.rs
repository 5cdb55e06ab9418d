//! What writes and reads a value: an expression where it can be one, else statements.

use super::constants::Constants;
use super::source::Source;
use super::types::{boxed, plain};
use crate::ir::{End, Form, Int, IntForm, Key, Ordered, TextEnd, TextField, Type};

/// Code for the values of a key's fields.
pub(super) struct Values<'k, 'c> {
    pub(super) key: &'k Key,
    pub(super) constants: &'c mut Constants,
    /// True for the first field of a key that OrderedCode joins.
    pub(super) is_first: bool,
}

impl Values<'_, '_> {
    /// The expression that writes a value; `None` if it takes several statements.
    pub(super) fn write(&mut self, ty: &Type, value: &str) -> Option<String> {
        let of = |class: &str, method: &str| format!("{class}.{method}(w, {value})");
        let first = self.is_first;
        Some(match ty {
            Type::Int(int) => write_int(*int, value),
            Type::Float { bits } => of("Floats", &format!("write{bits}")),
            Type::Bool => of("Bool", "write"),
            Type::Char => of("CodePoint", "write"),
            Type::Text(TextEnd::Escaped) => of("Text", "write"),
            Type::Text(TextEnd::Raw) => of("Text", "writeRaw"),
            Type::Text(TextEnd::Blanks(width)) => format!("Padded.writeBlanks(w, {value}, {width})"),
            Type::Text(TextEnd::Zeros(width)) => format!("Padded.writeZeros(w, {value}, {width})"),
            Type::Bytes { raw } => of("ByteStrings", raw_or("write", *raw)),
            Type::Array(len) => format!("ByteArrays.write(w, {value}, {len})"),
            Type::Uuid => of("Uuids", "write"),
            Type::Decimal { raw } => of("Decimals", raw_or("write", *raw)),
            Type::Ip => of("IpAddresses", "write"),
            Type::Instant => of("Instants", "write"),
            Type::Duration => of("Durations", "write"),
            Type::Quadkey(zoom) => format!("Tiles.writeQuadkey(w, {value}, {zoom})"),
            Type::Tile => of("Tiles", "write"),
            Type::HostPath { raw } => of("HostPaths", raw_or("write", *raw)),
            Type::Constant(bytes) => format!("Constants.write(w, {})", self.constants.bytes(bytes)),
            Type::Ordered(kind) => format!("Ordered.write{}(w, {value}, {first})", ordered(*kind)),
            Type::Enum(_) | Type::Tuple(_) => format!("{value}.write(w)"),
            Type::TextField(_) | Type::Option { .. } | Type::List { .. } => return None,
        })
    }

    /// The expression that reads a value; `None` if it takes several statements.
    pub(super) fn read(&mut self, ty: &Type) -> Option<String> {
        let first = self.is_first;
        Some(match ty {
            Type::Int(int) => read_int(*int),
            Type::Float { bits } => format!("Floats.read{bits}(r)"),
            Type::Bool => "Bool.read(r)".to_owned(),
            Type::Char => "CodePoint.read(r)".to_owned(),
            Type::Text(TextEnd::Escaped) => "Text.read(r)".to_owned(),
            Type::Text(TextEnd::Raw) => "Text.readRaw(r)".to_owned(),
            Type::Text(TextEnd::Blanks(width)) => format!("Padded.readBlanks(r, {width})"),
            Type::Text(TextEnd::Zeros(width)) => format!("Padded.readZeros(r, {width})"),
            Type::Bytes { raw } => format!("ByteStrings.{}(r)", raw_or("read", *raw)),
            Type::Array(len) => format!("ByteArrays.read(r, {len})"),
            Type::Uuid => "Uuids.read(r)".to_owned(),
            Type::Decimal { raw } => format!("Decimals.{}(r)", raw_or("read", *raw)),
            Type::Ip => "IpAddresses.read(r)".to_owned(),
            Type::Instant => "Instants.read(r)".to_owned(),
            Type::Duration => "Durations.read(r)".to_owned(),
            Type::Quadkey(zoom) => format!("Tiles.readQuadkey(r, {zoom})"),
            Type::Tile => "Tiles.read(r)".to_owned(),
            Type::HostPath { raw } => format!("HostPaths.{}(r)", raw_or("read", *raw)),
            Type::Constant(bytes) => format!("Constants.read(r, {})", self.constants.bytes(bytes)),
            Type::Ordered(kind) => format!("Ordered.read{}(r, {first})", ordered(*kind)),
            Type::Enum(at) | Type::Tuple(at) => format!("{}.read(r)", self.key.types[*at].ident),
            Type::TextField(_) | Type::Option { .. } | Type::List { .. } => return None,
        })
    }

    /// Statements that write a value.
    pub(super) fn write_all(&mut self, ty: &Type, value: &str, depth: usize, to: &mut Source) {
        if let Some(write) = self.write(ty, value) {
            return to.line(&format!("{write};"));
        }
        match ty {
            Type::Option { inner, none, .. } => {
                let none = if *none == 0 { "NONE" } else { "NONE_LAST" };
                to.line(&format!("Options.write(w, {value}.isPresent(), Options.{none});"));
                self.write_present(inner, value, depth, to);
            }
            Type::TextField(field) if field.after.is_some() => {
                let present = present(field);
                self.write_present_after(field, &present, value, depth, to);
            }
            Type::TextField(field) => self.write_text(field, value, depth, to),
            Type::List { item, raw } => {
                let name = format!("item{depth}");
                to.open(&format!("for ({} {name} : {value})", plain(self.key, item)));
                if !raw {
                    to.line("Lists.writeNext(w);");
                }
                self.write_all(item, &name, depth + 1, to);
                to.close();
                if !raw {
                    to.line("Lists.writeEnd(w);");
                }
            }
            _ => {}
        }
    }

    fn write_present(&mut self, inner: &Type, value: &str, depth: usize, to: &mut Source) {
        to.open(&format!("if ({value}.isPresent())"));
        match self.write(inner, &format!("{value}.get()")) {
            Some(write) => to.line(&format!("{write};")),
            None => {
                let name = format!("some{depth}");
                to.line(&format!("{} {name} = {value}.get();", plain(self.key, inner)));
                self.write_all(inner, &name, depth + 1, to);
            }
        }
        to.close();
    }

    fn write_present_after(&mut self, field: &TextField, present: &Type, value: &str, depth: usize, to: &mut Source) {
        let after = self.constants.bytes(field.after.as_deref().unwrap_or_default());
        let name = format!("some{depth}");
        to.open(&format!("if ({value}.isPresent())"));
        to.line(&format!("{} {name} = {value}.get();", plain(self.key, present)));
        to.line(&format!("Constants.write(w, {after});"));
        self.write_all(present, &name, depth + 1, to);
        to.close();
    }

    fn write_text(&mut self, field: &TextField, value: &str, depth: usize, to: &mut Source) {
        let width = field.width.unwrap_or(0);
        let needs_place = field.width.is_some() || matches!(field.end, End::Before(_) | End::Until(_));
        let at = format!("at{depth}");
        if needs_place {
            to.line(&format!("int {at} = w.length();"));
        }
        let write = match &field.form {
            Form::Text => format!("PlainText.write(w, {value})"),
            Form::Reversed => format!("PlainText.writeReversed(w, {value})"),
            Form::Decimal { .. } => format!("NumberText.write(w, {value}, {width}, 10, false)"),
            Form::Hex { upper, .. } => format!("NumberText.write(w, {value}, {width}, 16, {upper})"),
            Form::Signed => format!("NumberText.writeSigned(w, {value})"),
            Form::Minus { max, bits } => {
                format!("NumberText.writeMinus(w, {value}, {}, {width})", self.constants.most(*max, *bits))
            }
            Form::HexBytes { upper } => format!("PlainText.writeHex(w, {value}, {upper})"),
            Form::Uuid => format!("UuidText.write(w, {value})"),
            Form::Date(parts) => format!("{}.write(w, {value})", self.constants.date(parts)),
        };
        to.line(&format!("{write};"));
        if let Some(width) = field.width {
            to.line(&format!("TextEnds.writeWidth(w, {at}, {width});"));
        }
        match (&field.end, field.width) {
            (End::Before(delimiter), Some(_)) => {
                to.line(&format!("Constants.write(w, {});", self.constants.bytes(delimiter)));
            }
            (End::Before(delimiter), None) => {
                to.line(&format!("TextEnds.writeBefore(w, {at}, {});", self.constants.bytes(delimiter)));
            }
            (End::Until(delimiter), _) => {
                to.line(&format!("TextEnds.writeUntil(w, {at}, {});", self.constants.bytes(delimiter)));
            }
            (End::Width | End::Key | End::Rest(_), _) => {}
        }
    }

    /// Statements that read a value into a new variable.
    pub(super) fn read_all(&mut self, ty: &Type, name: &str, depth: usize, to: &mut Source) {
        let declared = format!("{} {name}", plain(self.key, ty));
        if let Some(read) = self.read(ty) {
            return to.line(&format!("{declared} = {read};"));
        }
        match ty {
            Type::Option { inner, none, .. } => {
                let none = if *none == 0 { "NONE" } else { "NONE_LAST" };
                to.line(&format!("{declared} = Optional.empty();"));
                to.open(&format!("if (Options.read(r, Options.{none}))"));
                self.read_present(inner, name, depth, to);
                to.close();
            }
            Type::TextField(field) if field.after.is_some() => {
                let after = self.constants.bytes(field.after.as_deref().unwrap_or_default());
                let present = present(field);
                to.line(&format!("{declared} = Optional.empty();"));
                to.open("if (r.left() > 0)");
                to.line(&format!("TextEnds.readDelimiter(r, {after});"));
                self.read_present(&present, name, depth, to);
                to.close();
            }
            Type::TextField(field) => self.read_text(field, &declared, depth, to),
            Type::List { item, raw } => {
                let each = format!("item{depth}");
                to.line(&format!("{declared} = new ArrayList<>();"));
                to.open(if *raw { "while (r.left() > 0)" } else { "while (Lists.readNext(r))" });
                match self.read(item) {
                    Some(read) => to.line(&format!("{name}.add({read});")),
                    None => {
                        self.read_all(item, &each, depth + 1, to);
                        to.line(&format!("{name}.add({each});"));
                    }
                }
                to.close();
            }
            _ => {}
        }
    }

    fn read_present(&mut self, inner: &Type, name: &str, depth: usize, to: &mut Source) {
        match self.read(inner) {
            Some(read) => to.line(&format!("{name} = Optional.of({read});")),
            None => {
                let some = format!("some{depth}");
                self.read_all(inner, &some, depth + 1, to);
                to.line(&format!("{name} = Optional.of({some});"));
            }
        }
    }

    fn read_text(&mut self, field: &TextField, declared: &str, depth: usize, to: &mut Source) {
        let width = field.width.unwrap_or(0);
        let at = format!("at{depth}");
        to.line(&format!("int {at} = r.position();"));
        match (&field.end, field.width) {
            (_, Some(width)) => to.line(&format!("TextEnds.readWidth(r, {width});")),
            (End::Before(delimiter), None) => {
                to.line(&format!("TextEnds.readBefore(r, {});", self.constants.bytes(delimiter)));
            }
            (End::Until(delimiter), _) => {
                to.line(&format!("TextEnds.readUntil(r, {});", self.constants.bytes(delimiter)));
            }
            (End::Rest(after), _) => to.line(&format!("TextEnds.readRest(r, {after});")),
            (End::Key | End::Width, _) => to.line("TextEnds.readToEnd(r);"),
        }
        if let (End::Before(delimiter), Some(_)) = (&field.end, field.width) {
            to.line(&format!("TextEnds.readDelimiter(r, {});", self.constants.bytes(delimiter)));
        }
        let number = |bits: u8| if bits == 64 { "read" } else { "readWide" };
        let read = match &field.form {
            Form::Text => format!("PlainText.read(r, {at})"),
            Form::Reversed => format!("PlainText.readReversed(r, {at})"),
            Form::Decimal { bits } => format!("NumberText.{}(r, {at}, {width}, 10, false)", number(*bits)),
            Form::Hex { upper, bits } => format!("NumberText.{}(r, {at}, {width}, 16, {upper})", number(*bits)),
            Form::Signed => format!("NumberText.readSigned(r, {at})"),
            Form::Minus { max, bits } => {
                format!("NumberText.readMinus(r, {at}, {}, {width})", self.constants.most(*max, *bits))
            }
            Form::HexBytes { upper } => format!("PlainText.readHex(r, {at}, {upper})"),
            Form::Uuid => format!("UuidText.read(r, {at})"),
            Form::Date(parts) => format!("{}.read(r, {at})", self.constants.date(parts)),
        };
        to.line(&format!("{declared} = {read};"));
    }

    /// The type of a field's values within others.
    pub(super) fn boxed(&self, ty: &Type) -> String {
        boxed(self.key, ty)
    }
}

/// The type of the values that are there, of an optional field.
fn present(field: &TextField) -> Type {
    let mut present = field.clone();
    present.after = None;
    Type::TextField(present)
}

fn raw_or(method: &'static str, raw: bool) -> &'static str {
    match (method, raw) {
        ("write", true) => "writeRaw",
        ("read", true) => "readRaw",
        _ => method,
    }
}

fn ordered(kind: Ordered) -> &'static str {
    match kind {
        Ordered::Text => "Text",
        Ordered::Bytes => "Bytes",
        Ordered::Int => "Int",
        Ordered::BigEndian => "BigEndian",
        Ordered::Micros => "Micros",
        Ordered::BigEndianMicros => "BigEndianMicros",
    }
}

fn write_int(Int { bits, signed, width, form }: Int, value: &str) -> String {
    let order = match form {
        IntForm::Sorted if width * 8 == bits => {
            return match (bits, signed) {
                (128, true) => format!("Wide.writeSigned(w, {value})"),
                (128, false) => format!("Wide.writeUnsigned(w, {value})"),
                (bits, true) => format!("Signed.write{bits}(w, {value})"),
                (bits, false) => format!("Unsigned.write{bits}(w, {value})"),
            };
        }
        IntForm::Sorted | IntForm::Big => "Big",
        IntForm::Little => "Little",
    };
    let checked = match (signed, bits) {
        (false, _) => format!("Binary.unsigned({value}, {width})"),
        (true, 128) => format!("Binary.signed({value})"),
        (true, _) => value.to_owned(),
    };
    format!("Binary.write{order}(w, {checked}, {width})")
}

fn read_int(Int { bits, signed, width, form }: Int) -> String {
    let order = match form {
        IntForm::Sorted if width * 8 == bits => {
            return match (bits, signed) {
                (128, true) => "Wide.readSigned(r)".to_owned(),
                (128, false) => "Wide.readUnsigned(r)".to_owned(),
                (bits, true) => format!("Signed.read{bits}(r)"),
                (bits, false) => format!("Unsigned.read{bits}(r)"),
            };
        }
        IntForm::Sorted | IntForm::Big => "Big",
        IntForm::Little => "Little",
    };
    let read = format!("Binary.read{order}(r, {width})");
    match (bits, signed) {
        (128, signed) => format!("Binary.readWide{order}(r, {width}, {signed})"),
        (8, true) => format!("(byte) {read}"),
        (16, true) => format!("(short) {read}"),
        (32, true) | (8 | 16, false) => format!("(int) {read}"),
        _ => read,
    }
}
