//! The partitions of an engine that makes as many as a table asks for, and divides what is hot.

use std::ops::ControlFlow;

use rowkey_design::internal::design::Engine;
use rowkey_design::internal::load::reads_per_server;

use super::Declared;
use super::demand::MOST_SERVERS;
use super::heat::{Both, FULL, Heat, Heavy};
use super::places::{self, Places};
use super::ranges::MOST;
use crate::cluster::ClusterOptions;
use crate::event::Event;
use crate::load::{self, Load, LoadError};
use crate::recording::Ran;
use crate::run::{Key, Settings};

/// The events of writes, and of reads, that heavy values are found by.
const EVENTS: u64 = 1 << 18;

/// The same load, of as many events as heavy values are found by.
pub(super) fn drawn(options: &load::Options) -> load::Options {
    load::Options { most: EVENTS, ..options.clone() }
}

impl Declared<'_> {
    /// True of an engine that makes as many partitions as a table asks for.
    pub fn makes_partitions(&self) -> bool {
        self.engine() == Engine::DynamoDb && self.hashes.is_some()
    }

    /// The split points between even ranges of hashes, as many on each server; none where keys are not hashed.
    pub(super) fn splits_of_hashes(&self) -> Option<Vec<Key>> {
        self.hashes.as_ref().map(|_| places::splits(self.settings.servers, self.ranges_by_size()))
    }

    /// The partitions that the rows of the table fill, as far as the design says how many there are.
    fn partitions_by_size(&self) -> f64 {
        self.key.table.table.rows.as_ref().map_or(0.0, |_| self.ranges_by_size().min(MOST))
    }

    /// The settings with the partitions that a load by the statistics asks for, at so many times the rates of the
    /// design.
    pub(super) fn of_statistics(
        &self,
        load: &mut dyn Load,
        times: f64,
        assumed: &mut Vec<String>,
    ) -> Result<Settings, LoadError> {
        let Some(places) = Places::of(&self.key) else { return Ok(self.settings.clone()) };
        let heavy = Heat::new(places, &self.options).of(load)?.heavy(self.demand.asked(times), false);
        let least = self.least().max((heavy.others.iter().sum::<f64>() / FULL).ceil());
        let even = self.demand.partitions(least, heavy.most, times);
        Ok(self.divided(&heavy, even, assumed))
    }

    fn least(&self) -> f64 {
        f64::from(self.settings.servers).max(self.partitions_by_size()).ceil()
    }

    /// The settings with so many even partitions, those of heavy values divided.
    fn divided(&self, heavy: &Heavy, even: f64, assumed: &mut Vec<String>) -> Settings {
        let simulated = even.clamp(1.0, MOST_SERVERS) as u32;
        let mut splits = places::splits(simulated, 0.0);
        splits.extend(heavy.cuts(simulated));
        splits.sort_unstable();
        splits.dedup();
        let asked = even.max(splits.len() as f64 + 1.0);
        let servers = asked.min(MOST_SERVERS) as u32;
        if asked > MOST_SERVERS {
            splits = places::splits(servers, 0.0);
        }
        if servers > self.settings.servers {
            let told = if asked > MOST_SERVERS { ", of which no more are simulated" } else { "" };
            assumed.push(format!("dynamodb has as many partitions as a table asks for: {servers}{told}"));
        }
        Settings { servers, splits, ..self.settings.clone() }
    }

    /// Gives the table as many partitions as the events of a trace or a log ask for, where its engine makes as many.
    /// They are put twice: this is the first time.
    ///
    /// # Errors
    ///
    /// As [`Declared::run`].
    pub fn fit(&mut self, load: &mut dyn Load, seed: u64) -> Result<(), LoadError> {
        let Some(places) = Places::of(&self.key).filter(|_| self.makes_partitions()) else { return Ok(()) };
        let options = ClusterOptions { cells: self.cells, ..self.options.clone() };
        let mut counted = Counted { load: &mut self.of_values(load), heat: Heat::new(places, &options) };
        let run = self.put(0, &mut counted, &self.settings, None, self.own(seed), |_| {})?;
        let takes = [self.demand.takes, reads_per_server(self.engine(), self.cluster()).unwrap_or(f64::INFINITY)];
        let peaks: Both = [Ran::of_writes(&run).peak, Ran::of_reads(&run).peak];
        let heavy = counted.heat.heavy([peaks[0] / takes[0], peaks[1] / takes[1]], true);
        let mut assumed = Vec::new();
        let settings = self.divided(&heavy, self.least(), &mut assumed);
        self.assumed.extend(assumed);
        self.settings = settings;
        Ok(())
    }
}

/// A load whose heat is counted.
struct Counted<'l, 'o, 'd> {
    load: &'l mut dyn Load,
    heat: Heat<'o, 'd>,
}

impl Load for Counted<'_, '_, '_> {
    fn events(&mut self, sink: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>) -> Result<(), LoadError> {
        self.load.events(&mut |event| {
            self.heat.count(&event);
            sink(event)
        })
    }
}
