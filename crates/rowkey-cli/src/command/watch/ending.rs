//! The signals that end a run: Ctrl-C, and SIGTERM, as `kill`, service managers and containers send it.

use std::io;

/// The signals since the last one that was waited for.
#[cfg(unix)]
pub(super) struct Ending {
    interrupted: tokio::signal::unix::Signal,
    terminated: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Ending {
    /// Listens to the signals, which end the program no more.
    pub(super) fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { interrupted: signal(SignalKind::interrupt())?, terminated: signal(SignalKind::terminate())? })
    }

    /// Waits for one of them.
    pub(super) async fn asked(&mut self) {
        tokio::select! {
            _ = self.interrupted.recv() => {}
            _ = self.terminated.recv() => {}
        }
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
    use std::process::{Command, id};
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
}
