//! Design files as they were in a revision of git.

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

use rowkey_design::File;

use crate::designs;
use crate::failure::Failure;

/// As many links as an operating system follows.
const MOST_LINKS: usize = 40;

/// The files of some paths in a revision, `git:REV`, and now. A path that is not there at one of both times has no
/// files then.
pub(crate) fn read(against: &str, paths: &[PathBuf]) -> Result<(Vec<File>, Vec<File>), Failure> {
    let Some(name) = against.strip_prefix("git:").filter(|name| !name.is_empty()) else {
        return Err(Failure::new(format!("{against:?} is not a revision: write it as git:main")));
    };
    // What begins with `-` would be an option of git, and what has `:` a file.
    if name.starts_with('-') || name.contains(|c: char| c == ':' || c.is_control()) {
        return Err(Failure::new(format!("{name:?} is not the name of a revision: write it as git:main")));
    }
    let (mut old, mut now) = (Vec::new(), Vec::new());
    for path in paths {
        let there = now_at(path)?;
        let tree = Tree::of(name, path)?;
        let then = tree.files(path)?;
        if then.is_none() && there.is_none() {
            let path = path.display();
            return Err(Failure::new(format!("{path} is no design file or folder of them, neither now nor at {name}")));
        }
        old.extend(then.into_iter().flatten());
        now.extend(there.into_iter().flatten());
    }
    let mut seen = std::collections::HashSet::new();
    old.retain(|file: &File| seen.insert(file.name.clone()));
    let now = designs::once(now).iter().map(|path| designs::file(path)).collect::<Result<_, _>>()?;
    Ok((old, now))
}

/// The files of a path now; none if there is nothing.
fn now_at(path: &Path) -> Result<Option<Vec<PathBuf>>, Failure> {
    if path.is_dir() {
        return Ok(Some(designs::of_folder(path)?).filter(|files| !files.is_empty()));
    }
    // A link to nothing is there: reading it says why it cannot be read.
    Ok(fs::symlink_metadata(path).is_ok().then(|| vec![path.to_owned()]))
}

/// The kind of a path in a revision.
struct Entry {
    mode: String,
    object: String,
    size: Option<u64>,
    name: String,
}

/// The files of a commit.
struct Tree<'n> {
    /// The revision as it was named.
    name: &'n str,
    /// The commit.
    commit: String,
    /// A folder that is there now, in which git runs.
    folder: PathBuf,
    /// The path from the top of the repository.
    path: Vec<String>,
}

impl<'n> Tree<'n> {
    /// The revision, in the repository of a path, which may be gone.
    fn of(name: &'n str, path: &Path) -> Result<Self, Failure> {
        let whole = std::path::absolute(path).map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
        // A link is looked up in the revision: what it leads to now is another question.
        let is_link = fs::symlink_metadata(&whole).is_ok_and(|path| path.is_symlink());
        let mut folder = if is_link { whole.parent().unwrap_or(&whole) } else { &whole };
        while let Some(above) = folder.parent().filter(|_| !folder.is_dir()) {
            folder = above;
        }
        let rest = whole.strip_prefix(folder).unwrap_or(Path::new(""));
        let mut tree = Self { name, commit: String::new(), folder: folder.to_owned(), path: Vec::new() };
        let prefix = tree.git(&["rev-parse", "--show-prefix"]).map_err(|why| {
            let (path, folder) = (path.display(), folder.display());
            Failure::new(format!(
                "{path}: git:{name} is looked for in a repository of git, and {folder} is in none: {why}"
            ))
        })?;
        let prefix = text(prefix, path)?;
        let prefix = prefix.strip_suffix('\n').unwrap_or(&prefix);
        tree.path.extend(prefix.split('/').filter(|part| !part.is_empty()).map(str::to_owned));
        for part in rest.components() {
            match part {
                Component::ParentDir => _ = tree.path.pop(),
                Component::Normal(part) => {
                    let part = part.to_str();
                    let part =
                        part.ok_or_else(|| Failure::new(format!("{}: the name is not UTF-8", path.display())))?;
                    tree.path.push(part.to_owned());
                }
                _ => {}
            }
        }
        let commit = tree.git(&["rev-parse", "--verify", "--quiet", &format!("{name}^{{commit}}")]).map_err(|_| {
            let path = path.display();
            Failure::new(format!("{path}: its repository has no revision {name:?}: write a branch, a tag or a commit"))
        })?;
        tree.commit = text(commit, path)?.trim().to_owned();
        Ok(tree)
    }

    /// The files of the path, named as the revision's; none if there is nothing.
    fn files(&self, path: &Path) -> Result<Option<Vec<File>>, Failure> {
        let shown = format!("{}:{}", self.name, path.display());
        let Some((entry, at)) = self.find(self.path.clone(), &shown)? else { return Ok(None) };
        if !entry.is_folder() {
            return Ok(Some(vec![self.read(&entry, shown)?]));
        }
        let mut files = Vec::new();
        for entry in self.list(&at, true)?.iter().filter(|entry| entry.name.ends_with(".rowkey.toml")) {
            let shown = format!("{}:{}", self.name, path.join(&entry.name).display());
            let inside = [&at[..], std::slice::from_ref(&entry.name)].concat();
            if let Some((entry, _)) = self.find(inside, &shown)?.filter(|(entry, _)| !entry.is_folder()) {
                files.push(self.read(&entry, shown)?);
            }
        }
        Ok(Some(files).filter(|files| !files.is_empty()))
    }

    /// The object at a path, and its path when links are followed.
    fn find(&self, path: Vec<String>, shown: &str) -> Result<Option<(Entry, Vec<String>)>, Failure> {
        let (mut left, mut at, mut links) = (path, Vec::new(), 0);
        left.reverse();
        let folder = || Entry { mode: "040000".to_owned(), object: String::new(), size: None, name: String::new() };
        let mut found = folder();
        while let Some(part) = left.pop() {
            match &*part {
                "" | "." => continue,
                ".." if at.pop().is_some() => {
                    found = folder();
                    continue;
                }
                ".." => return Err(Failure::new(format!("{shown} leads out of the repository"))),
                _ => at.push(part),
            }
            let Some(entry) = self.list(&at, false)?.pop() else { return Ok(None) };
            match &*entry.mode {
                "120000" if links == MOST_LINKS => {
                    return Err(Failure::new(format!("{shown} is a link to a link, more than {MOST_LINKS} times")));
                }
                "120000" => {
                    links += 1;
                    let target = self.read(&entry, shown.to_owned())?.text;
                    if target.starts_with('/') {
                        return Err(Failure::new(format!("{shown} is a link to {target}, out of the repository")));
                    }
                    at.pop();
                    left.extend(target.split('/').rev().map(str::to_owned));
                    found = folder();
                }
                "160000" => return Err(Failure::new(format!("{shown} is in a submodule: name a revision of that"))),
                _ if !left.is_empty() && !entry.is_folder() => return Ok(None),
                _ => found = entry,
            }
        }
        Ok(Some((found, at)))
    }

    /// The entry of a path, or those of the folder there.
    fn list(&self, path: &[String], inside: bool) -> Result<Vec<Entry>, Failure> {
        let path = path.join("/") + if inside { "/" } else { "" };
        let mut args = vec!["--literal-pathspecs", "ls-tree", "-z", "-l", "--full-tree", &self.commit, "--"];
        args.extend(Some(&*path).filter(|path| *path != "/"));
        let listed = self.git(&args).map_err(|why| Failure::new(format!("git ls-tree {}: {why}", self.name)))?;
        let mut entries = Vec::new();
        for line in listed.split(|byte| *byte == 0).filter(|line| !line.is_empty()) {
            let line = text(line.to_owned(), Path::new(&path))?;
            // MODE TYPE OBJECT SIZE, a tab, and the path.
            let Some((about, name)) = line.split_once('\t') else { continue };
            let mut about = about.split_ascii_whitespace();
            let (Some(mode), _, Some(object)) = (about.next(), about.next(), about.next()) else { continue };
            let size = about.next().and_then(|size| size.parse().ok());
            let name = name.rsplit('/').next().unwrap_or(name).to_owned();
            entries.push(Entry { mode: mode.to_owned(), object: object.to_owned(), size, name });
        }
        Ok(entries)
    }

    fn read(&self, entry: &Entry, name: String) -> Result<File, Failure> {
        designs::short_enough(&name, entry.size.unwrap_or(0))?;
        let bytes = self.git(&["cat-file", "blob", &entry.object]);
        let bytes = bytes.map_err(|why| Failure::new(format!("cannot read {name}: {why}")))?;
        designs::text(name, bytes)
    }

    /// The output of git, or why there is none.
    fn git(&self, args: &[&str]) -> Result<Vec<u8>, String> {
        let output = Command::new("git")
            .args(args)
            .current_dir(&self.folder)
            .env("LC_ALL", "C")
            .env("GIT_NO_LAZY_FETCH", "1")
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("cannot run git: {error}"))?;
        let why = String::from_utf8_lossy(&output.stderr);
        if output.status.success() { Ok(output.stdout) } else { Err(why.trim().to_owned()) }
    }
}

impl Entry {
    fn is_folder(&self) -> bool {
        self.mode == "040000"
    }
}

fn text(bytes: Vec<u8>, path: &Path) -> Result<String, Failure> {
    String::from_utf8(bytes)
        .map_err(|_| Failure::new(format!("{}: a name in its repository is not UTF-8", path.display())))
}
