//! Readings until the time is over, a table is gone, or a signal ends them.

use std::time::Duration;

use futures_util::future::join_all;
use hbase_client::{Client, Error};
use rowkey_design::internal::quote::terminal;
use rowkey_simulate::page;
use rowkey_watch::{Cluster, Follow};
use tokio::time::{Instant, sleep_until};

use super::Args;
use super::ending::Ending;
use super::times::Times;
use crate::cluster::{self, Keys, refused};
use crate::failure::Failure;

/// A table that is watched.
pub(super) struct Watched {
    name: String,
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
        let each = a_minute(self.requests as f64 / minutes.max(1.0 / 60.0));
        let rows = match self.keys {
            0 => "no row of a table was read".to_owned(),
            keys => format!("{keys} keys were read"),
        };
        let took = page::elapsed(u64::try_from(self.took.as_millis()).unwrap_or(u64::MAX));
        format!("{} requests in {took}, {each} a minute; {rows}", self.requests)
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
        watched.push(Watched { followed, cluster: Cluster::new(client, &name), name });
    }
    let begun = Instant::now();
    let cost = |watched: &[Watched]| {
        let requests = watched.iter().map(|table| table.cluster.requests()).sum();
        Cost { requests, keys, took: begun.elapsed() }
    };
    read(&mut watched).await.map_err(|error| refused(&error))?;
    let minute = a_minute(cost(&watched).requests as f64 * 60.0 / args.every.as_secs_f64());
    for table in &mut watched {
        if table.cluster.is_disabled().await.map_err(|error| refused(&error))? {
            let name = terminal(&table.name);
            return Err(Failure::new(format!("table {name} is disabled: enable it, or name the tables to watch")));
        }
    }
    eprintln!("watching: about {minute} requests a minute, for counts alone; Ctrl-C ends it");
    let mut times = Times::new(begun, args.every, args.length);
    let mut ended = None;
    let mut ending = Ending::listen()?;
    while let Some(next) = times.next(Instant::now()) {
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

/// The requests a minute: few ones with the digits that they have, as none would be wrong.
fn a_minute(requests: f64) -> String {
    let digits = if requests < 9.95 { (1.0 - requests.max(1e-6).log10().floor()).max(1.0) as usize } else { 0 };
    format!("{requests:.digits$}")
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

async fn read(watched: &mut [Watched]) -> Result<(), Error> {
    let readings = join_all(watched.iter_mut().map(|table| async {
        let reading = table.cluster.read().await?;
        table.followed.follow.add(&reading);
        Ok(())
    }));
    readings.await.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::a_minute;

    #[test]
    fn few_requests_are_not_none() {
        let of = |requests: f64| a_minute(requests);
        assert_eq!([of(48.0), of(9.6), of(3.0), of(0.05), of(0.0034)], ["48", "9.6", "3.0", "0.050", "0.0034"]);
    }
}
