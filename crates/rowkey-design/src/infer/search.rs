//! The search for fields: a graph whose nodes are places in all keys at once, and whose edges are fields.
//!
//! A node is where some fields before it end, in each key. Two sequences of fields that end at the same places lead to
//! one node, so that there are few. The best ways from a node to the ends of keys are kept with it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::bits::{self, Repeats};
use super::span::{FIELD, Model, Span, best};
use super::textual::{DELIMITERS, End, is_printable};
use super::{binary, textual};

/// The ways that are kept from each node.
const WAYS: usize = 6;
/// The most nodes: keys that have more are of fields that nobody reads.
const NODES: usize = 700;
/// The bytes of keys that all nodes may look at: long keys have fewer nodes.
const LOOKED_AT: usize = 16 << 20;

/// The bits of a boundary between two digits.
const WITHIN_DIGITS: f64 = 30.0;

/// A field from a node to another.
struct Edge {
    to: usize,
    model: Model,
}

/// A way from a node to the end: its bits, its first edge, and which way of the next node it goes on by.
#[derive(Clone, Copy)]
struct Way {
    bits: f64,
    edge: usize,
    rest: usize,
}

pub(super) struct Graph<'k> {
    keys: &'k [&'k [u8]],
    repeats: Repeats,
    places: HashMap<Vec<u32>, usize>,
    cursors: Vec<Vec<u32>>,
    edges: Vec<Vec<Edge>>,
    ways: Vec<Vec<Way>>,
}

/// Fields from a place to the end of keys.
#[derive(Clone, Debug)]
pub(super) struct Path {
    pub(super) bits: f64,
    pub(super) models: Vec<Model>,
    /// By field, where it ends in each key.
    pub(super) ends: Vec<Vec<u32>>,
}

impl<'k> Graph<'k> {
    /// `starts`: the bytes of prefixes after which fields may begin.
    pub(super) fn new(keys: &'k [&'k [u8]], starts: &[usize]) -> Self {
        let repeats = Repeats::of(keys.len());
        let mut graph =
            Self { keys, repeats, places: HashMap::new(), cursors: Vec::new(), edges: Vec::new(), ways: Vec::new() };
        let mut open = BTreeSet::new();
        for start in starts {
            if keys.iter().all(|key| key.len() > *start) {
                let node = graph.node(vec![*start as u32; keys.len()]);
                open.insert((graph.sum(node), node));
            }
        }
        let bytes: usize = keys.iter().map(|key| key.len()).sum();
        let nodes = (LOOKED_AT / bytes.max(1)).clamp(starts.len() + 4, NODES);
        let mut order = Vec::new();
        while let Some((_, node)) = open.pop_first() {
            if order.len() == nodes {
                break;
            }
            order.push(node);
            let edges = graph.expanded(node);
            for edge in &edges {
                if graph.edges[edge.to].is_empty() && !graph.is_end(edge.to) {
                    open.insert((graph.sum(edge.to), edge.to));
                }
            }
            graph.edges[node] = edges;
        }
        for node in order.into_iter().rev() {
            graph.keep_ways(node);
        }
        graph
    }

    fn node(&mut self, cursors: Vec<u32>) -> usize {
        if let Some(node) = self.places.get(&cursors) {
            return *node;
        }
        let node = self.cursors.len();
        let is_end = self.keys.iter().zip(&cursors).all(|(key, cursor)| key.len() == *cursor as usize);
        self.places.insert(cursors.clone(), node);
        self.cursors.push(cursors);
        self.edges.push(Vec::new());
        self.ways.push(if is_end { vec![Way { bits: 0.0, edge: usize::MAX, rest: 0 }] } else { Vec::new() });
        node
    }

    fn is_end(&self, node: usize) -> bool {
        self.ways[node].first().is_some_and(|way| way.edge == usize::MAX)
    }

    fn sum(&self, node: usize) -> u64 {
        self.cursors[node].iter().map(|cursor| u64::from(*cursor)).sum()
    }

    fn rest(&self, node: usize) -> impl Iterator<Item = &'k [u8]> {
        self.keys.iter().zip(&self.cursors[node]).map(|(key, cursor)| &key[*cursor as usize..])
    }

    fn span(&self, node: usize, lengths: impl Fn(&'k [u8], usize) -> usize) -> Span<'k> {
        Span::new(self.rest(node).enumerate().map(|(i, rest)| &rest[..lengths(rest, i)]), &self.repeats)
    }

    fn after(&mut self, node: usize, taken: impl Fn(usize) -> usize) -> usize {
        let cursors = self.cursors[node].iter().enumerate().map(|(i, cursor)| cursor + taken(i) as u32).collect();
        self.node(cursors)
    }

    fn expanded(&mut self, node: usize) -> Vec<Edge> {
        let mut edges = Vec::new();
        self.up_to_the_end(node, &mut edges);
        self.by_width(node, &mut edges);
        self.before_delimiters(node, &mut edges);
        self.inverted_text(node, &mut edges);
        edges
    }

    fn by_width(&mut self, node: usize, edges: &mut Vec<Edge>) {
        let shortest = self.rest(node).map(<[u8]>::len).min().unwrap_or(0);
        // The first bytes of all keys that are the same width of printable characters.
        let printable = self.rest(node).map(|rest| rest.iter().take_while(|byte| is_printable(**byte)).count()).min();
        let printable = printable.unwrap_or(0).min(shortest);
        let widths: Vec<usize> = (1..=shortest.min(40)).chain([64]).filter(|width| *width <= shortest).collect();
        for width in widths {
            let is_printable = width <= printable;
            if !is_printable && !binary::WIDTHS.contains(&width) {
                continue;
            }
            let span = self.span(node, |_, _| width);
            let mut models = Vec::new();
            if binary::WIDTHS.contains(&width) && !is_printable {
                models.extend(binary::models(&span, width));
            }
            if is_printable {
                let loose = 40.0 + 0.6 * self.keys.len() as f64;
                let of_text = textual::models(&span, End::Width).into_iter().filter_map(|mut model| {
                    let is_text = model.shape.starts_with("text");
                    model.bits += if is_text || width < 4 { loose } else { 0.0 };
                    (!is_text || width < 4).then_some(model)
                });
                models.extend(of_text);
            }
            if models.is_empty() {
                continue;
            }
            if self.is_within_digits(node, width) {
                models.iter_mut().for_each(|model| model.bits += WITHIN_DIGITS);
            }
            // A delimiter ends a field, and begins none.
            if is_printable && self.is_before_delimiter(node, width) {
                models.iter_mut().for_each(|model| model.bits += 40.0 + 0.3 * self.keys.len() as f64);
            }
            let to = self.after(node, |_| width);
            edges.extend(best(models).into_iter().map(|model| Edge { to, model }));
        }
    }

    /// Returns whether all keys have digits right before and after `width` bytes.
    fn is_within_digits(&self, node: usize, width: usize) -> bool {
        self.rest(node).all(|rest| rest[width - 1].is_ascii_digit() && rest.get(width).is_some_and(u8::is_ascii_digit))
    }

    fn is_before_delimiter(&self, node: usize, width: usize) -> bool {
        let next = |rest: &[u8]| rest.get(width).copied();
        let first = self.rest(node).next().and_then(next);
        let is_known = first.is_some_and(|byte| byte.is_ascii_punctuation() || byte == b' ');
        is_known && self.rest(node).all(|rest| next(rest) == first)
    }

    fn before_delimiters(&mut self, node: usize, edges: &mut Vec<Edge>) {
        for (delimiter, _) in DELIMITERS {
            let places: Option<Vec<usize>> = self.rest(node).map(|rest| memchr::memchr(delimiter, rest)).collect();
            let Some(places) = places else { continue };
            if places.iter().all(|place| *place == 0) {
                continue;
            }
            let span = self.span(node, |_, i| places[i]);
            let mut models = textual::models(&span, End::Before(delimiter));
            // Text that has the delimiter again, in some keys more often than in others, is text to its end.
            let after = |(rest, place): (&'k [u8], &usize)| &rest[place + 1..];
            let rests: Vec<&[u8]> = self.rest(node).zip(&places).map(after).collect();
            let counts: BTreeSet<usize> =
                rests.iter().map(|rest| memchr::memchr_iter(delimiter, rest).count()).collect();
            if counts.len() > 1 && rests.iter().all(|rest| rest.iter().all(|byte| is_printable(*byte))) {
                models.iter_mut().for_each(|model| model.bits += 2.0 * self.keys.len() as f64);
            }
            if models.is_empty() {
                continue;
            }
            let to = self.after(node, |i| places[i] + 1);
            edges.extend(best(models).into_iter().map(|model| Edge { to, model }));
        }
    }

    /// Descending text, which ends with an inverted zero.
    fn inverted_text(&mut self, node: usize, edges: &mut Vec<Edge>) {
        let places: Option<Vec<usize>> = self.rest(node).map(|rest| memchr::memchr(0xff, rest)).collect();
        let Some(places) = places else { return };
        let inverted: Vec<Vec<u8>> = self
            .rest(node)
            .zip(&places)
            .map(|(rest, place)| rest[..*place].iter().map(|byte| !byte).collect())
            .collect();
        let span = Span::new(inverted.iter().map(Vec::as_slice), &self.repeats);
        if !span.all(is_printable) {
            return;
        }
        let models = textual::models(&span, End::Before(0));
        let models: Vec<Model> = models
            .into_iter()
            .filter(|model| model.shape == "text")
            .map(|model| Model::new("text desc", model.bits + 4.0))
            .collect();
        if !models.is_empty() {
            let to = self.after(node, |i| places[i] + 1);
            edges.extend(models.into_iter().map(|model| Edge { to, model }));
        }
    }

    fn up_to_the_end(&mut self, node: usize, edges: &mut Vec<Edge>) {
        let span = self.span(node, |rest, _| rest.len());
        let mut models = if span.width == Some(0) { Vec::new() } else { textual::models(&span, End::Key) };
        models = best(models);
        let opaque = FIELD + 20.0 + span.repeats + span.values.len() as f64 * 6.0 + 8.2 * span.len() as f64;
        models.push(Model::new("bytes raw", opaque));
        models.extend(self.list(node));
        let lengths: Vec<usize> = self.rest(node).map(<[u8]>::len).collect();
        let to = self.after(node, |i| lengths[i]);
        edges.extend(models.into_iter().map(|model| Edge { to, model }));
    }

    /// Items of one width to the end of keys, as the tags of OpenTSDB: pairs of ids.
    fn list(&self, node: usize) -> Option<Model> {
        let mut counts = BTreeMap::<usize, u32>::new();
        self.rest(node).for_each(|rest| *counts.entry(rest.len()).or_default() += 1);
        let lengths: BTreeSet<usize> = counts.keys().copied().collect();
        if lengths.len() < 2 || lengths.last()? > &512 {
            return None;
        }
        let width = lengths.iter().map(|length| *length as u64).reduce(bits::common)? as usize;
        let width = [2, 3, 4, 6, 8, 12, 16].into_iter().rev().find(|of| width.is_multiple_of(*of))?;
        let items = || self.rest(node).flat_map(move |rest| rest.chunks_exact(width));
        let count = items().count();
        if count == 0 || items().all(|item| item.iter().all(|byte| is_printable(*byte))) {
            return None;
        }
        let repeats = Repeats::of(count);
        let of = |from: usize, to: usize| {
            let span = Span::new(items().map(|item| &item[from..to]), &repeats);
            best(binary::models(&span, to - from)).into_iter().next()
        };
        let lengths = 4.0 * counts.len() as f64 + self.repeats.bits(&counts.into_values().collect::<Vec<_>>());
        let whole = of(0, width).map(|model| Model::new(format!("list<{}> raw", model.shape), model.bits + lengths));
        let halves = (1..width).filter_map(|at| {
            let (first, second) = (of(0, at)?, of(at, width)?);
            let shape = format!("list<({}, {})> raw", first.shape, second.shape);
            // Ids are mostly as wide as each other.
            let uneven = if 2 * at == width { 0.0 } else { 30.0 };
            Some(Model::new(shape, first.bits + second.bits + lengths + uneven))
        });
        whole.into_iter().chain(halves).min_by(|a, b| a.bits.total_cmp(&b.bits))
    }

    fn keep_ways(&mut self, node: usize) {
        let mut ways = Vec::new();
        for (edge, Edge { to, model }) in self.edges[node].iter().enumerate() {
            ways.extend(self.ways[*to].iter().enumerate().map(|(rest, way)| Way {
                bits: model.bits + way.bits,
                edge,
                rest,
            }));
        }
        ways.sort_by(|a, b| a.bits.total_cmp(&b.bits));
        ways.truncate(WAYS);
        self.ways[node] = ways;
    }

    /// The best ways from byte `start` to the end.
    pub(super) fn paths(&self, start: usize) -> Vec<Path> {
        let Some(node) = self.places.get(&vec![start as u32; self.keys.len()]) else { return Vec::new() };
        (0..self.ways[*node].len()).map(|rank| self.path(*node, rank)).collect()
    }

    fn path(&self, mut node: usize, mut rank: usize) -> Path {
        let mut path = Path { bits: self.ways[node][rank].bits, models: Vec::new(), ends: Vec::new() };
        while let Some(edge) = self.edges[node].get(self.ways[node][rank].edge) {
            rank = self.ways[node][rank].rest;
            node = edge.to;
            path.models.push(edge.model.clone());
            path.ends.push(self.cursors[node].clone());
        }
        path
    }
}
