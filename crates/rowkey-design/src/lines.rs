//! Lines of a reader, none of which is longer than a limit: one after the other, and in blocks for several threads.
//! Records of several lines are divided where a record ends.

use std::io::{BufRead, ErrorKind};
use std::num::NonZero;
use std::ops::ControlFlow;
use std::sync::mpsc::sync_channel;

/// Why a sample is not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SampleError {
    /// The reader failed.
    #[error("line {line}: {error}")]
    Io {
        /// The line that was read, from 1.
        line: u64,
        /// Why it failed.
        error: std::io::Error,
    },
    /// A line is too long.
    #[error("line {line}: the line has more than {most} bytes, and no key is as long; is it one key a line?")]
    Long {
        /// The line, from 1.
        line: u64,
        /// The most bytes of a line.
        most: usize,
    },
    /// A line is not a key in the form that was asked for.
    #[error("line {line}: {reason}")]
    Form {
        /// The line, from 1.
        line: u64,
        /// Why it is not.
        reason: String,
    },
}

/// The most bytes of a line: four times what the longest key of HBase (32,767 bytes) takes with each byte escaped, and
/// more.
const LONGEST: usize = 1 << 20;

/// The approximate size of a block in bytes; a longer line makes a larger one. Small ones take so little time that all
/// threads are kept on one processor.
const BLOCK: usize = 1 << 20;

/// More threads read no faster than the one that divides the lines.
const THREADS: usize = 8;

/// Whole lines, the last of which may have no end.
#[derive(Debug)]
pub struct Block {
    /// The bytes.
    pub text: Vec<u8>,
    /// The number of the first line, from 1.
    pub first: u64,
}

impl Block {
    pub(crate) fn bytes(&self) -> u64 {
        self.text.len() as u64
    }

    /// Calls `each` with every line that is not empty, without what ends it, and its number.
    ///
    /// # Errors
    /// Those of `each`, and a line that is too long.
    pub fn lines<E: From<SampleError>>(&self, mut each: impl FnMut(u64, &[u8]) -> Result<(), E>) -> Result<(), E> {
        let (mut rest, mut number) = (&self.text[..], self.first);
        while !rest.is_empty() {
            let end = memchr::memchr(b'\n', rest);
            let line = &rest[..end.unwrap_or(rest.len())];
            if line.len() > LONGEST {
                return Err(SampleError::Long { line: number, most: LONGEST }.into());
            }
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if !line.is_empty() {
                each(number, line)?;
            }
            rest = end.map_or(&[], |end| &rest[end + 1..]);
            number += 1;
        }
        Ok(())
    }
}

/// The blocks of a reader.
#[derive(Debug)]
pub struct Blocks<R, E> {
    reader: R,
    /// The place after the last end of a line, or of a record of several, in the bytes that are read next.
    ends: E,
    /// The bytes that were read and not yet given, and how many of them are whole lines.
    rest: Vec<u8>,
    whole: usize,
    /// The number of lines that were given.
    lines: u64,
    /// The end of the reader: its last byte, or an error that is not yet told.
    stopped: Option<Option<std::io::Error>>,
}

impl<R: BufRead> Blocks<R, fn(&[u8]) -> Option<usize>> {
    /// Blocks of lines.
    pub fn of_lines(reader: R) -> Self {
        Self::new(reader, 0, |part| Some(memchr::memrchr(b'\n', part)? + 1))
    }
}

impl<R: BufRead, E: FnMut(&[u8]) -> Option<usize>> Blocks<R, E> {
    /// Blocks of a reader of which so many lines were read. `ends` gets each part that is read, in order, and returns
    /// where a block may end.
    pub fn new(reader: R, lines: u64, ends: E) -> Self {
        Self { reader, ends, rest: Vec::new(), whole: 0, lines, stopped: None }
    }

    fn next(&mut self) -> Result<Option<Block>, SampleError> {
        while self.stopped.is_none() {
            match self.reader.fill_buf() {
                Ok([]) => self.stopped = Some(None),
                Ok(buffer) => {
                    let part = &buffer[..buffer.len().min(BLOCK)];
                    if let Some(end) = (self.ends)(part) {
                        self.whole = self.rest.len() + end;
                    }
                    self.rest.extend_from_slice(part);
                    let used = part.len();
                    self.reader.consume(used);
                    if self.rest.len() >= BLOCK && self.whole > 0 {
                        return Ok(Some(self.block(self.whole)));
                    }
                    // A line that is too long is given as far as it was read.
                    if self.rest.len() > LONGEST + 1 {
                        return Ok(Some(self.block(self.rest.len())));
                    }
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    self.stopped = Some(Some(error));
                    if self.whole > 0 {
                        return Ok(Some(self.block(self.whole)));
                    }
                }
            }
        }
        match self.stopped.as_mut().and_then(Option::take) {
            Some(error) => Err(SampleError::Io { line: self.lines + 1, error }),
            None if self.rest.is_empty() => Ok(None),
            None => Ok(Some(self.block(self.rest.len()))),
        }
    }

    fn block(&mut self, len: usize) -> Block {
        let rest = self.rest.split_off(len);
        let text = std::mem::replace(&mut self.rest, rest);
        let first = self.lines + 1;
        self.lines += memchr::memchr_iter(b'\n', &text).count() as u64;
        self.whole = 0;
        Block { text, first }
    }
}

/// Works on the blocks of a reader on as many threads as there are processors. `take` gets what `work` makes of each
/// block, in the order of the lines, until it breaks.
///
/// # Errors
/// The reader's, after the lines before it were taken.
pub fn in_order<T: Send, B>(
    mut blocks: Blocks<impl BufRead, impl FnMut(&[u8]) -> Option<usize>>,
    work: impl Fn(&Block) -> T + Sync,
    mut take: impl FnMut(T) -> ControlFlow<B>,
) -> Result<ControlFlow<B>, SampleError> {
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get).min(THREADS);
    if threads == 1 {
        while let Some(block) = blocks.next()? {
            if let ControlFlow::Break(value) = take(work(&block)) {
                return Ok(ControlFlow::Break(value));
            }
        }
        return Ok(ControlFlow::Continue(()));
    }
    std::thread::scope(|scope| {
        let thread = |_| {
            let (give, given) = sync_channel::<Block>(1);
            let (made, results) = sync_channel(1);
            let work = &work;
            // It ends when either side of it does.
            let handle =
                scope.spawn(move || given.iter().map(|block| work(&block)).try_for_each(|result| made.send(result)));
            ((give, results), handle)
        };
        let (threads, handles): (Vec<_>, Vec<_>) = (0..threads).map(thread).unzip();
        let (mut given, mut taken, mut end) = (0, 0, None);
        let ended = loop {
            // Each thread has a block that it works on and one that waits.
            while end.is_none() && given - taken < 2 * threads.len() {
                match blocks.next() {
                    Ok(Some(block)) => match threads[given % threads.len()].0.send(block) {
                        Ok(()) => given += 1,
                        // The thread has panicked: so does the scope.
                        Err(_) => end = Some(Ok(ControlFlow::Continue(()))),
                    },
                    Ok(None) => end = Some(Ok(ControlFlow::Continue(()))),
                    Err(error) => end = Some(Err(error)),
                }
            }
            let result = if taken < given { threads[taken % threads.len()].1.recv().ok() } else { None };
            let Some(result) = result else {
                break end.unwrap_or(Ok(ControlFlow::Continue(())));
            };
            taken += 1;
            if let ControlFlow::Break(value) = take(result) {
                break Ok(ControlFlow::Break(value));
            }
        };
        drop(threads);
        // The scope waits for closures; joining waits for the threads themselves, whose locals are then freed.
        for handle in handles {
            if let Err(panic) = handle.join() {
                std::panic::resume_unwind(panic);
            }
        }
        ended
    })
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Read};

    use proptest::prelude::*;

    use super::*;

    /// The lines of a block, and why they end early.
    type Lines = (Vec<(u64, Vec<u8>)>, Option<String>);

    fn of_block(block: &Block) -> Lines {
        let mut lines = Vec::new();
        let ended: Result<(), SampleError> = block.lines(|number, line| {
            lines.push((number, line.to_vec()));
            Ok(())
        });
        (lines, ended.err().map(|error| error.to_string()))
    }

    /// All lines, as blocks on threads give them.
    fn all(reader: impl Read, buffer: usize) -> Lines {
        let mut lines = Vec::new();
        let ended =
            in_order(Blocks::of_lines(BufReader::with_capacity(buffer, reader)), of_block, |(of_block, error)| {
                lines.extend(of_block);
                error.map_or(ControlFlow::Continue(()), ControlFlow::Break)
            });
        let error = match ended {
            Ok(ControlFlow::Continue(())) => None,
            Ok(ControlFlow::Break(error)) => Some(error),
            Err(error) => Some(error.to_string()),
        };
        (lines, error)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn lines_come_whole_and_in_order(
            lines in prop::collection::vec((0usize..3000, any::<bool>(), 0u8..4), 0..200),
            ends in any::<bool>(),
            buffer in prop::sample::select(vec![7, 4096, 1 << 20]),
        ) {
            let mut text = Vec::new();
            let mut expected = Vec::new();
            for (i, (length, windows, byte)) in lines.iter().enumerate() {
                let line = vec![b'a' + byte; *length];
                text.extend(&line);
                text.extend(if *windows { &b"\r\n"[..] } else { b"\n" });
                if !line.is_empty() {
                    expected.push((i as u64 + 1, line));
                }
            }
            if !ends && text.last() == Some(&b'\n') {
                text.pop();
            }
            prop_assert_eq!(all(&text[..], buffer), (expected, None));
        }
    }

    #[test]
    fn long_lines_and_readers_that_fail_are_errors_in_their_place() {
        let short = "ab\n".repeat(100_000);
        let long = |bytes| short.clone() + &"x".repeat(bytes) + "\n";
        assert_eq!(all(long(LONGEST).as_bytes(), 4096).0.len(), 100_001);
        let (lines, error) = all((long(LONGEST + 1) + "y\n").as_bytes(), 4096);
        assert_eq!((lines.len(), &error.unwrap()[..12]), (100_000, "line 100001:"));

        struct Fails;
        impl Read for Fails {
            fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
                Err(std::io::Error::other("gone"))
            }
        }
        let (lines, error) = all(short.as_bytes().chain(&b"half"[..]).chain(Fails), 4096);
        assert_eq!((lines.len(), error.as_deref()), (100_000, Some("line 100001: gone")));
    }
}
