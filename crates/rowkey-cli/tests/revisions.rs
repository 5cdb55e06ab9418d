//! `rowkey diff --against git:REV`: files that are new, gone, links, folders, and names that would be options.

mod program;

use std::fs;
use std::path::Path;
use std::process::Command;

use self::program::Run;

const T: &str = "format = 1\n[table.t]\nkey = [\"a: u64\"]\n";

fn rowkey(folder: &Path, args: &[&str]) -> Run {
    program::rowkey(folder, args, b"")
}

fn git(folder: &Path, args: &[&str]) {
    let identity = ["-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false"];
    let done = Command::new("git").args(identity).args(args).current_dir(folder).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// A repository with one commit of some files.
fn repository(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    git(folder.path(), &["init", "-q"]);
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    git(folder.path(), &["add", "-A"]);
    git(folder.path(), &["commit", "-qm", "first", "--allow-empty"]);
    folder
}

fn against<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["diff", "--against", "git:HEAD"], more].concat()
}

#[test]
fn files_that_are_new_or_gone() {
    let folder = repository(&[("d/old.rowkey.toml", T)]);
    let folder = folder.path();
    fs::write(folder.join("new.rowkey.toml"), T.replace("[table.t]", "[table.u]")).unwrap();
    let new = rowkey(folder, &against(&["new.rowkey.toml"]));
    assert_eq!((new.status, new.err.as_str()), (Some(0), ""), "{}", new.out);
    assert!(new.out.starts_with("D08 safe u: a new table (new.rowkey.toml:2:8)\n"), "{}", new.out);
    let same = rowkey(folder, &against(&["d/old.rowkey.toml"]));
    assert!(same.status == Some(0) && same.out.starts_with("0 changes"), "{}{}", same.out, same.err);
    fs::remove_dir_all(folder.join("d")).unwrap();
    for gone in ["d/old.rowkey.toml", "d", "./d/"] {
        let gone = rowkey(folder, &against(&[gone]));
        assert!(gone.status == Some(1) && gone.out.starts_with("D06 data loss t: "), "{}{}", gone.out, gone.err);
    }
    // One is gone, the other new.
    let both = rowkey(folder, &against(&["d", "new.rowkey.toml"]));
    assert!(both.out.contains("D06 data loss t: ") && both.out.contains("D08 safe u: "), "{}{}", both.out, both.err);
    for absent in ["nothing.rowkey.toml", "e/f/nothing", "d/old.rowkey.toml/x"] {
        let absent = rowkey(folder, &against(&[absent]));
        assert_eq!(absent.status, Some(2), "{}", absent.out);
        assert!(absent.err.contains("nothing") || absent.err.contains("old.rowkey.toml/x"), "{}", absent.err);
    }
}

#[test]
fn folders_and_names_of_any_kind() {
    let names = ["x.rowkey.toml/in.rowkey.toml", "a b/c d.rowkey.toml", "-n/--help.rowkey.toml", "*/[a].rowkey.toml"];
    let mut files: Vec<(&str, &str)> = names.iter().map(|name| (*name, T)).collect();
    files.push(("line\nbreak/a\nb.rowkey.toml", T));
    let folder = repository(&files);
    for (name, _) in &files {
        let run = rowkey(folder.path(), &[&against(&["--"])[..], &[*name]].concat());
        assert!(run.status == Some(0) && run.out.starts_with("0 changes"), "{name:?}: {}{}", run.out, run.err);
        let parent = Path::new(name).parent().unwrap();
        let run = rowkey(folder.path(), &[&against(&["--"])[..], &[parent.to_str().unwrap()]].concat());
        assert!(run.status == Some(0) && run.out.starts_with("0 changes"), "{name:?}: {}{}", run.out, run.err);
        // From inside.
        let run = rowkey(&folder.path().join(parent), &against(&["."]));
        assert!(run.status == Some(0) && run.out.starts_with("0 changes"), "{name:?}: {}{}", run.out, run.err);
    }
    // A folder of the folder is no file of it.
    fs::write(folder.path().join("t.rowkey.toml"), T).unwrap();
    let run = rowkey(folder.path(), &against(&["."]));
    assert!(run.status == Some(0) && run.out.starts_with("D08 safe t: a new table"), "{}{}", run.out, run.err);
}

#[cfg(unix)]
#[test]
fn links_are_those_of_the_revision() {
    use std::os::unix::fs::symlink;

    let folder = repository(&[("shared/t.rowkey.toml", T)]);
    let path = folder.path();
    symlink("shared/t.rowkey.toml", path.join("a.rowkey.toml")).unwrap();
    symlink("shared", path.join("folder")).unwrap();
    symlink("loop.rowkey.toml", path.join("loop.rowkey.toml")).unwrap();
    symlink("../../../etc/passwd", path.join("out.rowkey.toml")).unwrap();
    symlink("/etc/passwd", path.join("root.rowkey.toml")).unwrap();
    git(path, &["add", "-A"]);
    git(path, &["commit", "-qm", "links"]);
    fs::write(path.join("shared/t.rowkey.toml"), T.replace("u64", "i64")).unwrap();
    for changed in ["a.rowkey.toml", "folder", "folder/t.rowkey.toml"] {
        let run = rowkey(path, &against(&[changed]));
        assert!(run.status == Some(1) && run.out.starts_with("D01 rewrite t: "), "{changed}: {}{}", run.out, run.err);
    }
    // Links of the working tree may be files now.
    for (link, told) in
        [("loop", "link to a link"), ("out", "leads out of the repository"), ("root", "out of the repository")]
    {
        let link = format!("{link}.rowkey.toml");
        fs::remove_file(path.join(&link)).unwrap();
        fs::write(path.join(&link), T).unwrap();
        let run = rowkey(path, &against(&[&link]));
        assert!(run.status == Some(2) && run.err.contains(told), "{link}: {}{}", run.out, run.err);
    }
}

#[test]
fn revisions_that_are_none() {
    let folder = repository(&[("t.rowkey.toml", T)]);
    for revision in [
        "--upload-pack=touch x",
        "-h",
        "",
        "HEAD:t.rowkey.toml",
        "HEAD..HEAD",
        "nothing",
        "\u{1b}[31m\u{202e}",
        "a\nb",
        "HEAD^{tree}",
    ] {
        let run = rowkey(folder.path(), &["diff", "--against", &format!("git:{revision}"), "t.rowkey.toml"]);
        assert_eq!((run.status, run.out.as_str()), (Some(2), ""), "{revision:?}");
        assert!(run.err.starts_with("error: ") && run.err.lines().count() == 1, "{revision:?}: {}", run.err);
        assert!(!run.err.contains(['\u{1b}', '\u{202e}']), "{revision:?}: {:?}", run.err);
    }
    assert!(!folder.path().join("x").exists());
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("t.rowkey.toml"), T).unwrap();
    let run = rowkey(outside.path(), &against(&["t.rowkey.toml"]));
    assert_eq!(run.status, Some(2));
    assert!(run.err.starts_with("error: t.rowkey.toml: git:HEAD is looked for in a repository of git"), "{}", run.err);
}

#[test]
fn a_plan_is_printed_once() {
    let folder = tempfile::tempdir().unwrap();
    let old = "format = 1\n[table.t]\nkey = [\"a: u64\", \"b: u64\"]\n[table.u]\nkey = [\"a: u64\"]\n";
    fs::write(folder.path().join("old.rowkey.toml"), old).unwrap();
    let new = old.replace("u64", "i64");
    fs::write(folder.path().join("new.rowkey.toml"), new).unwrap();
    let run = rowkey(folder.path(), &["diff", "old.rowkey.toml", "new.rowkey.toml"]);
    assert_eq!(run.out.matches("D01 rewrite t").count(), 2, "{}", run.out);
    // Once for each table.
    assert_eq!(run.out.matches("    1. from ").count(), 2, "{}", run.out);
    assert_eq!(run.out.matches("    by the plan under D01: \"a\" was u64 and is i64\n").count(), 1, "{}", run.out);
}
