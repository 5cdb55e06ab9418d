use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::{nobody_reads, number, output, place, run, temporary, told};

/// Cells of a wide row that may be read in addition: before a jump, and after the last.
const ASIDE: u64 = 16;

/// Student, term, course → grade.
type Rows = BTreeMap<(String, String, String), Option<u8>>;

fn rows(tsv: &str) -> Rows {
    let row = |line: &str| {
        let [student, course, term, grade] = line.split('\t').collect::<Vec<_>>()[..] else { unreachable!() };
        ((student.to_owned(), term.to_owned(), course.to_owned()), (!grade.is_empty()).then(|| grade.parse().unwrap()))
    };
    tsv.lines().skip(1).map(row).collect()
}

fn shown(grade: Option<u8>) -> String {
    grade.map_or("-".to_owned(), |grade| grade.to_string())
}

/// The beginning of an answer, and how many more there are.
fn first(lines: &[String], show: usize) -> Vec<String> {
    let more = (lines.len() > show).then(|| format!("and {} more", lines.len() - show));
    lines.iter().take(show).map(|line| line.trim().to_owned()).chain(more).collect()
}

/// Who is asked about if nothing is said: who takes most, of their last term the first course.
fn by_default(rows: &Rows) -> (String, String, String) {
    let mut takes = BTreeMap::<&str, usize>::new();
    rows.keys().for_each(|(student, ..)| *takes.entry(student).or_default() += 1);
    let student = takes.iter().min_by_key(|(student, courses)| (Reverse(**courses), **student)).unwrap().0.to_string();
    last_term(rows, &student)
}

fn last_term(rows: &Rows, student: &str) -> (String, String, String) {
    let of = |row: &&(String, String, String)| row.0 == student;
    let term = rows.keys().filter(of).map(|row| row.1.clone()).max().unwrap();
    let course = rows.keys().filter(of).filter(|row| row.1 == term).map(|row| row.2.clone()).min().unwrap();
    (student.to_owned(), term, course)
}

fn check(out: &str, rows: &Rows, about: &(String, String, String), show: usize) {
    let (student, term, course) = about;
    let words: Vec<_> = out.lines().next().unwrap().split(' ').collect();
    assert_eq!((number(words[0]), words[1]), (rows.len() as u64, "enrolments,"));

    let line = |term: &str, grade: Option<u8>, name: &str| format!("{term}  {:>3}  {name}", shown(grade));
    let theirs = rows.iter().filter(|((of, ..), _)| of == student);
    let takes: Vec<_> = theirs.clone().map(|((_, term, course), grade)| line(term, *grade, course)).collect();
    let theirs = theirs.filter(|((_, at, _), _)| at == term);
    let takes_now: Vec<_> = theirs.clone().map(|((_, term, course), grade)| line(term, *grade, course)).collect();
    let mut seats: Vec<_> = rows.iter().filter(|((.., of), _)| of == course).collect();
    seats.sort_by_key(|((student, term, _), _)| (term, student));
    let taken: Vec<_> = seats.iter().map(|((student, term, _), grade)| line(term, **grade, student)).collect();
    let now = seats.iter().filter(|((_, at, _), _)| at == term);
    let taken_now: Vec<_> = now.clone().map(|((student, term, _), grade)| line(term, **grade, student)).collect();
    for (title, due) in [
        (format!("What {student} takes"), takes),
        (format!("What {student} takes in {term}"), takes_now),
        (format!("Who takes {course}"), taken),
        (format!("Who takes {course} in {term}"), taken_now),
    ] {
        let count = due.len() as u64;
        let found = told(out, &title);
        assert_eq!((found.rows, found.cells), (count, count), "{title}");
        assert_eq!((found.rows_read, found.cells_read, found.seeks), (count, count, 1), "{title}");
        assert_eq!(found.lines, first(&due, show), "{title}");
        let found = told(out, &format!("{title}: a wide row"));
        assert_eq!((found.rows, found.cells, found.seeks), (count.min(1), count, 1), "{title}");
        assert!(found.rows_read <= 1 && (count..count + ASIDE).contains(&found.cells_read), "{title}: {found:?}");
        assert_eq!(found.lines, first(&due, show), "{title}");
    }

    let mut best: Vec<_> = now.collect();
    best.sort_by_key(|((student, ..), grade)| (Reverse(**grade), student));
    best.truncate(show);
    let best: Vec<_> = best.iter().map(|((student, ..), grade)| line(term, **grade, student)).collect();
    let found = told(out, &format!("The best {show} of {course} in {term}"));
    assert_eq!((found.rows_read, found.rows), (best.len() as u64, best.len() as u64));
    assert_eq!(found.lines, first(&best, show));

    let grade = rows.get(about).map(|grade| line(term, *grade, course));
    let found = told(out, &format!("{student} in {course} in {term}"));
    assert_eq!((found.rows_read, found.seeks, found.rows), (u64::from(grade.is_some()), 1, u64::from(grade.is_some())));
    assert_eq!(found.lines, first(&Vec::from_iter(grade), show));

    let courses: BTreeSet<_> = theirs.map(|((.., course), _)| course).collect();
    let sit = rows.keys().filter(|(_, at, course)| at == term && courses.contains(course));
    let read = courses.len() + sit.clone().count();
    let others: BTreeSet<_> = sit.map(|(of, ..)| of.clone()).filter(|of| of != student).collect();
    let found = told(out, &format!("Who sits with {student} in {term}"));
    assert_eq!((found.rows_read, found.seeks), (read as u64, 1 + courses.len() as u64));
    assert_eq!(found.rows, others.len() as u64);
    assert_eq!(found.lines, first(&Vec::from_iter(others), show));

    let terms: BTreeSet<_> = seats.iter().map(|((_, term, _), _)| term).collect();
    let terms = terms.into_iter().map(|term| {
        let grades: Vec<_> = seats.iter().filter(|((_, at, _), _)| at == term).map(|(_, grade)| **grade).collect();
        let given: Vec<f64> = grades.iter().flatten().map(|grade| f64::from(*grade)).collect();
        let all = grades.len();
        match given.len() {
            0 => format!("{term}  {all} enrolled, none graded"),
            n => format!("{term}  {all} enrolled, {n} graded, mean {:.1}", given.iter().sum::<f64>() / n as f64),
        }
    });
    let found = told(out, &format!("Grades of {course} by term"));
    assert_eq!((found.rows_read, found.seeks), (seats.len() as u64, 1));
    assert_eq!(found.lines, first(&terms.collect::<Vec<_>>(), show));

    let courses: BTreeSet<_> = rows.keys().map(|row| &row.2).collect();
    let other = courses.iter().find(|course| !rows.contains_key(&(student.clone(), term.clone(), course.to_string())));
    match other {
        Some(other) => changed(out, student, term, other),
        None => assert!(out.ends_with(&format!("\n{student} takes every course in {term}\n")), "{out}"),
    }
}

/// Enrolled, graded, dropped: each at once in three tables, and one after the other in two wide rows.
fn changed(out: &str, student: &str, term: &str, course: &str) {
    let between = |student: &str, course: &str| {
        format!("between the two wide writes: the student's row has {student}, the course's has {course}")
    };
    let tables = |grade: &str| ["enrolments", "seats", "ranks"].map(|table| format!("{table}: {grade}"));
    for (what, rows, grade, torn) in [
        ("enrols in", 3, "-", between("-", "nothing")),
        ("has 100 in", 3, "100", between("100", "-")),
        ("drops", 0, "no row", between("nothing", "100")),
    ] {
        let found = told(out, &format!("{student} {what} {course} in {term}"));
        assert_eq!((found.rows_read, found.rows), (rows, rows));
        assert_eq!(found.lines, [&tables(grade)[..], &[torn]].concat());
    }
    let costs = out.lines().skip_while(|line| *line != "What a change costs").skip(4).take(3);
    let costs: Vec<Vec<_>> = costs.map(|line| line.split('┆').skip(1).map(str::trim).collect()).collect();
    let writes: Vec<_> = costs.iter().map(|row| [row[0], row[1], row[3], row[4]]).collect();
    assert_eq!(writes[..2], [["1", "3", "2", "2"], ["1", "4", "2", "2"]]);
    assert_eq!(writes[2][..3], ["1", "3", "2"]);
    // A marker in each of two rows; what was put in the same millisecond is dropped besides.
    assert!(["2", "3", "4"].contains(&writes[2][3]), "{writes:?}");
    assert!(out.ends_with("\nVerified: seats are in step, ranks are in step.\n"), "{out}");
}

#[test]
fn enrolments_made_up() {
    let path = place("students_saved.tsv");
    let args = ["--save", path.to_str().unwrap()];
    let out = output("students", &args);
    assert!(out.lines().next().unwrap().ends_with(" enrolments, all made up, with seed 2009"), "{out}");
    let rows = rows(&std::fs::read_to_string(&path).unwrap());
    assert!(rows.len() > 2000);
    check(&out, &rows, &by_default(&rows), 5);
    assert_eq!(output("students", &[""; 0]), out, "the seed is fixed");

    let read = output("students", &[&path]);
    let rest = |out: &str| out.split_once('\n').unwrap().1.to_owned();
    assert_eq!(rest(&read), rest(&out));
    assert!(read.lines().next().unwrap().ends_with(&format!(" enrolments, of {}", path.display())));
}

/// Some hundred enrolments in no order, names that begin others, some that come again.
fn made() -> String {
    let (students, courses) =
        (["Ada", "Ad", "Adam", "Łukasz", "ada", "Ada B.", ""], ["C", "C++", "Ça", "logic", "log"]);
    let mut tsv = "student\tcourse\tterm\tgrade\r\n".to_owned();
    let mut random = 7u64;
    let mut below = |n: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % n
    };
    for _ in 0..150 {
        let (student, course) = (students[below(7)], courses[below(5)]);
        let term = ["1", "10", "2", "2009-1"][below(4).min(below(4))];
        let grade = ["", "0", "100", "7", "50"][below(5)];
        tsv += &format!("{student}\t{course}\t{term}\t{grade}\n{}", ["", "\n"][below(2)]);
    }
    tsv
}

#[test]
fn enrolments_of_a_file() {
    let tsv = made();
    let rows = rows(&tsv.lines().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n"));
    let path = temporary("students.tsv", tsv.as_bytes());
    let path = path.to_str().unwrap();
    check(&output("students", &[path]), &rows, &by_default(&rows), 5);
    let shows = [0, 1, 3, 1000];
    let students: BTreeSet<_> = rows.keys().map(|row| &row.0).collect();
    for (student, show) in students.iter().zip(shows.iter().cycle()) {
        let out = output("students", &[path, "--student", student, "--show", &show.to_string()]);
        check(&out, &rows, &last_term(&rows, student), *show);
    }
    let asked = ["nobody", "2", "Ça"].map(str::to_owned);
    let out = output("students", &[path, "--student", &asked[0], "--term", &asked[1], "--course", &asked[2]]);
    check(&out, &rows, &asked.into(), 5);
}

#[test]
fn small_files() {
    for tsv in ["", "student\tcourse\tterm\tgrade\n"] {
        let path = temporary("students_none.tsv", tsv.as_bytes());
        assert_eq!(output("students", &[&path]), format!("0 enrolments, of {}\n", path.display()));
    }
    let tsv = "student\tcourse\tterm\tgrade\nZoë\t数学\t一\t";
    let path = temporary("students_one.tsv", tsv.as_bytes());
    check(&output("students", &[&path]), &rows(tsv), &("Zoë".into(), "一".into(), "数学".into()), 5);
}

#[test]
fn what_is_no_enrolment_is_told() {
    for (line, why) in [
        ("Ada\tlogic\t2009-1", "no student, course, term and grade: \"Ada\\tlogic\\t2009-1\""),
        ("Ada\tlogic\t2009-1\t101", "no grade: \"101\""),
        ("Ada\tlogic\t2009-1\tgood", "no grade: \"good\""),
        ("student\tcourse\tterm\tgrade", "no grade: \"grade\""),
    ] {
        let path = temporary("students_malformed.tsv", format!("Ada\tlogic\t1\t7\n\n{line}\n").as_bytes());
        let run = run("students", &[&path], b"");
        assert_eq!((run.status.code(), run.stdout.as_str()), (Some(1), ""));
        assert_eq!(run.stderr, format!("error: {}:3: {why}\n", path.display()));
    }
    let missing = run("students", &["no_such.tsv"], b"");
    assert_eq!((missing.status.code(), missing.stdout.as_str()), (Some(1), ""));
    assert!(missing.stderr.starts_with("error: cannot read no_such.tsv: "), "{}", missing.stderr);
    assert_eq!(missing.stderr.lines().count(), 1);
    let no_text = temporary("students_bytes.tsv", b"\xff\xfe\t");
    assert_eq!(run("students", &[no_text], b"").status.code(), Some(1));
    let unwritten = run("students", &["--save", "no_such_folder/saved.tsv"], b"");
    assert_eq!(unwritten.status.code(), Some(1));
    assert!(unwritten.stderr.starts_with("error: cannot write no_such_folder/saved.tsv: "), "{}", unwritten.stderr);
}

#[test]
fn a_reader_may_leave() {
    nobody_reads("students", &[""; 0]);
}
