//! Keys from standard input.

use std::process::ExitCode;

use rowkey::LayoutBuf;
use rowkey_design::internal::explain::{key_of_line, stream};

use super::Args;
use crate::args::Form;
use crate::failure::Failure;

pub(super) fn run(args: &Args, layout: &LayoutBuf) -> Result<ExitCode, Failure> {
    if args.svg {
        return Err(Failure::new("--svg: a picture is of keys that are arguments, not of standard input"));
    }
    let form = match args.form {
        Form::Key(form) => Ok(form),
        Form::Line => Err(key_of_line as fn(&[u8]) -> _),
    };
    match stream(crate::designs::stdin()?, std::io::stdout().lock(), form, layout) {
        Ok(told) => Ok(ExitCode::from(u8::from(told.bad > 0))),
        Err(Ok(error)) => Err(Failure::new(format!("standard input: {error}"))),
        Err(Err(error)) => Err(error.into()),
    }
}
