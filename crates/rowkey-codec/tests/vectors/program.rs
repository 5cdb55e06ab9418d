//! A program of tests in another language, which is asked a line at a time and answers each with one.
//!
//! | question, with tabs between | answer |
//! |---|---|
//! | `encode`, key, values as JSON | the key in hex |
//! | `decode`, key, hex | the values as JSON |
//! | `ranges`, key, leading values, condition | for each bucket the ranges: pairs of hex, null for no end |
//!
//! A key is its index in the manifest. A condition is `null`, `{"in": values}`, `{"range": [start, end]}` with bounds
//! `null`, `["included", value]` or `["excluded", value]`, `{"starts_with": value}`, `{"under": host}` or
//! `{"within": tile}`. The answer to what is refused is `!` and the reason; of a key in bytes `!`, the field, the
//! offset and the reason, with tabs between.

use std::io::{BufRead as _, BufReader, BufWriter, Write as _};
use std::process::{Command, Stdio};
use std::sync::mpsc;

/// The answers to all questions, which one process gives.
pub(crate) fn ask(command: &mut Command, questions: &[String]) -> Vec<String> {
    let mut answers = Vec::with_capacity(questions.len());
    let ask = |ask: &mut dyn FnMut(String, ())| questions.iter().for_each(|question| ask(question.clone(), ()));
    stream(command, ask, |_, (), answer| answers.push(answer.to_owned()));
    answers
}

/// One process's responses to a stream of questions, each checked against what is due. The process reads as fast as it
/// answers, so that few questions wait at any time.
pub(crate) fn stream<D: Send>(
    command: &mut Command,
    ask: impl FnOnce(&mut dyn FnMut(String, D)) + Send,
    mut check: impl FnMut(&str, D, &str),
) {
    let mut program = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let mut input = BufWriter::new(program.stdin.take().unwrap());
    let output = program.stdout.take().unwrap();
    let (asked, all) = mpsc::channel();
    std::thread::scope(|scope| {
        // Closed before the thread is waited for, whatever happens: the program writes no more.
        let mut answers = BufReader::new(output).lines();
        scope.spawn(move || {
            ask(&mut |question, due| {
                writeln!(input, "{question}").unwrap();
                asked.send((question, due)).unwrap();
            });
            input.flush().unwrap();
        });
        for (question, due) in all {
            let answer = answers.next().unwrap_or_else(|| panic!("no answer to {question}")).unwrap();
            check(&question, due, &answer);
        }
        assert!(answers.next().is_none(), "an answer for each question");
    });
    let status = program.wait().unwrap();
    assert!(status.success(), "{command:?}: {status}");
}
