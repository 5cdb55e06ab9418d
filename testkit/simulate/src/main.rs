//! Records what an HBase does with loads: `servers/hbase/recording` starts the HBase, and this program.

mod decided;
mod files;
mod lines;
mod load;
mod run;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::Compression;
use flate2::write::GzEncoder;
use hbase_client::{Client, Options};
use rowkey_simulate::recording::KeyDigest;
use rowkey_simulate::run::{Key, KeyFile};

/// A reason to stop.
type Failure = Box<dyn std::error::Error + Send + Sync>;

/// The runs of a combination.
const RUNS: u32 = 4;

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let (Some(cluster), Some(out)) = (arguments.next(), arguments.next()) else {
        return Err("usage: recorder CLUSTER OUT [NAME...]".into());
    };
    let (cluster, out, names) = (PathBuf::from(cluster), PathBuf::from(out), arguments.collect::<Vec<_>>());
    // A flush comes between two batches, not within one, as with HBase's own client.
    let options = Options::from_site(cluster.join("conf/hbase-site.xml"))?.calls_per_batch(1);
    let client = Client::new(options)?;
    let mut is_warm = false;
    for combination in &load::COMBINATIONS {
        if !names.is_empty() && !names.iter().any(|name| name == combination.name) {
            continue;
        }
        let keys: Arc<[Key]> = combination.shape.keys().into();
        let key_file = keep_keys(&out, combination.keys, &keys)?;
        for number in 1..=RUNS {
            let path = out.join(format!("{}-{number}.jsonl.gz", combination.name));
            if path.exists() {
                continue;
            }
            if !is_warm {
                run::warm_up(&client).await?;
                is_warm = true;
            }
            let run = run::Run { client: &client, cluster: &cluster, combination, keys: Arc::clone(&keys) };
            let lines = run.record(key_file.clone()).await?;
            write(&path, |writer| lines.iter().try_for_each(|line| rowkey_simulate::run::write(&mut *writer, line)))?;
            println!("{}", path.display());
        }
    }
    Ok(())
}

/// Writes a load's keys, unless they are there.
fn keep_keys(out: &Path, name: &str, keys: &[Key]) -> Result<KeyFile, Failure> {
    let name = format!("{name}.keys.gz");
    let path = out.join(&name);
    let mut digest = KeyDigest::default();
    keys.iter().for_each(|key| digest.add(key));
    if !path.exists() {
        let width = keys.iter().map(|key| key.0.len()).max().unwrap_or_default();
        let column = |place| Key(keys.iter().filter_map(|key| key.0.get(place)).copied().collect());
        write(&path, |writer| (0..width).map(column).try_for_each(|column| writeln!(writer, "{column:?}")))?;
    }
    Ok(KeyFile { name, rows: keys.len() as u64, digest: digest.text() })
}

/// Writes a compressed file; one that was cut has another name.
fn write(path: &Path, lines: impl FnOnce(&mut GzEncoder<std::fs::File>) -> std::io::Result<()>) -> Result<(), Failure> {
    let part = path.with_extension("part");
    let mut writer = GzEncoder::new(std::fs::File::create(&part)?, Compression::best());
    lines(&mut writer)?;
    writer.finish()?.sync_all()?;
    std::fs::rename(part, path)?;
    Ok(())
}
