//! Keys that are made rather than kept: a recording has their design and seed.

use std::ops::ControlFlow;

use rowkey_design::{Design, File};
use xxhash_rust::xxh3::Xxh3;

use super::{Drawn, Load, LoadError, Options};
use crate::event::Op;
use crate::run::Generated;

impl Generated {
    /// The keys of the first table of a design, which is a design file's text: so many rows, as [`Drawn`] puts them.
    ///
    /// # Errors
    /// If the text is no design, or nothing writes its first table.
    ///
    /// ```
    /// use rowkey_simulate::run::Generated;
    ///
    /// let design = "format = 1\n[table.t]\nkey = [\"id: u64\"]\nmeans.id = \"sequence\"\n[[table.t.write]]\nname = \
    ///               \"w\"\nrate = \"100/s\"\n";
    /// let generated = Generated::of(design, 7, 3)?;
    /// assert_eq!(generated.keys()?, [0u64, 1, 2].map(|id| id.to_be_bytes().to_vec()));
    /// # Ok::<(), rowkey_simulate::load::LoadError>(())
    /// ```
    pub fn of(design: &str, seed: u64, rows: u64) -> Result<Self, LoadError> {
        let mut generated = Self { design: design.to_owned(), seed, rows, digest: String::new() };
        generated.digest = generated.draw(&mut |_| ControlFlow::Continue(()))?;
        Ok(generated)
    }

    /// Gives each key to `sink`, until it breaks.
    ///
    /// # Errors
    /// As [`of`](Self::of), and if the keys are not those of the digest: another generator made them.
    pub fn each_key(&self, sink: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Result<(), LoadError> {
        let mut stopped = false;
        let found = self.draw(&mut |key| {
            let flow = sink(key);
            stopped = flow.is_break();
            flow
        })?;
        if stopped || found == self.digest {
            Ok(())
        } else {
            Err(LoadError::Other { found, said: self.digest.clone() })
        }
    }

    /// The keys.
    ///
    /// # Errors
    /// As [`each_key`](Self::each_key).
    pub fn keys(&self) -> Result<Vec<Vec<u8>>, LoadError> {
        let mut keys = Vec::new();
        self.each_key(&mut |key| {
            keys.push(key.to_vec());
            ControlFlow::Continue(())
        })?;
        Ok(keys)
    }

    /// Gives the keys, and returns the digest of those that were taken.
    fn draw(&self, sink: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Result<String, LoadError> {
        let file = File { name: "generated.rowkey.toml".to_owned(), text: self.design.clone() };
        let design = Design::parse([file]).map_err(|problems| LoadError::Design(problems.to_string()))?;
        let table = design.tables.keys().next().ok_or_else(|| LoadError::NoTable(String::new()))?;
        let options = Options {
            seed: self.seed,
            rows: Some(self.rows),
            most: u64::MAX,
            writes_alone: true,
            ..Options::default()
        };
        let cluster = design.clusters.values().next().map(|cluster| &cluster.value);
        let mut drawn = Drawn::new(&design, table, None, cluster, None, &options)?;
        let (mut hash, mut left) = (Xxh3::new(), self.rows);
        drawn.events(&mut |event| {
            if event.op != Op::Put {
                return ControlFlow::Continue(());
            }
            if left == 0 {
                return ControlFlow::Break(());
            }
            left -= 1;
            hash.update(&(event.key.len() as u32).to_be_bytes());
            hash.update(event.key);
            sink(event.key)
        })?;
        Ok(format!("{:016x}", hash.digest()))
    }
}
