//! A key: its struct, how it is written, read and explained.

use super::append::{self, value};
use super::code::{Code, literal};
use super::doc::sentence;
use super::layout::hashed;
use super::size::Size;
use super::{decl, read, show, ty};
use crate::ir::{Field, Int, Key, Type};

pub(super) fn write(code: &mut Code, key: &Key) {
    let about = key.about.as_deref().map_or(String::new(), |about| format!(" {}", sentence(about)));
    let says = format!("is the row key of the table {}.{about}", key.name);
    decl::record(code, key, &key.ident, &key.fields, &says);
    encode(code, key);
    append_to(code, key);
    decode(code, key);
    read_from(code, key);
    explain(code, key);
    let ident = &key.ident;
    code.line("// Layout returns the layout of the keys: what a table of them keeps, and how it is split.");
    code.open(format!("func ({ident}) Layout() *rowkey.Layout {{"));
    code.line(format!("return &layoutOf{ident}"));
    code.end();
    key.types.iter().for_each(|decl| decl::write(code, key, decl));
    (0..key.fields.len()).filter(|i| has_writer(key, *i)).for_each(|i| writer(code, key, i));
}

fn encode(code: &mut Code, key: &Key) {
    let ident = &key.ident;
    code.line("// Encode returns the bytes of the key.");
    code.function(format!("func (k {ident}) Encode() ([]byte, error) {{"));
    if let Some((width, _)) = integers(key) {
        code.line(format!("dst := make([]byte, 0, {width})"));
        key.fields.iter().enumerate().for_each(|(i, field)| append_field(code, key, i, field));
        code.line("return dst, nil");
        return code.end();
    }
    let size = Size::of(key, &key.fields, "k").plus(key.lead.width());
    code.line(format!("size := {}", size.sum()));
    size.write_loops(code);
    code.line("return k.AppendTo(make([]byte, 0, size))");
    code.end();
}

fn append_to(code: &mut Code, key: &Key) {
    let ident = &key.ident;
    let width = key.lead.width();
    code.line(
        "// AppendTo appends the bytes of the key to dst, and returns it. After an error it returns dst as it was.",
    );
    let receiver = if key.fields.iter().any(read::is_member) { "k " } else { "" };
    code.function(format!("func ({receiver}{ident}) AppendTo(dst []byte) ([]byte, error) {{"));
    let fails = (0..key.fields.len()).any(|i| is_by_writer(key, i) || append::fails(key, &key.fields[i].ty));
    if fails || width > 0 || key.is_joined {
        code.line("start := len(dst)");
    }
    if fails {
        code.line("var err error");
    }
    if width > 0 {
        code.line(format!("dst = append(dst, {}...)", literal(&vec![0; width])));
    }
    let runs = runs(key);
    for (i, field) in key.fields.iter().enumerate() {
        append_field(code, key, i, field);
        if runs.iter().any(|(first, last)| first.checked_sub(1) == Some(i) || (*last == i && i + 1 < key.fields.len()))
        {
            code.line(format!("end{i} := len(dst)"));
        }
    }
    if key.is_joined {
        code.line("dst = dst[:start+len(rowkey.TrimOrdered(dst[start:]))]");
    }
    if width > 0 {
        let place = |i: Option<usize>, none: String| i.map_or(none, |i| format!("end{i}"));
        let last = key.fields.len().saturating_sub(1);
        let slice = |(first, end): &(usize, usize), cut: usize| {
            let from = place(first.checked_sub(1), format!("start+{width}"));
            let to = place(Some(*end).filter(|end| *end < last), String::new());
            match (to.as_str(), cut) {
                (to, 0) => format!("dst[{from}:{to}]"),
                ("", cut) => format!("dst[{from}:len(dst)-{cut}]"),
                (to, cut) => format!("dst[{from}:{to}-{cut}]"),
            }
        };
        hash(code, key, &runs, slice, &format!("layoutOf{ident}.Lead.Put(dst[start:], {{}})"));
    }
    code.line("return dst, nil");
    code.end();
}

fn append_field(code: &mut Code, key: &Key, i: usize, field: &Field) {
    let fail = format!(
        "return dst[:start], rowkey.InKey({}, {}, {{}})",
        literal(key.ident.as_bytes()),
        literal(field.name.as_bytes())
    );
    let record = format!("k.{}", field.ident);
    if !is_by_writer(key, i) {
        return value(code, key, &field.ty, field.desc, &record, &fail);
    }
    let mark = field.desc.then(|| code.mark());
    if let Some(mark) = &mark {
        code.line(format!("{mark} := len(dst)"));
    }
    code.open(format!("if dst, err = {}(dst, {record}); err != nil {{", writer_name(key, i)));
    code.line(fail.replace("{}", "err"));
    code.close("}");
    if let Some(mark) = mark {
        code.line(format!("rowkey.Invert(dst[{mark}:])"));
    }
}

/// The runs of neighbouring fields that a lead is taken from: the first and the last of each.
fn runs(key: &Key) -> Vec<(usize, usize)> {
    if key.lead.width() == 0 {
        return Vec::new();
    }
    let (by, _) = hashed(&key.lead);
    if by.is_empty() {
        return vec![(0, key.fields.len().saturating_sub(1))];
    }
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &field in by {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == field => *last = field,
            _ => runs.push((field, field)),
        }
    }
    runs
}

/// Code that uses the bytes that a lead is taken from: `slice` is a run of them, without some bytes at its end.
fn hash(
    code: &mut Code,
    key: &Key,
    runs: &[(usize, usize)],
    slice: impl Fn(&(usize, usize), usize) -> String,
    with: &str,
) {
    let (_, cut) = hashed(&key.lead);
    match runs {
        [only] => code.line(with.replace("{}", &slice(only, cut))),
        _ => {
            code.line("var space [64]byte");
            code.line("m := space[:0]");
            for (i, run) in runs.iter().enumerate() {
                let cut = if i + 1 == runs.len() { cut } else { 0 };
                code.line(format!("m = append(m, {}...)", slice(run, cut)));
            }
            code.line(with.replace("{}", "m"));
        }
    }
}

fn decode(code: &mut Code, key: &Key) {
    let ident = &key.ident;
    let integers = integers(key);
    code.line(
        "// Decode reads the key from its bytes. After an error, in which errors.As finds a *rowkey.DecodeError, the key",
    );
    code.line("// is as it was.");
    if let Some((width, reads)) = &integers {
        // They are read at once, without a call, so that this can be inlined: what is wrong is found when asked for.
        code.function(format!("func (k *{ident}) Decode(key []byte) error {{"));
        code.open(format!("if len(key) != {width} {{"));
        code.line(format!("return {}(key)", wrong(ident)));
        code.close("}");
        reads.iter().for_each(|read| code.line(read));
        code.line("return nil");
        code.end();
    }
    let name = if integers.is_some() { "decode" } else { "Decode" };
    code.function(format!("func (k *{ident}) {name}(key []byte) error {{"));
    code.line(format!("var v {ident}"));
    code.line(format!("var ends [{}]int", key.fields.len()));
    code.line("r := rowkey.NewReader(key)");
    code.line("v.readFrom(&r, &ends)");
    code.open(format!("if err := r.Err({}); err != nil {{", literal(ident.as_bytes())));
    code.line("return err");
    code.close("}");
    code.line("*k = v");
    code.line("return nil");
    code.end();
    if integers.is_some() {
        wrong_key(code, ident);
    }
}

/// The type of the error by bytes that are no key.
fn wrong(ident: &str) -> String {
    format!("bytesNot{ident}")
}

fn wrong_key(code: &mut Code, ident: &str) {
    let name = wrong(ident);
    super::doc::comment(code, &format!("{name} is the error by bytes that are no {ident}."));
    code.line(format!("type {name} string"));
    code.line("");
    code.function(format!("func (key {name}) Error() string {{"));
    code.line("return key.Unwrap().Error()");
    code.end();
    code.line("// Unwrap returns the *rowkey.DecodeError.");
    code.function(format!("func (key {name}) Unwrap() error {{"));
    code.line(format!("return new({ident}).decode([]byte(key))"));
    code.end();
}

/// The width of a key of integers alone, and the statements that read them.
fn integers(key: &Key) -> Option<(usize, Vec<String>)> {
    let integers = key.integers()?;
    let read = |(at, field, int): &(usize, &Field, Int)| {
        let (sign, invert) = (if int.signed { 'I' } else { 'U' }, if field.desc { "^" } else { "" });
        let from = if *at == 0 { "key".to_owned() } else { format!("key[{at}:]") };
        format!("k.{} = {invert}rowkey.{sign}{}({from})", field.ident, int.bits)
    };
    let width = integers.iter().map(|(_, _, int)| usize::from(int.width)).sum();
    Some((width, integers.iter().map(read).collect()))
}

fn read_from(code: &mut Code, key: &Key) {
    let (ident, width) = (&key.ident, key.lead.width());
    code.line("// readFrom reads the key, and where its fields end.");
    code.function(format!("func (k *{ident}) readFrom(r *rowkey.Reader, ends *[{}]int) {{", key.fields.len()));
    if width > 0 {
        code.open(format!("if r.Skip({width}); r.Failed() {{"));
        code.line("return");
        code.close("}");
    }
    read::fields(code, key, &key.fields, "k", |code, i| code.line(format!("ends[{i}] = r.Offset()")));
    code.line("r.End()");
    if width > 0 {
        let slice = |(first, last): &(usize, usize), cut: usize| {
            let from = first.checked_sub(1).map_or(width.to_string(), |before| format!("ends[{before}]"));
            match cut {
                0 => format!("r.Part({from}, ends[{last}])"),
                cut => format!("r.Part({from}, ends[{last}]-{cut})"),
            }
        };
        hash(code, key, &runs(key), slice, &format!("r.Lead(layoutOf{ident}.Lead, {{}})"));
    }
    code.end();
}

fn explain(code: &mut Code, key: &Key) {
    let ident = &key.ident;
    code.line("// Explain returns a table of a key's bytes: of each field their place, and the value.");
    code.function(format!("func ({ident}) Explain(key []byte) string {{"));
    code.line(format!("var v {ident}"));
    code.line(format!("var ends [{}]int", key.fields.len()));
    code.line("r := rowkey.NewReader(key)");
    code.line("v.readFrom(&r, &ends)");
    let values = key.fields.iter().map(|field| match &field.ty {
        Type::Constant(_) => "nil".to_owned(),
        ty => show::shown(key, ty, &format!("v.{}", field.ident)),
    });
    let (values, name) = (Vec::from_iter(values).join(", "), literal(ident.as_bytes()));
    code.line(format!("return layoutOf{ident}.Explain(key, ends[:], []any{{{values}}}, r.Err({name}))"));
    code.end();
}

/// Returns whether a field of a key has a function that appends its ascending values.
pub(super) fn has_writer(key: &Key, i: usize) -> bool {
    let field = &key.fields[i];
    !matches!(field.ty, Type::Constant(_)) && (is_by_writer(key, i) || append::writer(key, &field.ty).is_none())
}

/// Returns whether the key itself is written by that function.
fn is_by_writer(key: &Key, i: usize) -> bool {
    key.is_joined || matches!(key.fields[i].ty, Type::Option { .. } | Type::List { .. })
}

pub(super) fn writer_name(key: &Key, i: usize) -> String {
    format!("writeField{i}Of{}", key.ident)
}

fn writer(code: &mut Code, key: &Key, i: usize) {
    let field = &key.fields[i];
    comment_of_writer(code, key, i, field);
    code.function(format!("func {}(dst []byte, v {}) ([]byte, error) {{", writer_name(key, i), ty::of(key, &field.ty)));
    if key.is_joined && i > 0 {
        code.line("dst = rowkey.AppendOrderedSeparator(dst)");
    }
    match &field.ty {
        Type::Option { .. } | Type::List { .. } => {}
        Type::TextField(text) if text.after.is_some() => {}
        ty => {
            let call = append::call(key, ty, "v", "dst");
            code.line(format!("return {}{}", call.text, if call.fails { "" } else { ", nil" }));
            return code.end();
        }
    }
    if append::fails(key, &field.ty) {
        code.line("var err error");
    }
    value(code, key, &field.ty, false, "v", "return dst, {}");
    code.line("return dst, nil");
    code.end();
}

fn comment_of_writer(code: &mut Code, key: &Key, i: usize, field: &Field) {
    let text = format!("{} appends {} as in an ascending field.", writer_name(key, i), field.name);
    super::doc::comment(code, &text);
}
