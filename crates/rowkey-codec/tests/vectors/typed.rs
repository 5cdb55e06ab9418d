//! Selections that random rows seldom come to, with the ranges that Rust gives: the tiles in a tile, by prefixes of the
//! derive, and beginnings that end with a part of their delimiter. A fault in their code is found by them.

use rowkey::geo::{QuadKey, Tile};
use rowkey::untyped::FieldValues;
use rowkey::{KeyRange, LayoutBuf, RowKey, Value};
use rowkey_codec::ir::Table;
use serde_json::{Value as Json, json};

use crate::asking::of_ranges;

/// Questions, each with its right answer.
pub(crate) struct Typed {
    pub(crate) tables: Vec<Table>,
    pub(crate) questions: Vec<String>,
    due: Vec<Json>,
}

#[derive(RowKey)]
struct Place {
    at: QuadKey<13>,
    id: u32,
}

#[derive(RowKey)]
#[rowkey(salt(buckets = 3, by(kind)))]
struct Newest {
    kind: u8,
    #[rowkey(desc)]
    at: QuadKey<4>,
    id: u32,
}

#[derive(RowKey)]
struct Area {
    kind: u8,
    at: Tile,
    #[rowkey(desc)]
    seen: u32,
}

#[derive(RowKey)]
#[rowkey(salt(buckets = 2, by(at)))]
struct Last {
    #[rowkey(desc)]
    at: Tile,
}

/// Tiles of several zooms: smaller ones than a quadkey, the deepest, and the world.
const AREAS: [&str; 10] =
    ["", "0", "3", "12", "333", "0123", "01233", "3333333333333", "12301230123012", "33333333333333333333333333333"];

impl Typed {
    fn table<K: RowKey>(&mut self) -> usize {
        self.tables.push(Table::new(K::LAYOUT.shape().parse().unwrap()));
        self.tables.len() - 1
    }

    fn ask(&mut self, table: usize, leading: Json, condition: Json, due: Vec<Vec<KeyRange>>) {
        self.questions.push(format!("ranges\t{table}\t{leading}\t{condition}"));
        self.due.push(of_ranges(&due));
    }

    fn starts_with(&mut self, shape: &str, starts: &[&str]) {
        let layout: LayoutBuf = shape.parse().unwrap();
        self.tables.push(Table::new(layout.clone()));
        for start in starts {
            let condition = FieldValues::StartsWith(Value::Text((*start).to_owned()));
            let due = layout.ranges_by_bucket(&[], Some(&condition)).unwrap();
            self.ask(self.tables.len() - 1, json!([]), json!({"starts_with": start}), due);
        }
    }

    pub(crate) fn check(&self, answers: &[String]) {
        assert_eq!(self.wrong(answers), [""; 0]);
    }

    /// The wrong answers, each with its question and what is due.
    pub(crate) fn wrong(&self, answers: &[String]) -> Vec<String> {
        let all = self.questions.iter().zip(&self.due).zip(answers);
        let is_right = |due: &Json, answer: &str| serde_json::from_str(answer).is_ok_and(|found: Json| found == *due);
        let wrong = all.filter(|((_, due), answer)| !is_right(due, answer));
        wrong.map(|((question, due), answer)| format!("{question}\n  {answer}\n  {due}")).collect()
    }
}

pub(crate) fn selections() -> Typed {
    let mut typed = Typed { tables: Vec::new(), questions: Vec::new(), due: Vec::new() };
    let (place, newest, area, last) =
        (typed.table::<Place>(), typed.table::<Newest>(), typed.table::<Area>(), typed.table::<Last>());
    for digits in AREAS {
        let tile: Tile = digits.parse().unwrap();
        let within = json!({"within": digits});
        typed.ask(place, json!([]), within.clone(), Place::prefix().at_within(&tile).ranges_by_bucket());
        typed.ask(newest, json!(["7"]), within.clone(), Newest::prefix().kind(7).at_within(&tile).ranges_by_bucket());
        typed.ask(area, json!(["7"]), within.clone(), Area::prefix().kind(7).at_within(&tile).ranges_by_bucket());
        typed.ask(last, json!([]), within, Last::prefix().at_within(&tile).ranges_by_bucket());
    }
    assert!(typed.due.iter().any(|due| *due == json!([])), "some tile has no quadkeys");
    typed.starts_with("text[':::'], u8", &["", ":", "::", "a:", "a::", "ab", "::a:"]);
    typed.starts_with("salt(2 xxh3 by 1) text['aba'], u8", &["a", "ab", "ba", "bab", "c", "aab"]);
    typed.starts_with("text[until 'aa'], text[end after 'aa']", &["", "a", "ba", "b"]);
    typed.starts_with("text[3 '#'] desc, u8", &["", "#", "a#", "ab#", "abc"]);
    typed
}
