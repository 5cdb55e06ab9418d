//! `studies/designs/layouts.jsonl`, which the design files are held to, has the layouts of the studies' structs.

use super::*;

#[test]
fn layouts_are_those_of_the_structs() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("designs/layouts.jsonl");
    let said = std::fs::read_to_string(&path).unwrap();
    let derived = run("layouts", &[""; 0], b"").stdout;
    let anew = "write it anew: cargo run -p rowkey-studies -- layouts > studies/designs/layouts.jsonl";
    assert!(said == derived, "{} is not what the structs say; {anew}\n{derived}", path.display());
    assert!(PROGRAMS.iter().all(|study| *study == "make_log" || derived.contains(&format!("\"study\":{study:?}"))));
}
