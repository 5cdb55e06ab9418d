//! The system calls of a process that change files, read from `strace`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// One change, in the order in which the calls returned.
#[derive(Debug)]
pub(super) enum Call {
    /// A file is opened with `O_CREAT`. `O_TRUNC` makes it empty.
    Open {
        path: PathBuf,
        truncates: bool,
    },
    Write {
        path: PathBuf,
        at: u64,
        bytes: Vec<u8>,
    },
    SetLen {
        path: PathBuf,
        len: u64,
    },
    Mkdir(PathBuf),
    Rename(PathBuf, PathBuf),
    Remove(PathBuf),
    /// A sync that has ended. Only what was written before it `began` is sure to be on the disk.
    Sync {
        path: PathBuf,
        data_only: bool,
        began: usize,
    },
    /// A line to standard output.
    Said(String),
}

/// The state of an open file, as far as it is known.
#[derive(Default)]
struct Opened {
    position: u64,
    appends: bool,
}

#[derive(Default)]
struct Reader {
    calls: Vec<Call>,
    files: HashMap<i32, Opened>,
    lens: HashMap<PathBuf, u64>,
    /// By thread: a call that has not returned, and how many had before.
    begun: HashMap<String, (String, usize)>,
}

/// The calls which the traced program and the file systems of this machine are known for. `strace` shows all of them.
pub(super) const TRACED: &str = "open,openat,creat,write,pwrite64,writev,pwritev,pwritev2,ftruncate,truncate,fallocate,lseek,\
                          rename,renameat,renameat2,link,linkat,unlink,unlinkat,rmdir,mkdir,mkdirat,fsync,fdatasync,\
                          sync_file_range,sync,syncfs,copy_file_range,sendfile,splice";

/// Reads the traces, by `strace -f -y -s …`, of processes one after another: what changed below a directory, and what
/// was said.
pub(super) fn read(traces: &[String], directory: &Path) -> Vec<Call> {
    let mut reader = Reader::default();
    for line in traces.iter().flat_map(|trace| trace.lines()) {
        let Some((thread, call)) = line.split_once(' ') else { continue };
        let call = call.trim_start();
        if let Some(begun) = call.strip_suffix(" <unfinished ...>") {
            reader.begun.insert(thread.to_owned(), (begun.to_owned(), reader.calls.len()));
        } else if let Some((_, rest)) = call.strip_prefix("<... ").and_then(|call| call.split_once(" resumed>")) {
            let (begun, began) = reader.begun.remove(thread).expect("a call that had begun");
            reader.call(&format!("{begun}{rest}"), began, directory);
        } else {
            let began = reader.calls.len();
            reader.call(call, began, directory);
        }
    }
    reader.calls
}

impl Reader {
    fn call(&mut self, line: &str, began: usize, directory: &Path) {
        let Some((name, rest)) = line.split_once('(') else { return };
        let Some((arguments, result)) = rest.rsplit_once(") = ").or_else(|| rest.rsplit_once(')')) else { return };
        let result: i64 = match result.trim_start_matches(['=', ' ']).split(['<', ' ']).next().map(str::parse) {
            Some(Ok(result)) if result >= 0 => result,
            _ => return,
        };
        let arguments = split(arguments);
        let inside = |path: &Path| path.starts_with(directory);
        match name {
            "open" | "openat" | "creat" => {
                let path = path_of(&arguments);
                let has = |flag: &str| arguments.iter().any(|argument| argument.contains(flag));
                let (creates, truncates) = (has("O_CREAT") || name == "creat", has("O_TRUNC") || name == "creat");
                self.files.insert(result as i32, Opened { position: 0, appends: has("O_APPEND") });
                if inside(&path) && (creates || truncates) {
                    assert!(!has("O_TMPFILE"), "{line}");
                    let len = self.lens.entry(path.clone()).or_default();
                    *len = if truncates { 0 } else { *len };
                    self.calls.push(Call::Open { path, truncates });
                }
            }
            "lseek" => self.files.entry(descriptor(&arguments[0]).0).or_default().position = result as u64,
            "write" | "pwrite64" => {
                let (file, path) = descriptor(&arguments[0]);
                let mut bytes = unquoted(&arguments[1]);
                assert!(bytes.len() as i64 >= result, "strace cut off a write: {line}");
                bytes.truncate(result as usize);
                if file == 1 {
                    self.calls.push(Call::Said(String::from_utf8_lossy(&bytes).into_owned()));
                }
                if !inside(&path) {
                    return;
                }
                let opened = self.files.entry(file).or_default();
                let len = self.lens.entry(path.clone()).or_default();
                let at = match name {
                    "pwrite64" => arguments[3].parse().expect("an offset"),
                    _ if opened.appends => *len,
                    _ => opened.position,
                };
                if name == "write" {
                    opened.position = at + bytes.len() as u64;
                }
                *len = (*len).max(at + bytes.len() as u64);
                self.calls.push(Call::Write { path, at, bytes });
            }
            "ftruncate" => {
                let (path, len) = (descriptor(&arguments[0]).1, arguments[1].parse().expect("a length"));
                if inside(&path) {
                    self.lens.insert(path.clone(), len);
                    self.calls.push(Call::SetLen { path, len });
                }
            }
            "fsync" | "fdatasync" => {
                let path = descriptor(&arguments[0]).1;
                if path.starts_with(directory.parent().expect("a parent")) {
                    self.calls.push(Call::Sync { path, data_only: name == "fdatasync", began });
                }
            }
            "mkdir" | "mkdirat" if inside(&path_of(&arguments)) => self.calls.push(Call::Mkdir(path_of(&arguments))),
            "unlink" | "unlinkat" | "rmdir" if inside(&path_of(&arguments)) => {
                self.lens.remove(&path_of(&arguments));
                self.calls.push(Call::Remove(path_of(&arguments)));
            }
            "rename" | "renameat" | "renameat2" => {
                let each = if name == "rename" { 1 } else { 2 };
                let (from, to) = (path_of(&arguments[..each]), path_of(&arguments[each..2 * each]));
                if inside(&to) {
                    let len = self.lens.remove(&from).unwrap_or_default();
                    self.lens.insert(to.clone(), len);
                    self.calls.push(Call::Rename(from, to));
                }
            }
            "mkdir" | "mkdirat" | "unlink" | "unlinkat" | "rmdir" => {}
            _ => assert!(
                !line.contains(&*directory.to_string_lossy()),
                "a call that the simulation does not know: {line}"
            ),
        }
    }
}

/// The arguments of a call: commas in quotation marks and in names of files do not separate.
fn split(arguments: &str) -> Vec<String> {
    let (mut all, mut quoted, mut escaped) = (vec![String::new()], false, false);
    for char in arguments.chars() {
        match char {
            ',' if !quoted => {
                all.push(String::new());
                continue;
            }
            '"' if !escaped => quoted = !quoted,
            _ => {}
        }
        escaped = char == '\\' && !escaped;
        if quoted || char != ' ' || !all.last().is_some_and(String::is_empty) {
            all.last_mut().expect("one").push(char);
        }
    }
    all
}

/// The number and the path of `3</path>`.
fn descriptor(argument: &str) -> (i32, PathBuf) {
    let (number, path) = argument.split_once('<').unwrap_or((argument, ""));
    let path = path.strip_suffix('>').unwrap_or(path);
    (number.trim().parse().unwrap_or(-1), path.strip_suffix(" (deleted)").unwrap_or(path).into())
}

/// The path that a call names: alone, or after the descriptor of a directory.
fn path_of(arguments: &[String]) -> PathBuf {
    let place = arguments.iter().position(|argument| argument.starts_with('"')).expect("a path");
    let name = String::from_utf8(unquoted(&arguments[place])).expect("a path in UTF-8");
    match place {
        0 => name.into(),
        _ => descriptor(&arguments[0]).1.join(name),
    }
}

/// The bytes of a quoted string with the escapes of C.
fn unquoted(argument: &str) -> Vec<u8> {
    let text = argument.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    let text = text.unwrap_or_else(|| panic!("strace cut off {argument:.200}")).as_bytes();
    let (mut bytes, mut at) = (Vec::with_capacity(text.len()), 0);
    while at < text.len() {
        if text[at] != b'\\' {
            bytes.push(text[at]);
            at += 1;
            continue;
        }
        at += 1;
        let is_octal = |at: usize| text.get(at).is_some_and(|digit| (b'0'..=b'7').contains(digit));
        if is_octal(at) {
            let mut byte = 0_u32;
            for _ in 0..3 {
                if is_octal(at) {
                    byte = byte * 8 + u32::from(text[at] - b'0');
                    at += 1;
                }
            }
            bytes.push(byte as u8);
            continue;
        }
        bytes.push(match text[at] {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'v' => 0x0b,
            b'f' => 0x0c,
            other => other,
        });
        at += 1;
    }
    bytes
}
