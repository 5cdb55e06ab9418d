//! rowkey without its default features: keys, ranges and layouts, without stores and serde; a type that it was built
//! without is refused by name, not guessed.
#![cfg(test)]

use rowkey::{Cursor, DecodeError, KeyRange, LayoutBuf, RowKey, Select};

const REFUSAL: &str = "build rowkey with its feature `url` to read a `url`";

#[derive(RowKey, Clone, Debug, PartialEq)]
#[rowkey(salt(buckets = 4, by(site)))]
struct Visit {
    site: String,
    #[rowkey(desc)]
    at: i64,
}

#[test]
fn keys_are_written_read_and_selected() -> Result<(), DecodeError> {
    let visit = |at| Visit { site: "apache.org".to_owned(), at };
    let (older, newer) = (visit(-1).encode(), visit(1).encode());
    assert!(older[1..] > newer[1..], "newest first, after the salt");
    assert_eq!(Visit::decode(&newer)?, visit(1));
    assert!(Visit::decode(&newer[1..]).is_err());

    let ranges = Visit::prefix().site("apache.org").at_range(0..).ranges();
    let holds = |key: &[u8]| ranges.iter().any(|range: &KeyRange| range.contains(key));
    assert!(holds(&newer) && !holds(&older));
    Ok(())
}

#[test]
fn layouts_and_cursors_need_no_store() -> Result<(), Box<dyn std::error::Error>> {
    let layout: LayoutBuf = Visit::LAYOUT.shape().parse()?;
    assert_eq!(layout.fingerprint(), Visit::LAYOUT.fingerprint());
    assert!(Visit::explain(&Visit { site: "a".to_owned(), at: 0 }.encode()).to_string().contains("at"));
    assert!("0123".parse::<Cursor>().is_err());
    Ok(())
}

#[cfg(feature = "json")]
fn of_json(ty: &str) -> Result<LayoutBuf, String> {
    let fields = format!(r#"[{{"name": "site", "type": "host_path"}}, {{"name": "page", "type": {ty}}}]"#);
    let layout = format!(r#"{{"version": 1, "name": "Page", "fields": {fields}}}"#);
    LayoutBuf::from_json(&layout).map_err(|error| error.to_string())
}

#[cfg(feature = "json")]
#[test]
fn a_layout_with_a_url_is_refused_by_name() {
    for (ty, path) in [
        (r#""url""#, "fields[1].type"),
        (r#"{"option": "url"}"#, "fields[1].type.option"),
        (r#"{"tuple": [{"name": "a", "type": {"list": "url"}}]}"#, "fields[1].type.tuple[0].type.list"),
    ] {
        let error = of_json(ty).unwrap_err();
        assert!(error.contains(&format!("{path}: {REFUSAL}")), "{error}");
    }
    assert!(of_json(r#""text""#).is_ok());
}

#[test]
fn a_shape_with_a_url_is_refused_by_name() {
    for shape in ["url", "salt(16 xxh3) u8, option<url> desc", "enum{1: (url)}"] {
        let error = shape.parse::<LayoutBuf>().unwrap_err().to_string();
        assert!(error.contains(REFUSAL), "{error}");
    }
    assert!("host_path, quadkey[7], tile, instant".parse::<LayoutBuf>().is_ok());
}
