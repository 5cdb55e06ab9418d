//! How every study ends.

use std::error::Error;
use std::io;
use std::process::ExitCode;

/// Says what went wrong and why, all on one line; that nobody reads the output any more (`| head`) is no failure.
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
