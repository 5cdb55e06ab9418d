//! The files of keys that a design names, and the split points that are taken from them.

use std::path::{Path, PathBuf};

use rowkey::LayoutBuf;
use rowkey::splits::{Splits as SplitPoints, SplitsError};

use crate::cost::points;
use crate::design::Splits;
use crate::problem::{Problem, Span};
use crate::profile::Profile;
use crate::resolve::{Design, TableDesign};

/// The use of a file of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SampleUse {
    /// The statistics of a table: its profile is one of the [check](crate::CheckOptions::profile).
    Statistics,
    /// Split points for a number of regions: see [`Design::split_by_sample`].
    Splits(u32),
}

/// A file of keys that a design names.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SamplePath {
    /// The table.
    pub table: String,
    /// The secondary table that the keys are of; none for the table itself.
    pub secondary: Option<usize>,
    /// The use of the file.
    pub what: SampleUse,
    /// The path, from where the design file's own path is from.
    pub path: PathBuf,
    /// Its place in the design.
    pub place: Span,
}

impl Design {
    /// The files of keys that the design names. The library opens none.
    ///
    /// ```
    /// use rowkey_design::{Design, File};
    ///
    /// let text = "format = 1\n[table.visits]\nkey = [\"host: text\"]\nsample = \"hosts.tsv\"\n";
    /// let design = Design::parse([File { name: "designs/visits.rowkey.toml".into(), text: text.into() }])?;
    /// assert_eq!(design.sample_paths()[0].path, std::path::Path::new("designs/hosts.tsv"));
    /// # Ok::<(), rowkey_design::Problems>(())
    /// ```
    #[doc(hidden)]
    pub fn sample_paths(&self) -> Vec<SamplePath> {
        let mut paths = Vec::new();
        for (name, table) in &self.tables {
            let mut add = |secondary, what, path: &str, place: Span| {
                let file = self.files.file(place).and_then(|file| Path::new(&file.name).parent());
                let path = file.unwrap_or(Path::new("")).join(path);
                paths.push(SamplePath { table: name.clone(), secondary, what, path, place });
            };
            if let Some(path) = &table.table.sample {
                add(None, SampleUse::Statistics, path, path.place);
            }
            let of_secondary = table.table.secondary.iter().enumerate().map(|(i, of)| (Some(i), &of.splits));
            for (secondary, splits) in std::iter::once((None, &table.table.splits)).chain(of_secondary) {
                let value = splits.as_ref().map(|splits| (&splits.value, splits.place));
                if let Some((Splits::Sample { path, regions }, place)) = value {
                    add(secondary, SampleUse::Splits(*regions), path, place);
                }
            }
        }
        paths
    }

    /// The layout of the keys in a file.
    #[doc(hidden)]
    pub fn layout_of(&self, sample: &SamplePath) -> Option<&LayoutBuf> {
        let table = self.tables.get(&sample.table)?;
        match sample.secondary {
            None => Some(&table.layout),
            Some(i) => table.secondary.get(i),
        }
    }

    /// Takes the split points of a table from a sample, where its file says so: regions have as many keys as each
    /// other, or as many bytes where the sample has sizes of values.
    ///
    /// # Errors
    /// The sample has fewer different keys than regions.
    ///
    /// ```
    /// use rowkey_design::internal::sample;
    /// use rowkey_design::{Design, File};
    ///
    /// let text = "format = 1\n[table.hosts]\nkey = [\"host: text raw\"]\nsplits = { sample = \"hosts.tsv\", regions = 2 }\n";
    /// let mut design = Design::parse([File { name: "hosts.rowkey.toml".into(), text: text.into() }])?;
    /// let path = design.sample_paths().remove(0);
    /// let layout = design.layout_of(&path).unwrap();
    /// let mut profiler = sample::Profiler::new(layout, None);
    /// ["bonn", "lyon", "oslo", "pisa"].iter().for_each(|key| profiler.add(key.as_bytes()));
    /// design.split_by_sample(&path, &profiler.finish()).unwrap();
    /// let splits = design.tables["hosts"].split_points(None).unwrap();
    /// assert_eq!(splits.to_string(), r#"["oslo"]"#);
    /// # Ok::<(), rowkey_design::Problems>(())
    /// ```
    #[doc(hidden)]
    pub fn split_by_sample(&mut self, sample: &SamplePath, profile: &Profile) -> Result<(), Problem> {
        let SampleUse::Splits(regions) = sample.what else {
            return Ok(());
        };
        let weights = profile.sample_bytes.iter().copied().chain(std::iter::repeat(1));
        let keys = profile.sample.iter().cloned().zip(weights).filter(|(key, _)| !key.is_empty());
        let splits = SplitPoints::from_sample(regions, keys).map_err(|error| {
            let help = match error {
                SplitsError::NoRegions => "write `regions = 2`, or more".to_owned(),
                _ => format!("write fewer regions, or a larger sample; {} of its keys decode", decoded(profile)),
            };
            Problem { place: sample.place, message: error.to_string(), help: Some(help) }
        })?;
        if let Some(table) = self.tables.get_mut(&sample.table) {
            table.sampled.insert(sample.secondary, splits);
        }
        Ok(())
    }
}

impl TableDesign {
    /// The split points that the design declares for the table, or for one of its secondary tables; none where it has
    /// none, where they do not fit the key, and where they need a sample that [`Design::split_by_sample`] was not
    /// given.
    pub fn split_points(&self, secondary: Option<usize>) -> Option<SplitPoints> {
        let (splits, layout) = match secondary {
            None => (&self.table.splits, &self.layout),
            Some(i) => (&self.table.secondary.get(i)?.splits, self.secondary.get(i)?),
        };
        match &splits.as_ref()?.value {
            Splits::Sample { .. } => self.sampled.get(&secondary).cloned(),
            splits => points(splits, layout),
        }
    }
}

fn decoded(profile: &Profile) -> u64 {
    profile.keys.saturating_sub(profile.undecoded)
}
