//! Another process of this program, which runs one of its functions as it is told by lines.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The process. It is killed with this value.
pub(crate) struct Peer {
    child: Child,
    ask: ChildStdin,
    told: BufReader<ChildStdout>,
}

impl Peer {
    /// Starts the function, which is a test that is ignored and does nothing without the variable.
    pub(crate) fn start(function: &str, variable: &str, value: &str) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--ignored", "--exact", "--nocapture", function]).env(variable, value);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (ask, told) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, ask, told }
    }

    pub(crate) fn ask(&mut self, line: &str) {
        writeln!(self.ask, "{line}").unwrap();
        self.ask.flush().unwrap();
    }

    /// The rest of the next line that begins with a word.
    pub(crate) fn told(&mut self, word: &str) -> String {
        let mut line = String::new();
        loop {
            line.clear();
            assert!(self.told.read_line(&mut line).unwrap() > 0, "the other process has ended");
            // The harness prints lines of its own.
            if let Some(rest) = line.strip_prefix(word) {
                return rest.trim().to_owned();
            }
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
