//! The search for fields: a graph whose nodes are places in all keys at once, and whose edges are fields.
//!
//! A node is where some fields before it end, in each key. Two sequences of fields that end at the same places lead to
//! one node, so that there are few. The best ways from a node to the ends of keys are kept with it.

use std::collections::{BTreeSet, HashMap};

use rowkey::foreign::Delimiter;

use super::bits::Repeats;
use super::span::{FIELD, Model, Span, best};
use super::textual::{End, is_printable};
use super::{binary, constant, delimiters, textual};

/// The ways that are kept from each node.
const WAYS: usize = 6;
/// The most nodes: keys that have more are of fields that nobody reads.
const NODES: usize = 1100;
/// The bytes of keys that all nodes may look at: long keys have fewer nodes.
const LOOKED_AT: usize = 16 << 20;

/// The bits of a boundary between two digits.
const WITHIN_DIGITS: f64 = 30.0;

/// The bits, for each key, of a boundary between two letters after a field in binary.
const WITHIN_WORDS: f64 = 2.0;

/// A field from a node to another.
pub(super) struct Edge {
    pub(super) to: usize,
    pub(super) model: Model,
}

/// A way from a node to the end: its bits, its first edge, and which way of the next node it goes on by.
#[derive(Clone, Copy)]
struct Way {
    bits: f64,
    edge: usize,
    rest: usize,
}

pub(super) struct Graph<'k> {
    pub(super) keys: &'k [&'k [u8]],
    pub(super) repeats: Repeats,
    /// Those that a field may end with.
    pub(super) delimiters: Vec<Delimiter>,
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
        let mut graph = Self {
            keys,
            repeats: Repeats::of(keys.len()),
            delimiters: delimiters::of(keys),
            places: HashMap::new(),
            cursors: Vec::new(),
            edges: Vec::new(),
            ways: Vec::new(),
        };
        let mut open = BTreeSet::new();
        for start in starts {
            if keys.iter().all(|key| key.len() > *start) {
                let node = graph.node(vec![*start as u32; keys.len()]);
                open.insert((false, graph.sum(node), node));
            }
        }
        let bytes: usize = keys.iter().map(|key| key.len()).sum();
        let nodes = (LOOKED_AT / bytes.max(1)).clamp(starts.len() + 4, NODES);
        let mut order = Vec::new();
        // Places within words come last, so that there is room for those that fields seem to end at.
        while let Some((_, _, node)) = open.pop_first() {
            if order.len() == nodes {
                break;
            }
            order.push(node);
            let edges = graph.expanded(node);
            for edge in &edges {
                if graph.edges[edge.to].is_empty() && !graph.is_end(edge.to) {
                    let is_within = graph.is_within_words(edge.to);
                    open.insert((is_within, graph.sum(edge.to), edge.to));
                }
            }
            graph.edges[node] = edges;
        }
        // An edge goes to a greater sum.
        order.sort_by_key(|node| graph.sum(*node));
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

    /// Returns whether all keys have letters or digits right before and after this place.
    fn is_within_words(&self, node: usize) -> bool {
        let is_letter = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
        self.keys.iter().zip(&self.cursors[node]).all(|(key, cursor)| {
            let at = *cursor as usize;
            is_letter(at.checked_sub(1).and_then(|before| key.get(before))) && is_letter(key.get(at))
        })
    }

    fn sum(&self, node: usize) -> u64 {
        self.cursors[node].iter().map(|cursor| u64::from(*cursor)).sum()
    }

    pub(super) fn rest(&self, node: usize) -> impl Iterator<Item = &'k [u8]> {
        self.keys.iter().zip(&self.cursors[node]).map(|(key, cursor)| &key[*cursor as usize..])
    }

    pub(super) fn span(&self, node: usize, lengths: impl Fn(&'k [u8], usize) -> usize) -> Span<'k> {
        Span::new(self.rest(node).enumerate().map(|(i, rest)| &rest[..lengths(rest, i)]), &self.repeats)
    }

    pub(super) fn after(&mut self, node: usize, taken: impl Fn(usize) -> usize) -> usize {
        let cursors = self.cursors[node].iter().enumerate().map(|(i, cursor)| cursor + taken(i) as u32).collect();
        self.node(cursors)
    }

    fn expanded(&mut self, node: usize) -> Vec<Edge> {
        let mut edges = Vec::new();
        self.up_to_the_end(node, &mut edges);
        self.by_width(node, &mut edges);
        self.before_delimiters(node, &mut edges);
        self.inverted_text(node, &mut edges);
        self.constants(node, &mut edges);
        edges
    }

    fn constants(&mut self, node: usize, edges: &mut Vec<Edge>) {
        let rests: Vec<&[u8]> = self.rest(node).collect();
        for (width, model) in constant::models(&rests, self.sum(node) == 0) {
            let to = self.after(node, |_| width);
            edges.push(Edge { to, model });
        }
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
            if !is_printable && self.is_within_words(to) {
                models.iter_mut().for_each(|model| model.bits += WITHIN_WORDS * self.keys.len() as f64);
            }
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
