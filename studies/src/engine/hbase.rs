//! The tables of a study in HBase: in a namespace that it creates, so that it touches no table of anybody else.

use std::error::Error;
use std::path::Path;

use hbase_client::{Client, ErrorKind, Options};
use rowkey::nonblocking::{AsyncWideDatabase, Blocking};
use rowkey::wide::OneColumn;
use rowkey_hbase::HBase;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use super::{Db, EngineError};

/// A namespace of HBase that a study has created.
pub(super) struct Server {
    runtime: Runtime,
    hbase: HBase,
    db: Db,
}

fn failed(error: impl Error + Send + Sync + 'static) -> EngineError {
    EngineError::HBase(Box::new(error))
}

impl Server {
    /// Creates the namespace. Of two studies that do so at once, one is told that it exists.
    pub(super) fn open(site: &Path, namespace: String) -> Result<Self, EngineError> {
        let runtime = Runtime::new().map_err(failed)?;
        let hbase = runtime.block_on(async {
            let client = Client::new(Options::from_site(site).map_err(failed)?).map_err(failed)?;
            let hbase = HBase::connect(client.clone()).await.map_err(failed)?;
            match client.admin().create_namespace(namespace.as_str()).await {
                Err(error) if error.kind() == ErrorKind::NamespaceExists => {
                    Err(EngineError::NamespaceExists(namespace))
                }
                created => created.map(|()| hbase.in_namespace(&namespace)).map_err(failed),
            }
        })?;
        let handle = runtime.handle().clone();
        let blocking = Blocking::on(hbase.clone(), move |future| drop(handle.spawn(future)));
        let db = Db::of_server(OneColumn::database(blocking.clone()), blocking);
        Ok(Self { runtime, hbase, db })
    }

    pub(super) fn db(&self) -> Db {
        self.db.clone()
    }

    /// Drops the tables, at once, and then the namespace.
    pub(super) fn drop_all(&self) -> Result<(), EngineError> {
        self.runtime.block_on(async {
            let mut drops = JoinSet::new();
            for table in self.hbase.tables().await.map_err(failed)? {
                let hbase = self.hbase.clone();
                drops.spawn(async move { hbase.drop_table(&table).await });
            }
            for dropped in drops.join_all().await {
                dropped.map_err(failed)?;
            }
            self.hbase.client().admin().drop_namespace(self.hbase.namespace()).await.map_err(failed)
        })
    }
}
