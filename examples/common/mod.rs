//! What the examples on web logs share: reading the logs, and how a program ends.

pub(crate) mod combined;
pub(crate) mod input;

use std::error::Error;
use std::io;
use std::process::ExitCode;

/// Says what went wrong and why, all on one line; that nobody reads the output any more (`| head`) is no failure.
pub(crate) fn exit(result: Result<(), Box<dyn Error>>) -> ExitCode {
    let Err(error) = result else { return ExitCode::SUCCESS };
    if error.downcast_ref().is_some_and(|error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe) {
        return ExitCode::SUCCESS;
    }
    eprint!("error: {error}");
    let mut source = error.source();
    while let Some(cause) = source {
        eprint!(": {cause}");
        source = cause.source();
    }
    eprintln!();
    ExitCode::FAILURE
}
