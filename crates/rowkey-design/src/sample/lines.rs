//! Lines of a reader, none of which is longer than a limit.

use std::io::{BufRead, ErrorKind};

use super::SampleError;

/// The most bytes of a line: four times what the longest key of HBase (32,767 bytes) takes with each byte escaped, and more.
const LONGEST: usize = 1 << 20;

/// Lines, without what ends them; empty ones are left out.
pub(crate) struct Lines<R> {
    reader: R,
    line: Vec<u8>,
    /// The number of the last line, from 1.
    number: u64,
    bytes: u64,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self { reader, line: Vec::new(), number: 0, bytes: 0 }
    }

    /// The bytes that were read.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The next line and its number, from 1; none at the end.
    pub(crate) fn next(&mut self) -> Result<Option<(u64, &[u8])>, SampleError> {
        loop {
            if !self.fill()? {
                return Ok(None);
            }
            if self.line.last() == Some(&b'\r') {
                self.line.pop();
            }
            if !self.line.is_empty() {
                return Ok(Some((self.number, &self.line)));
            }
        }
    }

    /// Reads up to the end of a line; false at the end of all.
    fn fill(&mut self) -> Result<bool, SampleError> {
        self.line.clear();
        self.number += 1;
        let mut any = false;
        loop {
            let buffer = match self.reader.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(SampleError::Io { line: self.number, error }),
            };
            if buffer.is_empty() {
                return Ok(any);
            }
            any = true;
            let end = memchr::memchr(b'\n', buffer);
            let part = &buffer[..end.unwrap_or(buffer.len())];
            if self.line.len() + part.len() > LONGEST {
                return Err(SampleError::Long { line: self.number, most: LONGEST });
            }
            self.line.extend_from_slice(part);
            let used = part.len() + usize::from(end.is_some());
            self.reader.consume(used);
            self.bytes += used as u64;
            if end.is_some() {
                return Ok(true);
            }
        }
    }
}
