//! An emulator of a test's own, which it may kill.

use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::load::HANGS;

/// A process of the emulator. It ends when this is dropped.
pub(crate) struct Emulator {
    process: Child,
    port: u16,
}

impl Emulator {
    /// Starts one, and waits until it serves.
    pub(crate) fn start(port: u16) -> Self {
        let path = std::env::var_os("ROWKEY_BIGTABLE_EMULATOR");
        let path = path.expect("ROWKEY_BIGTABLE_EMULATOR is the path of the emulator");
        let mut command = Command::new(path);
        command.args(["-host", "127.0.0.1", "-port", &port.to_string()]);
        let process = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let mut emulator = Self { process, port };
        let began = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert_eq!(emulator.process.try_wait().unwrap(), None, "the emulator ended");
            assert!(began.elapsed() < HANGS, "the emulator does not serve");
            std::thread::sleep(Duration::from_millis(20));
        }
        emulator
    }

    pub(crate) fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// SIGKILL: nothing of it is left.
    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// SIGSTOP, SIGCONT.
    pub(crate) fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args(["-s", signal, &self.process.id().to_string()]).status().unwrap();
        assert!(sent.success(), "kill -s {signal}");
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
