//! The page as one file, which needs no server: the program, compressed, with scripts and styles by hand.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use data_encoding::BASE64;
use flate2::Compression;
use flate2::write::GzEncoder;
use rowkey_simulate::page::{FIRST_LINE, STYLE};
use serde_json::{Value as Json, json};
use sha2::{Digest as _, Sha256};

/// The target that the program is built for.
const TARGET: &str = "wasm32-wasip1";

/// The scripts, each of which uses those before it.
const SCRIPTS: [&str; 9] = [
    include_str!("../web/dom.js"),
    include_str!("../web/engine.js"),
    include_str!("../web/state.js"),
    include_str!("../web/left.js"),
    include_str!("../web/editor.js"),
    include_str!("../web/complete.js"),
    include_str!("../web/bytes.js"),
    include_str!("../web/panels.js"),
    include_str!("../web/main.js"),
];

/// A name, a design, and values of the fields of its first table.
type Example = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

const EXAMPLES: [Example; 3] = [
    (
        "Readings, the time first",
        include_str!("../web/readings.rowkey.toml"),
        &[("at", "2026-01-31T12:00:00Z"), ("sensor", "42")],
    ),
    (
        "Visits, newest first",
        include_str!("../../../studies/designs/visits.rowkey.toml"),
        &[("visitor", "ada"), ("at", "1769860800"), ("line", "7")],
    ),
    (
        "Metrics, as OpenTSDB",
        include_str!("../../../studies/designs/metrics.rowkey.toml"),
        &[("metric", "000001"), ("hour", "1769860800"), ("tags", "[[\"000001\", \"00002a\"]]")],
    ),
];

/// The page, and the sizes of its parts.
#[derive(Debug)]
pub struct Page {
    /// The HTML.
    pub html: String,
    /// The bytes of the program.
    pub program: usize,
}

/// The page of a program.
///
/// # Errors
/// If the program cannot be compressed.
pub fn page(program: &[u8]) -> io::Result<Page> {
    let mut compressed = GzEncoder::new(Vec::new(), Compression::best());
    compressed.write_all(program)?;
    let data = BASE64.encode(&compressed.finish()?);
    let script = SCRIPTS.join("\n");
    let worker = include_str!("../web/worker.js");
    // The program and the worker come from the page itself: `blob:` is no address that anything is sent to.
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}' 'wasm-unsafe-eval'; worker-src blob:; \
         base-uri 'none'; form-action 'none'",
        digest(&styles()),
        digest(&script)
    );
    let html = format!(
        "{FIRST_LINE}\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\">\
         <title>rowkey, to try</title><style>{}</style></head>\n<body>\n{}\
         <script type=\"application/json\" id=\"examples\">{}</script>\n\
         <script type=\"text/plain\" id=\"worker\">{worker}</script>\n\
         <script type=\"text/plain\" id=\"program\">{data}</script>\n\
         <script type=\"module\">{script}</script>\n</body></html>\n",
        styles(),
        include_str!("../web/page.html"),
        examples().to_string().replace('<', "\\u003c"),
    );
    Ok(Page { html, program: program.len() })
}

fn styles() -> String {
    format!("{STYLE}\n{}", include_str!("../web/page.css"))
}

fn digest(text: &str) -> String {
    BASE64.encode(&Sha256::digest(text))
}

/// The states that the examples are.
fn examples() -> Json {
    let example = |(name, design, values): &Example| {
        let values: serde_json::Map<_, _> =
            values.iter().map(|(field, text)| ((*field).to_owned(), (*text).into())).collect();
        json!({ "name": name, "design": design, "values": values })
    };
    EXAMPLES.iter().map(example).collect()
}

/// Builds the program, then the page, and returns where it is written: `target/page/rowkey.html`.
///
/// # Errors
/// If cargo fails, as without the target.
pub fn build() -> io::Result<(PathBuf, Page)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    // Its own folder: what else is built at this time waits for none of it.
    let target = root.join("target/page");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(["build", "--profile", "page", "--package", "rowkey-page", "--bin", "rowkey-page", "--target", TARGET])
        .arg("--target-dir")
        .arg(&target)
        .current_dir(&root)
        .status()?;
    if !built.success() {
        return Err(io::Error::other(format!(
            "the program was not built; `rustup target add {TARGET}` may be missing"
        )));
    }
    let page = page(&std::fs::read(smaller(&target.join(TARGET).join("page/rowkey-page.wasm"))?)?)?;
    let path = target.join("rowkey.html");
    std::fs::write(&path, &page.html)?;
    Ok((path, page))
}

/// The program as Binaryen's `wasm-opt` makes it, where that is installed.
fn smaller(program: &Path) -> io::Result<PathBuf> {
    let smaller = program.with_extension("small.wasm");
    let time = |path: &Path| path.metadata().and_then(|metadata| metadata.modified());
    if time(&smaller).is_ok_and(|made| time(program).is_ok_and(|built| built < made)) {
        return Ok(smaller);
    }
    // What rustc has by itself for this target.
    let features =
        ["bulk-memory", "sign-ext", "mutable-globals", "nontrapping-float-to-int", "multivalue", "reference-types"];
    let ran = Command::new("wasm-opt")
        .arg("-Oz")
        .args(features.map(|feature| format!("--enable-{feature}")))
        .args([program.as_os_str(), "-o".as_ref(), smaller.as_os_str()])
        .status();
    match ran {
        Ok(status) if status.success() => Ok(smaller),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(program.to_owned()),
        Ok(status) => Err(io::Error::other(format!("wasm-opt: {status}"))),
        Err(error) => Err(error),
    }
}
