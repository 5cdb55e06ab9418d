//! HBase's own programs, at a server of a test: its shell, Phoenix's driver, programs in Java. And OpenTSDB.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, id};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The programs of the server that `servers/hbase/start` or `servers/hbase/cluster` started on a folder. Each call is a
/// process of Java, which takes some seconds to start.
///
/// # Panics
///
/// All methods do, if a program does not start, or ends with an error: the message has its output.
#[derive(Clone, Debug)]
pub struct Programs {
    folder: PathBuf,
}

impl Programs {
    /// Those of the server on this folder.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// The output of a script in HBase's shell.
    pub fn shell(&self, script: &str) -> String {
        self.run("shell", script)
    }

    /// The rows of SQL by Phoenix, a line each, with tabs between the columns. Each statement ends with a semicolon and
    /// a line break.
    pub fn phoenix(&self, sql: &str) -> String {
        self.run("phoenix", sql)
    }

    /// The output of a program in Java, a single file of `servers/hbase`, that reads `input`.
    pub fn java(&self, program: &str, input: &str) -> String {
        let classes = std::fs::read_to_string(self.folder.join("classpath")).expect("the server's classpath");
        let classes = format!("{}:{}", self.folder.join("conf").display(), classes.trim_end());
        let mut command = Command::new(script("java"));
        command.args(["-Xmx512m", "-cp", &classes]).arg(script(program));
        self.with_file(&mut command, input)
    }

    /// OpenTSDB with these settings, as soon as it serves. The tables that they name have to be there.
    pub fn opentsdb(&self, settings: &[String]) -> OpenTsdb {
        let port = printed(&mut Command::new(script("free_port"))).trim().parse().expect("a port");
        let mut command = Command::new(script("opentsdb"));
        let process = command.arg(&self.folder).arg(format!("{port}")).args(settings).spawn();
        let mut server = OpenTsdb { port, process: process.expect("the program starts") };
        let log = self.folder.join(format!("opentsdb-{port}.log"));
        let until = Instant::now() + START;
        while server.send("GET", "/api/version", "").is_err() {
            let ended = server.process.try_wait().expect("a child");
            assert!(ended.is_none() && Instant::now() < until, "OpenTSDB does not serve: {}", log.display());
            sleep(Duration::from_millis(50));
        }
        server
    }

    fn run(&self, program: &str, text: &str) -> String {
        self.with_file(Command::new(script(program)).arg(&self.folder), text)
    }

    /// The output of a program whose last argument is the path of a file with this text, which stays in the server's
    /// folder.
    fn with_file(&self, command: &mut Command, text: &str) -> String {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let file = self.folder.join(format!("input-{}-{}", id(), NEXT.fetch_add(1, Ordering::Relaxed)));
        std::fs::write(&file, text).expect("a file in the server's folder");
        printed(command.arg(file))
    }
}

/// The time that OpenTSDB gets to start: at the first time Maven brings its jars.
const START: Duration = Duration::from_secs(600);

/// OpenTSDB, a process that ends when this is dropped.
#[derive(Debug)]
pub struct OpenTsdb {
    port: u16,
    process: Child,
}

impl OpenTsdb {
    /// The answer to a request.
    ///
    /// # Panics
    ///
    /// If the response's status is not a success.
    pub fn ask(&self, method: &str, path: &str, body: &str) -> String {
        let (status, answer) = self.send(method, path, body).expect("an answer of OpenTSDB");
        assert!(status.starts_with('2'), "{method} {path}: {status}\n{answer}");
        answer
    }

    /// The output of lines of commands, such as `put`.
    pub fn lines(&self, lines: &str) -> String {
        self.exchange(&format!("{lines}exit\n")).expect("OpenTSDB takes lines")
    }

    /// The status and the body of an answer.
    fn send(&self, method: &str, path: &str, body: &str) -> io::Result<(String, String)> {
        let length = body.len();
        let request = format!("{method} {path} HTTP/1.0\r\nContent-Length: {length}\r\n\r\n{body}");
        let answer = self.exchange(&request)?;
        let parts = answer.split_once("\r\n\r\n").and_then(|(head, body)| Some((head.split(' ').nth(1)?, body)));
        let (status, body) = parts.ok_or(io::ErrorKind::UnexpectedEof)?;
        Ok((status.to_owned(), body.to_owned()))
    }

    /// All bytes that come back, until it closes the connection.
    fn exchange(&self, request: &str) -> io::Result<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(Duration::from_secs(120)))?;
        stream.write_all(request.as_bytes())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    }
}

impl Drop for OpenTsdb {
    fn drop(&mut self) {
        // What it has acknowledged is stored.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../servers/hbase").join(name)
}

/// The output of a program.
///
/// # Panics
///
/// If its status is not 0.
pub fn printed(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().expect("the program starts");
    let (stdout, stderr) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success(), "{command:?}: {status}\n{stdout}\n{stderr}");
    stdout.into_owned()
}

/// A cell, as the shell's `scan` prints it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellCell {
    /// The row's key.
    pub row: Vec<u8>,
    /// Family, colon and qualifier.
    pub column: Vec<u8>,
    /// In the shell's form: `1970-01-01T00:00:00.005`.
    pub timestamp: String,
    /// The value.
    pub value: Vec<u8>,
}

/// The cells that the shell's `scan` printed, in its order. Other lines are left out.
pub fn shell_cells(printed: &str) -> Vec<ShellCell> {
    let cell = |line: &str| {
        let (row, rest) = line.strip_prefix(' ')?.split_once(" column=")?;
        let (column, rest) = rest.split_once(", timestamp=")?;
        let (timestamp, value) = rest.split_once(", value=")?;
        Some(ShellCell {
            row: from_binary(row.trim_end()),
            column: from_binary(column),
            timestamp: timestamp.to_owned(),
            value: from_binary(value),
        })
    };
    printed.lines().filter_map(cell).collect()
}

/// The bytes of a text in which bytes that are not printable ASCII are `\xNN`, as `Bytes.toBytesBinary` reads it.
pub fn from_binary(text: &str) -> Vec<u8> {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let Some(&first) = rest.first() {
        let hex = rest.strip_prefix(b"\\x").and_then(|rest| std::str::from_utf8(rest.get(..2)?).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &rest[4..];
            }
            None => {
                bytes.push(first);
                rest = &rest[1..];
            }
        }
    }
    bytes
}
