//! A sketch of a design's tables: what can be drawn of each before there is a run.

use rowkey::LayoutBuf;
use rowkey::splits::Splits as SplitPoints;

use crate::cost::{QueryCost, of_field};
use crate::facts::KeyFacts;
use crate::forms::Times;
use crate::load::{Capacity, WriteLoad, known_writes_per_server};
use crate::resolve::Design;
use crate::rules::context::{CheckOptions, Context};

/// A table or secondary table of a design.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Sketch<'d> {
    /// Its name.
    pub name: &'d str,
    /// The layout of its keys.
    pub layout: &'d LayoutBuf,
    /// Its fields that are times.
    pub times: Times<'d>,
    /// Three keys: of a sample, or made up.
    pub keys: Vec<Vec<u8>>,
    /// True if they are made up.
    pub are_made_up: bool,
    /// The places where each write lands.
    pub loads: Vec<WriteLoad<'d>>,
    /// The cost of each query that it serves.
    pub queries: Vec<QueryCost<'d>>,
    /// The split points that are declared.
    pub splits: Option<SplitPoints>,
    /// The rates that the servers take.
    pub capacity: Capacity,
    /// True if neither the design nor the maker of its engine says what a server takes.
    pub is_rate_assumed: bool,
}

impl Design {
    /// The sketch of each table and secondary table, by the same facts that the rules see.
    ///
    /// ```
    /// use rowkey_design::{CheckOptions, Date, Design, File};
    ///
    /// let text = "format = 1\n[table.visits]\nkey = [\"host: text\"]\n[[table.visits.write]]\nname = \"visit\"\n";
    /// let design = Design::parse([File { name: "visits.rowkey.toml".into(), text: text.into() }])?;
    /// let options = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
    /// let sketches = design.sketches(&options);
    /// assert_eq!((sketches[0].name, sketches[0].keys.len(), sketches[0].loads.len()), ("visits", 3, 1));
    /// # Ok::<(), rowkey_design::Problems>(())
    /// ```
    #[doc(hidden)]
    pub fn sketches<'d>(&'d self, options: &'d CheckOptions) -> Vec<Sketch<'d>> {
        let mut sketches = Vec::new();
        for table in self.tables.values() {
            let Context { keys, loads, queries, capacity, profile, engine, cluster, .. } =
                Context::new(self, table, options);
            for key in &keys {
                let of = key.secondary;
                let sample = profile.filter(|_| of.is_none()).map_or(&[][..], |profile| &profile.sample);
                sketches.push(Sketch {
                    name: key.name.as_str(),
                    layout: key.layout,
                    times: self.times_of(key.name.as_str()),
                    keys: examples(key, sample),
                    are_made_up: sample.is_empty(),
                    loads: loads.iter().filter(|load| load.secondary == of).cloned().collect(),
                    queries: queries.iter().filter(|query| query.secondary == of).cloned().collect(),
                    splits: table.split_points(of),
                    capacity,
                    is_rate_assumed: known_writes_per_server(engine, cluster).is_none(),
                });
            }
        }
        sketches
    }
}

/// The first key of a sample, one of its middle and its last; without a sample keys that are made up.
fn examples(key: &KeyFacts<'_>, sample: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut keys: Vec<Vec<u8>> = match sample {
        [] => {
            let values = |k| key.fields.iter().map(|field| of_field(field, k)).collect::<Vec<_>>();
            (0..3).filter_map(|k| key.layout.encode(&values(k)).ok()).collect()
        }
        sample => [0, sample.len() / 2, sample.len() - 1].map(|at| sample[at].clone()).to_vec(),
    };
    keys.sort();
    keys.dedup();
    keys
}
