//! Other clients, each in a process of its own: HBase's for Java (`Bench.java`), and happybase for Python (`bench.py`).
//! Both take the same commands and answer alike.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::{Counted, Failure, REGIONS, Work};

/// The program ends when this is dropped.
pub(crate) struct Other {
    process: Child,
    /// The gateway through which it reaches the server.
    gateway: Option<u32>,
    commands: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Other {
    /// Runs Java with the class path of the server in `folder`.
    pub(crate) fn java(folder: &Path) -> Result<Self, Failure> {
        let jars = std::fs::read_to_string(folder.join("classpath"))?;
        let mut java = Command::new("java");
        java.args(["-Xmx1g", "-Dorg.apache.hbase.thirdparty.io.netty.tryReflectionSetAccessible=true"])
            .args(["java.lang", "java.nio", "sun.nio.ch"].map(|of| format!("--add-opens=java.base/{of}=ALL-UNNAMED")))
            .arg("-cp")
            .arg(format!("{}:{}", folder.join("conf").display(), jars.trim()))
            .arg(program("Bench.java"));
        Self::start(java, None)
    }

    /// Runs a Python that has happybase, with the Thrift gateway in `folder`.
    pub(crate) fn happybase(python: &Path, folder: &Path) -> Result<Self, Failure> {
        let port = std::fs::read_to_string(folder.join("thrift.port"))
            .map_err(|error| format!("no gateway, `servers/hbase/thrift FOLDER` starts one: {error}"))?;
        let mut happybase = Command::new(python);
        happybase.arg(program("bench.py")).arg(port.trim());
        Self::start(happybase, crate::process(&folder.join("thrift.pid")))
    }

    fn start(mut command: Command, gateway: Option<u32>) -> Result<Self, Failure> {
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true).spawn()?;
        let (commands, answers) = (process.stdin.take().ok_or("no input")?, process.stdout.take().ok_or("no output")?);
        Ok(Self { process, gateway, commands, answers: BufReader::new(answers).lines() })
    }

    /// The client's, and that of its gateway.
    pub(crate) fn processes(&self) -> Vec<u32> {
        self.process.id().into_iter().chain(self.gateway).collect()
    }

    /// Writes what is in memory to files. Java alone can.
    pub(crate) async fn flush(&mut self, table: &str) -> Result<(), Failure> {
        self.ask(format!("flush {table}\n")).await.map(drop)
    }

    /// `prefetch`: Java's scanners read ahead, which is not their default.
    pub(crate) async fn run(
        &mut self,
        work: Work,
        table: &str,
        prefetch: bool,
    ) -> Result<(Duration, Counted), Failure> {
        let prefetch = u8::from(prefetch);
        self.ask(match work {
            Work::Load { callers, rows, batch } => format!("load {table} {callers} {rows} {batch}\n"),
            Work::Scan { scanners: REGIONS, caching, .. } => format!("scans {table} {caching} {prefetch}\n"),
            Work::Scan { caching, .. } => format!("scan {table} {caching} {prefetch}\n"),
            Work::Gets { callers, count, of } => format!("gets {table} {callers} {count} {of}\n"),
            Work::Many { callers, count, of, batch } => format!("many {table} {callers} {count} {of} {batch}\n"),
            Work::Increments { callers, count, of } => format!("increments {table} {callers} {count} {of}\n"),
        })
        .await
    }

    async fn ask(&mut self, command: String) -> Result<(Duration, Counted), Failure> {
        self.commands.write_all(command.as_bytes()).await?;
        let answer = self.answers.next_line().await?.ok_or("the program of another client has ended")?;
        let numbers = answer.split(' ').map(str::parse).collect::<Result<Vec<u64>, _>>()?;
        let &[nanos, rows, sum] = numbers.as_slice() else { return Err(answer.into()) };
        Ok((Duration::from_nanos(nanos), Counted { rows, sum }))
    }
}

fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/bench").join(name)
}
