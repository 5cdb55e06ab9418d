//! Readings until the time is over, a table is gone, or a signal ends them.

use std::time::Duration;

use futures_util::future::join_all;
use hbase_client::{Client, Error};
use rowkey_simulate::page;
use rowkey_watch::{Cluster, Follow};
use tokio::time::{Instant, sleep_until};

use super::Args;
use super::ending::Ending;
use crate::cluster::{self, Keys, refused};
use crate::failure::Failure;

/// A table that is watched.
pub(super) struct Watched {
    pub(super) followed: Followed,
    cluster: Cluster,
}

/// The readings of a table.
pub(super) struct Followed {
    pub(super) follow: Follow,
    /// A sample of its keys, if one was asked for.
    pub(super) sample: Option<Keys>,
}

/// The requests that were made, and the time that they took.
#[derive(Default)]
pub(super) struct Cost {
    requests: u64,
    keys: usize,
    took: Duration,
}

impl Cost {
    pub(super) fn words(&self) -> String {
        let minutes = self.took.as_secs_f64() / 60.0;
        let each = self.requests as f64 / minutes.max(1.0 / 60.0);
        let rows = match self.keys {
            0 => "no row of a table was read".to_owned(),
            keys => format!("{keys} keys were read"),
        };
        let took = page::elapsed(u64::try_from(self.took.as_millis()).unwrap_or(u64::MAX));
        format!("{} requests in {took}, {each:.0} a minute; {rows}", self.requests)
    }
}

/// Watches tables, and tells of each reading. Besides what was read, it returns why it ended, if not as it was to.
/// `sampled` is the number of keys that were read before; if it was none, a sample is read that was asked for.
pub(super) async fn watch(
    args: &Args,
    client: &Client,
    names: impl Iterator<Item = String>,
    sampled: usize,
    tell: impl Fn(&[Watched], &Cost),
) -> Result<(Vec<Followed>, Cost, Option<Failure>), Failure> {
    let of = rowkey_watch::Options::default().interval_ms(millis(args.every));
    let mut watched: Vec<Watched> = Vec::new();
    let mut keys = sampled;
    for name in names {
        let mut followed = Followed { follow: Follow::new(of), sample: None };
        if let Some(most) = args.sample.filter(|_| !args.is_guessed()) {
            let regions = cluster::regions(client, &name).await?;
            let sample = cluster::sample(client, &name, &regions, most).await?;
            keys += sample.len();
            followed.sample = Some(sample);
        }
        watched.push(Watched { followed, cluster: Cluster::new(client, &name) });
    }
    let begun = Instant::now();
    let cost = |watched: &[Watched]| {
        let requests = watched.iter().map(|table| table.cluster.requests()).sum();
        Cost { requests, keys, took: begun.elapsed() }
    };
    read(&mut watched).await.map_err(|error| refused(&error))?;
    let minute = cost(&watched).requests as f64 * 60.0 / args.every.as_secs_f64();
    eprintln!("watching: about {minute:.0} requests a minute, for counts alone; Ctrl-C ends it");
    let end = args.length.map(|length| begun + length);
    let (mut next, mut ended) = (begun, None);
    let mut ending = Ending::listen()?;
    while end.is_none_or(|end| next < end) {
        next = following(next, args.every);
        next = end.map_or(next, |end| next.min(end));
        let reading = async {
            sleep_until(next).await;
            read(&mut watched).await
        };
        let read_in_time = tokio::select! {
            read = reading => Some(read),
            () = ending.asked() => None,
        };
        let is_over = read_in_time.is_none();
        let read = match read_in_time {
            Some(read) => read,
            // What was counted since the last reading is told too; a second signal does without it.
            None => tokio::select! {
                read = read(&mut watched) => read,
                () = ending.asked() => break,
            },
        };
        if let Err(error) = read {
            ended = Some(refused(&error));
            break;
        }
        tell(&watched, &cost(&watched));
        if is_over {
            break;
        }
    }
    let cost = cost(&watched);
    Ok((watched.into_iter().map(|table| table.followed).collect(), cost, ended))
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// The next time that is to come: those that have passed are left out, and the others stay where they were.
fn following(last: Instant, every: Duration) -> Instant {
    let passed = last.elapsed().as_secs_f64() / every.as_secs_f64();
    last + every.mul_f64(passed.floor() + 1.0)
}

async fn read(watched: &mut [Watched]) -> Result<(), Error> {
    let readings = join_all(watched.iter_mut().map(|table| async {
        let reading = table.cluster.read().await?;
        table.followed.follow.add(&reading);
        Ok(())
    }));
    readings.await.into_iter().collect()
}
