//! A program of tests in another language, which is asked a line at a time and answers each with one.
//!
//! | question, with tabs between | answer |
//! |---|---|
//! | `encode`, key, values as JSON | the key in hex |
//! | `decode`, key, hex | the values as JSON |
//! | `ranges`, key, leading values, condition | for each bucket the ranges: pairs of hex, null for no end |
//!
//! A key is its index in the manifest. A condition is `null`, `{"in": values}`, `{"range": [start, end]}` with bounds
//! `null`, `["included", value]` or `["excluded", value]`, `{"starts_with": value}` or `{"under": host}`. The answer to
//! what is refused is `!` and the reason.

use std::io::Write as _;
use std::process::{Command, Stdio};

/// The answers to all questions, which one process gives.
pub(crate) fn ask(command: &mut Command, questions: &[String]) -> Vec<String> {
    let mut program = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let mut input = program.stdin.take().unwrap();
    let text = questions.join("\n") + "\n";
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()).unwrap());
    let output = program.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success(), "{command:?}: {}", output.status);
    let answers: Vec<String> = String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
    assert_eq!(answers.len(), questions.len(), "an answer for each question");
    answers
}
