//! Tables that are told of after readings, without a cluster.

use std::fs;
use std::path::Path;

use clap::Parser;
use rowkey_design::File;
use rowkey_simulate::run::Key;
use rowkey_watch::{Counts, Follow, Options, Reading, RegionReading, ServerRun};

use super::*;

#[derive(Parser)]
struct Watch {
    #[command(flatten)]
    args: Args,
}

fn args(more: &[&Path]) -> Args {
    let fixed = ["watch", "--hbase", "site.xml", "t.rowkey.toml"].map(Path::new);
    Watch::try_parse_from(fixed.iter().chain(more)).unwrap().args
}

fn design() -> Design {
    let text = "format = 1\n[cluster.c]\nengine = \"hbase\"\nservers = 3\n[table.a]\nkey = [\"id: u64\"]\n\
                [table.b]\nkey = [\"id: u64\"]\n";
    Design::parse([File { name: "t.rowkey.toml".to_owned(), text: text.to_owned() }]).unwrap()
}

/// Readings of a region, a second apart.
fn followed(readings: u64) -> Followed {
    let mut follow = Follow::new(Options::default().interval_ms(1000));
    let server = ServerRun { address: "rs0:16020".to_owned(), start_code: 1 };
    for at in 0..readings {
        let counts = Some((server.clone(), Counts { writes: 10 * at, bytes: 1000, ..Counts::default() }));
        let regions = vec![RegionReading { start: Key(vec![]), id: 1, opening: None, late_ms: 0, counts }];
        follow.add(&Reading { t_ms: 1000 * at, regions, ..Reading::default() });
    }
    Followed { follow, sample: None }
}

/// Tells of two tables with so many readings, and gives what was told to a function.
fn tell<T>(readings: [u64; 2], of: impl FnOnce(&All<'_, '_>, &[String]) -> T) -> T {
    let (design, check) = (design(), CheckOptions::new(designs::today()));
    let declared = declared(&design, &check, &[]).unwrap();
    let (told, _, uncounted) = tables(&design, &check, declared, readings.map(followed).into(), &Guessed::default());
    of(&All { design: &design, told: &told, together: None, cost: &Cost::default() }, &uncounted)
}

#[test]
fn tables_of_which_nothing_was_counted_keep_back_no_others() {
    let names = |all: &All<'_, '_>| all.told.iter().map(|table| table.answer.table.clone()).collect::<Vec<_>>();
    for (readings, told, none) in [
        ([3, 3], &["a", "b"][..], &[][..]),
        ([1, 3], &["b"], &["a"]),
        ([2, 1], &["a"], &["b"]),
        ([1, 0], &[], &["a", "b"]),
    ] {
        tell(readings, |all, uncounted| assert_eq!((&names(all)[..], uncounted), (&owned(told)[..], &owned(none)[..])));
    }
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn the_reason_comes_before_that_nothing_was_counted() {
    let said = |failure: Failure| match failure {
        Failure::Other(said) => said,
        other => panic!("{other:?}"),
    };
    assert_eq!(said(nothing_counted(None)), UNCOUNTED);
    assert_eq!(said(nothing_counted(Some(Failure::new("the table t does not exist")))), "the table t does not exist");
}

#[test]
fn an_output_that_cannot_be_written_keeps_back_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (page, lines, nowhere) = (path("t.html"), path("t.jsonl"), path("none/t"));
    let [html, json] = ["--html", "--json"].map(Path::new);
    let write = |args: &Args| {
        let mut out = Vec::new();
        let failures = tell([3, 3], |all, _| all.write(args, &mut out));
        (failures.len(), String::from_utf8(out).unwrap())
    };
    let (failures, text) = write(&args(&[html, &nowhere, json, &lines]));
    assert!(failures == 1 && text.contains("a: ") && text.contains("b: ") && text.contains("requests in"), "{text}");
    let written = fs::read_to_string(&lines).unwrap();
    assert!(written.starts_with("{\"kind\":\"settings\",") && written.lines().count() > 6, "{written}");
    assert_eq!(write(&args(&[html, &page, json, &nowhere])), (1, text.clone()));
    assert_eq!(write(&args(&[html, &nowhere, json, &nowhere])), (2, text.clone()));
    assert_eq!(write(&args(&[html, &nowhere, json, Path::new("-")])), (1, written));
    assert_eq!(write(&args(&[html, &page, json, &lines])), (0, text));
    // What was written may be replaced.
    assert!(output::may_be_written(&args(&[html, &page, json, &lines])).is_ok());
    assert!(output::may_be_written(&args(&[html, &lines])).is_err());
    assert!(output::may_be_written(&args(&[json, &page])).is_err());
}

#[test]
fn a_file_that_came_since_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let [page, lines] = ["t.html", "t.jsonl"].map(|name| folder.path().join(name));
    let args = args(&[Path::new("--html"), &page, Path::new("--json"), &lines]);
    output::may_be_written(&args).unwrap();
    for path in [&page, &lines] {
        fs::write(path, "precious\n").unwrap();
    }
    let mut out = Vec::new();
    assert_eq!(tell([3, 3], |all, _| all.write(&args, &mut out).len()), 2);
    assert!(String::from_utf8(out).unwrap().contains("a: "));
    for path in [&page, &lines] {
        assert_eq!(fs::read_to_string(path).unwrap(), "precious\n");
    }
}

#[cfg(unix)]
#[test]
fn a_link_stays_and_its_file_is_made_or_written() {
    use std::os::unix::fs::symlink;

    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let lost = [("lost", "nowhere/page"), ("round", "round"), ("same", "./new")];
    let links = [("link", "second"), ("second", "a/page")];
    for (link, file) in links.iter().chain(&lost) {
        symlink(file, path(link)).unwrap();
    }
    fs::create_dir(path("a")).unwrap();
    let [html, json] = ["--html", "--json"].map(Path::new);
    for _ in 0..2 {
        let args = args(&[html, &path("link")]);
        output::may_be_written(&args).unwrap();
        assert!(tell([3, 3], |all, _| all.write(&args, Vec::new())).is_empty());
        let page = fs::read_to_string(path("a/page")).unwrap();
        assert!(page.starts_with(rowkey_simulate::page::FIRST_LINE), "{page}");
        for (link, file) in links {
            assert_eq!(path(link).read_link().unwrap(), Path::new(file));
        }
    }
    for lost in ["lost", "round", "none/", "none/."] {
        let lost = args(&[html, &path(lost)]);
        assert!(
            output::may_be_written(&lost).is_err() && tell([3, 3], |all, _| all.write(&lost, Vec::new())).len() == 1
        );
    }
    // One file by several names.
    for other in ["new", "./new", "a/../new", "same"] {
        assert!(output::may_be_written(&args(&[html, &path("new"), json, &path(other)])).is_err(), "{other}");
    }
    assert!(output::may_be_written(&args(&[html, &path("new"), json, &path("a/new")])).is_ok());
}

#[test]
fn a_time_that_is_none_is_refused_by_what_it_lacks() {
    let fixed = ["watch", "--hbase", "site.xml", "t.rowkey.toml"];
    for wrong in ["-1h", "0s", "1000 days 1", "x"] {
        for option in ["--for", "--every"] {
            let error = Watch::try_parse_from(fixed.iter().chain(&[option, wrong])).map(drop).unwrap_err().to_string();
            assert!(error.contains("from 1 s to 10 years"), "{error}");
        }
    }
}
