//! Texts that are none of what is read: no panic, and what is read is a design.

use proptest::prelude::*;
use rowkey_design::internal::import::Source;

use super::{design, imported};

fn read_or_refused(text: &str) {
    for source in Source::ALL {
        if let Ok(read) = imported(text, *source, Some("n")) {
            design(&read);
        }
    }
}

fn texts() -> Vec<String> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/import/describe");
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file").path()).collect();
    paths.sort();
    let mut texts: Vec<String> = paths.iter().map(|path| std::fs::read_to_string(path).expect("a text")).collect();
    texts.push("create 't', {NAME => 'f', TTL => 60}, 'g', SPLITS => ['a', \"b\\x00\"]\nalter 't', METHOD => 'delete', NAME => 'g'\n".to_owned());
    texts.push(super::terraform::DOCUMENTED.to_owned());
    texts.push("CREATE TABLE t (a BIGINT NOT NULL PRIMARY KEY, f.b CHAR(3), c DATE) SALT_BUCKETS=4;\nCREATE INDEX i ON t (b DESC, UPPER(c)) INCLUDE (c) ASYNC;\nCREATE INDEX j ON t (f.b);".to_owned());
    texts
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn arbitrary_text_makes_no_panic(text in "(\\PC|[\\n\\r\\t'\"{}\\[\\](),=>#<\\\\$ ]|NAME => '|create |resource \"){0,60}") {
        read_or_refused(&text);
    }

    #[test]
    fn changed_text_makes_no_panic(
        of in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        removed in 0..40usize,
        inserted in "(\\PC|[\\n'\"{}\\[\\](),=>#\\\\$ ]){0,4}",
    ) {
        let texts = texts();
        let text = of.get(&texts);
        let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let start = at.index(ends.len());
        let end = (start + removed).min(ends.len() - 1);
        read_or_refused(&[&text[..ends[start]], &inserted, &text[ends[end]..]].concat());
    }
}

#[test]
fn large_and_deep_texts_end_soon() {
    for text in [
        format!("Table t is ENABLED\n{}", "{NAME => 'f'\n".repeat(20_000)),
        format!("Table t is ENABLED\n{{NAME => 'f', {}", "A => 'b'}\n".repeat(20_000)),
        format!("'t', {{NAME => 'f'{}", " true \n".repeat(20_000)),
        format!("DESCRIPTION ENABLED\n't', {}", "{NAME => 'f'}, true\n".repeat(5000)),
        format!("{{NAME => '{}", "', A => '".repeat(50_000)),
        format!("create 't', {}", "{A => ".repeat(100_000)),
        format!("create 't', {}", "[".repeat(100_000)),
        format!("resource \"google_bigtable_table\" \"t\" {}", "{ a ".repeat(100_000)),
        format!("a = {}", "[".repeat(100_000)),
        format!("a = \"{}", "${\"".repeat(100_000)),
        format!("t,{}", ",a.".repeat(100_000)),
        format!("CREATE INDEX i ON t ({}", "(".repeat(100_000)),
    ] {
        read_or_refused(&text);
    }
}
