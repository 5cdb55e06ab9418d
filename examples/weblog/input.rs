//! Logs line by line: plain or gzip, from files or standard input, with a progress bar if it takes long.

use std::error::Error;
use std::fmt::{self, Display};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use flate2::bufread::MultiGzDecoder;
use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::combined::{Line, Malformed, parse};

/// How many malformed lines are told one by one.
const TOLD: usize = 3;
/// What is done sooner needs no progress bar.
const PATIENCE: Duration = Duration::from_millis(500);

/// What came in.
#[derive(Default)]
pub(crate) struct Summary {
    pub(crate) lines: u64,
    pub(crate) malformed: u64,
    told: Vec<(PathBuf, u64, Malformed)>,
}

/// Calls `visit` with each line of each log; malformed ones are counted and passed over. What goes wrong there is told with
/// the line.
pub(crate) fn read_logs(
    logs: &[PathBuf],
    mut visit: impl FnMut(Line<'_>) -> Result<(), Box<dyn Error>>,
) -> Result<Summary, Box<dyn Error>> {
    let style = ProgressStyle::with_template("{bytes} of {total_bytes} [{wide_bar}] {eta} left")?.progress_chars("=> ");
    let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::hidden()).with_style(style);
    let started = Instant::now();
    let mut summary = Summary::default();
    let mut line = Vec::new();
    for path in logs {
        let unreadable = |error: io::Error| format!("cannot read {}: {error}", path.display());
        let mut log = open(path, &bar).map_err(unreadable)?;
        for number in 1.. {
            line.clear();
            if log.read_until(b'\n', &mut line).map_err(unreadable)? == 0 {
                break;
            }
            summary.lines += 1;
            match parse(line.trim_ascii_end()) {
                Ok(line) => visit(line).map_err(|error| {
                    let reasons = crate::program::reasons(&*error);
                    format!("{}:{number}: {reasons}", path.display())
                })?,
                Err(reason) => {
                    summary.malformed += 1;
                    if summary.told.len() < TOLD {
                        summary.told.push((path.clone(), number, reason));
                    }
                }
            }
            if bar.is_hidden() && started.elapsed() > PATIENCE {
                bar.set_draw_target(ProgressDrawTarget::stderr());
            }
        }
    }
    bar.finish_and_clear();
    Ok(summary)
}

fn open(path: &Path, bar: &ProgressBar) -> io::Result<Box<dyn BufRead>> {
    let source: Box<dyn Read> = if path == Path::new("-") {
        Box::new(io::stdin())
    } else {
        let file = File::open(path)?;
        bar.inc_length(file.metadata()?.len());
        Box::new(file)
    };
    let mut source = bar.wrap_read(source);
    // What begins as gzip is gzip, whatever its name; a rotated log may be several of them in a row.
    let mut head = Vec::new();
    source.by_ref().take(2).read_to_end(&mut head)?;
    let gzip = head == [0x1f, 0x8b];
    let whole = BufReader::new(Cursor::new(head).chain(source));
    Ok(if gzip { Box::new(BufReader::new(MultiGzDecoder::new(whole))) } else { Box::new(whole) })
}

impl Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} lines read, {} malformed", HumanCount(self.lines), HumanCount(self.malformed))?;
        for (path, number, reason) in &self.told {
            write!(f, "\n  {}:{number}: {reason}", path.display())?;
        }
        match self.malformed - self.told.len() as u64 {
            0 => Ok(()),
            more => write!(f, "\n  and {} more", HumanCount(more)),
        }
    }
}
