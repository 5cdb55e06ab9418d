//! Generated keys beside keys by hand: the same bytes, nothing but the result allocated; and how long they take.

use rowkey::LayoutBuf;
use rowkey::untyped::FieldBuf;
use rowkey_codec::ir::Table;

use super::{Generated, go, run};

fn table(name: &str, shape: &str, fields: &[&str]) -> Table {
    let layout: LayoutBuf = shape.parse().unwrap();
    let rename = |(field, name): (&FieldBuf, &&str)| FieldBuf { name: (*name).to_owned(), ..field.clone() };
    let fields = layout.fields().iter().zip(fields).map(rename).collect();
    let lead = layout.lead().clone();
    Table::new(LayoutBuf::of_fields(name, lead, layout.by().to_vec(), fields).unwrap())
}

fn program() -> Generated {
    let generated = Generated::new(&[
        table("action", "u64, i64 desc, u32", &["user", "at", "event"]),
        table("visit", "salt(16 xxh3 by 0) text, i64 desc, option<u8>, list<text>", &["user", "at", "level", "tags"]),
        table("sample", "text['#'], dec[10]", &["host", "at"]),
    ]);
    generated.write("speed/by_hand.go", include_str!("../../go/speed/by_hand.go"));
    generated.write("speed/speed_test.go", include_str!("../../go/speed/speed_test.go"));
    generated
}

#[test]
fn nothing_but_the_result_is_allocated_in_go() {
    run(go().args(["test", "./speed"]).current_dir(program().path()));
}

/// Prints the times of `testing.B`, as benchstat reads them.
#[test]
#[ignore = "measures"]
fn speed_in_go() {
    let arguments = ["test", "./speed", "-run", "^$", "-bench", ".", "-count", "6"];
    println!("{}", run(go().args(arguments).current_dir(program().path())));
}
