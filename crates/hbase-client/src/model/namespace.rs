//! Namespaces of tables.

use std::collections::BTreeMap;

use crate::model::error::{Error, Result};
use crate::pb;

/// A namespace: its name, and settings such as `hbase.namespace.quota.maxtables`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[doc(alias = "NamespaceDescriptor")]
pub struct Namespace {
    name: String,
    settings: BTreeMap<String, String>,
}

impl Namespace {
    /// A namespace without settings.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), settings: BTreeMap::new() }
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Adds a setting, in place of one with the same name.
    #[must_use]
    pub fn setting(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.settings.insert(name.into(), value.into());
        self
    }

    /// The settings, by name.
    pub fn settings(&self) -> impl Iterator<Item = (&str, &str)> {
        self.settings.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    pub(crate) fn to_pb(&self) -> pb::NamespaceDescriptor {
        let pair = |(name, value): (&String, &String)| pb::NameStringPair { name: name.clone(), value: value.clone() };
        pb::NamespaceDescriptor {
            name: self.name.clone().into(),
            configuration: self.settings.iter().map(pair).collect(),
        }
    }

    pub(crate) fn from_pb(namespace: &pb::NamespaceDescriptor) -> Result<Self> {
        let name = String::from_utf8(namespace.name.to_vec())
            .map_err(|_| Error::malformed("the response has a namespace whose name is not UTF-8"))?;
        let pair = |pair: &pb::NameStringPair| (pair.name.clone(), pair.value.clone());
        Ok(Self { name, settings: namespace.configuration.iter().map(pair).collect() })
    }
}

impl From<&str> for Namespace {
    fn from(name: &str) -> Self {
        Self::new(name)
    }
}
