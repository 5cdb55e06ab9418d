//! Statements that write and read a field of a text key: its content by a form, then its end.

use super::source::Source;
use super::value::Values;
use crate::ir::{End, Form, TextField};

impl Values<'_, '_> {
    pub(super) fn write_text(&mut self, field: &TextField, value: &str, depth: usize, to: &mut Source) {
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

    pub(super) fn read_text(&mut self, field: &TextField, declared: &str, depth: usize, to: &mut Source) {
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
}
