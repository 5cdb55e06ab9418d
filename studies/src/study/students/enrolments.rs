//! Who takes which course: read from a file, or made up.

use std::collections::BTreeMap;
use std::path::Path;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{RngCore, SeedableRng};
use rowkey::RowKey;
use rowkey_studies::input;

const SEED: u64 = 2009;

/// A student takes a course in a term.
#[derive(RowKey, Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Enrolment {
    pub(crate) student: String,
    pub(crate) term: String,
    pub(crate) course: String,
}

/// Enrolments and their grades.
pub(crate) type Enrolments = BTreeMap<Enrolment, Option<u8>>;

/// The enrolments of a file, plain or gzip, or those made up, and where they are from.
pub(crate) fn enrolments(path: Option<&Path>) -> Result<(Enrolments, String), String> {
    let Some(path) = path else { return Ok((made_up(), format!("all made up, with seed {SEED}"))) };
    let (text, name) = input::text(Some(path), &[])?;
    let rows = parse(&text).map_err(|error| format!("{name}:{error}"))?;
    Ok((rows, format!("of {name}")))
}

const TITLES: &str = "student\tcourse\tterm\tgrade";

/// `Ada<TAB>algebra<TAB>2009-1<TAB>87`, a line each; an enrolment that comes again has the later grade.
fn parse(text: &str) -> Result<Enrolments, String> {
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.is_empty());
    let lines = lines.filter(|&(number, line)| number > 1 || line != TITLES);
    lines.map(|(number, line)| enrolment(line).map_err(|error| format!("{number}: {error}"))).collect()
}

fn enrolment(line: &str) -> Result<(Enrolment, Option<u8>), String> {
    let [student, course, term, grade] = line.split('\t').collect::<Vec<_>>()[..] else {
        return Err(format!("no student, course, term and grade: {line:?}"));
    };
    let grade = match grade {
        "" => None,
        _ => Some(grade.parse().ok().filter(|grade| *grade <= 100).ok_or_else(|| format!("no grade: {grade:?}"))?),
    };
    Ok((Enrolment { student: student.to_owned(), term: term.to_owned(), course: course.to_owned() }, grade))
}

/// The enrolments in the form that is read.
pub(crate) fn written(rows: &Enrolments) -> String {
    let grade = |grade: &Option<u8>| grade.map_or_else(String::new, |grade| grade.to_string());
    let line = |(row, of): (&Enrolment, _)| format!("{}\t{}\t{}\t{}\n", row.student, row.course, row.term, grade(of));
    format!("{TITLES}\n{}", rows.iter().map(line).collect::<String>())
}

/// Two hundred students, five courses a term more or less; of the last term half the grades are still to come.
fn made_up() -> Enrolments {
    const NAMES: [&str; 20] = [
        "Ada", "Alan", "Barbara", "Blaise", "Carl", "Donald", "Edgar", "Edsger", "Emmy", "Frances", "Grace", "Joan",
        "John", "Jörg", "Kathleen", "Margaret", "Niklaus", "Ole", "Radia", "Tony",
    ];
    const COURSES: [&str; 24] = [
        "algebra",
        "algorithms",
        "analysis",
        "astronomy",
        "botany",
        "chemistry",
        "compilers",
        "databases",
        "drawing",
        "ethics",
        "French",
        "geometry",
        "Greek",
        "history",
        "Latin",
        "logic",
        "mechanics",
        "music",
        "numerics",
        "optics",
        "physics",
        "rhetoric",
        "statistics",
        "topology",
    ];
    const TERMS: [&str; 4] = ["2007-2", "2008-1", "2008-2", "2009-1"];
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(SEED);
    let mut below = |n: usize| (rng.next_u64() % n as u64) as usize;
    let mut rows = Enrolments::new();
    for (name, number) in NAMES.iter().flat_map(|name| (1..=10).map(move |number| (name, number))) {
        for (at, term) in TERMS.iter().enumerate() {
            for _ in 0..3 + below(4) {
                let course = COURSES[below(COURSES.len()).min(below(COURSES.len()))];
                let row =
                    Enrolment { student: format!("{name} {number}"), term: (*term).into(), course: course.into() };
                let grade = (at + 1 < TERMS.len() || below(2) == 0).then(|| (40 + below(61)) as u8);
                rows.insert(row, grade);
            }
        }
    }
    rows
}
