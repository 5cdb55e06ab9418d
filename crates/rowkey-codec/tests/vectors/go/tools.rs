//! Go's own tools on generated packages: gofmt, go vet, and staticcheck where it is installed.

use std::process::Command;

use rowkey::LayoutBuf;
use rowkey::lead::Lead;
use rowkey::untyped::FieldBuf;
use rowkey_codec::ir::Table;
use rowkey_testkit::every;

use super::{Generated, go, run};
use crate::bounds;

#[test]
fn generated_code_is_what_gofmt_vet_and_staticcheck_take() {
    let shapes = [
        "salt(16 xxh3 by 0) text, i64 desc, option<u8>, list<text>",
        "salt(16 xxh3 hex by 0 2) text desc, u64, option<text> desc nulls_first",
        "md5(4 by 0) text, u16, ipaddr",
        "hash(md5 hex[4 '_'] by 0) text['_'], dec[10]",
        "const['t'], i64, const['_r'], i64",
        "ordered[text], ordered[i64], ordered[bytes]",
        "enum{1: (), 2: (u16, text), 7: (list<(u8, ())>)}, enum{0: (), 255: ()} desc, ()",
        "text[until '#'], text[end after '#']",
        "text[rest-12], u64, u32",
        "list<list<option<list<text>>>>, (u8, (text desc, decimal) desc), bytes[4], quadkey[13], host_path raw",
        "u8, list<(u8, i16 desc)> raw",
        "()",
        "minus[99 2 '#'], hexbytes[end]",
    ];
    check(&shapes.map(|shape| Table::new(shape.parse().unwrap())));
}

/// Names that a design can have, besides the words of Go.
const HOSTILE: [&str; 24] = [
    "type",
    "Prefix",
    "All",
    "Ranges",
    "Select",
    "Encode",
    "Fingerprint",
    "a-b",
    "a_b",
    "aB",
    "_",
    "0",
    "Größe",
    "都市",
    "*/ x",
    "\"",
    "`",
    "// x",
    "\u{202e}x",
    "- x",
    "# x",
    "[x]: http://a.b",
    "rowkey",
    "string",
];

#[test]
fn hostile_names_compile() {
    let shapes = ["u8", "enum{1: (u8), 2: ()}", "(u8, (text))", "option<text>", "enum{1: (), 2: ()}", "ipaddr"];
    let field = |(name, shape): (&&str, &&str)| FieldBuf::new(*name, shape).unwrap();
    let fields: Vec<FieldBuf> = HOSTILE.iter().zip(shapes.iter().cycle()).map(field).collect();
    let layout = |name: &&str| LayoutBuf::of_fields(*name, Lead::None, Vec::new(), fields.clone()).unwrap();
    let tables: Vec<Table> = HOSTILE.iter().step_by(every(2)).map(|name| Table::new(layout(name))).collect();
    check(&tables);
}

#[test]
fn types_as_deep_as_are_taken_compile() {
    let deep = |of: &str, inner: &str| format!("{}{inner}{}", of.repeat(20), ">".repeat(40));
    let lists = deep("list<list<", "u8");
    let tuples = deep("list<list<", &format!("({lists})"));
    let both = deep("list<option<", "text");
    vet(&Generated::new(&[lists, tuples, both].map(|shape| Table::new(shape.parse().unwrap()))));
}

#[test]
fn gofmt_takes_long_names_and_deep_types() {
    check(&bounds::tables());
}

#[test]
fn gofmt_takes_texts_of_a_design_and_names_of_any_length() {
    let texts = "''x'' and ``y`` ```z``` ''' ''' ````";
    let shape = "enum{1: (), 7: (u32, text)}";
    let fields = |name: &str| vec![FieldBuf::new(name, shape).unwrap(), FieldBuf::new("value", "u8").unwrap()];
    let layout = |name: &str, field: &str| LayoutBuf::of_fields(name, Lead::None, Vec::new(), fields(field)).unwrap();
    let mut tables = vec![Table::new(layout(texts, texts)), Table::new(layout("'''", "``"))];
    tables.extend((20..60).map(|len| Table::new(layout(&"t".repeat(len), &"f".repeat(60 - len / 2)))));
    check(&tables);
}

#[test]
fn a_wrong_order_of_fields_does_not_compile_in_go() {
    let tables = ["u8, text", "md5(4 by 0 1) u8, text, u16"].map(|shape| Table::new(shape.parse().unwrap()));
    let generated = Generated::new(&tables);
    let compiles = |statement: &str| {
        let text = format!("package wrong\n\nimport \"rowkeys\"\n\nfunc f() {{\n\t_ = {statement}\n}}\n");
        generated.write("wrong/wrong.go", &text);
        go().args(["vet", "./wrong"]).current_dir(generated.path()).output().unwrap().status.success()
    };
    for right in [
        "rowkeys.KeyPrefix{}.F0(1).F1(\"a\").Ranges",
        "rowkeys.KeyPrefix{}.F0(1).Ranges",
        "rowkeys.Key2Prefix{}.F0(1).F1(\"a\").F2Range",
        "rowkeys.Key2Prefix{}.All().Ranges",
    ] {
        assert!(compiles(right), "{right}");
    }
    for wrong in [
        "rowkeys.KeyPrefix{}.F1(\"a\")",
        "rowkeys.KeyPrefix{}.F0(1).F0(1)",
        "rowkeys.KeyPrefix{}.F0(1).F1(\"a\").F0(1)",
        "rowkeys.KeyPrefix{}.F0(\"a\")",
        // Without all hashed fields the digest is not known.
        "rowkeys.Key2Prefix{}.F0(1).Ranges",
        "rowkeys.Key2Prefix{}.F0(1).F1Range",
    ] {
        assert!(!compiles(wrong), "{wrong}");
    }
}

#[test]
fn explanations_in_go_name_variants_and_have_no_control_characters() {
    let shape = "enum{1: (), 9: (u32, text)}, (char, list<option<char>>), uuid[text], option<list<text>>, text";
    let generated = Generated::new(&[Table::new(shape.parse().unwrap())]);
    let test = r#"package rowkeys

import (
	"strings"
	"testing"

	"rowkeys/rowkey"
)

func TestExplain(t *testing.T) {
	raw := "\x1b[31m\n\u202e"
	key := Key{
		F0: Key09{7, raw}, F1: Key1{'€', []rowkey.Option[rune]{rowkey.None[rune](), rowkey.Some('\x1b')}},
		F2: [16]byte{15: 1}, F3: rowkey.Some([]string{raw}), F4: raw,
	}
	bytes, err := key.Encode()
	table := Key{}.Explain(bytes)
	if err != nil || strings.ContainsAny(table, "\x1b\u202e") {
		t.Errorf("%q, %v", table, err)
	}
	for _, due := range []string{
		`9(7, "\x1b[31m\n\u202e")`, `('€', [none some('\x1b')])`, "00000000-0000-0000-0000-000000000001", `some(["\x1b`,
	} {
		if !strings.Contains(table, due) {
			t.Errorf("%s is not in\n%s", due, table)
		}
	}
	if table = (Key{}).Explain(bytes[:3]); !strings.Contains(table, "Key._0.9._0 at byte 3") {
		t.Error(table)
	}
}
"#;
    generated.write("explain_test.go", test);
    run(go().args(["test", "."]).current_dir(generated.path()));
}

/// The published vectors of hashes, the merge, and single encodings.
#[test]
fn the_tests_of_the_go_runtime_pass() {
    let runtime = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("runtime/go");
    run(go().args(["test", "./..."]).current_dir(&runtime));
}

fn vet(generated: &Generated) {
    run(go().args(["vet", "./..."]).current_dir(generated.path()));
}

fn check(tables: &[Table]) {
    let generated = Generated::new(tables);
    vet(&generated);
    let gofmt = std::env::var_os("ROWKEY_GOFMT").unwrap_or_else(|| "gofmt".into());
    let unformatted = run(Command::new(gofmt).args(["-l", "-d", "."]).current_dir(generated.path()));
    assert!(unformatted.is_empty(), "{}", unformatted.chars().take(3000).collect::<String>());
    match std::env::var_os("ROWKEY_STATICCHECK") {
        Some(staticcheck) => drop(run(Command::new(staticcheck).arg("./...").current_dir(generated.path()))),
        None => {
            let required = std::env::var_os("ROWKEY_TOOLS").is_some_and(|value| value == "required");
            assert!(!required, "ROWKEY_STATICCHECK does not name a program");
        }
    }
}
