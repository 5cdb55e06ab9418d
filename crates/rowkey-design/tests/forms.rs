//! The forms of keys: each gives back what it wrote, and no text makes it panic.

use proptest::prelude::*;
use rowkey::LayoutBuf;
use rowkey_design::internal::forms::KeyForm;

fn layout() -> LayoutBuf {
    "text, option<i32>, bytes desc".parse().unwrap()
}

#[test]
fn what_others_print() {
    let layout = layout();
    let read = |form: KeyForm, text: &str| form.parse(text, &layout).map_err(|error| error.to_string());
    // HBase: `Bytes.toStringBinary`, and what `Bytes.toBytesBinary` leaves as it is.
    assert_eq!(read(KeyForm::Shell, r"a\x00\xFF\x5Cb"), Ok(b"a\0\xff\\b".to_vec()));
    assert_eq!(read(KeyForm::Shell, r"\n\xG0\"), Ok(br"\n\xG0\".to_vec()));
    // Go: `fmt.Sprintf("%q", key)`.
    assert_eq!(read(KeyForm::Go, r#""\x00\a\t\"\\é\u00e9\U0001F600\177""#), Ok("\0\x07\t\"\\éé😀\x7f".into()));
    assert_eq!(read(KeyForm::Hex, " 0x00fF 61 "), Ok(vec![0, 0xff, 0x61]));
    assert_eq!(read(KeyForm::Base64, "AP9h\n"), Ok(vec![0, 0xff, 0x61]));
    assert_eq!(read(KeyForm::Hex, "0 1"), Err("byte 1: ' ' is not a hex digit".to_owned()));
    assert_eq!(read(KeyForm::Hex, "001"), Err("byte 2: half a byte: a byte has two hex digits".to_owned()));
    assert_eq!(read(KeyForm::Go, r#""a\q""#), Err("byte 2: a backslash that begins no escape of Go".to_owned()));
    assert!(read(KeyForm::Shell, "aé").unwrap_err().starts_with("byte 1: 'é' is not ASCII"));
    assert!(read(KeyForm::Json, "[\"a\",\n nul").unwrap_err().starts_with("byte "));
}

#[test]
fn a_number_of_json_is_a_number() {
    let layout: LayoutBuf = "text, i64 desc, option<u32>, f64".parse().unwrap();
    let read = |text: &str| KeyForm::Json.parse(text, &layout).map_err(|error| error.to_string());
    let key = read(r#"["bonn", "-5", "7", "3ff8000000000000"]"#);
    assert!(key.is_ok(), "{key:?}");
    assert_eq!(read(r#"["bonn", -5, 7, 1.5]"#), key);
    for (text, told) in [
        (r#"[5, -5, 7, 1.5]"#, "_0: 5 is not a string"),
        (r#"["bonn", 5.0, 7, 1.5]"#, "_1: 5.0 is not a string"),
        (r#"["bonn", 5, 4294967296, 1.5]"#, "_2"),
        (r#"["bonn", 5]"#, ""),
        (r#"["bonn", 5, 7, 1.5, 1]"#, ""),
    ] {
        assert!(read(text).is_err_and(|error| error.contains(told)), "{text}: {:?}", read(text));
    }
}

proptest! {
    #[test]
    fn each_form_gives_back_what_it_wrote(key in prop::collection::vec(any::<u8>(), 0..40)) {
        let layout = layout();
        for &form in KeyForm::ALL {
            if let Some(text) = form.write(&key, &layout) {
                prop_assert!(form == KeyForm::Json || text.is_ascii(), "{}", text);
                prop_assert_eq!(form.parse(&text, &layout).map_err(|error| error.to_string()), Ok(key.clone()), "{}", text);
            }
        }
    }

    #[test]
    fn values_are_a_key(text in any::<String>(), number in any::<Option<i32>>(), bytes in any::<Vec<u8>>()) {
        let layout = layout();
        let values = [
            rowkey::Value::Text(text),
            rowkey::Value::Option(number.map(|number| Box::new(rowkey::Value::Signed(number.into())))),
            rowkey::Value::Bytes(bytes),
        ];
        let key = layout.encode(&values).unwrap();
        let text = KeyForm::Json.write(&key, &layout).unwrap();
        prop_assert_eq!(KeyForm::Json.parse(&text, &layout).unwrap(), key);
    }

    #[test]
    fn no_text_makes_it_panic(text in "[ \\\\x\"0-9a-fu\\[\\],é\n]{0,20}|\\PC{0,20}") {
        for &form in KeyForm::ALL {
            if let Err(error) = form.parse(&text, &layout()) {
                prop_assert!(error.at <= text.len() && !error.reason.is_empty());
            }
        }
    }
}
