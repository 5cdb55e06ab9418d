//! Counts by interval: of gaps, of late readings, of many regions and days.

use super::*;

#[test]
fn the_counts_of_a_gap_are_divided_among_its_intervals() {
    let run = followed(&[
        reading(0, &[("", 1, Some((0, 10))), ("m", 1, Some((1, 5)))]),
        reading(1, &[("", 1, Some((0, 20))), ("m", 1, None)]),
        reading(2, &[("", 1, Some((0, 20))), ("m", 1, None)]),
        reading(3, &[("", 1, Some((0, 21))), ("m", 1, Some((1, 25)))]),
    ]);
    assert_eq!(writes(&run), [[10, 6], [0, 7], [1, 7]]);
    assert_eq!(known(&run), [[Known::All, Known::Part]; 3]);
    assert_eq!(run.intervals[1].servers[1].writes, 7);
}

#[test]
fn the_latest_requests_say_how_many_are_of_a_longer_time() {
    let mut follow = Follow::new(Options::default().interval_ms(1));
    let mut of_longer = Vec::new();
    for (t_ms, told) in [(0, Some((1, 5))), (1, None), (2, Some((1, 25))), (3, Some((1, 26)))] {
        follow.add(&reading(t_ms, &[("", 1, Some((0, 10 * t_ms))), ("m", 1, told)]));
        of_longer.push(follow.latest().of_longer);
    }
    assert_eq!(of_longer, [0, 0, 1, 0]);
}

#[test]
fn what_no_server_told_is_unknown_and_not_nothing() {
    let run = followed(&[
        reading(0, &[("", 1, Some((0, 10))), ("m", 1, Some((1, 5)))]),
        reading(1, &[("", 1, Some((0, 10))), ("m", 1, None)]),
        // Opened elsewhere: what was counted before is lost.
        reading(2, &[("", 1, Some((0, 10))), ("m", 1, Some((0, 3)))]),
        reading(3, &[("", 1, Some((0, 10))), ("m", 1, Some((0, 3)))]),
    ]);
    assert_eq!(writes(&run), [[0, 0], [0, 3], [0, 0]]);
    assert_eq!(known(&run), [[Known::All, Known::None], [Known::All, Known::Part], [Known::All, Known::All]]);
}

#[test]
fn a_region_that_may_have_been_open_before_begins_with_what_is_told_first() {
    let run = followed(&[
        reading(0, &[("", 1, Some((0, 10))), ("m", 1, None)]),
        reading(1, &[("", 1, Some((0, 10))), ("m", 1, Some((1, 900)))]),
        reading(2, &[("", 1, Some((0, 10))), ("m", 1, Some((1, 905)))]),
    ]);
    assert_eq!(writes(&run), [[0, 0], [0, 5]]);
    assert_eq!(known(&run), [[Known::All, Known::None], [Known::All, Known::All]]);
}

#[test]
fn a_server_that_is_slow_to_tell_makes_no_interval_hotter() {
    // A request each millisecond, and one more region that is in time.
    for late in [&[0, 900, 0, 0][..], &[900, 900, 900, 0], &[0, 400, 800, 1200, 0], &[2000, 0, 2000, 0], &[900]] {
        let mut follow = Follow::new(Options::default().interval_ms(1000));
        let mut t_ms = 0;
        for late_ms in late.iter().copied().chain([0]) {
            let mut reading = reading(t_ms, &[("", 1, Some((0, t_ms + late_ms))), ("m", 1, Some((1, 2 * t_ms)))]);
            reading.regions[0].late_ms = late_ms;
            follow.add(&reading);
            t_ms += late_ms.max(1000);
        }
        let run = follow.into_run(Settings::default());
        let all: u64 = writes(&run).into_iter().map(|of| of[0]).sum();
        let mut end = 0;
        for interval in &run.intervals {
            let length_ms = interval.t_ms - std::mem::replace(&mut end, interval.t_ms);
            assert!(interval.regions[0].rows_this_interval <= length_ms + 1, "{late:?}: {:?}", writes(&run));
        }
        // Of a first reading that comes late, the beginning is not known.
        assert_eq!(all, end - late[0], "{late:?}");
        assert_eq!(known(&run), vec![vec![Known::All; 2]; run.intervals.len()], "{late:?}");
    }
}

#[test]
fn what_a_region_counts_is_of_its_last_opening() {
    let opened = |t_ms, opening, told| {
        let mut reading = reading(t_ms, &[("", 1, told)]);
        reading.regions[0].opening = Some(opening);
        reading
    };
    // More since its opening than before, at the same run of its server.
    let run = followed(&[opened(0, 5, Some((0, 90))), opened(1, 5, Some((0, 100))), opened(2, 9, Some((0, 371)))]);
    assert_eq!(writes(&run), [[10], [371]]);
    assert_eq!(known(&run), [[Known::All], [Known::Part]]);
    // The number of an opening may come after its first counts.
    let run = followed(&[opened(0, 5, Some((0, 90))), opened(1, 5, Some((0, 3))), opened(2, 9, Some((0, 10)))]);
    assert_eq!(writes(&run), [[3], [7]]);
    // Of what was counted before it was offline for a time, nothing is known.
    let run = followed(&[
        opened(0, 5, Some((0, 90))),
        opened(1, 5, None),
        opened(2, 5, None),
        opened(3, 9, Some((0, 371))),
        opened(4, 9, Some((0, 372))),
    ]);
    assert_eq!(writes(&run), [[0], [0], [371], [1]]);
    assert_eq!(known(&run), [[Known::None], [Known::None], [Known::Part], [Known::All]]);
}

#[test]
fn a_reading_that_comes_late_makes_no_interval_hotter() {
    let mut follow = Follow::new(Options::default().interval_ms(1000));
    for (t_ms, writes) in [(0, 0), (1003, 1003), (2600, 2600), (3001, 3001), (4004, 4004)] {
        follow.add(&reading(t_ms, &[("", 1, Some((0, writes)))]));
    }
    let run = follow.into_run(Settings::default());
    assert_eq!(writes(&run), [[1000], [1000], [1000], [1004]]);
    // The last one has the rest, and its time.
    assert_eq!(ends(&run), [1000, 2000, 3000, 4004]);
}

fn ends(run: &Run) -> Vec<u64> {
    run.intervals.iter().map(|interval| interval.t_ms).collect()
}

/// The run of one region with a write each millisecond, at readings of these times, in intervals of a second.
fn steady(times: &[u64]) -> Run {
    let mut follow = Follow::new(Options::default().interval_ms(1000));
    times.iter().for_each(|t_ms| follow.add(&reading(*t_ms, &[("", 1, Some((0, *t_ms)))])));
    follow.into_run(Settings::default())
}

#[test]
fn the_last_interval_is_as_long_as_it_was_watched_and_no_short_one() {
    for (times, due, interval_ms) in [
        (&[0, 300][..], &[300][..], 300),
        (&[0, 40], &[40], 40),
        (&[0, 1000, 1400], &[1400], 1000),
        (&[0, 1000, 1500], &[1000, 1500], 1000),
        (&[0, 1001, 2002, 2499], &[1000, 2499], 1000),
        (&[0, 1001, 2002, 2900], &[1000, 2000, 2900], 1000),
    ] {
        let run = steady(times);
        assert_eq!((&ends(&run)[..], run.settings.interval_ms), (due, interval_ms), "{times:?}");
        let mut from_ms = 0;
        for interval in &run.intervals {
            assert_eq!(interval.regions[0].rows_this_interval, interval.t_ms - from_ms, "{times:?}");
            from_ms = interval.t_ms;
        }
    }
}

#[test]
fn what_was_unknown_to_the_end_stays_unknown_however_late_the_last_reading_comes() {
    for late in [0, 1, 30, 400] {
        for every in [1000, 500] {
            let mut follow = Follow::new(Options::default().interval_ms(1000));
            for t_ms in (0..5000).step_by(every).chain([5000 + late]) {
                follow.add(&reading(t_ms, &[("", 1, Some((0, t_ms))), ("m", 1, None)]));
            }
            let run = follow.into_run(Settings::default());
            assert!(known(&run).iter().all(|of| *of == [Known::All, Known::None]), "{late}: {:?}", known(&run));
        }
    }
}

#[test]
fn what_is_unknown_has_no_counts() {
    let mut follow = Follow::new(Options::default().interval_ms(1000));
    for (t_ms, told) in [(0, Some((1, 0))), (1003, Some((1, 1003))), (2003, None), (3003, None), (4003, Some((2, 5)))] {
        follow.add(&reading(t_ms, &[("", 1, Some((0, t_ms))), ("m", 1, told)]));
    }
    let run = follow.into_run(Settings::default());
    assert_eq!(writes(&run).iter().map(|of| of[1]).collect::<Vec<_>>(), [1003, 0, 0, 5]);
    let due = [Known::All, Known::None, Known::None, Known::Part];
    assert_eq!(known(&run).iter().map(|of| of[1]).collect::<Vec<_>>(), due);
    assert_eq!(run.intervals[1].servers[1].writes, 0);
}

#[test]
fn memory_is_bounded_for_many_regions_and_days() {
    let mut follow = Follow::new(Options::default().most_regions(10_000));
    let starts: Vec<String> = (0..2_000).map(|at| if at == 0 { String::new() } else { format!("{at:05}") }).collect();
    for minute in 0..(7 * 24 * 60_u64).div_ceil(97) {
        let regions: Vec<Told<'_>> = starts.iter().map(|start| (&**start, 1, Some((0, minute)))).collect();
        follow.add(&reading(minute * 97 * 60_000, &regions));
    }
    let run = follow.into_run(Settings::default());
    assert!((3..=6).contains(&run.intervals.len()), "{}", run.intervals.len());
    assert!(run.assumed[0].starts_with("its regions are told each "), "{:?}", run.assumed);
    assert_eq!(sums(&run).0, 2_000 * 103);
}
