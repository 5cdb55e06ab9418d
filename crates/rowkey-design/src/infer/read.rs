//! Keys out of texts: one a line in a form, or as HBase's shell and `cbt` print rows.

use std::io::BufRead;
use std::ops::ControlFlow;

use rowkey::LayoutBuf;
use rowkey::lead::Lead;
use rowkey::untyped::FieldBuf;

use super::Sample;
use crate::explain::key_of_line;
use crate::forms::KeyForm;
use crate::lines::{Block, Blocks, SampleError, in_order};
use crate::sample::each_key;

/// The form of a text of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyText {
    /// A key a line in a form; what follows a tab is left out.
    Lines(KeyForm),
    /// Output of `scan` of HBase's shell, or of `cbt read`, pasted as it is.
    Rows,
}

impl KeyText {
    /// The form that a text seems to have, by its beginning.
    ///
    /// ```
    /// use rowkey_design::infer::KeyText;
    /// use rowkey_design::internal::forms::KeyForm;
    ///
    /// assert_eq!(KeyText::of(b"616461000a\n62\n"), KeyText::Lines(KeyForm::Hex));
    /// assert_eq!(KeyText::of(b"ada#20210228\n"), KeyText::Lines(KeyForm::Shell));
    /// assert_eq!(KeyText::of(b" ada\\x00  column=f:q, timestamp=1, value=a\n"), KeyText::Rows);
    /// ```
    pub fn of(beginning: &[u8]) -> Self {
        let lines = || beginning.split(|byte| *byte == b'\n').map(|line| line.trim_ascii_end());
        let is_row = |line: &[u8]| memchr::memmem::find(line, b" column=").is_some() || is_dashes(line);
        if lines().any(is_row) {
            return Self::Rows;
        }
        // The last line may be cut off.
        let whole = lines().count().max(2) - 1;
        let keys = || lines().take(whole).filter(|line| !line.is_empty()).map(before_tab);
        let is_hex = |key: &[u8]| key.len().is_multiple_of(2) && key.iter().all(u8::is_ascii_hexdigit);
        let is_quoted = |key: &[u8]| key.len() >= 2 && key.starts_with(b"\"") && key.ends_with(b"\"");
        let has_letters = keys().any(|key| !key.iter().all(u8::is_ascii_digit));
        if keys().all(is_hex) && has_letters {
            Self::Lines(KeyForm::Hex)
        } else if keys().all(is_quoted) && has_letters {
            Self::Lines(KeyForm::Go)
        } else {
            Self::Lines(KeyForm::Shell)
        }
    }

    /// The word for it in sentences.
    pub fn word(self) -> &'static str {
        match self {
            Self::Lines(form) => form.word(),
            Self::Rows => "rows",
        }
    }
}

fn before_tab(line: &[u8]) -> &[u8] {
    memchr::memchr(b'\t', line).map_or(line, |tab| &line[..tab])
}

fn is_dashes(line: &[u8]) -> bool {
    line.len() >= 40 && line.iter().all(|byte| *byte == b'-')
}

impl Sample {
    /// Adds the keys of a text. `progress` is told from time to time how many keys and bytes were read.
    ///
    /// # Errors
    /// The first line that is not a key in this form, or that cannot be read.
    pub fn read(
        &mut self,
        reader: impl BufRead,
        text: KeyText,
        progress: impl FnMut(u64, u64),
    ) -> Result<(), SampleError> {
        match text {
            KeyText::Lines(form) => {
                // Values of a layout that is not known are bytes.
                let field = FieldBuf::new("key", "bytes raw")
                    .and_then(|field| LayoutBuf::of_fields("key", Lead::None, Vec::new(), vec![field]));
                let layout = field.map_err(|error| SampleError::Form { line: 0, reason: error.to_string() })?;
                let parse = |text: &str, key: &mut Vec<u8>| {
                    form.parse_to(text, &layout, key).map_err(|error| format!("{error}; it was read as {form}"))
                };
                each_key(reader, parse, |_, key, _| self.add(key), progress)
            }
            KeyText::Rows => self.read_rows(reader),
        }
    }

    fn read_rows(&mut self, reader: impl BufRead) -> Result<(), SampleError> {
        let mut rows = Rows::default();
        let read = in_order(Blocks::of_lines(reader), lines, |(lines, fault)| {
            for (number, line) in lines {
                if let Err(reason) = rows.add(&line, |key| self.add(key)) {
                    return ControlFlow::Break(SampleError::Form { line: number, reason });
                }
            }
            fault.map_or(ControlFlow::Continue(()), ControlFlow::Break)
        })?;
        if let ControlFlow::Break(fault) = read {
            return Err(fault);
        }
        rows.end(|key| self.add(key)).map_err(|reason| SampleError::Form { line: 0, reason })
    }
}

type Lines = (Vec<(u64, Vec<u8>)>, Option<SampleError>);

fn lines(block: &Block) -> Lines {
    let mut lines = Vec::new();
    let fault = block.lines(|number, line| {
        lines.push((number, line.to_vec()));
        Ok(())
    });
    (lines, fault.err())
}

/// The most bytes of a row's lines that are held.
const LONGEST_ROW: usize = 1 << 18;

/// Rows that were pasted, line by line.
#[derive(Default)]
struct Rows {
    /// The lines of a row of HBase's scan: a long key is broken over several.
    row: Vec<u8>,
    is_after_dashes: bool,
    is_cbt: bool,
    last: Vec<u8>,
}

impl Rows {
    fn add(&mut self, line: &[u8], each: impl FnMut(&[u8])) -> Result<(), String> {
        if is_dashes(line) {
            self.is_cbt = true;
            self.is_after_dashes = true;
            return Ok(());
        }
        if self.is_after_dashes {
            self.is_after_dashes = false;
            let quoted = std::str::from_utf8(line).ok().filter(|line| line.len() > 1 && line.starts_with('"'));
            let layout = || "bytes raw".parse::<LayoutBuf>();
            let unquoted = quoted.and_then(|line| KeyForm::Go.parse(line, &layout().ok()?).ok());
            self.found(unquoted.unwrap_or_else(|| line.to_vec()), each);
            return Ok(());
        }
        if self.is_cbt {
            return Ok(());
        }
        if memchr::memmem::find(line, b" column=").is_some() {
            self.end(each)?;
            self.row = line.to_vec();
        } else if !self.row.is_empty() && self.row.len() + line.len() < LONGEST_ROW {
            self.row.push(b'\n');
            self.row.extend_from_slice(line);
        }
        Ok(())
    }

    fn end(&mut self, each: impl FnMut(&[u8])) -> Result<(), String> {
        let row = std::mem::take(&mut self.row);
        if let Some(key) = (!row.is_empty()).then(|| key_of_line(&row)).transpose()?.flatten() {
            self.found(key, each);
        }
        Ok(())
    }

    /// A row has a line for each of its cells.
    fn found(&mut self, key: Vec<u8>, mut each: impl FnMut(&[u8])) {
        if key != self.last {
            each(&key);
            self.last = key;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Vec<Vec<u8>> {
        let (mut rows, mut keys) = (Rows::default(), Vec::new());
        for line in text.lines().filter(|line| !line.is_empty()) {
            rows.add(line.as_bytes(), |key| keys.push(key.to_vec())).unwrap();
        }
        rows.end(|key| keys.push(key.to_vec())).unwrap();
        keys
    }

    #[test]
    fn a_scan_is_read_as_it_is_pasted() {
        let scan = "hbase:001:0> scan 'visits'\n\
            ROW                    COLUMN+CELL\n\
            \x20a\\x00\\x01             column=f:a, timestamp=2026-01-31T12:00:00.000, value=1\n\
            \x20a\\x00\\x01             column=f:b, timestamp=2026-01-31T12:00:00.000, value=2\n\
            \x20b\\x00\\xFF             column=f:a, timestamp=2026-01-31T12:00:00.000, value=x y\n\
            2 row(s)\n\
            Took 0.0421 seconds\n";
        assert_eq!(keys(scan), [b"a\0\x01".to_vec(), b"b\0\xff".to_vec()]);
    }

    #[test]
    fn a_read_of_cbt_is_read_as_it_is_pasted() {
        let dashes = "-".repeat(40);
        let read = format!(
            "{dashes}\nada#1\n  f:q                                      @ 2026/01/31-12:00:00.000000\n    \"v\"\n\
             {dashes}\n\"b\\x00\"\n  f:q                                      @ 2026/01/31-12:00:00.000000\n    \"v\"\n"
        );
        assert_eq!(keys(&read), [b"ada#1".to_vec(), b"b\0".to_vec()]);
    }
}
