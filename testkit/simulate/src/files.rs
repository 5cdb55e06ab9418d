//! Store files in HBase's folders.

use std::fs;
use std::path::{Path, PathBuf};

/// The folders of a table: where its regions are, and where what they let go is kept.
pub(crate) struct Folders {
    table: String,
    places: [PathBuf; 2],
}

impl Folders {
    /// Those of a table, in the folder that `servers/hbase/prepare` made.
    pub(crate) fn new(cluster: &Path, table: &str) -> Self {
        let root = cluster.join("hbase");
        let places = [root.join("data/default").join(table), root.join("archive/data/default").join(table)];
        Self { table: table.to_owned(), places }
    }

    /// The bytes of a region's files, and their number. A file that a compaction let go meanwhile counts as none.
    pub(crate) fn of_region(&self, region: &str) -> (u64, u32) {
        let Ok(entries) = fs::read_dir(self.places[0].join(region).join("f")) else { return (0, 0) };
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let lengths = names.filter(|name| !name.starts_with('.')).map(|name| self.length(region, &name));
        lengths.fold((0, 0), |(bytes, files), length| (bytes + length, files + 1))
    }

    /// The length of a file: half of it for a reference, `FILE.REGION`; all of it for a link, `TABLE=REGION-FILE`.
    fn length(&self, region: &str, name: &str) -> u64 {
        if let Some((file, parent)) = name.rsplit_once('.') {
            return self.length(parent, file) / 2;
        }
        if let Some((region, file)) =
            name.strip_prefix(&*self.table).and_then(|link| link.strip_prefix('=')?.split_once('-'))
        {
            return self.length(region, file);
        }
        let lengths = self.places.iter().map(|place| fs::metadata(place.join(region).join("f").join(name)));
        lengths.flatten().next().map_or(0, |file| file.len())
    }
}
