//! Families and their garbage collection, from a [`TableSchema`] and back.

use std::time::Duration;

use rowkey::Error;
use rowkey::wide::{FamilySchema, TableSchema};

use crate::client::proto::admin::gc_rule::{Intersection, Rule, Union};
use crate::client::proto::admin::{ColumnFamily, GcRule, Table};

/// The families of a table of Bigtable.
///
/// # Errors
///
/// [`Error::Schema`] if a rule says something that a [`FamilySchema`] can't say.
pub(crate) fn of_table(name: &str, table: &Table) -> Result<TableSchema, Error> {
    let mut schema = TableSchema::new();
    for (family, described) in &table.column_families {
        let rule = described.gc_rule.as_ref();
        let read = family_of(rule).ok_or_else(|| Error::Schema {
            table: name.to_owned(),
            differences: format!(
                "the garbage collection of family {family} has no equal in a FamilySchema: {}",
                rule.map_or_else(String::new, said)
            ),
        })?;
        schema = schema.family(family, read);
    }
    Ok(schema)
}

/// A family for Bigtable. Versions that are more than `max_versions` are collected, and so are those that are older
/// than the TTL, except the newest `min_versions`.
pub(crate) fn column_family(family: &FamilySchema) -> ColumnFamily {
    let newest = |versions: u32| i32::try_from(versions).ok().map(|versions| rule(Rule::MaxNumVersions(versions)));
    let too_many = newest(family.max_versions);
    let expired = family.ttl.and_then(|ttl| {
        let whole = Duration::from_millis(u64::try_from(ttl.as_millis()).ok()?);
        let age = rule(Rule::MaxAge(prost_types::Duration::try_from(whole).ok()?));
        match newest(family.min_versions) {
            Some(least) if family.min_versions > 0 => {
                Some(rule(Rule::Intersection(Intersection { rules: vec![age, least] })))
            }
            // More than can be counted are kept for ever.
            None => None,
            Some(_) => Some(age),
        }
    });
    let gc_rule = match (too_many, expired) {
        (Some(many), Some(expired)) => Some(rule(Rule::Union(Union { rules: vec![many, expired] }))),
        (one, other) => one.or(other),
    };
    ColumnFamily { gc_rule, ..ColumnFamily::default() }
}

fn rule(rule: Rule) -> GcRule {
    GcRule { rule: Some(rule) }
}

/// Without a limit of versions, as many as there can be.
const ALL: u32 = u32::MAX;

fn family_of(rule: Option<&GcRule>) -> Option<FamilySchema> {
    let Some(rule) = rule.and_then(|rule| rule.rule.as_ref()) else {
        return Some(FamilySchema::new().max_versions(ALL));
    };
    let mut family = FamilySchema::new().max_versions(ALL);
    match rule {
        Rule::Union(union) if union.rules.len() == 2 => {
            for part in &union.rules {
                add(&mut family, part.rule.as_ref()?)?;
            }
        }
        Rule::Union(union) if union.rules.len() == 1 => return family_of(union.rules.first()),
        one => add(&mut family, one)?,
    }
    (family.min_versions <= family.max_versions).then_some(family)
}

/// Adds what a part of a union collects. `None` if the family says it already, or can't say it.
fn add(family: &mut FamilySchema, part: &Rule) -> Option<()> {
    match part {
        Rule::MaxNumVersions(versions) if family.max_versions == ALL => family.max_versions = count(*versions)?,
        Rule::MaxAge(age) if family.ttl.is_none() => family.ttl = Some(ttl(age)?),
        Rule::Intersection(both) if family.ttl.is_none() => {
            let (age, versions) = match both.rules.as_slice() {
                [GcRule { rule: Some(Rule::MaxAge(age)) }, GcRule { rule: Some(Rule::MaxNumVersions(versions)) }]
                | [GcRule { rule: Some(Rule::MaxNumVersions(versions)) }, GcRule { rule: Some(Rule::MaxAge(age)) }] => {
                    (age, *versions)
                }
                _ => return None,
            };
            (family.ttl, family.min_versions) = (Some(ttl(age)?), count(versions)?);
        }
        _ => return None,
    }
    Some(())
}

fn count(versions: i32) -> Option<u32> {
    u32::try_from(versions).ok().filter(|versions| *versions > 0)
}

/// A TTL has whole milliseconds.
fn ttl(age: &prost_types::Duration) -> Option<Duration> {
    let age = Duration::try_from(*age).ok()?;
    (age >= Duration::from_millis(1) && age.subsec_nanos() % 1_000_000 == 0).then_some(age)
}

/// A rule as `cbt` writes it.
fn said(rule: &GcRule) -> String {
    let all = |rules: &[GcRule], joined: &str| {
        let parts: Vec<String> = rules.iter().map(said).collect();
        format!("({})", parts.join(joined))
    };
    match &rule.rule {
        None => "never".to_owned(),
        Some(Rule::MaxNumVersions(versions)) => format!("versions() > {versions}"),
        Some(Rule::MaxAge(age)) => format!("age() > {}.{:09}s", age.seconds, age.nanos),
        Some(Rule::Intersection(both)) => all(&both.rules, " && "),
        Some(Rule::Union(union)) => all(&union.rules, " || "),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn table(families: impl IntoIterator<Item = (String, ColumnFamily)>) -> Table {
        Table { column_families: families.into_iter().collect(), ..Table::default() }
    }

    proptest! {
        #[test]
        fn a_schema_comes_back(
            families in prop::collection::btree_map("[a-z]{1,3}", (1u32..9, 0u32..9, prop::option::of(1u64..1 << 50)), 1..4),
        ) {
            let schema = families.into_iter().fold(TableSchema::new(), |schema, (name, (max, min, ttl))| {
                let family = FamilySchema::new().max_versions(max);
                schema.family(name, match ttl {
                    // Without a TTL the least number of versions has no effect, and is not stored.
                    None => family,
                    Some(ttl) => family.min_versions(min.min(max)).ttl(Duration::from_millis(ttl)),
                })
            });
            let made = table(schema.families.iter().map(|(name, family)| (name.clone(), column_family(family))));
            prop_assert_eq!(of_table("t", &made).unwrap(), schema);
        }
    }

    #[test]
    fn parts_of_a_millisecond_are_dropped() {
        let mut schema = TableSchema::new().family("f", FamilySchema::new().ttl(Duration::from_micros(1_500)));
        let one = TableSchema::new().family("f", FamilySchema::new().ttl(Duration::from_millis(1)));
        assert_eq!(schema, one);
        schema.families.get_mut("f").unwrap().ttl = Some(Duration::from_micros(1_500));
        let made = table([("f".to_owned(), column_family(&schema.families["f"]))]);
        assert_eq!(of_table("t", &made).unwrap(), one);
    }

    #[test]
    fn rules_of_other_programs_are_read_or_named() {
        let versions = |versions| rule(Rule::MaxNumVersions(versions));
        let age = |seconds| rule(Rule::MaxAge(prost_types::Duration { seconds, nanos: 0 }));
        let union = |rules: Vec<GcRule>| rule(Rule::Union(Union { rules }));
        let both = |rules: Vec<GcRule>| rule(Rule::Intersection(Intersection { rules }));
        let all = FamilySchema::new().max_versions(u32::MAX);
        for (rule, family) in [
            (None, all),
            (Some(GcRule { rule: None }), all),
            (Some(age(60)), all.ttl(Duration::from_secs(60))),
            (Some(union(vec![age(60), versions(3)])), FamilySchema::new().max_versions(3).ttl(Duration::from_secs(60))),
            (Some(union(vec![versions(3)])), FamilySchema::new().max_versions(3)),
            (Some(both(vec![versions(2), age(1)])), all.min_versions(2).ttl(Duration::from_secs(1))),
        ] {
            let read = of_table("t", &table([("f".to_owned(), ColumnFamily { gc_rule: rule, ..Default::default() })]));
            assert_eq!(read.unwrap().families["f"], family);
        }
        for (rule, said) in [
            (both(vec![versions(2), versions(3)]), "(versions() > 2 && versions() > 3)"),
            (union(vec![versions(2), versions(3)]), "(versions() > 2 || versions() > 3)"),
            (versions(0), "versions() > 0"),
            (
                union(vec![both(vec![age(1), versions(5)]), versions(2)]),
                "((age() > 1.000000000s && versions() > 5) || versions() > 2)",
            ),
        ] {
            let made = table([("f".to_owned(), ColumnFamily { gc_rule: Some(rule), ..Default::default() })]);
            let error = of_table("t", &made).unwrap_err().to_string();
            assert!(error.contains("family f") && error.contains(said), "{error}");
        }
    }
}
