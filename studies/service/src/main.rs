//! The service as a program, on fjall, HBase or Bigtable.

#![forbid(unsafe_code)]

use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use hbase_client::{Client, Options};
use rowkey::nonblocking::{AsyncDatabase, Unblock};
use rowkey::wide::OneColumn;
use rowkey_bigtable::{Bigtable, BigtableOptions};
use rowkey_fjall::Fjall;
use rowkey_hbase::HBase;
use rowkey_service::{Limits, Service};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};

/// A web service that keeps the visits of a web server
#[derive(Parser)]
struct Args {
    /// The directory of the database; it is created if it does not exist
    #[arg(required_unless_present_any = ["hbase", "bigtable"])]
    directory: Option<PathBuf>,
    /// HBase in place of a directory: the path of its hbase-site.xml
    #[arg(long, value_name = "SITE.XML", conflicts_with_all = ["directory", "bigtable"])]
    hbase: Option<PathBuf>,
    /// The namespace of the tables in HBase, which has to exist
    #[arg(long, value_name = "NAME", default_value = "default", requires = "hbase")]
    namespace: String,
    /// An instance of Bigtable in place of a directory; BIGTABLE_EMULATOR_HOST is the address of an emulator
    #[arg(long, value_name = "PROJECT/INSTANCE", value_parser = instance, conflicts_with = "directory")]
    bigtable: Option<BigtableOptions>,
    /// The address to listen at; port 0 takes a free one
    #[arg(long, default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    #[command(flatten)]
    limits: Limits,
}

fn instance(name: &str) -> Result<BigtableOptions, String> {
    match name.split_once('/') {
        Some((project, instance)) if !project.is_empty() && !instance.is_empty() && !instance.contains('/') => {
            Ok(BigtableOptions::new(project, instance))
        }
        _ => Err("it is written PROJECT/INSTANCE".to_owned()),
    }
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

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn run(Args { directory, hbase, namespace, bigtable, listen, limits }: Args) -> Outcome {
    let runtime = Runtime::new()?;
    // The engine, a line or two each. In memory it would be `Unblock::in_place(Memory::new())`.
    if let Some(site) = hbase {
        return runtime.block_on(async {
            let db = HBase::connect(Client::new(Options::from_site(site)?)?).await?.in_namespace(&namespace);
            serve(OneColumn::database(db), listen, limits).await
        });
    }
    if let Some(instance) = bigtable {
        let db = OneColumn::database(runtime.block_on(Bigtable::connect(instance))?);
        return runtime.block_on(serve(db, listen, limits));
    }
    let db = Unblock::new(Fjall::open(directory.unwrap_or_default())?);
    runtime.block_on(serve(db.clone(), listen, limits))?;
    // Connections that are still open end here. Calls of theirs that a thread of the pool has taken may go on; their
    // outcome is unknown to everybody.
    drop(runtime);
    db.get_ref().sync()?;
    Ok(())
}

async fn serve(db: impl AsyncDatabase + Clone + 'static, listen: SocketAddr, limits: Limits) -> Outcome {
    let service = Service::open(db, limits).await?;
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
    Ok(())
}
