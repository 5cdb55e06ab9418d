//! Tables and families of HBase, from a [`TableSchema`] and back.

use std::collections::BTreeMap;
use std::time::Duration;

use hbase_client as hbase;
use rowkey::Error;
use rowkey::store::NewTable;
use rowkey::wide::{FamilySchema, TableSchema};

/// The attribute of a table that has the text of its schema. A name with a dot would be a setting of the servers.
pub(crate) const ATTRIBUTE: &str = "ROWKEY_SCHEMA";

/// The largest number of versions, and of seconds.
const MOST: u32 = i32::MAX as u32;

/// The longest name of a family.
const LONGEST_FAMILY: usize = i8::MAX as usize;

/// Checks that HBase can have a table with these families.
///
/// # Errors
///
/// [`Error::Family`]: a name has up to 127 bytes, a time to live is whole seconds, versions are up to [`MOST`].
pub(crate) fn check(schema: &TableSchema) -> Result<(), Error> {
    schema.check()?;
    for (name, family) in &schema.families {
        let is_whole = |ttl: Duration| ttl.subsec_nanos() == 0 && ttl.as_secs() < u64::from(MOST);
        let what = if name.len() > LONGEST_FAMILY {
            "a family of HBase has at most 127 bytes"
        } else if !family.ttl.is_none_or(is_whole) {
            "a time to live of HBase is whole seconds, fewer than 2147483647"
        } else if family.max_versions.max(family.min_versions) > MOST {
            "a family of HBase keeps at most 2147483647 versions"
        } else {
            continue;
        };
        return Err(Error::Family { name: name.clone(), what });
    }
    Ok(())
}

/// A family with these settings, in place of those that it has.
fn set(family: hbase::Family, schema: &FamilySchema) -> hbase::Family {
    let family = family.max_versions(schema.max_versions).min_versions(schema.min_versions);
    match schema.ttl {
        Some(ttl) => family.ttl(ttl),
        // HBase's "for ever".
        None => family.option("TTL", MOST.to_string()),
    }
}

/// The options that a [`TableSchema`] has words for.
const OF_SCHEMA: [&str; 3] = ["VERSIONS", "MIN_VERSIONS", "TTL"];

/// The descriptor of a new table. An option `NAME` is the table's, and `family:NAME` a family's; a name with a dot is
/// that of a setting of the servers.
///
/// # Errors
///
/// [`Error::SplitPoint`], [`Error::TableOption`].
pub(crate) fn created(
    table: hbase::TableName,
    schema: &TableSchema,
    new: &NewTable,
) -> Result<hbase::TableSchema, Error> {
    let of_family = hbase::Family::OPTIONS.iter().filter(|name| !OF_SCHEMA.contains(name));
    let of_families =
        schema.families.keys().flat_map(|family| of_family.clone().map(move |name| format!("{family}:{name}")));
    let settings = new.options.iter().map(|(name, _)| name.clone()).filter(|name| is_setting(name));
    let known = hbase::TableSchema::OPTIONS.iter().map(|&name| name.to_owned()).chain(of_families).chain(settings);
    let known: Vec<String> = known.collect();
    new.check(table.name(), &known.iter().map(String::as_str).collect::<Vec<_>>())?;
    let refused = |index, what| Error::SplitPoint { table: table.name().to_owned(), index, what };
    if let Some(index) = new.split_points.iter().position(|point| point.len() > table.longest_split_key()) {
        return Err(refused(index, "is too long for the name of a region of HBase"));
    }
    let is_torn = |(option, value): &&(String, String)| {
        option.ends_with(":NEW_VERSION_BEHAVIOR") && !value.eq_ignore_ascii_case("false")
    };
    if let Some((option, _)) = new.options.iter().find(is_torn) {
        let what = "reads of a row are not atomic with it".to_owned();
        return Err(Error::TableOption { table: table.name().to_owned(), option: option.clone(), what });
    }

    let mut descriptor = hbase::TableSchema::new(table.clone()).option(ATTRIBUTE, schema.to_string());
    let families = schema.families.iter();
    let mut families: BTreeMap<&str, hbase::Family> =
        families.map(|(name, family)| (name.as_str(), set(hbase::Family::new(name), family))).collect();
    for (option, value) in new.options.iter().cloned() {
        let Some((family, name)) = option.split_once(':') else {
            descriptor = descriptor.option(option, value);
            continue;
        };
        let Some(there) = families.get_mut(family) else {
            let what = format!("there is no family {family:?}");
            return Err(Error::TableOption { table: table.name().to_owned(), option, what });
        };
        *there = there.clone().option(name, value);
    }
    Ok(families.into_values().fold(descriptor, hbase::TableSchema::family))
}

fn is_setting(name: &str) -> bool {
    name.rsplit(':').next().is_some_and(|name| name.contains('.'))
}

/// The descriptor of a table after its schema was altered.
pub(crate) fn altered(described: &hbase::TableSchema, schema: &TableSchema) -> hbase::TableSchema {
    let family = |(name, family): (&String, &FamilySchema)| {
        let there = described.families().find(|there| there.name() == name).cloned();
        set(there.unwrap_or_else(|| hbase::Family::new(name)), family)
    };
    let descriptor = described.clone().option(ATTRIBUTE, schema.to_string());
    schema.families.iter().map(family).fold(descriptor, hbase::TableSchema::family)
}

/// The families of a table.
///
/// # Errors
///
/// [`Error::Schema`] of a family whose name no [`TableSchema`] can have.
pub(crate) fn families(table: &str, described: &hbase::TableSchema) -> Result<TableSchema, Error> {
    let add = |schema: TableSchema, family: &hbase::Family| schema.family(family.name(), family_schema(family));
    let schema = described.families().fold(TableSchema::new(), add);
    schema.check().map_err(|error| Error::Schema { table: table.to_owned(), differences: error.to_string() })?;
    Ok(schema)
}

fn family_schema(family: &hbase::Family) -> FamilySchema {
    let schema = FamilySchema::new().max_versions(family.get_max_versions());
    // HBase ignores more than are kept.
    let schema = schema.min_versions(family.get_min_versions().min(family.get_max_versions()));
    match family.get_ttl() {
        Some(ttl) => schema.ttl(ttl.max(Duration::from_secs(1))),
        None => schema,
    }
}
