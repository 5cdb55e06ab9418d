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

/// The words at the place of `|` in a text after that start, and the text with each of them taken.
fn taken(text: &str) -> Vec<(String, String)> {
    let design = format!("{BEFORE}{text}");
    let (before, after) = design.split_once('|').unwrap();
    let place = before.encode_utf16().count();
    let answered = complete(&format!("{before}{after}"), place);
    let units = |count: &str| answered[count].as_u64().unwrap() as usize;
    let before: Vec<u16> = before.encode_utf16().take(place - units("replaces")).collect();
    let after: Vec<u16> = after.encode_utf16().skip(units("after")).collect();
    let [before, after] = [before, after].map(|part| String::from_utf16(&part).unwrap());
    let made = |word: &str| format!("{before}{word}{after}").replacen(BEFORE, "", 1);
    let words = answered["words"].as_array().unwrap().iter().map(|word| word["text"].as_str().unwrap());
    words.map(|word| (word.to_owned(), made(word))).collect()
}

fn offered(text: &str) -> Vec<String> {
    taken(text).into_iter().map(|(word, _)| word).collect()
}

#[test]
fn nothing_is_offered_in_prose() {
    for text in [
        "# sal|",
        "salt = { # |\n}",
        "about = \"\"\"\nsal|\n\"\"\"\n",
        "about = '''\n# x = [\n|",
        "about = \"sal|\"",
        "about = \"a \\\" | \"",
        "splits = [ # [\n    # \"|\n]",
    ] {
        assert!(offered(text).is_empty(), "{text}: {:?}", offered(text));
    }
    assert_eq!(offered("about = \"\"\"\n# \"x\" = [ {\n\"\"\"\nsal|"), ["salt = "]);
    assert_eq!(offered("about = '''\n\\''' # {\nsal|"), ["salt = "]);
}

#[test]
fn fields_have_types() {
    for key in ["key = [\"b: u|\"]", "key = [\n    \"a: text\", # {\n    \"b: u|\",\n]"] {
        let text = format!("[table.other]\n{key}\n");
        assert_eq!(offered(&text), ["u8", "u16", "u32", "u64", "u128", "url"], "{text}");
        assert_eq!(taken(&text)[0].1, text.replace("u|", "u8"));
    }
    let at = |shape: &str| offered(&format!("[table.other]\nkey = [\"é😀: {shape}\"]"));
    let all = at("|");
    assert!(all.contains(&"instant".to_owned()) && all.contains(&"option<".to_owned()), "{all:?}");
    assert!(!all.contains(&"desc".to_owned()), "{all:?}");
    assert_eq!(at("option<ins|"), ["instant"]);
    assert_eq!(at("u8 d|"), ["desc"]);
    assert_eq!(at("text r|"), ["raw"]);
    assert!(at("u8 r|").is_empty());
    assert!(offered("[table.other]\nkey = [\"u|\"]").is_empty());
    assert_eq!(offered("[[table.visits.secondary]]\nkey = [\"h|\"]"), ["\"host: text\""]);
}

#[test]
fn names_of_fields_are_those_of_the_table() {
    for text in [
        "salt = { buckets = 8, by = [\"|\"] }",
        "salt = { buckets = 8, by = [\n    \"host\",\n    \"|\",\n] }",
        "[[table.visits.query]]\nfix = [\"h|\"]",
        "[[table.visits.query]]\nfix = [\n  'h|'\n]",
        "partition = [|]",
        "stats = { a = { per = \"|\" } }",
    ] {
        assert_eq!(offered(text), ["\"host\""], "{text}");
        let (_, made) = &taken(text)[0];
        assert_eq!(made.matches(['"', '\'']).count() % 2, 0, "{made}");
    }
    for text in ["[[table.visits.query]]\nrange = { h|", "stats = { h|", "[table.visits.means]\n|"] {
        assert_eq!(offered(text), ["host = "], "{text}");
    }
    assert_eq!(offered("[table.visits.stats.h|"), ["host"]);
    // What stands behind is of the table too; what another has is not.
    let text = "[[table.other.query]]\nfix = [\"|\"]\n[table.other]\nkey = [\"é.1: u8\", \"b: u8\"]\n";
    assert_eq!(offered(text), ["\"é.1\"", "\"b\""]);
    assert_eq!(offered(&text.replace("fix = [\"|\"]", "range = { | }")), ["\"é.1\" = ", "b = "]);
    assert!(offered("[table.range]\nkey = [\"hot: u8\"]\nh|").iter().all(|word| word != "hot = "));
}

#[test]
fn rules_have_ids_and_levels() {
    for text in ["rules = { H0|", "[table.visits.rules]\nH0|", "[rules]\nH0|"] {
        let ids = offered(text);
        assert!(ids.contains(&"H01 = ".to_owned()) && ids.iter().all(|id| id.starts_with("H0")), "{text}: {ids:?}");
    }
    for text in ["rules = { H01 = \"|\" }", "rules = {\n    H01 = \"|\"\n}", "[rules]\nH01 = \"|\""] {
        let made: Vec<_> = taken(text).into_iter().map(|(_, made)| made).collect();
        assert!(made.contains(&text.replace('|', "allow")), "{made:?}");
    }
    let ids = offered("[[table.visits.allow]]\nrule = \"Q|\"");
    assert!(ids.contains(&"\"Q01\"".to_owned()), "{ids:?}");
}

#[test]
fn a_long_line_is_read_once() {
    for part in ["\"\" ", "[] ", "'\\' ", "{[}], ", "a = \"\", ", "a.", "# "] {
        let design = part.repeat(300_000);
        let begun = std::time::Instant::now();
        complete(&design, design.len());
        let taken = begun.elapsed().as_secs();
        assert!(taken < 20, "{part}: {taken} s");
    }
}
