use crate::{NONE, nobody_reads, number, output, real, run, temporary, told};

const SAMPLE: &str = include_str!("../../data/temperatures.tsv");

/// The rows of a day as they are due, cities in the order of the file; blanks apart.
fn due(lines: &str, day: &str, city: Option<&str>) -> Vec<String> {
    let row = |line: &str| {
        let [city, at, value] = line.split('\t').collect::<Vec<_>>()[..] else { unreachable!() };
        // Clocks are put forward at 2: what the file says was then, was at 3.
        let hour = if at == "2010-03-14T02:00:00" { "03:00" } else { &at[11..16] };
        (city.to_owned(), format!("{} {hour} {city} {:.1} °F", &at[..10], value.parse::<f64>().unwrap()))
    };
    let of_day = lines.lines().skip(1).filter(|line| line.split('\t').nth(1).unwrap().starts_with(day));
    of_day.map(row).filter(|(of, _)| city.is_none_or(|city| city == of)).map(|(_, row)| row).collect()
}

fn check(out: &str, lines: &str, day: &str, city: &str) {
    let (alone, all) = (due(lines, day, Some(city)), due(lines, day, None));
    for (title, due) in [(city, alone), ("All cities", all.clone())] {
        let shown = told(out, &format!("{title}, {day}"));
        let rows: Vec<_> = shown.lines.iter().map(|row| row.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        assert_eq!(rows, due, "{title}");
        // The tags come after the hour, so the rows of the other cities are read too, and no more.
        assert_eq!((shown.seeks, shown.rows_read, shown.rows), (4, all.len() as u64, due.len() as u64), "{title}");
    }
    let count = lines.lines().count() as u64 - 1;
    let words: Vec<_> = out.lines().next().unwrap().split(' ').collect();
    assert_eq!((number(words[0]), number(words[3])), (count, count));
}

#[test]
fn a_day_of_23_hours() {
    let out = output("temperatures", &NONE);
    check(&out, SAMPLE, "2010-03-14", "seattle");
    assert_eq!(told(&out, "All cities, 2010-03-14").rows, 46);
    for due in
        ["│ metric ", "│ hour ", "│ tags._1 ", "temperature  2010-01-01T08:00:00Z  unit=fahrenheit  city=seattle "]
    {
        assert!(out.contains(due), "no {due:?} in\n{out}");
    }
}

#[test]
fn other_days_and_cities() {
    for day in ["2010-01-01", "2010-02-28", "2010-03-31"] {
        let out = output("temperatures", &["--city=san-francisco", "--day", day]);
        check(&out, SAMPLE, day, "san-francisco");
    }
    let out = output("temperatures", &["--city=tacoma"]);
    let shown = told(&out, "tacoma, 2010-03-14");
    assert_eq!((shown.rows_read, shown.rows, shown.lines.len()), (46, 0, 0));
}

#[test]
fn the_same_of_a_whole_year() {
    let Some((path, lines)) = real("temperatures.tsv.gz") else { return };
    for day in ["2010-03-14", "2010-07-04", "2010-11-07"] {
        check(&output("temperatures", &[path.to_str().unwrap(), "--day", day]), &lines, day, "seattle");
    }
}

#[test]
fn points_of_one_hour_share_a_row() {
    let lines = "here\t2010-03-14T00:00:00\t1\nhere\t2010-03-14T00:59:59\t2\nhere\t2010-03-14T00:00:00\t3\n";
    let path = temporary("points.tsv", lines.as_bytes());
    let out = output("temperatures", &[path.to_str().unwrap(), "--city=here"]);
    assert!(out.starts_with("3 readings in 1 rows"));
    let shown = told(&out, "here, 2010-03-14");
    assert_eq!((shown.rows_read, shown.rows, shown.lines.len()), (1, 1, 2));
    assert!(shown.lines[0].ends_with("3.0 °F") && shown.lines[1].ends_with("2.0 °F"));
}

#[test]
fn what_is_wrong_is_told() {
    let path = temporary("no_reading.tsv", b"city\ttime\tfahrenheit\nhere\tnow\t1\n");
    let run = run("temperatures", &[path.as_os_str()], b"");
    assert!(!run.status.success());
    assert!(run.stderr.contains(":2: not city, time, degrees"), "{}", run.stderr);
    for first in ["here\t2010-03-14T02:30:00\tNaN\n", "here\tnow\t1"] {
        let path = temporary("no_first_reading.tsv", first.as_bytes());
        let run = crate::run("temperatures", &[path.as_os_str()], b"");
        assert!(run.stderr.contains(":1: not city, time, degrees"), "these are no titles: {}", run.stderr);
    }
}

#[test]
fn a_reader_may_leave() {
    nobody_reads("temperatures", &NONE);
}
