//! Students and courses, many to many, both ways: what does a student take, who takes a course.
//!
//!     cargo run --release -p rowkey-studies -- students
//!     cargo run --release -p rowkey-studies -- students enrolments.tsv --student Ada
//!
//! The classics keep two wide tables: a student's row has a column for each course, a course's row one for each
//! student. Either question is one row then. But an enrolment is a write to two rows, and no store of wide rows makes
//! that one: who is cut off in between has a student in a course that does not know them.
//!
//! So here an enrolment is a row: student, term, course, with the grade as its value. Two secondary tables turn its key
//! round, to course, term, student, and to course, term, grade descending, student. Every question is one prefix of one
//! of the three, and a write to them is one transaction. The books' wide tables stand beside them and answer the same,
//! to see what each costs.

mod enrolments;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use clap::Parser;
use enrolments::{Enrolment, Enrolments, enrolments, written};
use indicatif::HumanCount;
use rowkey::secondary::{Primary, Secondary};
use rowkey::wide::{Columns, FamilySchema, Mutation, Row, TableSchema};
use rowkey::{Layout, OwnedKey, Postcard, RowKey, Select, WideTable};
use rowkey_studies::engine::{Db, Engine, Wide};
use rowkey_studies::output::report::{self, Query};
use rowkey_studies::output::{list, progress};

/// The same from the course's side.
#[derive(RowKey, Debug, Clone, PartialEq)]
struct Seat {
    course: String,
    term: String,
    student: String,
}

/// The same, the best grade first, those without one last.
#[derive(RowKey, Debug, Clone, PartialEq)]
struct Rank {
    course: String,
    term: String,
    #[rowkey(desc)]
    grade: Option<u8>,
    student: String,
}

/// A column of a student's wide row.
#[derive(RowKey, Debug, Clone, PartialEq)]
struct Taken {
    term: String,
    course: String,
}

/// A column of a course's wide row.
#[derive(RowKey, Debug, Clone, PartialEq)]
struct Taker {
    term: String,
    student: String,
}

impl Enrolment {
    fn seat(&self) -> Seat {
        Seat { course: self.course.clone(), term: self.term.clone(), student: self.student.clone() }
    }

    fn rank(&self, grade: Option<u8>) -> Rank {
        Rank { course: self.course.clone(), term: self.term.clone(), grade, student: self.student.clone() }
    }

    /// The column of the student's row.
    fn taken(&self) -> (&'static str, Vec<u8>) {
        ("course", Taken { term: self.term.clone(), course: self.course.clone() }.encode())
    }

    /// The column of the course's row.
    fn taker(&self) -> (&'static str, Vec<u8>) {
        ("student", Taker { term: self.term.clone(), student: self.student.clone() }.encode())
    }
}

/// The keys of its tables.
pub(crate) const LAYOUTS: &[(&str, Layout)] = &[
    ("enrolments", Enrolment::LAYOUT),
    ("seats", Seat::LAYOUT),
    ("ranks", Rank::LAYOUT),
    ("students", <String as RowKey>::LAYOUT),
    ("courses", <String as RowKey>::LAYOUT),
];

/// Asks who takes which course, both ways, and enrols a student in one atomic write.
#[derive(Parser)]
struct Args {
    /// Enrolments as tab-separated student, course, term, grade below a line of titles, plain or gzip; grades are 0 to
    /// 100, or empty; terms sort as text [default: made up]
    enrolments: Option<PathBuf>,
    /// Who is asked about [default: who takes most]
    #[arg(long)]
    student: Option<String>,
    /// The term that is asked about [default: the student's last]
    #[arg(long)]
    term: Option<String>,
    /// The course that is asked about [default: the student's first in that term]
    #[arg(long)]
    course: Option<String>,
    /// Writes the enrolments there, as they are read
    #[arg(long)]
    save: Option<PathBuf>,
    /// How many rows of an answer are printed
    #[arg(long, default_value_t = 5)]
    show: usize,
}

/// How many rows are written at once.
const BATCH: usize = 1000;

type Grade = Postcard<Option<u8>>;
type Follower<K> = Secondary<K, Grade, Enrolment, Grade, Db>;

/// The same enrolments in both designs.
struct School {
    db: Db,
    enrolments: Primary<Enrolment, Grade, Db>,
    seats: Follower<Seat>,
    ranks: Follower<Rank>,
    students: WideTable<String, Wide>,
    courses: WideTable<String, Wide>,
}

impl School {
    fn open(db: Db) -> Result<Self, rowkey::Error> {
        let mut enrolments = Primary::open(db.clone(), "enrolments")?;
        let seats = enrolments.secondary("enrolments.seats", |enrolment: &Enrolment, grade: &Grade| {
            [(enrolment.seat(), Postcard(grade.0))]
        })?;
        let ranks = enrolments.secondary("enrolments.ranks", |enrolment: &Enrolment, grade: &Grade| {
            [(enrolment.rank(grade.0), Postcard(grade.0))]
        })?;
        let wide = |family| TableSchema::new().family(family, FamilySchema::new());
        // A millisecond between two writes, so that what a change costs is the same in every run.
        let ticks = AtomicI64::new(0);
        let cells = db.cells().map(|cells| cells.with_clock(move || ticks.fetch_add(1, Ordering::Relaxed)));
        let rows = cells.map_or_else(|| db.wide(), |cells| Arc::new(cells) as Wide);
        let students = WideTable::open(rows.clone(), "students", &wide("course"))?;
        let courses = WideTable::open(rows, "courses", &wide("student"))?;
        Ok(Self { db, enrolments, seats, ranks, students, courses })
    }

    fn fill(&self, rows: &Enrolments) -> Result<(), rowkey::Error> {
        let rows: Vec<_> = rows.iter().collect();
        for rows in progress(rows.chunks(BATCH).collect::<Vec<_>>()) {
            let batch =
                rows.iter().try_fold(self.enrolments.batch(), |batch, (row, grade)| batch.put(row, &Postcard(**grade)));
            batch?.write()?;
            let put = |column, grade: &Option<u8>| Mutation::new().put(column, shown(*grade));
            self.students.mutate_many(rows.iter().map(|(row, grade)| (&row.student, put(row.taken(), grade))))?;
            self.courses.mutate_many(rows.iter().map(|(row, grade)| (&row.course, put(row.taker(), grade))))?;
        }
        Ok(())
    }
}

fn run(args: &Args, on: &Engine, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let (rows, from) = enrolments(args.enrolments.as_deref())?;
    writeln!(out, "{} enrolments, {from}", HumanCount(rows.len() as u64))?;
    if let Some(path) = &args.save {
        std::fs::write(path, written(&rows)).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    }
    let mut takes = BTreeMap::<&str, usize>::new();
    rows.keys().for_each(|row| *takes.entry(&row.student).or_default() += 1);
    let most = takes.iter().min_by_key(|&(student, courses)| (Reverse(courses), student)).map(|(student, _)| *student);
    let Some(student) = args.student.as_deref().or(most) else { return Ok(()) };

    let school = School::open(on.open()?)?;
    school.fill(&rows)?;
    let table = school.enrolments.table();
    let term = match (&args.term, table.last(Enrolment::prefix().student(student))?) {
        (Some(term), _) => term.clone(),
        (None, last) => last.map(|(row, _)| row.term).unwrap_or_default(),
    };
    let course = match (&args.course, table.first(Enrolment::prefix().student(student).term(&term))?) {
        (Some(course), _) => course.clone(),
        (None, first) => first.map(|(row, _)| row.course).unwrap_or_default(),
    };
    let about = Enrolment { student: student.to_owned(), term, course };
    pictures(out, &school, &about)?;
    ask(out, &school, &about, args.show)?;

    // The first course by name that the student does not take.
    let courses: BTreeSet<&str> = rows.keys().map(|row| row.course.as_str()).collect();
    let mut others = courses.into_iter().map(|course| Enrolment { course: course.to_owned(), ..about.clone() });
    match others.find(|other| !rows.contains_key(other)) {
        Some(other) => change(out, &school, &other),
        None => Ok(writeln!(out, "\n{student} takes every course in {}", about.term)?),
    }
}

fn pictures(out: &mut impl Write, school: &School, about: &Enrolment) -> Result<(), Box<dyn Error>> {
    let grade = school.enrolments.get(about)?.and_then(|grade| grade.0);
    report::key(out, "The key of an enrolment", about)?;
    report::key(out, "Its key among those of its course", &about.seat())?;
    report::key(out, "Its key among those of its course by grade", &about.rank(grade))?;
    let student = school.students.get(&about.student, &Columns::all().limit(3))?;
    let course = school.courses.get(&about.course, &Columns::all().limit(3))?;
    let student =
        columns(&student, |Taken { term, course }| [about.student.clone(), format!("course:{term} {course}")])?;
    let course =
        columns(&course, |Taker { term, student }| [about.course.clone(), format!("student:{term} {student}")])?;
    for (what, cells) in [("A student's row as the books draw it", student), ("A course's row", course)] {
        let cells = cells.into_iter().map(|([row, column], grade)| [row, column, grade]);
        report::table(out, what, ["row key", "family:qualifier", "value"], cells)?;
    }
    Ok(())
}

/// The columns of a wide row, whose qualifiers are keys, and the grades in them.
fn columns<Q: OwnedKey, T>(row: &Row, of: impl Fn(Q) -> T) -> Result<Vec<(T, String)>, rowkey::Error> {
    row.cells().map(|cell| Ok((of(Q::decode(cell.qualifier)?), cell.read()?))).collect()
}

/// The queries that the tables were designed for.
fn ask(out: &mut impl Write, school: &School, about: &Enrolment, show: usize) -> Result<(), Box<dyn Error>> {
    let Enrolment { student, term, course } = about;
    let mut answer = |title: String, run: &dyn Fn() -> Result<(usize, Vec<String>), rowkey::Error>| {
        let query = Query::of(&school.db);
        let (rows, lines) = run()?;
        query.returned(out, title, rows, lines.len())?;
        Ok::<_, Box<dyn Error>>(list(out, show, lines)?)
    };
    let line = |term: &str, grade: &str, name: &str| format!("{term}  {grade:>3}  {name}");

    for (title, select, wide) in [
        (format!("What {student} takes"), Enrolment::prefix().student(student).select(), Columns::all()),
        (
            format!("What {student} takes in {term}"),
            Enrolment::prefix().student(student).term(term).select(),
            Columns::all().qualifiers_in("course", Taken::prefix().term(term).ranges()),
        ),
    ] {
        answer(title.clone(), &|| {
            let rows = school.enrolments.table().scan(select.clone());
            let lines = rows.map(|row| row.map(|(row, grade)| line(&row.term, &shown(grade.0), &row.course)));
            lines.collect::<Result<Vec<_>, _>>().map(|lines| (lines.len(), lines))
        })?;
        answer(format!("{title}: a wide row"), &|| {
            let row = school.students.get(student, &wide)?;
            let cells = columns(&row, |taken: Taken| taken)?;
            let lines: Vec<_> = cells.iter().map(|(taken, grade)| line(&taken.term, grade, &taken.course)).collect();
            Ok((usize::from(!lines.is_empty()), lines))
        })?;
    }

    for (title, select, wide) in [
        (format!("Who takes {course}"), Seat::prefix().course(course).select(), Columns::all()),
        (
            format!("Who takes {course} in {term}"),
            Seat::prefix().course(course).term(term).select(),
            Columns::all().qualifiers_in("student", Taker::prefix().term(term).ranges()),
        ),
    ] {
        answer(title.clone(), &|| {
            let rows = school.seats.scan(select.clone());
            let lines = rows.map(|row| row.map(|(row, grade)| line(&row.term, &shown(grade.0), &row.student)));
            lines.collect::<Result<Vec<_>, _>>().map(|lines| (lines.len(), lines))
        })?;
        answer(format!("{title}: a wide row"), &|| {
            let row = school.courses.get(course, &wide)?;
            let cells = columns(&row, |taker: Taker| taker)?;
            let lines: Vec<_> = cells.iter().map(|(taker, grade)| line(&taker.term, grade, &taker.student)).collect();
            Ok((usize::from(!lines.is_empty()), lines))
        })?;
    }

    answer(format!("The best {show} of {course} in {term}"), &|| {
        let rows = school.ranks.scan(Rank::prefix().course(course).term(term)).limit(show as u64);
        let lines = rows.map(|row| row.map(|(row, _)| line(&row.term, &shown(row.grade), &row.student)));
        lines.collect::<Result<Vec<_>, _>>().map(|lines| (lines.len(), lines))
    })?;
    answer(format!("{student} in {course} in {term}"), &|| {
        let grade = school.enrolments.get(about)?;
        let lines: Vec<_> = grade.into_iter().map(|grade| line(term, &shown(grade.0), course)).collect();
        Ok((lines.len(), lines))
    })?;
    answer(format!("Who sits with {student} in {term}"), &|| {
        let mut others = BTreeSet::new();
        for row in school.enrolments.table().keys(Enrolment::prefix().student(student).term(term)) {
            for seat in school.seats.scan(Seat::prefix().course(&row?.course).term(term)) {
                others.insert(seat?.0.student);
            }
        }
        others.remove(student);
        Ok((others.len(), others.into_iter().collect()))
    })?;
    answer(format!("Grades of {course} by term"), &|| {
        let mut terms = BTreeMap::<String, (u32, u32, u32)>::new();
        for row in school.seats.scan(Seat::prefix().course(course)) {
            let (Seat { term, .. }, Postcard(grade)) = row?;
            let (students, graded, sum) = terms.entry(term).or_default();
            *students += 1;
            *graded += u32::from(grade.is_some());
            *sum += grade.map_or(0, u32::from);
        }
        let lines = terms.into_iter().map(|(term, (students, graded, sum))| match graded {
            0 => format!("{term}  {students} enrolled, none graded"),
            _ => {
                format!("{term}  {students} enrolled, {graded} graded, mean {:.1}", f64::from(sum) / f64::from(graded))
            }
        });
        let lines: Vec<_> = lines.collect();
        Ok((lines.len(), lines))
    })
}

/// Enrols a student, gives a grade, and drops the course again: each a write in one design, two in the other.
fn change(out: &mut impl Write, school: &School, other: &Enrolment) -> Result<(), Box<dyn Error>> {
    let Enrolment { student, term, course } = other;
    let mut costs = Vec::new();
    for (what, grade) in [("enrols in", Some(None)), ("has 100 in", Some(Some(100))), ("drops", None)] {
        let before = school.db.costs();
        match grade {
            Some(grade) => school.enrolments.put(other, &Postcard(grade))?,
            None => school.enrolments.delete(other)?,
        }
        let one = school.db.costs() - before;

        let query = Query::of(&school.db);
        let found = [
            school.enrolments.get(other)?,
            school.seats.get(&other.seat())?,
            school.ranks.get(&other.rank(grade.flatten()))?,
        ];
        let rows = found.iter().flatten().count();
        query.returned(out, format!("{student} {what} {course} in {term}"), rows, rows)?;
        for (table, grade) in ["enrolments", "seats", "ranks"].into_iter().zip(found) {
            writeln!(out, "  {table}: {}", grade.map_or_else(|| "no row".to_owned(), |grade| shown(grade.0)))?;
        }

        let edit = |column: (&'static str, Vec<u8>)| match grade {
            Some(grade) => Mutation::new().put(column, shown(grade)),
            None => Mutation::new().delete_column(column),
        };
        let before = school.db.costs();
        school.students.mutate(student, &edit(other.taken()))?;
        let torn = [
            school.students.get(student, &Columns::of(other.taken()))?.read::<String>(other.taken())?,
            school.courses.get(course, &Columns::of(other.taker()))?.read::<String>(other.taker())?,
        ];
        let [of_student, of_course] = torn.map(|grade| grade.unwrap_or_else(|| "nothing".to_owned()));
        writeln!(
            out,
            "  between the two wide writes: the student's row has {of_student}, the course's has {of_course}"
        )?;
        school.courses.mutate(course, &edit(other.taker()))?;
        let two = school.db.costs() - before;
        let numbers =
            [one.writes, one.cells_written, one.bytes_written, two.writes, two.cells_written, two.bytes_written];
        let [a, b, c, d, e, f] = numbers.map(|number| number.to_string());
        costs.push([format!("{student} {what} {course}"), a, b, c, d, e, f]);
    }
    let titles = ["", "writes, three tables", "cells", "bytes", "writes, two wide rows", "cells", "bytes"];
    report::table(out, "What a change costs", titles, costs)?;

    let differences = [school.seats.verify().run()?.is_clean(), school.ranks.verify().run()?.is_clean()];
    let [seats, ranks] = differences.map(|clean| if clean { "in step" } else { "not in step" });
    Ok(writeln!(out, "\nVerified: seats are {seats}, ranks are {ranks}.")?)
}

/// A grade as it is printed and kept in the wide tables.
fn shown(grade: Option<u8>) -> String {
    grade.map_or_else(|| "-".to_owned(), |grade| grade.to_string())
}

/// Runs the study with these arguments, the first of which is its name.
pub(crate) fn main(args: Vec<OsString>) -> ExitCode {
    crate::study(args, run)
}
