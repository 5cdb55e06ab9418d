//! The signals that end a run: Ctrl-C, and SIGTERM, as `kill`, service managers and containers send it.

use std::io;
#[cfg(unix)]
use std::sync::Arc;
#[cfg(unix)]
use std::sync::atomic::{AtomicBool, Ordering};

/// The signals since the last one that was waited for. Those after it is dropped end the program at once.
#[cfg(unix)]
pub(super) struct Ending {
    is_over: Arc<AtomicBool>,
    interrupted: tokio::signal::unix::Signal,
    terminated: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Ending {
    /// Listens to the signals, which end the program no more.
    pub(super) fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let is_over = Arc::new(AtomicBool::new(false));
        let listen = |kind: SignalKind| {
            signal_hook::flag::register_conditional_default(kind.as_raw_value(), is_over.clone())?;
            signal(kind)
        };
        let [interrupted, terminated] = [listen(SignalKind::interrupt())?, listen(SignalKind::terminate())?];
        Ok(Self { interrupted, terminated, is_over })
    }

    /// Waits for one of them.
    pub(super) async fn asked(&mut self) {
        tokio::select! {
            _ = self.interrupted.recv() => {}
            _ = self.terminated.recv() => {}
        }
    }
}

#[cfg(unix)]
impl Drop for Ending {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
    }
}

/// The signals since the last one that was waited for.
#[cfg(not(unix))]
pub(super) struct Ending;

#[cfg(not(unix))]
impl Ending {
    /// Listens to Ctrl-C.
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self)
    }

    /// Waits for it.
    pub(super) async fn asked(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending().await
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::{Command, Stdio, id};
    use std::time::Duration;

    use super::*;

    #[test]
    fn each_signal_asks_for_the_end_once() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut ending = Ending::listen().unwrap();
            for signal in ["-INT", "-TERM"] {
                assert!(tokio::time::timeout(Duration::from_millis(1), ending.asked()).await.is_err());
                assert!(Command::new("kill").args([signal, &id().to_string()]).status().unwrap().success());
                ending.asked().await;
            }
        });
    }

    /// The program that a signal ends: this one, which then waits.
    const WAITS: &str = "ROWKEY_WAITS_AFTER_THE_END";

    #[test]
    fn a_signal_after_the_end_ends_the_program() {
        if std::env::var_os(WAITS).is_some() {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            drop(runtime.block_on(async { Ending::listen().unwrap() }));
            drop(runtime);
            writeln!(io::stdout(), "\nwaits").unwrap();
            std::thread::sleep(Duration::from_secs(60));
            return;
        }
        for (signal, number) in [("-INT", 2), ("-TERM", 15)] {
            let mut child = Command::new(std::env::current_exe().unwrap())
                .args(["a_signal_after_the_end_ends_the_program", "--nocapture"])
                .env(WAITS, "1")
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
            assert!(lines.any(|line| line.unwrap() == "waits"));
            assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
            assert_eq!(child.wait().unwrap().signal(), Some(number));
        }
    }
}
