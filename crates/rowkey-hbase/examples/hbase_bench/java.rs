//! HBase's own client for Java, as a program that reads commands.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::{BUCKETS, Counted, Failure};

/// The program ends when this is dropped.
pub(crate) struct Java {
    _process: Child,
    commands: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Java {
    pub(crate) fn start(folder: &Path) -> Result<Self, Failure> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let jars = std::fs::read_to_string(folder.join("classpath"))?;
        let mut process = Command::new(here.join("../../servers/hbase/java"))
            .args(["-Xmx1g", "-cp", &format!("{}:{}", folder.join("conf").display(), jars.trim())])
            .arg(here.join("examples/hbase_bench/Merged.java"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let (commands, answers) = (process.stdin.take().ok_or("no input")?, process.stdout.take().ok_or("no output")?);
        Ok(Self { _process: process, commands, answers: BufReader::new(answers).lines() })
    }

    /// All rows, in the order of the key without its salt.
    pub(crate) async fn scan(&mut self, table: &str, rows: u32) -> Result<(Duration, Counted), Failure> {
        self.commands.write_all(format!("{table} {BUCKETS} {rows}\n").as_bytes()).await?;
        let answer = self.answers.next_line().await?.ok_or("the program in Java has ended")?;
        let numbers = answer.split(' ').map(str::parse).collect::<Result<Vec<u64>, _>>()?;
        let &[nanos, rows, bytes] = numbers.as_slice() else { return Err(answer.into()) };
        Ok((Duration::from_nanos(nanos), Counted { rows: rows.try_into()?, bytes: bytes.try_into()? }))
    }
}
