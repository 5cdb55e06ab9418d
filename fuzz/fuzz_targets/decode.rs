#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| rowkey_testkit::fuzzed::decode(data));
