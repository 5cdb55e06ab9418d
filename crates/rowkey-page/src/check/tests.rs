use std::fmt::Write as _;

use rowkey_design::Date;

use super::*;

/// Many tables, each with a warning, a note, and an `allow` of what is not found.
fn tables(count: usize) -> String {
    (0..count).fold("format = 1\n".to_owned(), |mut text, at| {
        _ = writeln!(text, "[table.t{at}]\nkey = [\"a: u64\"]\n[[table.t{at}.write]]\nname = \"w\"\nrate = \"90k/s\"");
        _ = writeln!(text, "order = \"key\"\n[[table.t{at}.allow]]\nrule = \"Q01\"\nwhy = \"not\"");
        text
    })
}

fn of(text: &str) -> Json {
    checked(text, &CheckOptions::new(Date { year: 2026, month: 1, day: 31 })).unwrap()
}

/// The items that are given, and all that there are by the summary.
fn given_and_counted(json: &Json) -> (usize, usize) {
    let lists = ["findings", "problems", "notes"].iter().filter_map(|list| json[list].as_array());
    let counts = ["errors", "warnings", "notes", "problems", "remarks"];
    let counted = counts.iter().filter_map(|count| json["summary"][count].as_u64());
    (lists.map(Vec::len).sum(), counted.sum::<u64>() as usize)
}

#[test]
fn counts_are_of_all() {
    let one = of(&tables(1));
    let (given, counted) = given_and_counted(&one);
    assert_eq!(given, counted, "{one}");
    assert!(counted > 1 && one["summary"]["problems"] == 1, "{one}");
    let (given, of_all) = given_and_counted(&of(&tables(300)));
    assert!(given == SHOWN && of_all >= 300 * counted, "{given} of {of_all}");
    let (given, of_all) = given_and_counted(&of(&("format = 1\n".to_owned() + &"[table.t]\n".repeat(500))));
    assert!(given == SHOWN && of_all > 490, "{given} of {of_all}");
}

#[test]
fn samples_that_are_not_read_are_told() {
    let table = "sample = \"x.txt\"\nsplits = { sample = \"y.txt\", regions = 4 }\n";
    let text = format!("format = 1\n# é\n[table.t]\nkey = [\"a: u8\"]\n{table}");
    let json = of(&text);
    let notes = json["notes"].as_array().unwrap();
    let messages: Vec<_> = notes.iter().map(|note| note["message"].as_str().unwrap()).collect();
    assert!(messages.len() == 2 && messages[0].starts_with("x.txt is not read"), "{messages:?}");
    let units: Vec<u16> = text.encode_utf16().collect();
    let [start, end] = ["start", "end"].map(|end| notes[0]["place"][end].as_u64().unwrap() as usize);
    assert_eq!(String::from_utf16(&units[start..end]).unwrap(), "\"x.txt\"");
    assert_eq!(json["summary"]["remarks"], 2);
}
