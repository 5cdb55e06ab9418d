use super::*;

const BEFORE: &str = "format = 1\n[cluster.c]\nengine = \"hbase\"\n[table.visits]\nkey = [\n    \"host: text\",\n]\n";

/// The words at the end of a text after a cluster and the start of a table.
fn words(text: &str) -> Vec<String> {
    let design = format!("{BEFORE}{text}");
    let answered = complete(&design, design.encode_utf16().count());
    let words = answered["words"].as_array().unwrap().iter();
    words.map(|word| word["text"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn keys_are_those_of_the_table_that_are_not_there() {
    let all = words("");
    assert!(all.contains(&"salt = ".to_owned()) && all.contains(&"splits = ".to_owned()), "{all:?}");
    assert!(!all.contains(&"key = ".to_owned()), "{all:?}");
    assert_eq!(words("sal"), ["salt = "]);
    assert!(words("[[table.visits.query]]\nname = \"é\"\nfi").contains(&"fix = ".to_owned()));
    assert!(words("xyz").is_empty());
}

#[test]
fn braces_are_followed() {
    let all = words("salt = { ");
    assert!(all.contains(&"buckets = ".to_owned()), "{all:?}");
    let all = words("salt = { buckets = 16, ");
    assert!(all.contains(&"hash = ".to_owned()) && !all.contains(&"buckets = ".to_owned()), "{all:?}");
    assert!(words("salt = { buckets = 16, format = ").contains(&"\"binary\"".to_owned()));
}

#[test]
fn values_are_words_of_the_schema() {
    assert!(words("[cluster.d]\nengine = ").contains(&"\"bigtable\"".to_owned()));
    assert_eq!(words("[cluster.d]\nengine = \"big"), ["\"bigtable\""]);
}

#[test]
fn headers_are_of_tables_and_lists() {
    assert!(words("[").contains(&"table".to_owned()));
    let (tables, lists) = (words("[table.visits."), words("[[table.visits."));
    assert!(tables.contains(&"family".to_owned()) && !tables.contains(&"query".to_owned()), "{tables:?}");
    assert!(lists.contains(&"query".to_owned()) && !lists.contains(&"family".to_owned()), "{lists:?}");
    assert_eq!(words("[[table.visits.qu"), ["query"]);
}

#[test]
fn every_beginning_of_a_design_has_a_response() {
    let design = format!("{BEFORE}salt = {{ buckets = 16, by = [\"host\"] }}\n\"é😀\" = '''\n[[[]]]}}}}{{=.,\n=\n");
    for at in 0..=design.encode_utf16().count() + 1 {
        complete(&design, at);
    }
}
