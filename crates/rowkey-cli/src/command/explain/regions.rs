//! The regions of a table.

use std::io::{Read, Write};
use std::path::Path;
use std::process::ExitCode;

use rowkey::LayoutBuf;
use rowkey_design::internal::explain::regions;
use rowkey_design::internal::report;

use super::Args;
use crate::args::Form;
use crate::designs;
use crate::failure::Failure;

pub(super) fn run(args: &Args, file: &Path, layout: &LayoutBuf) -> Result<ExitCode, Failure> {
    let Form::Key(form) = args.form else {
        return Err(Failure::new(
            "--form line: start keys are hex, shell, go, base64 or json; list_regions needs no form",
        ));
    };
    let (name, text) = if designs::is_stdin(file) {
        let mut text = String::new();
        let read = designs::stdin()?.read_to_string(&mut text);
        read.map_err(|error| Failure::new(format!("cannot read standard input: {error}")))?;
        ("standard input".to_owned(), text)
    } else {
        let file = designs::file(file)?;
        (file.name, file.text)
    };
    let regions = regions(&text, form, layout).map_err(|error| Failure::new(format!("{name}:{error}")))?;
    let mut out = std::io::stdout().lock();
    let text = match args.json {
        true => report::regions_as_json(&regions, layout),
        false => report::regions_as_text(&regions, layout),
    };
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
