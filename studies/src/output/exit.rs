//! How every study ends.

use std::error::Error;
use std::io;
use std::process::ExitCode;

/// Prints an error and its causes on one line. A closed output (`| head`) is not an error.
pub fn exit(result: Result<(), Box<dyn Error>>) -> ExitCode {
    let Err(error) = result else { return ExitCode::SUCCESS };
    if error.downcast_ref().is_some_and(|error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe) {
        return ExitCode::SUCCESS;
    }
    eprintln!("error: {}", reasons(&*error));
    ExitCode::FAILURE
}

/// An error and its sources.
pub fn reasons(error: &dyn Error) -> String {
    let rest = std::iter::successors(error.source(), |&error| error.source());
    rest.fold(error.to_string(), |said, error| format!("{said}: {error}"))
}
