//! HBase's own client, in a process of its own: `Bench.java`.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::{Counted, Failure, REGIONS, Work};

/// The program ends when this is dropped.
pub(crate) struct Java {
    process: Child,
    commands: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Java {
    /// Runs the program with the class path of the server in `folder`.
    pub(crate) fn start(folder: &Path) -> Result<Self, Failure> {
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/bench/Bench.java");
        let jars = std::fs::read_to_string(folder.join("classpath"))?;
        let mut process = Command::new("java")
            .args(["-Xmx1g", "-Dorg.apache.hbase.thirdparty.io.netty.tryReflectionSetAccessible=true"])
            .args(["java.lang", "java.nio", "sun.nio.ch"].map(|of| format!("--add-opens=java.base/{of}=ALL-UNNAMED")))
            .arg("-cp")
            .arg(format!("{}:{}", folder.join("conf").display(), jars.trim()))
            .arg(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let (commands, answers) = (process.stdin.take().ok_or("no input")?, process.stdout.take().ok_or("no output")?);
        Ok(Self { process, commands, answers: BufReader::new(answers).lines() })
    }

    pub(crate) fn process(&self) -> Option<u32> {
        self.process.id()
    }

    /// Writes what is in memory to files.
    pub(crate) async fn flush(&mut self, table: &str) -> Result<(), Failure> {
        self.ask(format!("flush {table}\n")).await.map(drop)
    }

    /// `prefetch`: its scanners read ahead, which is not its default.
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
        let answer = self.answers.next_line().await?.ok_or("the Java program has ended")?;
        let numbers = answer.split(' ').map(str::parse).collect::<Result<Vec<u64>, _>>()?;
        let &[nanos, rows, sum] = numbers.as_slice() else { return Err(answer.into()) };
        Ok((Duration::from_nanos(nanos), Counted { rows, sum }))
    }
}
