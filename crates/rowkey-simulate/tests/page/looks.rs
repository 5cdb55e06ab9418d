//! Pages in a real Chromium: legible, in light, dark and print; by keyboard alone; nothing but text of hostile text.

use std::collections::BTreeSet;

use rowkey_browser_testkit::{Browser, LOOK};
use rowkey_design::{CheckOptions, Date, Design, File};
use rowkey_simulate::page::{Capacity, PageText, Rate, Remark, checked, html};
use serde_json::Value as Json;

use crate::made::{self, CAPACITY, HOSTILE, Made};

const NARROW: (u32, u32) = (360, 740);
const WIDE: (u32, u32) = (1280, 900);
const TAB: &str = "\u{e004}";
const ENTER: &str = "\u{e007}";
const LEFT: &str = "\u{e012}";
const RIGHT: &str = "\u{e014}";
const DOWN: &str = "\u{e015}";

fn text(designs: usize) -> PageText {
    let remark = |severity: &str, rule: &str| Remark {
        severity: severity.to_owned(),
        rule: rule.to_owned(),
        message: "all writes of one moment land in 1 place: 12,000/s, where a server takes 10,000".to_owned(),
        witness: vec!["metric 000000 has 50 % of the writes".to_owned()],
        remedy: "salt the key by metric and at, with 16 buckets".to_owned(),
    };
    PageText {
        title: "Metrics by metric and time".to_owned(),
        sentences: vec!["One server saturates from the first minute, at 12,000 writes a second.".to_owned(); designs],
        facts: vec![
            ("rate before the first server saturates".to_owned(), vec!["8,400 ± 300 writes/s".to_owned(); designs]),
            ("hottest region".to_owned(), vec!["50 % of the writes".to_owned(); designs]),
        ],
        unjudged: vec!["whether reads are hot: say a rate".to_owned()],
        assumed: vec!["a server takes 10,000 writes a second: say `region.writes = …`".to_owned()],
        remarks: vec![remark("error", "H01"), remark("warning", "H02"), remark("note", "Q03")],
    }
}

fn hostile() -> (PageText, Made) {
    let all = HOSTILE.join(" ");
    let remark = Remark {
        severity: all.clone(),
        rule: all.clone(),
        message: all.clone(),
        witness: vec![all.clone()],
        remedy: all.clone(),
    };
    let text = PageText {
        title: all.clone(),
        sentences: vec![all.clone()],
        facts: vec![(all.clone(), vec![all.clone()])],
        unjudged: vec![all.clone()],
        assumed: vec![all.clone(), "x".repeat(20_000)],
        remarks: vec![remark],
    };
    (text, made::of_hostile_keys())
}

/// The page of a design whose names are hostile.
fn hostile_design() -> String {
    let mut design =
        "format = 1\n[cluster.c]\nengine = \"hbase\"\nservers = 8\nregion.writes = \"2k/s\"\n[table.visits]\n\
         key = [\"host: text\", \"at: instant desc\"]\nsalt = { buckets = 16 }\nsplits = \"buckets\"\n\
         stats.host = { distinct = 50 }\n"
            .to_owned();
    for text in HOSTILE {
        let name = serde_json::to_string(text).unwrap();
        design += &format!("[[table.visits.write]]\nname = {name}\nrate = \"30k/s\"\norder = \"time\"\n");
        design += &format!("[[table.visits.query]]\nname = {name}\nfix = [\"host\"]\n");
    }
    let design = Design::parse([File { name: "visits.rowkey.toml".into(), text: design }]).unwrap();
    let options = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
    let report = design.check(&options);
    assert!(!report.findings.is_empty());
    checked(&design, &options, &report)
}

#[test]
fn pages_are_legible_and_work_by_keyboard() {
    let Some(browser) = Browser::start() else { return };
    let one = made::of_metrics("led by the metric", 8, 120, 24_000);
    let many = made::of_metrics("five hundred metrics", 500, 200, 24_000);
    let (hostile_text, hostile) = hostile();
    let pages = [
        ("one", html(&text(1), &[one.drawn()], CAPACITY)),
        ("two", html(&text(2), &[one.drawn(), many.drawn()], CAPACITY)),
        ("hostile", html(&hostile_text, &[hostile.drawn()], CAPACITY)),
        ("check", hostile_design()),
    ];
    for (name, page) in &pages {
        let all = [(WIDE, "dark"), (NARROW, "light"), (WIDE, "light"), (NARROW, "dark"), (WIDE, "print")];
        let looks = if *name == "hostile" { &all[..2] } else { &all[..] };
        for &(size, scheme) in looks {
            browser.open(page, size, scheme);
            let wrong = browser.run(LOOK);
            browser.screenshot(&format!("{name}-{}-{scheme}", size.0));
            assert_eq!(wrong, serde_json::json!([]), "{name} at {size:?} in {scheme}");
            let named = browser.named();
            let roles: BTreeSet<&str> = named.iter().map(|(role, _)| role.as_str()).collect();
            assert!(named.len() > 5 && roles.contains("heading") && roles.contains("region"), "{name}: {named:?}");
            let nameless: Vec<_> = named.iter().filter(|(_, name)| name.trim().is_empty()).collect();
            assert!(nameless.is_empty(), "{name} at {size:?} in {scheme}: {nameless:?} of {named:?}");
            assert_eq!(browser.errors(), [""; 0], "{name}");
            // The script ran, and there is no other.
            let ran = browser.run("return [document.scripts.length, document.getElementById('how')?.hidden];");
            let expected = if *name == "check" { serde_json::json!([0, null]) } else { serde_json::json!([2, false]) };
            assert_eq!(ran, expected, "{name}");
            let requests = browser.requests();
            assert!(requests.iter().all(|url| url.starts_with("file://")) && requests.len() == 1, "{requests:?}");
        }
    }
    keyboard(&browser, &pages[0].1);
    browser.open(&pages[3].1, NARROW, "light");
    reached_by_tab(&browser, 1);
    // Any number of reads: it opens on writes.
    let of_writes = Capacity { reads: Rate { each: f64::INFINITY, is_assumed: true }, ..CAPACITY };
    cells(&browser, &html(&text(1), &[made::of_metrics("few", 3, 30, 24_000).drawn()], of_writes));
    without_script(&browser, &pages[0].1);
    hostile_text_is_shown(&browser, &pages[2].1);
}

/// Tab alone comes to each choice, picture and table of the page that is open, of which there are so many at least.
fn reached_by_tab(browser: &Browser, least: usize) {
    let stops = browser.run(
        "window.at = () => { const at = document.activeElement;
            return at === document.body ? '' : at.name ?? at.getAttribute('aria-label') ?? at.textContent; };
         const seen = (element) => element.checkVisibility();
         const stops = document.querySelectorAll('input:checked, summary, .cells, .scroll');
         return [...stops].filter(seen).map((at) => at.name ?? at.getAttribute('aria-label') ?? at.textContent);",
    );
    let stops: BTreeSet<_> = stops.as_array().unwrap().iter().map(|stop| stop.as_str().unwrap().to_owned()).collect();
    assert!(stops.len() >= least, "{stops:?}");
    let mut reached = BTreeSet::new();
    for _ in 0..stops.len() + 2 {
        browser.press(TAB);
        let at = browser.run("return window.at();").as_str().unwrap().to_owned();
        if !at.is_empty() {
            assert_eq!(browser.run("return getComputedStyle(document.activeElement).outlineStyle;"), "solid", "{at}");
        }
        reached.insert(at);
    }
    assert!(stops.is_subset(&reached), "{stops:?} {reached:?}");
}

fn keyboard(browser: &Browser, page: &str) {
    browser.open(page, WIDE, "light");
    reached_by_tab(browser, 7);
    // An arrow key chooses the other order, and the other picture is shown.
    let shown = "return [...document.querySelectorAll('.view')].filter((view) => view.checkVisibility()).map((view) => view.className);";
    let before = browser.run(shown);
    browser.run("document.getElementById('order-key').focus();");
    browser.press(RIGHT);
    let after = browser.run(shown);
    assert_eq!((&before[0], &after[0]), (&"view writes by-key".into(), &"view writes by-hot".into()));
    browser.run("document.getElementById('measure-writes').focus();");
    browser.press(RIGHT);
    assert_eq!(browser.run(shown)[0], "view reads by-hot");
    // A table is opened by Enter.
    browser.run("[...document.querySelectorAll('summary')].find((summary) => summary.checkVisibility()).focus();");
    browser.press(ENTER);
    assert_eq!(browser.run("return document.querySelectorAll('details[open] td').length > 0;"), true);
}

/// Arrow keys come to each cell, and what is told of it is what the table has; the pointer tells the same.
fn cells(browser: &Browser, page: &str) {
    browser.open(page, WIDE, "light");
    let size = browser.run(
        "const told = document.querySelector('.told'), all = window.all = [];
         new MutationObserver(() => all.push(told.textContent)).observe(told, { childList: true });
         window.table = document.querySelector('details table'); window.map = document.querySelector('.cells');
         window.map.focus(); return [window.table.rows.length - 1, window.table.rows[0].cells.length - 1];",
    );
    let [rows, columns] = [0, 1].map(|at| size[at].as_u64().unwrap());
    let drawn = "const { width, height } = window.map.querySelector('svg').viewBox.baseVal; return [height, width];";
    assert_eq!(browser.run(drawn), size);
    assert_eq!(browser.run("return document.querySelector('.told').getAttribute('role');"), "status");
    let mut seen = BTreeSet::new();
    for row in 0..rows {
        // To and fro, and down at the end of the row.
        let (key, order): (_, Vec<u64>) = match row % 2 {
            0 => (RIGHT, (0..columns).collect()),
            _ => (LEFT, (0..columns).rev().collect()),
        };
        browser.press(&key.repeat(columns as usize - 1));
        let script = format!(
            "return [window.all.splice(0), [...window.table.rows[{row} + 1].cells].slice(1).map((cell) => cell.textContent)];"
        );
        let both = browser.run(&script);
        let (all, cells) = (both[0].as_array().unwrap(), &both[1]);
        assert_eq!(all.len(), order.len(), "{all:?}");
        for (told, column) in all.iter().zip(order) {
            let (cell, told) = (cells[column as usize].as_str().unwrap(), told.as_str().unwrap());
            assert!(told.contains(&format!(": {cell} writes/s")), "{row} {column}: {cell} {told}");
            seen.insert(told.to_owned());
        }
        browser.press(DOWN);
    }
    assert_eq!(seen.len() as u64, rows * columns);
    // Where nothing has the focus, nothing scrolls.
    browser.open(page, WIDE, "light");
    let place = browser.run(
        "const box = document.querySelector('.cells').getBoundingClientRect(); return [box.left + 3, box.top + 3];",
    );
    browser.point(place[0].as_f64().unwrap(), place[1].as_f64().unwrap());
    let told = browser.run("return document.querySelector('.told').textContent;");
    assert_eq!(
        told.as_str(),
        seen.iter().find(|told| told.starts_with("0 s to ") && told.contains("the first key")).map(String::as_str)
    );
}

/// Pictures, tables and choices are there.
fn without_script(browser: &Browser, page: &str) {
    let start = page.rfind("<script>").unwrap();
    browser.open(&format!("{}</body></html>", &page[..start]), NARROW, "light");
    assert_eq!(browser.run(LOOK), serde_json::json!([]));
    browser.run("document.getElementById('order-key').focus();");
    browser.press(RIGHT);
    let shown = browser.run("return document.querySelector('.by-hot').checkVisibility() && !document.querySelector('.by-key').checkVisibility();");
    assert_eq!(shown, true);
    assert_eq!(browser.run("return document.getElementById('how').checkVisibility();"), false);
}

fn hostile_text_is_shown(browser: &Browser, page: &str) {
    browser.open(page, NARROW, "light");
    let text = browser.run("return document.querySelector('.lead').textContent;");
    for part in HOSTILE {
        let shown = rowkey_design::internal::quote::terminal(part);
        assert!(text.as_str().unwrap().contains(&shown), "{shown}");
    }
    let labels: Json =
        browser.run("return [...document.querySelectorAll('.labels span')].map((span) => span.textContent);");
    assert!(labels.as_array().unwrap().iter().any(|label| label.as_str().unwrap().contains("</script>")), "{labels}");
}
