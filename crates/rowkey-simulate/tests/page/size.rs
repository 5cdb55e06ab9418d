//! A page is short whatever the run's size, and all that is drawn is well-formed whatever the run.

use html5gum::{DefaultEmitter, Token, Tokenizer};
use proptest::prelude::*;
use rowkey_simulate::page::{Capacity, Drawn, Measure, PageText, Rate, RowOrder, Terminal, blocks, hotter, html, svg};
use rowkey_simulate::run::{Interval, Key, Move, Region, Server, Split};
use unicode_width::UnicodeWidthStr as _;

use crate::made::{self, CAPACITY, HOSTILE, Made};

const MOST: usize = 2_000_000;

/// A run in which no two cells that touch have one colour.
fn restless(regions: u64, intervals: u64) -> Made {
    let mut made = made::empty("restless", made::layout_of("[\"id: u64\", \"name: text\"]"), 5000);
    let starts: Vec<Key> = (0..regions).map(|i| Key((i * 7919).to_be_bytes().to_vec())).collect();
    for interval in 1..=intervals {
        let rows = |i: u64| (i * 31 + interval * 17) % 70_000 + 1;
        let region = |(i, start): (u64, &Key)| Region {
            rows_this_interval: rows(i),
            reads_this_interval: rows(i + 1),
            ..made::region(start.clone(), (i % 200) as u32)
        };
        let servers =
            (0..200).map(|i| Server { writes: rows(i * 3), reads: rows(i * 5), ..Server::default() }).collect();
        let all = (0..).zip(&starts).map(region).collect();
        made.intervals.push(Interval { t_ms: interval * 5000, regions: all, servers });
        let at = starts[(interval % regions) as usize].clone();
        made.splits.push(Split { t_ms: interval * 5000, start: Key::default(), at: at.clone(), files: Vec::new() });
        made.moves.push(Move { t_ms: interval * 5000, start: at, from: 0, to: 1 });
    }
    made
}

/// The choice that a page begins with is of what is nearer to saturating a server.
#[test]
fn a_page_opens_on_what_is_hotter() {
    let made = made::of_metrics("", 3, 5, 24_000);
    let most =
        |of: fn(&Server) -> u64| made.intervals.iter().flat_map(|interval| interval.servers.iter().map(of)).max();
    let [writes, reads] = [most(|server| server.writes), most(|server| server.reads)].map(|rows| rows.unwrap() as f64);
    for (part, due) in [(0.9, Measure::Writes), (1.1, Measure::Reads), (f64::INFINITY, Measure::Reads)] {
        let each = |each| Rate { each, is_assumed: false };
        let capacity = Capacity { writes: each(writes * part), reads: each(reads), units: Capacity::ROWS };
        assert_eq!(hotter(&[made.drawn()], capacity), due, "{part}");
        let page = html(&PageText::default(), &[made.drawn(), made.drawn()], capacity);
        for measure in Measure::ALL {
            let choice = format!("id=\"measure-{}\"", measure.word());
            assert!(page.contains(&choice), "{choice}");
            assert_eq!(page.contains(&format!("{choice} checked")), measure == due, "{part}: {choice}");
        }
    }
}

#[test]
fn a_page_is_short_whatever_the_size_of_its_runs() {
    let large = restless(2000, 1000);
    let one = html(&PageText::default(), &[large.drawn()], CAPACITY);
    assert!((MOST / 3..MOST).contains(&one.len()), "{}", one.len());
    assert!(one.contains("A row is 22 ranges of keys") && one.contains("a column 40 s, 8 intervals"));
    let drawn = svg("", &[large.drawn()], Measure::Writes, RowOrder::Key, CAPACITY);
    assert!(drawn.len() < MOST / 4, "{}", drawn.len());
    for designs in [2, 5, 30] {
        let small = restless(200, 150);
        let page = html(&PageText::default(), &vec![small.drawn(); designs], CAPACITY);
        assert!(page.len() < MOST, "{designs} designs: {}", page.len());
        assert_eq!(page.contains("more designs are not shown"), designs > 12);
    }
}

/// The tags of a page, each closed where it has to be, and no error of its characters.
pub(crate) fn well_formed(page: &str) {
    let mut open = Vec::new();
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    for token in Tokenizer::new_with_emitter(page, emitter) {
        match token.unwrap() {
            Token::StartTag(tag) => {
                let name = String::from_utf8(tag.name.to_vec()).unwrap();
                if !["meta", "input"].contains(&&*name) && !tag.self_closing {
                    open.push(name);
                }
            }
            Token::EndTag(tag) => assert_eq!(open.pop().map(String::into_bytes), Some(tag.name.to_vec())),
            Token::Error(error) => panic!("{error:?}"),
            Token::String(_) | Token::Comment(_) | Token::Doctype(_) => {}
        }
    }
    assert!(open.is_empty(), "{open:?}");
    assert!(!page.contains(|c: char| c.is_control() && c != '\n'));
}

fn hostile() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), prop::sample::select(HOSTILE.to_vec()).prop_map(str::to_owned)]
}

fn key() -> impl Strategy<Value = Key> {
    let text = hostile().prop_map(String::into_bytes);
    prop_oneof![prop::collection::vec(any::<u8>(), 0..20), text].prop_map(Key)
}

fn number() -> impl Strategy<Value = u64> {
    prop_oneof![0u64..3, 0u64..100_000, any::<u64>()]
}

prop_compose! {
    fn region()(start in key(), server in 0u32..4, rows in number(), reads in number()) -> Region {
        Region { rows_this_interval: rows, reads_this_interval: reads, ..made::region(start, server) }
    }
}

prop_compose! {
    fn interval()(
        t_ms in number(),
        regions in prop::collection::vec(region(), 0..6),
        servers in prop::collection::vec((number(), number()), 0..40),
    ) -> Interval {
        let servers = servers.into_iter().map(|(writes, reads)| Server { writes, reads, ..Server::default() }).collect();
        Interval { t_ms, regions, servers }
    }
}

prop_compose! {
    fn run()(
        name in hostile(),
        shape in prop::sample::select(vec!["[\"a: u32\", \"b: text\"]", "[\"at: instant desc\"]", "[\"a: text\"]"]),
        interval_ms in number(),
        intervals in prop::collection::vec(interval(), 0..5),
        splits in prop::collection::vec((number(), key(), key()), 0..4),
        moves in prop::collection::vec((number(), key()), 0..4),
    ) -> Made {
        let mut made = made::empty(&name, made::layout_of(shape), interval_ms);
        made.settings.load = name;
        made.intervals = intervals;
        made.splits = splits.into_iter().map(|(t_ms, start, at)| Split { t_ms, start, at, files: Vec::new() }).collect();
        made.moves = moves.into_iter().map(|(t_ms, start)| Move { t_ms, start, from: 0, to: 1 }).collect();
        made
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_run_is_drawn_well_formed(
        runs in prop::collection::vec(run(), 0..4),
        title in hostile(),
        columns in 0usize..200,
        is_ascii: bool,
    ) {
        let drawn: Vec<Drawn<'_>> = runs.iter().map(Made::drawn).collect();
        let text = PageText { title: title.clone(), sentences: vec![title.clone()], ..PageText::default() };
        let page = html(&text, &drawn, CAPACITY);
        well_formed(&page);
        prop_assert!(page.len() < MOST, "{}", page.len());
        for (measure, order) in [(Measure::Writes, RowOrder::Key), (Measure::Reads, RowOrder::HotFirst)] {
            let drawing = svg(&title, &drawn, measure, order, CAPACITY);
            prop_assert!(roxmltree::Document::parse(&drawing).is_ok(), "{}", drawing);
            for run in &drawn {
                let shown = blocks(run, measure, order, CAPACITY, Terminal { columns, is_ascii });
                for line in shown.lines() {
                    prop_assert!(line.width() <= columns.max(20), "{} columns: {}", columns, line);
                    prop_assert!(!line.contains(char::is_control) && (!is_ascii || line.is_ascii()), "{}", line);
                }
            }
        }
    }
}
