//! The recordings in the repository.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex};

use rowkey_simulate::compare::Ranks;
use rowkey_simulate::recording::Run;
use rowkey_simulate::run::Key;

/// The runs of each combination, by its name.
pub(crate) fn files() -> BTreeMap<String, Vec<PathBuf>> {
    let mut files: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if let Some((combination, _)) = name.strip_suffix(".jsonl.gz").and_then(|name| name.rsplit_once('-')) {
            files.entry(combination.to_owned()).or_default().push(path.clone());
        }
    }
    files.values_mut().for_each(|runs| runs.sort());
    files
}

/// All recordings, by combination. The keys of one that several share are read once.
pub(crate) fn all() -> &'static BTreeMap<String, Vec<Run>> {
    static ALL: LazyLock<BTreeMap<String, Vec<Run>>> = LazyLock::new(|| {
        let mut keys = BTreeMap::<String, Arc<[Key]>>::new();
        let mut open = |path: &PathBuf| {
            let mut run =
                Run::read(text(path).as_bytes()).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let file = run.settings.key_file.clone().expect("a file of keys");
            let read = || Run::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())).keys;
            run.keys = keys.entry(file.digest).or_insert_with(read).clone();
            run
        };
        files().into_iter().map(|(name, paths)| (name, paths.iter().map(&mut open).collect())).collect()
    });
    &ALL
}

/// The ranks of a combination's keys.
pub(crate) fn ranks(name: &str) -> Ranks {
    static RANKS: LazyLock<Mutex<BTreeMap<String, Ranks>>> = LazyLock::new(<_>::default);
    let run = &all()[name][0];
    let digest = run.settings.key_file.clone().expect("a file of keys").digest;
    RANKS.lock().unwrap().entry(digest).or_insert_with(|| Ranks::of(run)).clone()
}

/// The text of a run.
pub(crate) fn text(path: &Path) -> String {
    let file = fs::File::open(path).unwrap();
    std::io::read_to_string(flate2::read::MultiGzDecoder::new(file)).unwrap()
}
