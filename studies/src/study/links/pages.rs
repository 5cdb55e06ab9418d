//! Packages as a wiki's pages: categories, revisions, redirects.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::io::Write;

use indicatif::HumanCount;
use jiff::civil::Date;
use rowkey::wide::{Cell, Columns, FamilySchema, Mutation, TableSchema};
use rowkey::{List, RowKey, Table, WideTable, WriteBatch};
use rowkey_studies::engine::Db;
use rowkey_studies::output::report;
use rowkey_studies::packages::{Index, Package};

use super::graph::{self, ByPackage, LOADED, Page, Wide};

/// A package in its category.
#[derive(RowKey, Debug, Clone, PartialEq)]
pub(super) struct InSection {
    section: String,
    package: String,
}

/// A package by the day of the snapshot that it was made of, newest first.
#[derive(RowKey, Debug, Clone, PartialEq)]
pub(super) struct Snapshot {
    #[rowkey(desc)]
    day: u32, // 20230131
    package: String,
}

/// Packages whose names differ in their first number alone: `clang-#` has a column for each.
#[derive(RowKey, Debug, Clone, PartialEq)]
pub(super) struct Series {
    name: String,
}

/// The column of one of a series, the highest number first.
#[derive(RowKey, Debug, Clone, PartialEq)]
struct Numbered {
    #[rowkey(desc)]
    number: List<u64>,
    package: String,
}

/// The tables of pages.
pub(crate) struct Pages {
    packages: Wide<Page>,
    sections: Table<InSection, (), Db>,
    snapshots: Table<Snapshot, String, Db>,
    series: Wide<Series>,
}

/// A package that holds more stands for itself.
const EMPTY_KIB: u64 = 64;

/// The package that a package stands for: the only one it depends on, if it holds next to nothing itself, and either is
/// in the section of what is obsolete or has a name that the other's begins with, up to a hyphen.
fn redirect<'l>(links: &ByPackage<'l>, name: &str, package: &Package) -> Option<&'l str> {
    let [out, _] = links.get(name)?;
    let [to] = out[..] else { return None };
    let begins = to.strip_prefix(name).is_some_and(|rest| rest.starts_with('-'));
    (package.installed_kib <= EMPTY_KIB && (package.section == "oldlibs" || begins)).then_some(to)
}

/// The last day that a version has as eight digits: `0.0+git20231103-1~deb12u1`.
fn snapshot(version: &str) -> Option<u32> {
    let day = |digits: &str| {
        let number: u32 = digits.parse().ok().filter(|_| digits.len() == 8)?;
        let [year, month, day] = [number / 10_000, number / 100 % 100, number % 100];
        Date::new(year.try_into().ok()?, month.try_into().ok()?, day.try_into().ok()?).ok()?;
        (1990..2100).contains(&year).then_some(number)
    };
    version.split(|c: char| !c.is_ascii_digit()).filter_map(day).next_back()
}

/// A name's first number, such as 3.11, and the name without it: `clang-14` is 14 of `clang-#`.
fn numbered(name: &str) -> Option<(String, List<u64>)> {
    let (before, rest) = name.split_at(name.find(|c: char| c.is_ascii_digit())?);
    let end = rest.find(|c: char| c != '.' && !c.is_ascii_digit()).unwrap_or(rest.len());
    let number = rest[..end].trim_end_matches('.');
    let parts: Result<_, _> = number.split('.').map(str::parse).collect();
    Some((format!("{before}#{}", &rest[number.len()..]), List(parts.ok()?)))
}

impl Pages {
    pub(crate) fn load(db: &Db, index: &Index, links: &ByPackage<'_>) -> Result<Self, Box<dyn Error>> {
        let wide = db.wide();
        let schema = |family| TableSchema::new().family(family, FamilySchema::new());
        let pages = Self {
            packages: WideTable::open(wide.clone(), "packages", &schema("page"))?,
            sections: Table::open(db.clone(), "sections")?,
            snapshots: Table::open(db.clone(), "snapshots")?,
            series: WideTable::open(wide, "series", &schema("version"))?,
        };
        let (mut rows, mut series, mut batch) = (Vec::new(), BTreeMap::<String, Mutation>::new(), WriteBatch::new());
        for (name, package) in &index.packages {
            let Package { version, section, installed_kib } = package;
            let mut row = Mutation::new()
                .put_at("page:version", LOADED, version.as_str())
                .put_at("page:section", LOADED, section.as_str())
                .put_at("page:installed_kib", LOADED, installed_kib.to_string());
            if let Some(to) = redirect(links, name, package) {
                row = row.put_at("page:redirect", LOADED, to);
            }
            rows.push((Page { package: name.clone() }, row));
            batch.put(&pages.sections, &InSection { section: section.clone(), package: name.clone() }, &())?;
            if let Some(day) = snapshot(version) {
                batch.put(&pages.snapshots, &Snapshot { day, package: name.clone() }, version)?;
            }
            if let Some((of, number)) = numbered(name) {
                let column = Numbered { number, package: name.clone() };
                let row = series.entry(of).or_default();
                *row = std::mem::take(row).put_at(("version", column.encode()), LOADED, version.as_str());
            }
        }
        batch.write(db)?;
        graph::load(&pages.packages, rows)?;
        graph::load(&pages.series, series.into_iter().map(|(name, row)| (Series { name }, row)).collect())?;
        Ok(pages)
    }

    /// The keys, and the first row of each table.
    pub(crate) fn draw(&self, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
        let text = |cell: &Cell<'_>| String::from_utf8_lossy(cell.value).into_owned();
        let mut rows = Vec::new();
        if let Some((Page { package }, row)) = self.packages.scan(.., Columns::all()).limit(1).next().transpose()? {
            rows.push([
                package,
                graph::drawn(&row, |cell| Ok(format!("{} = {}", String::from_utf8_lossy(cell.qualifier), text(cell))))?,
            ]);
        }
        if let Some((key, ())) = self.sections.first(..)? {
            report::key(out, "The key of a package in its category", &key)?;
            rows.push([format!("{}, {}", key.section, key.package), String::new()]);
        }
        if let Some((key, version)) = self.snapshots.first(..)? {
            report::key(out, "The key of a snapshot, newest first", &key)?;
            rows.push([format!("{}, {}", key.day, key.package), version]);
        }
        if let Some((Series { name }, row)) = self.series.scan(.., Columns::all()).limit(1).next().transpose()? {
            if let Some(column) = row.qualifiers::<Numbered>("version").next() {
                report::key(out, "The column of one of a series, highest number first", &column?)?;
            }
            rows.push([
                name,
                graph::drawn(&row, |cell| {
                    Ok(format!("{} = {}", Numbered::decode(cell.qualifier)?.package, text(cell)))
                })?,
            ]);
        }
        report::table(out, "A package, a category, a snapshot, a series", ["row key", "families and columns"], rows)
    }

    /// The largest category, the first by name of several.
    pub(crate) fn categories(
        &self,
        out: &mut impl Write,
        db: &Db,
        index: &Index,
        show: u64,
    ) -> Result<(), Box<dyn Error>> {
        let mut sizes = BTreeMap::<&String, usize>::new();
        index.packages.values().for_each(|package| *sizes.entry(&package.section).or_default() += 1);
        let Some((section, _)) = sizes.into_iter().rev().max_by_key(|(_, size)| *size) else { return Ok(()) };
        let query = report::Query::of(db);
        let scan = self.sections.scan(InSection::prefix().section(section)).limit(show).keys();
        let found: Vec<InSection> = scan.collect::<Result<_, _>>()?;
        query.returned(out, format_args!("The first packages of section {section}"), found.len(), found.len())?;
        Ok(found.iter().try_for_each(|row| writeln!(out, "  {}", row.package))?)
    }

    /// The latest snapshots; and the series with most different versions, the first by name of several.
    pub(crate) fn revisions(
        &self,
        out: &mut impl Write,
        db: &Db,
        index: &Index,
        show: u64,
    ) -> Result<(), Box<dyn Error>> {
        let query = report::Query::of(db);
        let newest: Vec<(Snapshot, String)> = self.snapshots.scan(..).limit(show).collect::<Result<_, _>>()?;
        query.returned(
            out,
            "The latest snapshots, by the day in the version, as the index tells no other",
            newest.len(),
            newest.len(),
        )?;
        for (Snapshot { day, package }, version) in &newest {
            writeln!(out, "  {day}  {package}  {version}")?;
        }

        let mut versions = BTreeMap::<String, BTreeSet<&String>>::new();
        for (name, package) in &index.packages {
            let Some((series, _)) = numbered(name) else { continue };
            versions.entry(series).or_default().insert(&package.version);
        }
        let most = versions.into_iter().rev().max_by_key(|(_, versions)| versions.len());
        let Some((name, _)) = most else { return Ok(()) };
        let query = report::Query::of(db);
        let row = self.series.get(&Series { name: name.clone() }, &Columns::all().limit(show))?;
        query.returned(out, format_args!("The series {name}, highest number first"), 1, row.cells().count())?;
        for (column, cell) in row.qualifiers::<Numbered>("version").zip(row.cells()) {
            writeln!(out, "  {}  {}", column?.package, String::from_utf8_lossy(cell.value))?;
        }
        Ok(())
    }

    /// The first package by name that stands for another, followed to where that leads.
    pub(crate) fn redirects(
        &self,
        out: &mut impl Write,
        db: &Db,
        index: &Index,
        links: &ByPackage<'_>,
    ) -> Result<(), Box<dyn Error>> {
        let mut all = index.packages.iter().filter(|(name, package)| redirect(links, name, package).is_some());
        let Some((first, _)) = all.next() else { return Ok(()) };
        let query = report::Query::of(db);
        let (mut path, mut seen, mut next) = (Vec::new(), BTreeSet::new(), Some(first.clone()));
        let column = "page:redirect";
        while let Some(package) = next.filter(|name| seen.insert(name.clone())) {
            next = self.packages.get(&Page { package: package.clone() }, &Columns::of(column))?.read(column)?;
            path.push(package);
        }
        query.returned(out, format_args!("What {first} stands for"), path.len() - 1, path.len() - 1)?;
        writeln!(out, "  {}", path.join(" -> "))?;
        let count = HumanCount(1 + all.count() as u64);
        writeln!(
            out,
            "  one of {count} that have one link, {EMPTY_KIB} KiB or less, and are in oldlibs or begin its name"
        )?;
        Ok(())
    }
}
