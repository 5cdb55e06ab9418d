//! What rowkey says of a type that it was built without: it is refused by name, not guessed.
#![cfg(test)]

use rowkey::LayoutBuf;

const REFUSAL: &str = "build rowkey with its feature `url` to read a `url`";

fn of_json(ty: &str) -> Result<LayoutBuf, String> {
    let fields = format!(r#"[{{"name": "site", "type": "host_path"}}, {{"name": "page", "type": {ty}}}]"#);
    let layout = format!(r#"{{"version": 1, "name": "Page", "fields": {fields}}}"#);
    LayoutBuf::from_json(&layout).map_err(|error| error.to_string())
}

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
