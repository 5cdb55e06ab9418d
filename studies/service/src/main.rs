//! The service as a program, on fjall.

#![forbid(unsafe_code)]

use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use rowkey::nonblocking::Unblock;
use rowkey_fjall::{Fjall, FjallError};
use rowkey_service::{Limits, Service};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};

/// A web service that keeps the visits of a web server
#[derive(Parser)]
struct Args {
    /// The directory of the database; it is created if it does not exist
    directory: PathBuf,
    /// The address to listen at; port 0 takes a free one
    #[arg(long, default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    #[command(flatten)]
    limits: Limits,
}

/// The engine. In memory it would be `Unblock::in_place(Memory::new())`.
fn engine(directory: &Path) -> Result<Unblock<Fjall>, FjallError> {
    Ok(Unblock::new(Fjall::open(directory)?))
}

fn main() -> ExitCode {
    match run(Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(Args { directory, listen, limits }: Args) -> Result<(), Box<dyn std::error::Error>> {
    let db = engine(&directory)?;
    let runtime = Runtime::new()?;
    runtime.block_on(async {
        let service = Service::open(db.clone(), limits).await?;
        // The signals are handled before a client can know of the program.
        let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
        let listener = TcpListener::bind(listen).await?;
        println!("listening at {}", listener.local_addr()?);
        io::stdout().flush()?;
        let stop = async move {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
        };
        service.serve(listener, stop).await;
        Ok::<(), Box<dyn std::error::Error>>(())
    })?;
    // Connections that are still open end here. Calls of theirs that a thread of the pool has taken may go on; their outcome is
    // unknown to everybody.
    drop(runtime);
    db.get_ref().sync()?;
    Ok(())
}
