//! The program of the service.

#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use rowkey::nonblocking::{AsyncDatabase, Unblock};
use rowkey_fjall::Fjall;
use rowkey_service::{Limits, serve};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

/// Serves visits of pages over HTTP, from tables on disk.
#[derive(Parser)]
struct Args {
    /// Directory of the tables. It is created if it does not exist.
    directory: PathBuf,
    /// Address to listen on. Port 0 takes a free one, which is printed.
    #[arg(long, default_value = "127.0.0.1:8080")]
    listen: String,
    /// Longest deadline of a request, in milliseconds.
    #[arg(long, default_value_t = 2_000)]
    timeout_ms: u64,
    /// Number of requests at a time. Those beyond it are 503.
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u16).range(1..))]
    requests: u16,
    /// How long a stop waits for requests that have begun, in milliseconds.
    #[arg(long, default_value_t = 5_000)]
    grace_ms: u64,
}

/// The engine. Another one is another line: `Ok(Arc::new(Unblock::in_place(rowkey::Memory::new())))`.
fn engine(directory: &Path) -> rowkey::Result<Arc<dyn AsyncDatabase>> {
    Ok(Arc::new(Unblock::new(Fjall::open(directory)?)))
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(Args::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(args: Args) -> Result<(), Box<dyn std::error::Error>> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let stop = async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    };
    let db = engine(&args.directory)?;
    let listener = TcpListener::bind(&args.listen).await?;
    println!("listening on {}", listener.local_addr()?);
    let limits = Limits {
        timeout: Duration::from_millis(args.timeout_ms),
        requests: args.requests.into(),
        grace: Duration::from_millis(args.grace_ms),
    };
    serve(db, listener, limits, stop).await
}
