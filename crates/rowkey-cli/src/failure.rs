//! Why a command could not do its work: exit status 2.

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::Parser as _;
use rowkey_design::Problems;
use rowkey_design::quote::terminal;

use crate::Cli;
use crate::command::check::Color;
use crate::output::{self, Format};

/// Why a command could not do its work.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A design file is not valid.
    Design(Problems),
    /// Something else, as a sentence.
    Other(String),
    /// Nobody reads the output any more.
    Closed,
}

impl Failure {
    /// A sentence.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self::Other(message.into())
    }

    /// Prints it, and returns the exit status.
    pub(crate) fn report(self) -> ExitCode {
        let text = match self {
            Self::Design(problems) => output::invalid(Format::Text, &problems, Color::Auto.styles(&io::stderr())),
            Self::Other(message) => format!("error: {}\n", terminal(&message)),
            Self::Closed => return ExitCode::SUCCESS,
        };
        // Nobody can be told that standard error is closed.
        let _ = io::stderr().write_all(text.as_bytes());
        ExitCode::from(2)
    }
}

/// Prints the help that was asked for, or why the command line is not valid, and returns the exit status.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        // As clap does: it can only fail where nobody reads.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    // Arguments may be names of files, which can hold anything. The same arguments as a terminal can show them have the same
    // fault, and their line breaks are no lines of the message.
    let shown = std::env::args_os().map(|argument| terminal(&argument.to_string_lossy()));
    let again = Cli::try_parse_from(shown).err().filter(|again| again.kind() == error.kind());
    let text = again.as_ref().unwrap_or(error).render().to_string();
    let lines: String = text.lines().map(|line| terminal(line) + "\n").collect();
    let _ = io::stderr().write_all(lines.as_bytes());
    ExitCode::from(2)
}

impl From<Problems> for Failure {
    fn from(problems: Problems) -> Self {
        Self::Design(problems)
    }
}

/// Of writing to standard output.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Other(format!("cannot write: {error}")),
        }
    }
}
