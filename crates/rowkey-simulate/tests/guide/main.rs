//! The pages of the guide (`docs/simulation/`): what they have of the program is what it prints, and the runs show what
//! the texts say. `ROWKEY_REWRITE=1` writes the pages' parts and the pictures anew.

mod shows;

use std::fs;
use std::io::{BufReader, Read as _};
use std::path::PathBuf;

use rowkey_design::internal::file::Period;
use rowkey_design::internal::forms::KeyForm;
use rowkey_design::internal::sample::{self, SampleUse};
use rowkey_design::{CheckOptions, Date, Design, File};
use rowkey_simulate::answer;
use rowkey_simulate::page::{self, Measure, RowOrder};
use rowkey_simulate::recording::Run;
use rowkey_simulate::run::Answer;
use rowkey_simulate::simulation::{Declared, Options};

/// The events of each run; of those that tell how sure its numbers are a quarter.
const EVENTS: u64 = 100_000;
const MADE: &str = "<!-- made by `cargo test -p rowkey-simulate --test guide` -->\n";
const END: &str = "<!-- end -->\n";

/// A page and its run.
struct Case {
    name: &'static str,
    length: &'static str,
    form: KeyForm,
}

const fn case(name: &'static str, length: &'static str) -> Case {
    Case { name, length, form: KeyForm::Hex }
}

const CASES: [Case; 6] = [
    case("four_keys", "1 day"),
    case("crash_reports", "4 days"),
    case("metrics", "1 day"),
    case("queue", "14 days"),
    case("celebrity", "1 day"),
    Case { form: KeyForm::Json, ..case("benford", "6 h") },
];

/// The run of a table, and its answers.
struct Told {
    table: String,
    run: Run,
    answer: Answer,
}

/// A page of the guide as its run makes it: the text between the marks, the pictures by name, the runs.
struct Made {
    text: String,
    pictures: Vec<(String, String)>,
    tables: Vec<Told>,
}

fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn folder() -> PathBuf {
    root().join("docs/simulation")
}

impl Case {
    /// The design, and the options with the profiles of its samples.
    fn design(&self) -> (Design, CheckOptions) {
        let path = folder().join(format!("{}.rowkey.toml", self.name));
        let text = fs::read_to_string(&path).unwrap();
        let mut design = Design::parse([File { name: path.display().to_string(), text }]).unwrap();
        let mut options = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
        let samples = design.sample_paths();
        for of_splits in [true, false] {
            for found in samples.iter().filter(|found| matches!(found.what, SampleUse::Splits(_)) == of_splits) {
                let layout = design.layout_of(found).unwrap().clone();
                let splits = design.tables[&found.table].split_points(found.secondary);
                let reader = BufReader::new(fs::File::open(&found.path).unwrap());
                let profile = sample::read(reader, self.form, &layout, splits.as_ref(), |_, _| {}).unwrap();
                match of_splits {
                    true => design.split_by_sample(found, &profile).unwrap(),
                    false => options = options.profile(&found.table, profile),
                }
            }
        }
        (design, options)
    }

    fn made(&self) -> Made {
        let (design, options) = self.design();
        let report = design.check(&options);
        let seconds = Period::parse(self.length).unwrap().seconds();
        let how = Options { seconds, most: EVENTS, ..Options::default() };
        let mut told = Vec::new();
        for (table, costs) in design.query_costs(&options) {
            let declared = Declared::of(&design, &table.name, None, &options).unwrap();
            let run = declared.simulate(&how, |_| {}).unwrap();
            let others = declared.simulate_others(&how, |_| {}, |run| answer::Other::of(&declared, run)).unwrap();
            let answer = answer::answer(&declared, &run, &others, &report, &costs, &[]);
            told.push((declared, run, answer));
        }
        let together = answer::Together::of(told.iter().map(|(declared, run, _)| (declared, run)));
        let together = together.map(|together| together.answer(&report));
        let tables = told.into_iter().map(|(declared, run, mut answer)| {
            together.iter().for_each(|together| together.beside(&mut answer));
            Told { table: declared.key.name.to_string(), run, answer }
        });
        let tables: Vec<Told> = tables.collect();
        let pictures = self.pictures(&design, &options, &tables);
        let form = if self.form == KeyForm::Hex { String::new() } else { " --form json".to_owned() };
        let mut text = format!(
            "```sh\nrowkey simulate --for '{}' --events {EVENTS}{form} docs/simulation/{}.rowkey.toml\n```\n\n```text\n",
            self.length, self.name
        );
        if let Some(together) = together.filter(|together| together.saturates) {
            text += &format!("{}\n\n", together.sentence);
        }
        text += &tables.iter().map(|told| answer::text(&told.answer)).collect::<Vec<_>>().join("\n");
        text += "```\n";
        for (name, _) in &pictures {
            text += &format!("\n![Keys and time: the picture of {name}]({name}.svg)\n");
        }
        Made { text, pictures, tables }
    }

    /// A picture of the tables whose reads are hotter, and one of the others.
    fn pictures(&self, design: &Design, options: &CheckOptions, tables: &[Told]) -> Vec<(String, String)> {
        let declared = tables.iter().map(|told| Declared::of(design, &told.table, None, options).unwrap());
        let declared: Vec<_> = declared.collect();
        let Some(capacity) = declared.first().map(answer::capacity) else { return Vec::new() };
        let drawn = tables.iter().zip(&declared).map(|(told, declared)| page::Drawn {
            name: &told.table,
            settings: &told.run.settings,
            intervals: &told.run.intervals,
            splits: &told.run.splits,
            moves: &told.run.moves,
            merges: &told.run.merges,
            layout: declared.key.layout,
            times: design.times_of(&told.table),
        });
        let drawn: Vec<_> = drawn.collect();
        let of = |measure: Measure| {
            let hotter = drawn.iter().copied().filter(|run| page::hotter(&[*run], capacity) == measure);
            let hotter: Vec<_> = hotter.collect();
            let name = match hotter.len() {
                0 => return None,
                all if all == tables.len() => self.name.to_owned(),
                _ => format!("{}_{}", self.name, measure.word()),
            };
            let title = format!("{} by key and time", measure.word());
            Some((name, page::svg(&title, &hotter, measure, RowOrder::Key, capacity)))
        };
        Measure::ALL.into_iter().filter_map(of).collect()
    }

    /// Holds the page and its pictures against those that were made; or writes them.
    fn compare(&self, made: &Made) {
        let path = folder().join(format!("{}.md", self.name));
        let page = fs::read_to_string(&path).unwrap();
        let (before, rest) = page.split_once(MADE).expect("the mark of what is made");
        let (found, after) = rest.split_once(END).expect("the mark of its end");
        let rewrites = std::env::var_os("ROWKEY_REWRITE").is_some();
        if rewrites {
            fs::write(&path, [before, MADE, &made.text, END, after].concat()).unwrap();
        } else {
            assert_eq!(found, made.text, "{}: if this is right, run it with ROWKEY_REWRITE=1", self.name);
        }
        for (name, picture) in &made.pictures {
            let path = folder().join(format!("{name}.svg"));
            assert!(picture.len() <= 60_000, "{name}: {} bytes", picture.len());
            if rewrites {
                fs::write(&path, picture).unwrap();
            } else {
                assert!(fs::read_to_string(&path).unwrap() == *picture, "{name}.svg: run it with ROWKEY_REWRITE=1");
            }
        }
    }
}

/// Holds a page to words that are made of its numbers.
fn says(name: &str, words: &str) {
    let page = fs::read_to_string(folder().join(format!("{name}.md"))).unwrap();
    let (_, own) = page.split_once(END).expect("the mark of the end of what is made");
    let own = own.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(own.contains(words), "{name}.md does not say {words:?}");
}

/// Makes a page, compares it, and returns the runs.
fn told(name: &str) -> Vec<Told> {
    let case = CASES.iter().find(|case| case.name == name).unwrap();
    let made = case.made();
    case.compare(&made);
    made.tables
}

#[test]
fn the_index_names_each_page() {
    let index = fs::read_to_string(root().join("docs/simulation.md")).unwrap();
    let pages = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<_> = pages.filter(|path| path.extension().is_some_and(|end| end == "md")).collect();
    pages.sort();
    let mut names: Vec<_> = CASES.iter().map(|case| case.name).collect();
    names.sort_unstable();
    assert_eq!(pages.iter().map(|path| path.file_stem().unwrap().to_str().unwrap()).collect::<Vec<_>>(), names);
    assert!(names.iter().all(|name| index.contains(&format!("(simulation/{name}.md)"))));
}

#[test]
fn the_sizes_are_those_of_the_packages() {
    let packed = fs::File::open(root().join("studies/data/packages.tsv.gz")).unwrap();
    let (mut text, mut due) = (String::new(), String::new());
    flate2::read::GzDecoder::new(packed).read_to_string(&mut text).unwrap();
    for line in text.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        due += &format!("[\"{}\",\"{}\"]\n", columns[3], columns[0]);
    }
    assert!(due == fs::read_to_string(folder().join("benford.jsonl")).unwrap());
}
