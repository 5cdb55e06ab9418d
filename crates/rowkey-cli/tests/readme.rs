//! The tours of both READMEs: each design is written, each command is run, and prints what stands there.

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
fn the_tours_print_what_they_say() {
    assert_eq!(tour("../../README.md", "Designs, before the table exists"), 2);
    assert_eq!(tour("README.md", "A design"), 2);
}
