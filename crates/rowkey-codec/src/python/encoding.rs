//! Types as annotations, and as the runtime's encodings.

use super::call::Call;
use super::text::{bytes, literal};
use crate::ir::{DatePart, End, Form, Int, IntForm, Key, Ordered, TextEnd, TextField, Type};

/// The type of the values, as annotations have it.
pub(super) fn annotation(key: &Key, ty: &Type) -> String {
    match ty {
        Type::Int(_) => "int".to_owned(),
        Type::Float { .. } => "float".to_owned(),
        Type::Bool => "bool".to_owned(),
        Type::Char | Type::Text(_) | Type::Quadkey(_) | Type::Tile | Type::HostPath { .. } => "str".to_owned(),
        Type::Bytes { .. } | Type::Array(_) => "bytes".to_owned(),
        Type::Uuid => "rt.UUID".to_owned(),
        Type::Decimal { .. } => "rt.Decimal".to_owned(),
        Type::Ip => "rt.IpAddress".to_owned(),
        Type::Instant => "rt.Instant".to_owned(),
        Type::Duration => "rt.Duration".to_owned(),
        Type::Constant(_) => "tuple[()]".to_owned(),
        Type::Ordered(kind) => match kind {
            Ordered::Text => "str",
            Ordered::Bytes => "bytes",
            Ordered::Int | Ordered::BigEndian => "int",
            Ordered::Micros | Ordered::BigEndianMicros => "rt.Instant",
        }
        .to_owned(),
        Type::TextField(field) => {
            let value = match field.form {
                Form::Text | Form::Reversed => "str",
                Form::Decimal { .. } | Form::Signed | Form::Minus { .. } | Form::Hex { .. } => "int",
                Form::HexBytes { .. } => "bytes",
                Form::Uuid => "rt.UUID",
                Form::Date(_) => "rt.Instant",
            };
            if field.after.is_some() { format!("{value} | None") } else { value.to_owned() }
        }
        Type::Option { inner, is_nested: false, .. } => format!("{} | None", annotation(key, inner)),
        Type::Option { inner, is_nested: true, .. } => format!("rt.Some[{}] | None", annotation(key, inner)),
        Type::List { item, .. } => format!("tuple[{}, ...]", annotation(key, item)),
        Type::Enum(at) | Type::Tuple(at) => key.types[*at].ident.clone(),
    }
}

/// The encoding of a type, as if it were ascending. `is_first` is of the first field of a key.
pub(super) fn encoding(ty: &Type, is_first: bool) -> Call {
    let of = |function: &str, arguments: Vec<Call>| Call::of(&format!("rt.{function}"), arguments);
    let number = |number: usize| Call::plain(number.to_string());
    let inner = |ty: &Type| encoding(ty, false);
    match ty {
        Type::Int(int) => integer(int),
        Type::Float { bits } => of(&format!("F{bits}"), vec![]),
        Type::Bool => of("Bool", vec![]),
        Type::Char => of("Char", vec![]),
        Type::Text(TextEnd::Escaped) => of("Text", vec![]),
        Type::Text(TextEnd::Raw) => of("RawText", vec![]),
        Type::Text(TextEnd::Blanks(width)) => of("BlankPadded", vec![number((*width).into())]),
        Type::Text(TextEnd::Zeros(width)) => of("ZeroPadded", vec![number((*width).into())]),
        Type::Bytes { raw } => of(if *raw { "RawBytes" } else { "Bytes" }, vec![]),
        Type::Array(len) => of("Array", vec![number(*len)]),
        Type::Uuid => of("Uuid", vec![]),
        Type::Decimal { raw } => of(if *raw { "RawDecimal" } else { "DecimalNumber" }, vec![]),
        Type::Ip => of("Ip", vec![]),
        Type::Instant => of("InstantNanos", vec![]),
        Type::Duration => of("DurationNanos", vec![]),
        Type::Quadkey(zoom) => of("Quadkey", vec![number((*zoom).into())]),
        Type::Tile => of("Tile", vec![]),
        Type::HostPath { raw } => of(if *raw { "RawHostPath" } else { "HostPath" }, vec![]),
        Type::Constant(constant) => of("Constant", vec![Call::plain(bytes(constant))]),
        Type::TextField(field) => text_field(field),
        Type::Ordered(kind) => ordered(*kind, is_first),
        Type::Option { inner: of_type, none, is_nested } => {
            let mut arguments = vec![inner(of_type)];
            if *none != 0 {
                arguments.push(Call::named("none", none.to_string()));
            }
            of(if *is_nested { "NestedOption" } else { "Option" }, arguments)
        }
        Type::List { item, raw } => of(if *raw { "RawList" } else { "List" }, vec![inner(item)]),
        Type::Enum(at) | Type::Tuple(at) => Call::plain(declared(*at)),
    }
}

/// The name of the encoding of a declared type.
pub(super) fn declared(at: usize) -> String {
    format!("_T{at}")
}

fn truth(name: &str, value: bool) -> Call {
    Call::named(name, if value { "True" } else { "False" })
}

fn integer(int: &Int) -> Call {
    let Int { signed, width, form, .. } = *int;
    let (width, signed) = (Call::plain(width.to_string()), truth("signed", signed));
    match form {
        IntForm::Sorted => Call::of("rt.Sorted", vec![width, signed]),
        form => Call::of("rt.Native", vec![width, signed, truth("little", form == IntForm::Little)]),
    }
}

fn ordered(kind: Ordered, is_first: bool) -> Call {
    let first = truth("first", is_first);
    let micros = |number: &str| {
        let number = Call::Behind("number=".to_owned(), Box::new(Call::of(number, vec![truth("first", true)])));
        Call::of("rt.JoinedMicros", vec![truth("first", is_first), number])
    };
    match kind {
        Ordered::Text => Call::of("rt.JoinedText", vec![first]),
        Ordered::Bytes => Call::of("rt.JoinedBytes", vec![first]),
        Ordered::Int => Call::of("rt.JoinedInt", vec![first]),
        Ordered::BigEndian => Call::of("rt.JoinedBigEndian", vec![first]),
        Ordered::Micros => micros("rt.JoinedInt"),
        Ordered::BigEndianMicros => micros("rt.JoinedBigEndian"),
    }
}

fn text_field(field: &TextField) -> Call {
    let width = field.width.map(|width| Call::plain(width.to_string()));
    let numbered = |mut first: Vec<Call>| {
        first.extend(width.clone());
        first
    };
    let form = match &field.form {
        Form::Text => Call::plain("rt.PLAIN"),
        Form::Reversed => Call::plain("rt.REVERSED"),
        Form::Decimal { .. } => Call::of("rt.decimal", numbered(vec![])),
        Form::Signed => Call::plain("rt.SIGNED"),
        Form::Minus { max, .. } => Call::of("rt.minus", numbered(vec![Call::plain(max.to_string())])),
        Form::Hex { upper: false, .. } => Call::of("rt.hexadecimal", numbered(vec![])),
        Form::Hex { upper: true, .. } => {
            let mut arguments = numbered(vec![]);
            arguments.push(truth("upper", true));
            Call::of("rt.hexadecimal", arguments)
        }
        Form::HexBytes { upper: false } => Call::of("rt.hex_bytes", vec![]),
        Form::HexBytes { upper: true } => Call::of("rt.hex_bytes", vec![truth("upper", true)]),
        Form::Uuid => Call::plain("rt.UUID_TEXT"),
        Form::Date(parts) => Call::of("rt.dates", parts.iter().map(|part| Call::plain(date_part(*part))).collect()),
    };
    let fixed = |delimiter: Option<&[u8]>| {
        let delimiter = delimiter.map(|delimiter| Call::plain(bytes(delimiter)));
        let width = width.clone().unwrap_or_else(|| Call::plain("0"));
        Call::of("rt.Fixed", [form.clone(), width].into_iter().chain(delimiter).collect())
    };
    let delimited = |class: &str, delimiter: &[u8]| {
        Call::of(&format!("rt.{class}"), vec![form.clone(), Call::plain(bytes(delimiter))])
    };
    let present = match &field.end {
        End::Width => fixed(None),
        End::Before(delimiter) if width.is_some() => fixed(Some(delimiter)),
        End::Before(delimiter) => delimited("Before", delimiter),
        End::Until(delimiter) => delimited("Until", delimiter),
        End::Key => Call::of("rt.Last", vec![form.clone()]),
        End::Rest(after) => Call::of("rt.Last", vec![form.clone(), Call::plain(after.to_string())]),
    };
    match &field.after {
        None => present,
        Some(after) => Call::of("rt.After", vec![present, Call::plain(bytes(after))]),
    }
}

fn date_part(part: DatePart) -> String {
    match part {
        DatePart::Year => literal("yyyy"),
        DatePart::Month => literal("MM"),
        DatePart::Day => literal("dd"),
        DatePart::DayOfYear => literal("DDD"),
        DatePart::Hour => literal("HH"),
        DatePart::Minute => literal("mm"),
        DatePart::Second => literal("ss"),
        DatePart::Fraction(digits) => literal(&"S".repeat(digits.into())),
        DatePart::Literal(char) => literal(&char.to_string()),
    }
}
