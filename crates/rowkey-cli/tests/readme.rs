//! The tour of the README: each design is written, each command is run, and prints what stands there.

use std::fs;
use std::path::Path;
use std::process::Command;

/// The code blocks after a heading, each with its language.
fn blocks<'t>(text: &'t str, heading: &str) -> Vec<(&'t str, &'t str)> {
    let (_, rest) = text.split_once(&format!("\n## {heading}\n")).unwrap_or_else(|| panic!("no {heading}"));
    let section = rest.split("\n## ").next().unwrap_or(rest);
    let code = section.split("\n```").collect::<Vec<_>>();
    code.iter().skip(1).step_by(2).filter_map(|block| block.split_once('\n')).collect()
}

fn tour(readme: &str, heading: &str) -> usize {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(readme)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut commands = 0;
    for (language, block) in blocks(&text, heading) {
        match language {
            "toml" if block.starts_with("format") => {
                fs::write(folder.path().join("visits.rowkey.toml"), block).unwrap()
            }
            "console" => {
                let (command, expected) = block.split_once('\n').unwrap();
                let args = command.strip_prefix("$ rowkey ").unwrap().split(' ');
                let run =
                    Command::new(env!("CARGO_BIN_EXE_rowkey")).args(args).current_dir(folder.path()).output().unwrap();
                assert_eq!(String::from_utf8(run.stdout).unwrap().trim_end(), expected.trim_end(), "{command}");
                commands += 1;
            }
            _ => {}
        }
    }
    commands
}

#[test]
fn the_tour_prints_what_it_says() {
    assert_eq!(tour("README.md", "A design"), 2);
}

/// The commands that need a folder or a sample of the reader's own, on ours.
#[test]
fn the_other_commands_run() {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (_, design) = *blocks(&text, "A design").iter().rfind(|(_, block)| block.starts_with("format")).unwrap();
    fs::create_dir(folder.path().join("designs")).unwrap();
    for name in ["visits.rowkey.toml", "designs/visits.rowkey.toml"] {
        fs::write(folder.path().join(name), design).unwrap();
    }
    fs::write(folder.path().join("keys.txt"), r"a.example\x00\x7F\xFF\xFF\xFF\x9A\x00\x00\x00\xFF\xFF\xFF\xFF")
        .unwrap();
    let trace = "t_ms,op,host,at\n0,put,a.example,2026-01-31T12:00:00Z\n";
    fs::write(folder.path().join("trace.csv"), trace).unwrap();
    let binary = Path::new(env!("CARGO_BIN_EXE_rowkey")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    let mut run = 0;
    for heading in ["The first design", "A design", "The hot region, before it exists", "In CI"] {
        for (_, block) in blocks(&text, heading).iter().filter(|(language, _)| *language == "sh") {
            for line in block.lines() {
                let mut shell = Command::new("sh");
                let done = shell.args(["-c", line]).current_dir(folder.path()).env("PATH", &path).output().unwrap();
                assert_ne!(done.status.code(), Some(2), "{line}: {}", String::from_utf8_lossy(&done.stderr));
                assert!(done.stderr.is_empty(), "{line}: {}", String::from_utf8_lossy(&done.stderr));
                run += 1;
            }
        }
    }
    assert_eq!(run, 14);
    let sarif = fs::read(folder.path().join("rowkey.sarif")).unwrap();
    assert!(serde_json::from_slice::<serde_json::Value>(&sarif).unwrap()["runs"].is_array());
}
