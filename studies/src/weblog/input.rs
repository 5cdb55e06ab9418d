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
use crate::sample;

/// How many malformed lines are printed one by one.
const TOLD: usize = 3;
/// Work that ends sooner has no progress bar.
const PATIENCE: Duration = Duration::from_millis(500);

/// The numbers of lines that were read.
#[derive(Default)]
pub struct Summary {
    /// Lines, malformed ones with them.
    pub lines: u64,
    /// Those that are not of the format.
    pub malformed: u64,
    told: Vec<(String, u64, Malformed)>,
}

/// Where web logs come from.
#[derive(clap::Args)]
pub struct Logs {
    /// Logs of Apache or nginx in the "combined" format, plain or gzip; - is standard input [default: a sample]
    logs: Vec<PathBuf>,
}

/// A log: a file, standard input (`-`), or the sample.
#[derive(Debug, Clone, Copy)]
pub enum Log<'a> {
    /// [`sample::ACCESS_LOG`].
    Sample,
    /// A file, or `-`.
    File(&'a Path),
}

impl Logs {
    /// Each log that was given, or the sample.
    pub fn each(&self) -> Vec<Log<'_>> {
        match &self.logs[..] {
            [] => vec![Log::Sample],
            logs => logs.iter().map(|path| Log::File(path)).collect(),
        }
    }
}

impl Display for Log<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sample => f.write_str("the sample"),
            Self::File(path) => write!(f, "{}", path.display()),
        }
    }
}

/// Calls `visit` with each line of each log; malformed ones are counted and passed over. What goes wrong there is told
/// with the line.
pub fn read_logs<'l>(
    logs: impl IntoIterator<Item = Log<'l>>,
    mut visit: impl FnMut(Line<'_>) -> Result<(), Box<dyn Error>>,
) -> Result<Summary, Box<dyn Error>> {
    let style = ProgressStyle::with_template("{bytes} of {total_bytes} [{wide_bar}] {eta} left")?.progress_chars("=> ");
    let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::hidden()).with_style(style);
    let started = Instant::now();
    let mut summary = Summary::default();
    let mut line = Vec::new();
    for log in logs {
        let unreadable = |error: io::Error| format!("cannot read {log}: {error}");
        let mut lines = open(log, &bar).map_err(unreadable)?;
        for number in 1.. {
            line.clear();
            if lines.read_until(b'\n', &mut line).map_err(unreadable)? == 0 {
                break;
            }
            summary.lines += 1;
            match parse(line.trim_ascii_end()) {
                Ok(line) => visit(line).map_err(|error| {
                    let reasons = crate::output::reasons(&*error);
                    format!("{log}:{number}: {reasons}")
                })?,
                Err(reason) => {
                    summary.malformed += 1;
                    if summary.told.len() < TOLD {
                        summary.told.push((log.to_string(), number, reason));
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

fn open(log: Log<'_>, bar: &ProgressBar) -> io::Result<Box<dyn BufRead>> {
    let source: Box<dyn Read> = match log {
        Log::Sample => {
            bar.inc_length(sample::ACCESS_LOG.len() as u64);
            Box::new(sample::ACCESS_LOG)
        }
        Log::File(path) if path == Path::new("-") => Box::new(io::stdin()),
        Log::File(path) => {
            let file = File::open(path)?;
            bar.inc_length(file.metadata()?.len());
            Box::new(file)
        }
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
        for (log, number, reason) in &self.told {
            write!(f, "\n  {log}:{number}: {reason}")?;
        }
        match self.malformed - self.told.len() as u64 {
            0 => Ok(()),
            more => write!(f, "\n  and {} more", HumanCount(more)),
        }
    }
}
