//! Prefixes: a type for each number of fixed fields, with methods for the next field.

use super::append;
use super::code::{Code, literal};
use super::doc::comment;
use super::key::{has_writer, writer_name};
use super::ty;
use crate::ir::{Beginning, Field, Key, Lead, Order, Ordered, TextEnd, Type};

pub(super) fn write(code: &mut Code, key: &Key) {
    let most = key.most_fixed();
    let mut at = after_constants(key, 0);
    start(code, key, at);
    let mut from = 0;
    while at < most {
        let next = after_constants(key, at + 1);
        step(code, key, next, at);
        methods(code, key, from, at, next);
        (from, at) = (next, next);
    }
}

/// The first field from here on that is not the same in every key.
fn after_constants(key: &Key, from: usize) -> usize {
    let rest = &key.fields[from.min(key.fields.len())..];
    from + rest.iter().take_while(|field| matches!(field.ty, Type::Constant(_))).count()
}

fn start(code: &mut Code, key: &Key, first: usize) {
    let (step, ident) = (&key.steps[0], &key.ident);
    comment(code, &format!("{step} selects keys of type {ident} by their first fields, in the order of the key."));
    code.line(format!("type {step} struct{{}}"));
    code.line("");
    code.line("// All selects every key.");
    let all = match key.lead {
        Lead::Digest(_) => none(key),
        Lead::None | Lead::Salt(_) => constants(key, none(key), 0, first),
    };
    code.open(format!("func ({step}) All() rowkey.Selection {{"));
    code.line(format!("return {all}.Select()"));
    code.end();
}

/// The prefix without fields.
fn none(key: &Key) -> String {
    format!("rowkey.NewPrefix(&layoutOf{})", key.ident)
}

/// A prefix that goes on with constants.
fn constants(key: &Key, prefix: String, from: usize, to: usize) -> String {
    key.fields[from..to].iter().fold(prefix, |prefix, field| match &field.ty {
        Type::Constant(bytes) => format!("rowkey.FixConstant({prefix}, {}, {})", slot(key, field), literal(bytes)),
        _ => prefix,
    })
}

fn slot(key: &Key, field: &Field) -> String {
    let members = [
        ("Desc", field.desc),
        ("Raw", key.ends_with_key(&field.ty)),
        ("Reverse", key.order(&field.ty) == Order::Descending),
    ];
    let members = members.iter().filter(|(_, is)| *is).map(|(name, _)| format!("{name}: true"));
    format!("rowkey.Slot{{{}}}", Vec::from_iter(members).join(", "))
}

/// The member that holds the prefix: a type whose keys are in no range hides it.
fn member(key: &Key, fixed: usize) -> &'static str {
    if fixed < key.least_fixed() { "prefix" } else { "Prefix" }
}

fn step(code: &mut Code, key: &Key, fixed: usize, last: usize) {
    let (step, ident) = (&key.steps[fixed], &key.ident);
    let name = &key.fields[last].name;
    comment(code, &format!("{step} selects keys of type {ident} by their fields up to {name}."));
    code.open(format!("type {step} struct {{"));
    match member(key, fixed) {
        "Prefix" => code.line("rowkey.Prefix"),
        hidden => code.line(format!("{hidden} rowkey.Prefix")),
    }
    code.end();
}

/// The methods of the step at `from`, for the field at `at`. With it, and the constants after it, `next` are fixed.
fn methods(code: &mut Code, key: &Key, from: usize, at: usize, next: usize) {
    let field = &key.fields[at];
    let on = On::new(key, from, at);
    let (ident, of) = (&field.ident, ty::of(key, &field.ty));
    let (prefix, slot, write) = (&on.prefix, &on.slot, &on.write);
    let fixed = constants(key, format!("rowkey.Fix({prefix}, {slot}, v, {write})"), at + 1, next);
    let (to, member) = (&key.steps[next], member(key, next));
    comment(code, &format!("{ident} fixes {}.", field.name));
    code.open(format!("func ({}) {ident}(v {of}) {to} {{", on.receiver));
    code.line(format!("return {to}{{{member}: {fixed}}}"));
    code.end();

    let least = key.least_fixed();
    if at + 1 >= least {
        let says = format!("{ident}In ends with several values of {}.", field.name);
        on.method(code, &says, "In", &format!("values ...{of}"), &format!("In({prefix}, {slot}, values, {write})"));
    }
    if at < least {
        return;
    }
    if key.order(&field.ty) != Order::None {
        let says = format!("{ident}Range ends with ranges of {}, in the order of its values.", field.name);
        let call = format!("Within({prefix}, {slot}, ranges, {write})");
        on.method(code, &says, "Range", &format!("ranges ...rowkey.Interval[{of}]"), &call);
    }
    if let Type::HostPath { .. } = field.ty {
        let says = format!("{ident}Under ends with a domain and all its subdomains, or an address.");
        on.method(code, &says, "Under", "host string", &format!("Under({prefix}, {slot}, host)"));
    }
    let within = match field.ty {
        Type::Tile => Some(String::new()),
        Type::Quadkey(zoom) => Some(format!(", {zoom}")),
        _ => None,
    };
    if let Some(zoom) = within {
        let says = format!("{ident}Within ends with the tiles in one, itself among them.");
        let kind = if zoom.is_empty() { "Tile" } else { "Quadkey" };
        let call = format!("Within{kind}({prefix}, {slot}, area{zoom})");
        on.method(code, &says, "Within", "area rowkey.Tile", &call);
    }
    starts_with(code, key, at, &on, &of);
}

fn starts_with(code: &mut Code, key: &Key, at: usize, on: &On<'_>, of: &str) {
    let field = &key.fields[at];
    let first = at == 0;
    let bytes = match &field.ty {
        Type::Text(TextEnd::Escaped) => "rowkey.TextStart(start)".to_owned(),
        Type::Text(TextEnd::Raw) => "rowkey.RawStart(start)".to_owned(),
        Type::Text(TextEnd::Blanks(width)) => return special(code, field, on, "Padded", &format!("{width}, true")),
        Type::Text(TextEnd::Zeros(width)) => return special(code, field, on, "Padded", &format!("{width}, false")),
        Type::Bytes { raw: false } => "rowkey.BytesStart(start)".to_owned(),
        Type::Bytes { raw: true } => "start, nil".to_owned(),
        Type::Ordered(Ordered::Text | Ordered::Bytes) => format!("rowkey.OrderedStart(start, {first})"),
        Type::TextField(text) => match text.beginning() {
            Some(Beginning::Any) => "rowkey.RawStart(start)".to_owned(),
            Some(Beginning::Within(width)) => format!("rowkey.PlainStart(start, {width})"),
            Some(Beginning::Before(delimiter)) => return special(code, field, on, "Before", &literal(delimiter)),
            None => return,
        },
        _ => return,
    };
    let ident = &field.ident;
    comment(code, &format!("{ident}StartsWith ends with what {} begins with.", field.name));
    code.open(format!("func ({}) {ident}StartsWith(start {of}) rowkey.Selection {{", on.receiver));
    if bytes.ends_with(", nil") {
        code.line(format!("return rowkey.StartsWith({}, {}, {bytes})", on.prefix, on.slot));
    } else {
        code.line(format!("bytes, err := {bytes}"));
        code.line(format!("return rowkey.StartsWith({}, {}, bytes, err)", on.prefix, on.slot));
    }
    code.end();
}

/// A beginning that is not that of some bytes alone.
fn special(code: &mut Code, field: &Field, on: &On<'_>, kind: &str, parameters: &str) {
    let says = format!("{}StartsWith ends with what {} begins with.", field.ident, field.name);
    let call = format!("StartsWith{kind}({}, {}, start, {parameters})", on.prefix, on.slot);
    on.method(code, &says, "StartsWith", "start string", &call);
}

/// The parts that the methods of one step have in common.
struct On<'k> {
    ident: &'k str,
    receiver: String,
    prefix: String,
    slot: String,
    write: String,
}

impl<'k> On<'k> {
    fn new(key: &'k Key, from: usize, at: usize) -> Self {
        let field = &key.fields[at];
        let (receiver, prefix) = match from {
            0 => (key.steps[0].clone(), constants(key, none(key), 0, at)),
            from => (format!("p {}", key.steps[from]), format!("p.{}", member(key, from))),
        };
        let write = match has_writer(key, at) {
            true => writer_name(key, at),
            false => append::writer(key, &field.ty).unwrap_or_default(),
        };
        Self { ident: &field.ident, receiver, prefix, slot: slot(key, field), write }
    }

    fn method(&self, code: &mut Code, says: &str, suffix: &str, parameters: &str, call: &str) {
        comment(code, says);
        code.open(format!("func ({}) {}{suffix}({parameters}) rowkey.Selection {{", self.receiver, self.ident));
        code.line(format!("return rowkey.{call}"));
        code.end();
    }
}
