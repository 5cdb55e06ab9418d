//! Texts that stand for keys, tables and samples: the first byte says which. Each is read, or a located error.
#![no_main]

use rowkey_design::internal::forms::KeyForm;
use rowkey_design::internal::import::{Source, import};
use rowkey_design::internal::sample;
use rowkey_design::{File, format};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((&kind, rest)) = data.split_first() else { return };
    let layout = ["text, u16 desc", "salt(16 xxh3 by 0) u64, instant", "md5(4) bytes, option<i32> raw"];
    let Ok(layout) = layout[usize::from(kind) % layout.len()].parse::<rowkey::LayoutBuf>() else { return };
    let form = KeyForm::ALL[usize::from(kind) % KeyForm::ALL.len()];
    match kind >> 6 {
        0 => {
            let Ok(profile) = sample::read(rest, form, &layout, None, |_, _| {}) else { return };
            assert!(profile.undecoded <= profile.keys);
        }
        1 => {
            let Ok(text) = std::str::from_utf8(rest) else { return };
            let Ok(key) = form.parse(text, &layout) else { return };
            if let Some(written) = form.write(&key, &layout) {
                assert_eq!(form.parse(&written, &layout).ok(), Some(key));
            }
        }
        2 => {
            let Ok(text) = std::str::from_utf8(rest) else { return };
            let sources = [Source::Layout, Source::Describe, Source::Phoenix, Source::Cbt, Source::Schema];
            let file = File { name: "fuzzed".to_owned(), text: text.to_owned() };
            let _ = import(file, sources[usize::from(kind) % sources.len()], Some("t"));
        }
        _ => {
            let Ok(text) = std::str::from_utf8(rest) else { return };
            let file = |text: &str| File { name: "fuzzed".to_owned(), text: text.to_owned() };
            let Ok(once) = format(&file(text)) else { return };
            let twice = format(&file(&once));
            assert_eq!(twice.ok(), Some(once));
        }
    }
});
