//! Bigtable's policies of garbage collection, as far as a design can say them.

use super::draft::{Family, period};
use crate::ddl::ALL_VERSIONS;

/// A policy: the cells that are collected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Policy {
    /// Those older than this many milliseconds.
    Age(u64),
    /// Those with this many newer versions.
    Versions(u32),
    /// Those of any of these.
    Any(Vec<Policy>),
    /// Those of all of these.
    All(Vec<Policy>),
}

pub(super) type Said<T> = Result<T, String>;

/// The versions and age that a policy leaves of a cell.
#[derive(Default)]
pub(super) struct Kept {
    age: Option<u64>,
    most: Option<u32>,
    fewest: Option<u32>,
}

impl Kept {
    /// # Errors
    /// Why a design cannot say it.
    pub(super) fn of(policy: &Policy) -> Said<Self> {
        let mut kept = Self::default();
        match policy {
            Policy::Any(parts) => parts.iter().try_for_each(|part| kept.add(part))?,
            policy => kept.add(policy)?,
        }
        Ok(kept)
    }

    fn add(&mut self, policy: &Policy) -> Said<()> {
        match policy {
            Policy::Age(millis) => set(&mut self.age, *millis),
            Policy::Versions(versions) => set(&mut self.most, *versions),
            Policy::Any(parts) | Policy::All(parts) if parts.len() == 1 => self.add(&parts[0]),
            Policy::All(parts) => match parts.as_slice() {
                [Policy::Age(age), Policy::Versions(fewest)] | [Policy::Versions(fewest), Policy::Age(age)] => {
                    set(&mut self.age, *age)?;
                    set(&mut self.fewest, *fewest)
                }
                _ => {
                    Err("of its parts that all have to hold, one is not an age, or the other no number of versions"
                        .into())
                }
            },
            Policy::Any(_) => Err("it has a union in another policy".into()),
        }
    }

    pub(super) fn say(&self, family: &mut Family) {
        if let Some(millis) = self.age {
            family.option("ttl", period(millis));
        }
        family.option("versions", self.most.unwrap_or(ALL_VERSIONS).to_string());
        if let Some(fewest) = self.fewest {
            family.option("min_versions", fewest.to_string());
        }
    }
}

fn set<T>(slot: &mut Option<T>, value: T) -> Said<()> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err("it has two ages, or two numbers of versions".to_owned()),
    }
}

/// The policies that a design can have, as a message says them.
pub(super) const HELP: &str = "a design has the most versions, an age, and the fewest versions that stay after it";
