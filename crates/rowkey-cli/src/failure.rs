//! Why a command could not do its work: exit status 2.

use std::io::{self, Write as _};
use std::process::ExitCode;

use rowkey_design::Problems;
use rowkey_design::internal::quote::terminal;
use rowkey_design::internal::report::{self, Format};

use crate::args::Color;

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

    /// The outcome of printing what was found. Where nobody reads on, the exit status still says it.
    pub(crate) fn of_printing(printed: io::Result<()>) -> Result<(), Self> {
        match printed.map_err(Self::from) {
            Err(Self::Closed) => Ok(()),
            printed => printed,
        }
    }

    /// Prints it, and returns the exit status.
    pub(crate) fn report(self) -> ExitCode {
        let text = match self {
            Self::Design(problems) => report::invalid(Format::Text, &problems, Color::Auto.styles(&io::stderr())),
            Self::Other(message) => format!("error: {}\n", terminal(&message)),
            Self::Closed => return ExitCode::SUCCESS,
        };
        // Nobody can be told that standard error is closed.
        let _ = io::stderr().write_all(text.as_bytes());
        ExitCode::from(2)
    }
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
