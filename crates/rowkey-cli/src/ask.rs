//! Questions in plain lines: on standard error, with answers from options or from standard input.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _, Write as _};

use rowkey_design::internal::quote::terminal;

use crate::designs;
use crate::failure::Failure;

/// A question, and the option that answers it too.
pub(crate) struct Question<'q> {
    /// The question, with an example.
    pub(crate) text: &'q str,
    /// The answer that an empty line stands for, and how the question shows it. None: there has to be one.
    pub(crate) default: Option<(&'q str, &'q str)>,
    /// The option.
    pub(crate) option: &'q str,
}

/// A line is written by people: a longer one is something else, or has no end.
const LONGEST_LINE: u64 = 1 << 16;
/// The wrong answers to one question that a program may give.
const MOST_WRONG: usize = 20;

/// Asks questions, or takes the defaults.
pub(crate) struct Asker {
    /// None where nothing is asked.
    lines: Option<io::StdinLock<'static>>,
    is_terminal: bool,
    is_first: bool,
}

impl Asker {
    /// Asks nothing: what no option answers has its default.
    pub(crate) fn silent() -> Self {
        Self { lines: None, is_terminal: false, is_first: true }
    }

    /// Asks on standard error, and reads answers from standard input.
    ///
    /// One that is no terminal and has no line at all asks nothing.
    pub(crate) fn new() -> Result<Self, Failure> {
        Ok(Self { lines: Some(designs::stdin()?), is_terminal: io::stdin().is_terminal(), is_first: true })
    }

    /// Tells something, if anything is asked.
    pub(crate) fn tell(&self, text: &str) {
        if self.lines.is_some() {
            // Whoever closed standard error wants to read nothing.
            _ = writeln!(io::stderr(), "{text}");
        }
    }

    /// The answer: that of an option if there is one, which has to be right; else the first right line.
    pub(crate) fn answer<T>(
        &mut self,
        given: Option<&str>,
        question: &Question<'_>,
        mut read: impl FnMut(&str) -> Result<T, String>,
    ) -> Result<T, Failure> {
        let option = question.option;
        if let Some(given) = given {
            return read(given).map_err(|why| Failure::new(format!("{option}: {why}")));
        }
        for wrong in 1.. {
            let answer = match (self.line(question)?, question.default) {
                (Some(line), default) if line.is_empty() => default.map(|(answer, _)| answer.to_owned()),
                (Some(line), _) => Some(line),
                (None, Some((answer, _))) if self.lines.is_none() => Some(answer.to_owned()),
                (None, None) if self.lines.is_none() => return Err(Failure::new(format!("{option} is needed"))),
                (None, _) => {
                    let text = question.text;
                    return Err(Failure::new(format!(
                        "the input ends before an answer to {text:?}: nothing is written"
                    )));
                }
            };
            match answer.map(|answer| read(&answer)) {
                Some(Ok(answer)) => return Ok(answer),
                Some(Err(why)) if self.lines.is_none() => return Err(Failure::new(format!("{option}: {why}"))),
                Some(Err(why)) => why.lines().for_each(|line| self.tell(&format!("  {}", terminal(line)))),
                None => self.tell("  an answer is needed"),
            }
            if wrong == MOST_WRONG && !self.is_terminal {
                break;
            }
        }
        Err(Failure::new(format!("{MOST_WRONG} wrong answers to {:?}: nothing is written", question.text)))
    }

    /// The answers to a question that is asked until a line is empty: those of an option if there are any. The input
    /// may end with the last question.
    pub(crate) fn answers<T>(
        &mut self,
        given: &[String],
        question: &Question<'_>,
        is_last: bool,
        mut read: impl FnMut(&str) -> Result<T, String>,
    ) -> Result<Vec<T>, Failure> {
        let mut all = Vec::new();
        for given in given {
            all.push(self.answer(Some(given), question, &mut read)?);
        }
        while given.is_empty() {
            let (mut is_end, mut was_wrong) = (false, false);
            let next = self.answer(None, question, |line| {
                is_end = line.is_empty();
                let answer = if is_end { Ok(None) } else { read(line).map(Some) };
                was_wrong |= answer.is_err();
                answer
            });
            match next {
                Ok(Some(answer)) => all.push(answer),
                Ok(None) => break,
                Err(_) if is_last && !was_wrong && self.has_ended() => break,
                Err(failure) => return Err(failure),
            }
        }
        Ok(all)
    }

    /// True if no more lines come.
    fn has_ended(&mut self) -> bool {
        self.lines.as_mut().is_some_and(|lines| lines.fill_buf().is_ok_and(<[u8]>::is_empty))
    }

    /// Asks, and reads a line without blanks at its ends; none at the end of the input.
    fn line(&mut self, question: &Question<'_>) -> Result<Option<String>, Failure> {
        let Some(lines) = &mut self.lines else { return Ok(None) };
        let default = question.default.map_or(String::new(), |(_, shown)| format!(" [{shown}]"));
        _ = write!(io::stderr(), "{}{default}: ", terminal(question.text));
        _ = io::stderr().flush();
        let mut line = Vec::new();
        let read = lines.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line);
        let cannot = |why: &str| Failure::new(format!("cannot read standard input: {why}: nothing is written"));
        let is_first = std::mem::take(&mut self.is_first);
        if read.map_err(|error| cannot(&error.to_string()))? == 0 {
            self.tell("");
            if is_first && !self.is_terminal {
                self.lines = None;
            }
            return Ok(None);
        }
        if !line.ends_with(b"\n") && line.len() as u64 == LONGEST_LINE {
            return Err(cannot("a line has no end"));
        }
        let line = String::from_utf8(line).map_err(|_| cannot("a line is not UTF-8"))?.trim().to_owned();
        // A terminal shows it already.
        if !self.is_terminal {
            self.tell(&terminal(&line));
        }
        Ok(Some(line))
    }
}
