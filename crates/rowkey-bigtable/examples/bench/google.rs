//! Google's client for Go, in a process of its own: `go/main.go`.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::{Answer, BUCKETS, Contender, Counted, Failure, GETS, LENGTH, ROWS_A_REQUEST, Work, folder};

pub(crate) const NAME: &str = "Go's client";

/// The program, once it is built.
fn program() -> PathBuf {
    std::env::temp_dir().join(format!("rowkey-bigtable-bench-{}", std::process::id()))
}

fn keys() -> PathBuf {
    program().with_extension("keys")
}

/// Removes what was written.
pub(crate) fn clean() {
    let _ = std::fs::remove_file(program());
    let _ = std::fs::remove_file(keys());
}

/// The program ends when this is dropped.
pub(crate) struct Google {
    clients: usize,
    _process: Child,
    commands: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Google {
    /// Builds the program. Needs `go`, and the network once.
    pub(crate) fn build() -> Result<(), String> {
        let built = std::process::Command::new("go")
            .args(["build", "-o"])
            .arg(program())
            .arg(".")
            .current_dir(folder("examples/bench/go"))
            .status();
        match built {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("go build: {status}")),
            Err(error) => Err(format!("go: {error}")),
        }
    }

    pub(crate) async fn start(instance: &str, of: &[u8], clients: usize) -> Result<Self, Failure> {
        tokio::task::block_in_place(|| std::fs::write(keys(), of))?;
        let mut process = Command::new(program())
            .args(["p", instance])
            .arg(keys())
            .args([LENGTH.to_string(), clients.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let (commands, answers) = (process.stdin.take().ok_or("no input")?, process.stdout.take().ok_or("no output")?);
        Ok(Self { clients, _process: process, commands, answers: BufReader::new(answers).lines() })
    }
}

impl Contender for Google {
    fn name(&self) -> String {
        match self.clients {
            1 => NAME.into(),
            clients => format!("{NAME}, {clients} of them"),
        }
    }

    fn run<'a>(&'a mut self, work: Work, table: &'a str) -> Answer<'a> {
        Box::pin(async move {
            let (command, n) = match work {
                Work::Load | Work::LoadAtOnce => ("load", ROWS_A_REQUEST),
                Work::Scan => ("ranges", BUCKETS),
                Work::Whole => ("whole", 0),
                Work::Gets => ("gets", GETS),
                Work::Many => ("many", GETS),
            };
            self.commands.write_all(format!("{command} {table} {n}\n").as_bytes()).await?;
            let answer = self.answers.next_line().await?.ok_or("the Go program has ended")?;
            let numbers = answer.split(' ').map(str::parse).collect::<Result<Vec<u64>, _>>()?;
            let &[nanos, rows, bytes] = numbers.as_slice() else { return Err(answer.into()) };
            Ok((Duration::from_nanos(nanos), Counted { rows: usize::try_from(rows)?, bytes: usize::try_from(bytes)? }))
        })
    }
}
