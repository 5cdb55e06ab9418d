//! The engine of a study: `Memory`, or HBase with `--hbase SITE.XML`, which needs the feature `hbase`.

mod counted;
mod db;
#[cfg(feature = "hbase")]
mod hbase;

use std::path::PathBuf;
#[cfg(feature = "hbase")]
use std::sync::OnceLock;

pub use self::db::{Cells, Db, Wide};

/// The options that choose the engine: the same for all studies.
#[derive(Debug, clap::Args)]
pub struct EngineArgs {
    /// Keeps the tables in HBase, whose hbase-site.xml this is [default: in memory]
    #[arg(long, value_name = "SITE.XML", help_heading = "Engine")]
    hbase: Option<PathBuf>,
    /// The namespace in HBase that the study creates for its tables [default: `rowkey_` and the study's name]
    #[arg(long, value_name = "NAME", requires = "hbase", help_heading = "Engine")]
    namespace: Option<String>,
    /// Keeps the namespace and its tables, which are dropped at the end otherwise
    #[arg(long, requires = "hbase", help_heading = "Engine")]
    keep: bool,
}

/// The engine of a study that runs.
pub struct Engine {
    study: String,
    args: EngineArgs,
    #[cfg(feature = "hbase")]
    server: OnceLock<hbase::Server>,
}

/// Why a study has no database.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The program has no client of HBase.
    #[error(
        "this program was built without HBase; with it: cargo run --release -p rowkey-studies --features hbase -- \
         {study} --hbase SITE.XML"
    )]
    NotBuilt {
        /// The study.
        study: String,
    },
    /// A run of the study keeps its tables there, or is about to.
    #[error(
        "the namespace {0} exists: another run uses it, was told to keep it, or was killed. `--namespace NAME` takes \
         another; in HBase's shell, disable_all '{0}:.*', drop_all '{0}:.*' and drop_namespace '{0}' remove it"
    )]
    NamespaceExists(String),
    /// The study asks for what HBase does not have.
    #[error("{study} does not run on HBase: {why}")]
    Unsupported {
        /// The study.
        study: String,
        /// What it asks for.
        why: &'static str,
    },
    /// HBase, or its client.
    #[error("HBase")]
    HBase(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl Engine {
    /// The engine that a study's options choose. Nothing is opened yet.
    pub fn new(study: &str, args: EngineArgs) -> Self {
        Self {
            study: study.to_owned(),
            args,
            #[cfg(feature = "hbase")]
            server: OnceLock::new(),
        }
    }

    /// The study's database, without tables when it is first opened.
    ///
    /// # Errors
    ///
    /// [`EngineError`]: HBase can't be reached, or has the namespace already.
    pub fn open(&self) -> Result<Db, EngineError> {
        match &self.args.hbase {
            None => Ok(Db::in_memory()),
            #[cfg(feature = "hbase")]
            Some(site) => {
                if let Some(server) = self.server.get() {
                    return Ok(server.db());
                }
                let server = hbase::Server::open(site, self.namespace())?;
                let db = server.db();
                // One thread runs a study, so none was set meanwhile.
                let _ = self.server.set(server);
                Ok(db)
            }
            #[cfg(not(feature = "hbase"))]
            Some(_) => Err(EngineError::NotBuilt { study: self.study.clone() }),
        }
    }

    /// The database in memory, and its wide tables, for a study that asks for what no server has.
    ///
    /// # Errors
    ///
    /// [`EngineError::Unsupported`] if another engine was chosen.
    pub fn open_in_memory(&self, why: &'static str) -> Result<(Db, Cells), EngineError> {
        let db = Db::in_memory();
        match (&self.args.hbase, db.cells()) {
            (None, Some(cells)) => Ok((db, cells)),
            _ => Err(EngineError::Unsupported { study: self.study.clone(), why }),
        }
    }

    /// Drops what the study created in HBase, unless it is to be kept.
    ///
    /// # Errors
    ///
    /// [`EngineError::HBase`] if a table can't be dropped.
    pub fn close(self) -> Result<(), EngineError> {
        #[cfg(feature = "hbase")]
        if let Some(server) = self.server.get() {
            if !self.args.keep {
                return server.drop_all();
            }
            eprintln!("the tables of {} are in the namespace {}", self.study, self.namespace());
        }
        Ok(())
    }

    #[cfg(feature = "hbase")]
    fn namespace(&self) -> String {
        self.args.namespace.clone().unwrap_or_else(|| format!("rowkey_{}", self.study))
    }
}
