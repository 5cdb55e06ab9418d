//! Opening a database.

use std::path::Path;
use std::sync::{Arc, Mutex};

use rowkey::store::{CallOptions, DatabaseId};

use crate::database::Fjall;
use crate::directory::{self, Checked};
use crate::error::{FjallError, guarded};
use crate::files::sync_directory;
use crate::options::FjallOptions;
use crate::record::Recorder;
use crate::shared::{Shared, TABLE};

impl FjallOptions {
    /// Opens the database in a directory of its own, and creates it if it does not exist. Files that desktops and file
    /// systems leave there are passed over, such as `lost+found` or `.DS_Store`. Opening writes, so a read-only
    /// directory can't be opened.
    ///
    /// # Errors
    ///
    /// [`FjallError`]: locked, foreign, damaged, no permission.
    pub fn open(self, path: impl AsRef<Path>) -> Result<Fjall, FjallError> {
        let path = std::path::absolute(path).map_err(FjallError::Disk)?;
        self.open_absolute(&path).map_err(|error| match error {
            FjallError::Disk(error) => {
                FjallError::Disk(std::io::Error::new(error.kind(), format!("{}: {error}", path.display())))
            }
            other => other,
        })
    }

    fn open_absolute(self, path: &Path) -> Result<Fjall, FjallError> {
        let Checked { next, mut journals } = directory::check(path, self.truncate)?;
        let there = path.ancestors().find(|path| path.exists()).unwrap_or(path);
        let mut builder = fjall::Database::builder(path);
        if let Some(bytes) = self.cache_bytes {
            builder = builder.cache_size(bytes);
        }
        let db = match guarded(|| Ok(builder.open()))? {
            Ok(db) => db,
            Err(fjall::Error::Locked) => return Err(FjallError::Locked(path.to_owned())),
            Err(fjall::Error::InvalidVersion(_)) => return Err(FjallError::Version(path.to_owned())),
            Err(error) => return Err(error.into()),
        };
        db.supervisor.seqno.fetch_max(next);
        journals.reach_tables(&db, path, self.truncate)?;
        if let Some(other) = db.list_keyspace_names().iter().find(|name| !name.starts_with(TABLE)) {
            return Err(FjallError::OtherProgram { path: path.to_owned(), keyspace: other.to_string() });
        }
        // The engine does not make the names of new directories durable.
        sync_directory(&path.join("keyspaces")).map_err(FjallError::Disk)?;
        for parent in path.ancestors().skip(1).take_while(|parent| parent.starts_with(there)) {
            // One that may be written to, but not read, can't be synced.
            _ = sync_directory(parent);
        }
        let mut recorder = Recorder::new(db.clone(), path.to_owned(), journals.read, journals.lacks);
        // Without it, what is read next time is checked less; or, if writes were cut off, refused once more.
        let recorded = recorder.record();
        if journals.lacks.is_some() {
            recorded.map_err(FjallError::Disk)?;
        }
        let durability = self.durability;
        let shared = Shared {
            _recorder: recorder,
            id: DatabaseId::unique(),
            db,
            options: self,
            writers: parking_lot::RwLock::new(()),
            ids: Mutex::default(),
        };
        Ok(Fjall { shared: Arc::new(shared), durability, options: CallOptions::new() })
    }
}
