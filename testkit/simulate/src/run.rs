//! A run: a load is written into a new table, while its regions are looked at.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hbase_client::{Action, Client, Family, Put, ServerName, TableSchema, Write};
use rowkey_simulate::run::{Batch, Key, KeyFile, Line, Settings, SplitPolicy};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use crate::files::Folders;
use crate::lines::{Look, Seen};
use crate::load::{Combination, ROWS, Shape};
use crate::{Failure, decided, lines};

const MAX_FILESIZE: u64 = 8 << 20;
const FLUSH_SIZE: u64 = 1 << 20;
const BATCH: usize = 500;
const ROWS_PER_SECOND: u64 = 3_000;
/// Bytes of a value: with it a row of 24 bytes of key takes about 251 bytes on disk.
const VALUE: usize = 200;
/// The time between two looks at the regions.
const LOOK: Duration = Duration::from_secs(1);
/// The looks to an interval.
const LOOKS: u64 = 5;
const BALANCER: Duration = Duration::from_secs(10);

/// A run.
pub(crate) struct Run<'r> {
    pub(crate) client: &'r Client,
    pub(crate) cluster: &'r Path,
    pub(crate) combination: &'r Combination,
    pub(crate) keys: Arc<[Key]>,
}

fn schema(name: &str) -> TableSchema {
    TableSchema::new(name)
        .family(Family::new("f"))
        .max_file_size(MAX_FILESIZE)
        .flush_size(FLUSH_SIZE)
        .split_policy("org.apache.hadoop.hbase.io.hfile.RecordedSplits")
}

async fn drop_table(client: &Client, name: &str) -> Result<(), Failure> {
    if client.admin().exists(name).await? {
        if client.admin().is_enabled(name).await? {
            client.admin().disable(name).await?;
        }
        client.admin().drop(name).await?;
    }
    Ok(())
}

async fn write(client: &Client, table: &str, keys: &[Key]) -> Result<(), Failure> {
    let value = [b'v'; VALUE];
    let put = |key: &Key| Action::Write(Write::from(Put::new(&key.0).value("f", "q", value)));
    for outcome in client.table(table).batch(keys.iter().map(put).collect()).await {
        outcome?;
    }
    Ok(())
}

/// Writes as much as two runs, as fast as it goes: the servers' code is compiled then.
pub(crate) async fn warm_up(client: &Client) -> Result<(), Failure> {
    for turn in 0..2 {
        drop_table(client, "warm").await?;
        client.admin().create(&schema("warm"), (1..8_u8).map(|cut| [cut * 32])).await?;
        for batch in Shape::Hashed.keys().chunks(BATCH) {
            write(client, "warm", batch).await?;
        }
        println!("warm: {turn}");
    }
    drop_table(client, "warm").await
}

impl Run<'_> {
    /// Records it.
    pub(crate) async fn record(&self, key_file: KeyFile) -> Result<Vec<Line>, Failure> {
        let name = &*self.combination.name.replace('-', "_");
        drop_table(self.client, name).await?;
        self.client.admin().disable_balancer().await?;
        self.client.admin().create(&schema(name), self.combination.splits().iter().map(|key| &key.0)).await?;
        tokio::time::sleep(Duration::from_secs(3)).await;
        let first = self.look(name, 0, true).await?;

        let began = Instant::now();
        let (begin, is_begun) = watch::channel(None);
        let (end, is_ended) = watch::channel(false);
        let write = async {
            let batches = self.write(name, began, &begin).await;
            end.send_replace(true);
            batches
        };
        let (batches, looks, _) =
            tokio::join!(write, self.watch(name, is_begun.clone(), is_ended.clone()), self.balance(is_ended));
        let ((batches, zero), looks) = (batches?, looks?);
        let decisions = decided::of_table(self.cluster, name)?;
        drop_table(self.client, name).await?;

        let minimum = decisions.first().map_or(0, |decision| decision.compaction_min_size);
        let zero = u64::try_from(zero.duration_since(UNIX_EPOCH)?.as_millis())?;
        let seen = Seen { keys: &self.keys, batches, looks: [vec![first], looks].concat(), decisions, zero };
        let settings = self.settings(key_file, minimum)?;
        Ok(lines::of(settings, &seen))
    }

    /// Writes the load; its batches and the time of the first answer.
    async fn write(
        &self,
        name: &str,
        began: Instant,
        begin: &watch::Sender<Option<Instant>>,
    ) -> Result<(Vec<Batch>, SystemTime), Failure> {
        let (mut batches, mut zero) = (Vec::new(), None);
        for (number, keys) in (0..).zip(self.keys.chunks(BATCH)) {
            sleep_until(began + Duration::from_micros(number * BATCH as u64 * 1_000_000 / ROWS_PER_SECOND)).await;
            write(self.client, name, keys).await?;
            let &mut (first, _) = zero.get_or_insert_with(|| (Instant::now(), SystemTime::now()));
            begin.send_if_modified(|begin| begin.replace(first).is_none());
            let t_ms = u64::try_from(first.elapsed().as_millis())?;
            batches.push(Batch { t_ms, keys: Vec::new(), rows: Some(keys.len() as u64), bytes: VALUE as u64 });
        }
        Ok((batches, zero.ok_or("no rows")?.1))
    }

    /// Looks at the regions until the load is written and its time is over.
    async fn watch(
        &self,
        name: &str,
        mut begin: watch::Receiver<Option<Instant>>,
        mut end: watch::Receiver<bool>,
    ) -> Result<Vec<Look>, Failure> {
        let zero = begin.wait_for(Option::is_some).await?.unwrap_or_else(Instant::now);
        let all = ROWS / ROWS_PER_SECOND / LOOK.as_secs();
        let mut looks = Vec::new();
        for number in 1.. {
            let is_last = number >= all;
            if is_last {
                end.wait_for(|is_ended| *is_ended).await?;
            }
            let (at, is_interval) = (LOOK * u32::try_from(number)?, is_last || number % LOOKS == 0);
            sleep_until(zero + at).await;
            let at = if is_last { zero.elapsed() } else { at };
            looks.push(self.look(name, u64::try_from(at.as_millis())?, is_interval).await?);
            if is_last {
                break;
            }
        }
        Ok(looks)
    }

    /// Asks the balancer again and again, if it is on.
    async fn balance(&self, mut end: watch::Receiver<bool>) -> Result<(), Failure> {
        if !self.combination.is_balanced {
            return Ok(());
        }
        self.client.admin().enable_balancer().await?;
        loop {
            tokio::select! {
                () = tokio::time::sleep(BALANCER) => {}
                _ = end.wait_for(|is_ended| *is_ended) => break,
            }
            // A balancer that is at work refuses.
            let _ = self.client.admin().balance().await;
        }
        self.client.admin().disable_balancer().await?;
        Ok(())
    }

    async fn look(&self, name: &str, t_ms: u64, is_interval: bool) -> Result<Look, Failure> {
        let mut servers = self.client.admin().servers().await?;
        servers.sort_by_key(|server: &ServerName| server.address().port());
        let regions = self.client.table(name).regions().await?;
        let folders = Folders::new(self.cluster, name);
        let number = |server: Option<ServerName>| servers.iter().position(|one| Some(one) == server.as_ref());
        let mut look = Look { t_ms, is_interval, servers: servers.len(), regions: Vec::new() };
        for (region, server) in regions {
            let (bytes, files) = if is_interval { folders.of_region(&region.encoded_name()) } else { (0, 0) };
            look.regions.push(lines::SeenRegion {
                start: Key(region.start().to_vec()),
                id: region.id(),
                server: number(server).map(u32::try_from).transpose()?,
                bytes,
                files,
            });
        }
        Ok(look)
    }

    fn settings(&self, key_file: KeyFile, compaction_min_size: u64) -> Result<Settings, Failure> {
        let classpath = std::fs::read_to_string(self.cluster.join("classpath"))?;
        let version = classpath.split("/hbase-server/").nth(1).and_then(|rest| rest.split(['/', '-']).next());
        Ok(Settings {
            format: 1,
            engine: format!("hbase {}", version.ok_or("no hbase-server in the classpath")?),
            load: self.combination.load.to_owned(),
            servers: 3,
            max_filesize: MAX_FILESIZE,
            flush_size: FLUSH_SIZE,
            split_policy: SplitPolicy::Stepping,
            jitter: 0.0,
            balancer_ms: self.combination.is_balanced.then_some(u64::try_from(BALANCER.as_millis())?),
            discharger_ms: 500,
            compaction_min_size,
            block_size: 64 << 10,
            splits: self.combination.splits(),
            rows_per_second: 3_000.0,
            interval_ms: u64::try_from(LOOK.as_millis())? * LOOKS,
            rows_per_event: None,
            server_names: Vec::new(),
            keys: None,
            key_file: Some(key_file),
        })
    }
}
