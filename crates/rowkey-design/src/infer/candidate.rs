//! Candidates: what the search finds, tried on all kept keys, compared, and told.

use rowkey::untyped::FieldBuf;
use rowkey::{LayoutBuf, Value};

use super::search::{Graph, Path};
use super::span::FIELD;
use super::{Candidate, Certainty, joined, lead, told};

/// The keys that are searched; all kept ones are decoded.
const SEARCHED: usize = 300;

/// The candidates that are returned.
const MOST: usize = 5;

/// A lead of this many bits over the next candidate is no accident.
const CERTAIN: f64 = 60.0;
/// The same of a layout that differs in what its numbers mean alone.
const CERTAIN_MEANING: f64 = 12.0;
const LIKELY: f64 = 12.0;

/// A candidate before it is told.
struct Tried {
    layout: LayoutBuf,
    path: Path,
    bits: f64,
}

pub(super) fn of(kept: &[Vec<u8>]) -> Vec<Candidate> {
    let keys = searched(kept);
    let mut tried = tried(&keys);
    tried.sort_by(|a, b| a.bits.total_cmp(&b.bits));
    let mut found: Vec<Tried> = Vec::new();
    // The bits more of the first with other meanings.
    let mut doubt = f64::INFINITY;
    for next in tried {
        if !keys.iter().all(|key| next.layout.decode(key).is_ok()) {
            continue;
        }
        match found.iter().position(|before| is_same(before, &next, &keys)) {
            Some(0) if means(&found[0]) != means(&next) => doubt = doubt.min(next.bits - found[0].bits),
            Some(_) => {}
            None => found.push(next),
        }
        if found.len() == MOST {
            break;
        }
    }
    let told = |rank: usize, tried: &Tried| {
        let decoded = kept.iter().filter(|key| tried.layout.decode(key).is_ok()).count();
        let share = decoded as f64 / kept.len() as f64;
        let other = if rank == 0 { found.get(1) } else { found.first() };
        let other = other.map(|other| (other.layout.shape(), other.bits - tried.bits));
        let margin = other.as_ref().map_or(f64::INFINITY, |(_, bits)| *bits);
        let is_known = tried.path.models.iter().all(|model| !model.shape.starts_with("bytes raw"));
        // Another tenant's rows may have another value.
        let is_constant = tried.path.models.iter().any(|model| model.shape.starts_with("const["));
        let is_certain = margin >= CERTAIN && doubt >= CERTAIN_MEANING && keys.len() >= 100;
        let certainty = match share {
            1.0 if is_known && is_certain && !is_constant => Certainty::Certain,
            0.9.. if is_known && margin >= LIKELY => Certainty::Likely,
            _ => Certainty::Possible,
        };
        Candidate {
            evidence: told::evidence(kept, &tried.layout, &tried.path),
            against: told::against(kept, &keys, &tried.layout, &tried.path, share, other),
            means: means(tried),
            layout: tried.layout.clone(),
            share,
            certainty,
            bits: tried.bits,
        }
    };
    found.iter().enumerate().map(|(rank, tried)| told(rank, tried)).collect()
}

fn means(tried: &Tried) -> Vec<Option<&'static str>> {
    tried.path.models.iter().map(|model| model.means).collect()
}

/// Some of the kept keys, the same ones each time.
fn searched(kept: &[Vec<u8>]) -> Vec<&[u8]> {
    let mut keys: Vec<&[u8]> = kept.iter().map(Vec::as_slice).collect();
    fastrand::Rng::with_seed(1).shuffle(&mut keys);
    keys.truncate(SEARCHED);
    keys
}

fn tried(keys: &[&[u8]]) -> Vec<Tried> {
    let starts: Vec<usize> = [0].into_iter().chain(lead::WIDTHS).collect();
    let graph = Graph::new(keys, &starts);
    let mut tried: Vec<Tried> = graph
        .paths(0)
        .into_iter()
        .chain(joined::paths(keys))
        .filter_map(|path| Some(Tried { layout: layout("", &path)?, bits: path.bits, path }))
        .collect();
    for width in lead::WIDTHS {
        let mut memory = lead::Memory::new();
        for path in graph.paths(width) {
            let Some(found) = lead::of(keys, width, &path, &mut memory) else { continue };
            if let Some(layout) = layout(&found, &path) {
                tried.push(Tried { layout, bits: path.bits + FIELD + 20.0, path });
            }
        }
    }
    tried
}

/// The layout of a path, its fields named by what they hold.
fn layout(lead: &str, path: &Path) -> Option<LayoutBuf> {
    let shapes: Vec<&str> = path.models.iter().map(|model| model.shape.as_str()).collect();
    let layout: LayoutBuf = format!("{lead}{}", shapes.join(", ")).parse().ok()?;
    let mut fields: Vec<FieldBuf> = layout.fields().to_vec();
    let mut names: Vec<String> = Vec::new();
    for (field, model) in fields.iter_mut().zip(&path.models) {
        let name = name(&model.shape, model.means);
        let again = names.iter().filter(|before| before.trim_end_matches(|c: char| c.is_ascii_digit()) == name).count();
        field.name = if again > 0 { format!("{name}{}", again + 1) } else { name.to_owned() };
        names.push(field.name.clone());
    }
    LayoutBuf::of_fields("key", layout.lead().clone(), layout.by().to_vec(), fields).ok()
}

fn name(shape: &str, means: Option<&str>) -> &'static str {
    // The type in the brackets is what an encoding of other programs holds.
    let of_family = shape.strip_prefix("fdb[").or_else(|| shape.strip_prefix("ordered["));
    let word = of_family.unwrap_or(shape).split(['[', ']', ' ', '<']).next().unwrap_or(shape);
    match (word, means) {
        ("const", _) => "tag",
        ("bool", _) => "flag",
        ("null", _) => "none",
        ("any", _) => "item",
        ("versionstamp" | "versionstamp80", _) => "version",
        (_, Some("uuid4" | "uuid7" | "ulid")) | ("uuid", _) => "uuid",
        (_, Some(_)) | ("date" | "instant" | "micros", _) => "at",
        ("text", _) => "name",
        ("bytes" | "hexbytes", _) => "bytes",
        ("list", _) => "items",
        ("u8" | "i8", _) => "kind",
        _ => "number",
    }
}

/// Returns whether two have the same boundaries and values in all keys.
fn is_same(a: &Tried, b: &Tried, keys: &[&[u8]]) -> bool {
    a.layout.lead().width() == b.layout.lead().width()
        && a.path.ends == b.path.ends
        && keys.iter().all(|key| match (a.layout.decode(key), b.layout.decode(key)) {
            (Ok(a), Ok(b)) => a.iter().zip(&b).all(|(a, b)| is_equal(a, b)),
            _ => false,
        })
}

/// Numbers of types with and without a sign may be equal.
fn is_equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Unsigned(a), Value::Signed(b)) | (Value::Signed(b), Value::Unsigned(a)) => {
            i128::try_from(*a).is_ok_and(|a| a == *b)
        }
        (a, b) => a == b,
    }
}
