//! Refusals: of all that has no generated code, by its name and place.

use rowkey::LayoutBuf;
use rowkey_codec::ir::{Codec, Table};
use rowkey_codec::names::PYTHON;

fn refusal(shape: &str) -> String {
    let layout: LayoutBuf = shape.parse().unwrap();
    Codec::of(&[Table::new(layout)], &PYTHON).unwrap_err().to_string()
}

#[test]
fn what_has_no_code_is_named() {
    for (shape, start) in [
        ("u8, url", "._1: `url` has no generated code: its one form needs a parser"),
        ("option<list<url>>", "._0: `url` has"),
        (
            "u8, enum{1: (), 7: (u8, (geohash))}",
            "._1.7._1._0: `geohash` has no generated code: an encoding of a user's",
        ),
        ("fdb[text]", "._0: `fdb[text]` has no generated code: FoundationDB has bindings"),
        ("groups[8]", "._0: `groups[8]` has"),
        ("utf[java]", "._0: `utf[java]` has"),
        ("salt(4 mine) u8", ": `mine` has no generated code: a salt by a hash of a user's own"),
        ("salt(4 md5 minus[9 1]) u8", ": `minus[9 1]` has no generated code: of the formats"),
    ] {
        let refusal = refusal(shape);
        assert!(refusal.starts_with(&format!("key{start}")), "{shape}: {refusal}");
    }
}
