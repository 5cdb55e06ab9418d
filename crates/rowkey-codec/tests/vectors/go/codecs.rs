//! The part of the program of tests that knows the keys: from JSON to their types, and back.

use std::collections::BTreeSet;

use rowkey_codec::ir::{Codec, DeclKind, Field, Form, Int, Key, Order, Ordered, Type};

/// The functions that turn JSON into values of a type, and values into JSON.
fn converters(key: &Key, ty: &Type) -> (String, String) {
    let pair = |from: &str, to: &str| (from.to_owned(), to.to_owned());
    match ty {
        Type::Int(Int { bits: 128, signed: false, .. }) => pair("fromU128", "toString[rowkey.U128]"),
        Type::Int(Int { bits: 128, signed: true, .. }) => pair("fromI128", "toString[rowkey.I128]"),
        Type::Int(Int { bits, signed, .. }) => {
            let of = format!("{}int{bits}", if *signed { "" } else { "u" });
            (format!("fromInt[{of}]"), format!("toInt[{of}]"))
        }
        Type::Float { bits } => (format!("fromF{bits}"), format!("toF{bits}")),
        Type::Bool => pair("fromBool", "toBool"),
        Type::Char => pair("fromChar", "toChar"),
        Type::Text(_) | Type::Ordered(Ordered::Text) => pair("fromText", "toText"),
        Type::Bytes { .. } | Type::Ordered(Ordered::Bytes) => pair("fromBytes", "toBytes"),
        Type::Array(len) => (format!("fromArray{len}"), format!("toArray{len}")),
        Type::Uuid => pair("fromUUID", "toUUID"),
        Type::Decimal { .. } => pair("fromDecimal", "toString[rowkey.Decimal]"),
        Type::Ip => pair("fromAddr", "toAddr"),
        Type::Instant | Type::Ordered(Ordered::Micros | Ordered::BigEndianMicros) => pair("fromInstant", "toInstant"),
        Type::Duration => pair("fromDuration", "toDuration"),
        Type::Quadkey(_) | Type::Tile => pair("fromTile", "toString[rowkey.Tile]"),
        Type::HostPath { .. } => pair("fromHostPath", "toString[rowkey.HostPath]"),
        Type::Constant(_) => pair("nil", "nil"),
        Type::Ordered(Ordered::Int | Ordered::BigEndian) => pair("fromInt[int64]", "toInt[int64]"),
        Type::TextField(field) => {
            let (from, to) = match &field.form {
                Form::Text | Form::Reversed => pair("fromText", "toText"),
                Form::Decimal { bits: 64 } | Form::Minus { bits: 64, .. } | Form::Hex { bits: 64, .. } => {
                    pair("fromInt[uint64]", "toInt[uint64]")
                }
                Form::Decimal { .. } | Form::Minus { .. } | Form::Hex { .. } => {
                    pair("fromU128", "toString[rowkey.U128]")
                }
                Form::Signed => pair("fromI128", "toString[rowkey.I128]"),
                Form::HexBytes { .. } => pair("fromBytes", "toBytes"),
                Form::Uuid => pair("fromUUID", "toUUID"),
                Form::Date(_) => pair("fromInstant", "toInstant"),
            };
            match field.after {
                Some(_) => (format!("fromOption({from})"), format!("toOption({to})")),
                None => (from, to),
            }
        }
        Type::Option { inner, is_nested, .. } => {
            let (from, to) = converters(key, inner);
            if *is_nested {
                return (format!("fromOption(fromNested({from}))"), format!("toOption(toNested({to}))"));
            }
            (format!("fromOption({from})"), format!("toOption({to})"))
        }
        Type::List { item, .. } => {
            let (from, to) = converters(key, item);
            (format!("fromList({from})"), format!("toList({to})"))
        }
        Type::Enum(at) | Type::Tuple(at) => {
            let ident = &key.types[*at].ident;
            (format!("from{ident}"), format!("to{ident}"))
        }
    }
}

/// The members of a struct literal from a list of JSON, and the list of JSON from a struct.
fn members(key: &Key, fields: &[Field], list: &str, record: &str) -> (String, String) {
    let (mut from, mut to) = (Vec::new(), Vec::new());
    for (i, field) in fields.iter().enumerate() {
        if let Type::Constant(_) = field.ty {
            to.push("[]any{}".to_owned());
            continue;
        }
        let (read, write) = converters(key, &field.ty);
        from.push(format!("{}: {read}({list}[{i}])", field.ident));
        to.push(format!("{write}({record}.{})", field.ident));
    }
    (from.join(", "), format!("[]any{{{}}}", to.join(", ")))
}

/// The source text of the keys of a codec, whose package is `rowkeys`.
pub(crate) fn codecs(codec: &Codec) -> String {
    let mut text = String::from(
        "package main\n\nimport (\n\t\"encoding/hex\"\n\t\"rowkeys\"\n\t\"rowkeys/rowkey\"\n)\n\n\
         var _ = hex.EncodeToString\n\n",
    );
    let mut arrays = BTreeSet::new();
    let mut all = Vec::new();
    for (i, key) in codec.keys.iter().enumerate() {
        let ident = &key.ident;
        let (from, to) = members(key, &key.fields, "v", "k");
        text += &format!(
            "func encode{i}(v []any) ([]byte, error) {{ k := rowkeys.{ident}{{{from}}}; return k.Encode() }}\n\
             func decode{i}(key []byte) ([]any, error) {{ var k rowkeys.{ident}; if err := k.Decode(key); err != nil \
             {{ return nil, err }}; return {to}, nil }}\n"
        );
        text += &ranges(key, i);
        for decl in &key.types {
            text += &declared(key, &decl.ident, &decl.kind);
        }
        let ranges = format!("ranges{i}");
        all.push(format!("{{encode{i}, decode{i}, rowkeys.{ident}{{}}.Explain, {ranges}}},\n"));
        let fields = key.types.iter().flat_map(|decl| match &decl.kind {
            DeclKind::Tuple(fields) => fields.iter().collect::<Vec<_>>(),
            DeclKind::Enum(variants) => variants.iter().flat_map(|variant| &variant.fields).collect(),
        });
        key.fields.iter().chain(fields).for_each(|field| sizes(&field.ty, &mut arrays));
    }
    for len in arrays {
        text += &format!(
            "func fromArray{len}(v any) [{len}]byte {{ return [{len}]byte(unhex(v.(string))) }}\n\
             func toArray{len}(v [{len}]byte) any {{ return hex.EncodeToString(v[:]) }}\n"
        );
    }
    text + "var codecs = []codec{\n" + &all.concat() + "}\n\nvar _ rowkey.Selection\n"
}

fn sizes(ty: &Type, arrays: &mut BTreeSet<usize>) {
    match ty {
        Type::Array(len) => drop(arrays.insert(*len)),
        Type::Option { inner, .. } => sizes(inner, arrays),
        Type::List { item, .. } => sizes(item, arrays),
        _ => {}
    }
}

fn declared(key: &Key, ident: &str, kind: &DeclKind) -> String {
    match kind {
        DeclKind::Tuple(fields) => {
            let (from, to) = members(key, fields, "v.([]any)", "k");
            format!(
                "func from{ident}(v any) rowkeys.{ident} {{ return rowkeys.{ident}{{{from}}} }}\n\
                 func to{ident}(k rowkeys.{ident}) any {{ return {to} }}\n"
            )
        }
        DeclKind::Enum(variants) => {
            let is_plain = variants.iter().all(|variant| variant.fields.is_empty());
            let (mut from, mut to) = (String::new(), String::new());
            for variant in variants {
                let (tag, name) = (variant.tag, &variant.ident);
                let (read, write) = members(key, &variant.fields, "f", "k");
                let value = if is_plain { format!("rowkeys.{name}") } else { format!("rowkeys.{name}{{{read}}}") };
                from += &format!("case {tag}: return {value}\n");
                to += &format!("case rowkeys.{name}: return []any{{{tag}, {write}}}\n");
            }
            let kind = if is_plain { "switch v" } else { "switch k := v.(type)" };
            let used = if is_plain { "" } else { "_ = k; " };
            let to = to.replace(": return", &format!(": {used}return"));
            format!(
                "func from{ident}(v any) rowkeys.{ident} {{ f := v.([]any)[1].([]any); _ = f\n\
                 switch int(v.([]any)[0].(float64)) {{\n{from}}}\npanic(v) }}\n\
                 func to{ident}(v rowkeys.{ident}) any {{ {kind} {{\n{to}}}\npanic(v) }}\n"
            )
        }
    }
}

/// A function that selects by the prefixes of a key.
fn ranges(key: &Key, i: usize) -> String {
    let is_constant = |at: usize| matches!(key.fields.get(at).map(|field| &field.ty), Some(Type::Constant(_)));
    let mut at = (0..).find(|at| !is_constant(*at)).unwrap();
    let least = key.least_fixed();
    let mut text = format!("func ranges{i}(q query) *rowkey.Selection {{\np := rowkeys.{}{{}}\n", key.steps[0]);
    text += &format!("if len(q.Leading) <= {at} && q.How == \"\" {{ return of(p.All()) }}\n");
    let mut name = "p".to_owned();
    while at < key.most_fixed() {
        let field = &key.fields[at];
        let (from, _) = converters(key, &field.ty);
        let ident = &field.ident;
        text += &format!("if len(q.Leading) == {at} {{ switch q.How {{\n");
        if at + 1 >= least {
            text += &format!("case \"in\": return of({name}.{ident}In(all({from}, q.Values)...))\n");
        }
        if at >= least && key.order(&field.ty) != Order::None {
            text += &format!("case \"range\": return of({name}.{ident}Range(interval({from}, q)))\n");
        }
        if at >= least && field.ty.can_be_begun() {
            text += &format!("case \"starts_with\": return of({name}.{ident}StartsWith({from}(q.Values[0])))\n");
        }
        if at >= least && matches!(field.ty, Type::HostPath { .. }) {
            text += &format!("case \"under\": return of({name}.{ident}Under(q.Values[0].(string)))\n");
        }
        if at >= least && matches!(field.ty, Type::Tile | Type::Quadkey(_)) {
            text += &format!("case \"within\": return of({name}.{ident}Within(fromTile(q.Values[0])))\n");
        }
        text += "default: return nil } }\n";
        let next = (at + 1..).find(|at| !is_constant(*at)).unwrap();
        let fixed = format!("p{next}");
        text += &format!("{fixed} := {name}.{ident}({from}(q.Leading[{at}]))\n");
        if next >= least {
            text += &format!("if len(q.Leading) == {next} && q.How == \"\" {{ return of({fixed}.Select()) }}\n");
        }
        text += &format!("_ = {fixed}\n");
        (name, at) = (fixed, next);
    }
    text + "return nil\n}\n"
}
