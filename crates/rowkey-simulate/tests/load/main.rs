//! The laws of loads: what is drawn agrees with what `check` counts with, whatever the design.

mod asked;
mod drawn;
mod options;
mod places;
mod rows;
mod shapes;
mod traced;

use std::ops::ControlFlow;

use rowkey_design::{Design, File};
use rowkey_simulate::event::{Event, Op};
use rowkey_simulate::load::{Drawn, Load, Options};

/// An event that is kept.
#[derive(Clone, Debug, PartialEq)]
struct Kept {
    t_ms: u64,
    batch: u64,
    op: &'static str,
    key: Vec<u8>,
    end: Option<Vec<u8>>,
    bytes: u64,
    weight: u64,
}

impl Kept {
    fn of(event: &Event<'_>) -> Self {
        let (op, end) = match event.op {
            Op::Put => ("put", None),
            Op::Delete => ("delete", None),
            Op::Get => ("get", None),
            Op::Scan { end, .. } => ("scan", end.map(<[u8]>::to_vec)),
        };
        let Event { t_ms, batch, bytes, weight, .. } = *event;
        Self { t_ms, batch, op, key: event.key.to_vec(), end, bytes, weight }
    }
}

fn all(load: &mut impl Load) -> Vec<Kept> {
    let mut kept = Vec::new();
    let given = load.events(&mut |event| {
        kept.push(Kept::of(&event));
        ControlFlow::Continue(())
    });
    given.unwrap_or_else(|error| panic!("{error}"));
    kept
}

fn design(text: &str) -> Design {
    let file = File { name: "a.rowkey.toml".to_owned(), text: text.to_owned() };
    Design::parse([file]).unwrap_or_else(|problems| panic!("{problems}\n{text}"))
}

/// The events of a design's only table.
fn events(text: &str, options: &Options) -> Vec<Kept> {
    let design = design(text);
    let cluster = design.clusters.values().next().map(|cluster| &cluster.value);
    all(&mut Drawn::new(&design, "t", None, cluster, None, options).unwrap_or_else(|error| panic!("{error}")))
}

/// The designs of the studies, and those of the tests.
fn designs() -> Vec<(String, Design)> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let folders = ["studies/designs", "crates/rowkey-design/tests/designs"];
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(format!("{root}/{folder}")).unwrap());
    let mut paths: Vec<_> = files.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.to_string_lossy().ends_with(".rowkey.toml"));
    paths.sort();
    assert!(paths.len() > 15, "{paths:?}");
    let read =
        |path: &std::path::PathBuf| (path.display().to_string(), design(&std::fs::read_to_string(path).unwrap()));
    paths.iter().map(read).collect()
}
