//! The page in a real Chromium, from a file: typing, pasting, hostile input, by keyboard alone, in light and dark.

mod kept;
mod opened;
mod told;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::OnceLock;

use rowkey_browser_testkit::{Browser, LOOK};
use rowkey_page::page::{Page, build};
use serde_json::json;

use crate::kept::{addresses, left_at_once, left_by_a_link, links, names_of_objects, too_large, too_much};
use crate::opened::Opened;
use crate::told::{findings, names, prose};

const NARROW: (u32, u32) = (360, 740);
const WIDE: (u32, u32) = (1280, 900);
const TAB: &str = "\u{e004}";
const ENTER: &str = "\u{e007}";
const ESCAPE: &str = "\u{e00c}";
const RIGHT: &str = "\u{e014}";
const DOWN: &str = "\u{e015}";
const PANELS: [&str; 6] = ["key", "explain", "map", "suggest", "infer", "code"];

/// The page, built once.
fn page() -> &'static Page {
    static PAGE: OnceLock<Page> = OnceLock::new();
    PAGE.get_or_init(|| build().unwrap().1)
}

#[test]
#[ignore = "builds the page: cargo test -p rowkey-page -- --include-ignored"]
fn the_page_is_small() {
    assert!(page().program <= 3 << 20, "the program has {} bytes", page().program);
    assert!(page().html.len() <= 2_000_000, "the page has {} bytes", page().html.len());
}

/// A test for each, in a browser of its own.
macro_rules! in_a_browser {
    ($($name:ident)*) => {$(
        #[test]
        #[ignore = "builds the page: cargo test -p rowkey-page -- --include-ignored"]
        fn $name() {
            let Some(browser) = Browser::start() else { return };
            super::$name(&Opened::new(&browser, &page().html));
        }
    )*};
}

mod in_a_browser {
    use super::*;

    in_a_browser! {
        typing keys pasting hostile looks by_keyboard
        addresses left_at_once left_by_a_link links names_of_objects too_large too_much
        findings prose
    }
}

/// Typed text is judged, completed and mended.
fn typing(page: &Opened<'_>) {
    page.open(WIDE, "light");
    page.wait("$('summary').textContent.includes('error')");
    page.wait("document.querySelector('#findings .severity.error') && document.querySelector('#below .mark.error')");
    page.run("$('design').focus(); $('design').select();");
    page.browser.press("format = 1\n[table.t]\nkey = [\"at: instan\"]\n");
    page.wait("$('summary').textContent.includes('mistake') && $('findings').textContent.includes('instan')");
    assert_eq!(page.run("return document.querySelector('#findings .where').textContent;"), "3:8");
    page.run("$('design').select();");
    let design = "format = 1\n[table.t]\nkey = [\"at: instant\", \"a: u64\"]\n[[table.t.query]]\nname = \"é😀\"\nfix = [\"a\"]\n";
    page.browser.press(design);
    page.wait("$('findings').textContent.includes('Q01')");
    // The edit of the finding, as a button; it can be undone.
    page.run(
        "[...document.querySelectorAll('#findings button')].find((at) => at.textContent === 'Apply the edit').click();",
    );
    page.wait("$('design').value.includes('key = [\"a: u64\", \"at: instant\"]')");
    page.wait("!$('findings').textContent.includes('Q01')");
    page.wait(
        "$('design').value.includes('key = [\"at: instant\", \"a: u64\"]') || (document.execCommand('undo'), false)",
    );
    // Completions of a key, of a value, and none after Escape.
    page.run("$('design').focus(); $('design').setSelectionRange($('design').value.length, $('design').value.length);");
    page.browser.press("ord");
    page.wait("!$('words').hidden && $('words').textContent.includes('order')");
    page.browser.press(ESCAPE);
    page.wait("$('words').hidden");
    page.browser.press("e");
    page.wait("!$('words').hidden");
    page.browser.press(&format!("{DOWN}{ENTER}\""));
    page.wait("$('design').value.endsWith('order = \"')");
    page.wait("!$('words').hidden && $('words').textContent.includes('newest')");
    assert_eq!(page.browser.errors(), [""; 0]);
}

/// A key from values, its bytes taken apart, and the same key pasted.
fn keys(page: &Opened<'_>) {
    page.open(WIDE, "light");
    page.wait("document.querySelectorAll('#key-out .cells button').length === 20");
    page.run("const input = [...document.querySelectorAll('#fields input')].find(({ name }) => name === 'sensor'); input.value = '258'; input.dispatchEvent(new Event('input'));");
    page.wait("document.querySelector('#key-out .strip-of-bytes').textContent.includes('0102')");
    page.run("document.querySelector('#key-out .cells button').focus();");
    page.browser.press(&RIGHT.repeat(18));
    let told = page.run("return document.querySelector('#key-out .told').textContent;");
    assert_eq!(told, "Byte 18: 01, 1. sensor: u64 = 258");
    let place = page.run("const box = [...document.querySelectorAll('#key-out .cells button')].at(-1).getBoundingClientRect(); return [box.left + 3, box.top + 3];");
    page.browser.point(place[0].as_f64().unwrap(), place[1].as_f64().unwrap());
    page.wait("document.querySelector('#key-out .told').textContent.startsWith('Byte 19: 02')");
    page.run("const input = [...document.querySelectorAll('#fields input')].at(-1); input.value = 'x'; input.dispatchEvent(new Event('input'));");
    page.wait("document.querySelector('#fields [aria-invalid=true]')");
    for (key, expected) in [
        ("8000000000000000000000000000000000000102", "258"),
        ("\\x80\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x01\\x02", "258"),
        ("80", "Not a key of this table"),
        ("0xzz", "Not a key of this table"),
    ] {
        page.tab("explain");
        page.set("pasted", key);
        page.wait(&format!("$('explain-out').textContent.includes({})", json!(expected)));
    }
    assert_eq!(page.browser.errors(), [""; 0]);
}

/// Ten thousand keys end in time, with `ROWKEY_LONG` ten times as many; and suggestions, code and the map, each of the design.
fn pasting(page: &Opened<'_>) {
    page.ready();
    page.tab("infer");
    let count: u64 = if std::env::var_os("ROWKEY_LONG").is_some() { 100_000 } else { 10_000 };
    let keys = (0..count).fold(String::new(), |mut keys, row| {
        let user = ["ada", "bob", "cyd", "dan"][row as usize % 4];
        _ = writeln!(keys, "{user}#{}", 1_600_000_000 + row * 937);
        keys
    });
    let begun = std::time::Instant::now();
    page.set("keys", &keys);
    page.wait("$('infer-out').textContent.includes(\"text['#']\")");
    let taken = begun.elapsed().as_secs();
    assert!(taken < 30, "{taken} s");
    let told = page.text("infer-out");
    assert!(told.starts_with(&format!("{count} keys, read as shell")), "{told}");
    page.run("document.querySelector('.candidates button').click();");
    page.wait("$('design').value.includes('[table.inferred]')");
    page.ready();
    page.tab("suggest");
    page.wait("document.querySelectorAll('#suggest-out tbody tr').length > 1");
    assert!(page.text("suggest-out").contains("Why sensor, at desc"), "{}", page.text("suggest-out"));
    page.tab("map");
    page.wait("document.querySelector('#map-out .places rect.c6')");
    page.tab("code");
    for (language, part) in [("java", "public record"), ("python", "class "), ("go", "type Readings")] {
        page.run(&format!("$('language').value = '{language}'; $('language').dispatchEvent(new Event('input'));"));
        page.wait(&format!("document.querySelector('#code-out pre')?.textContent.includes({})", json!(part)));
    }
    assert_eq!(page.browser.errors(), [""; 0]);
    let requests = page.browser.requests();
    assert!(
        requests.iter().all(|url| ["file:", "blob:", "data:"].iter().any(|of| url.starts_with(of))),
        "{requests:?}"
    );
    // No part of the page can ask for anything.
    let refused = page.run("return fetch('https://example.com/').then(() => 'sent', () => 'refused');");
    assert_eq!(refused, "refused");
}

/// Hostile texts are text, and long ones do not stop the page.
fn hostile(page: &Opened<'_>) {
    page.ready();
    let name = "</script><script>window.made=1</script><img class=made src=x onerror='window.made=1'>\" ' & \u{202e}";
    let name = serde_json::to_string(name).unwrap();
    let design = format!(
        "format = 1\n[table.t]\nabout = {name}\nkey = [\"at: instant\", \"a: text\"]\n[[table.t.write]]\nname = {name}\nrate = \"90k/s\"\norder = \"time\"\n[[table.t.query]]\nname = {name}\nfix = [\"a\"]\n"
    );
    page.set("design", &design);
    page.wait("$('findings').textContent.includes('onerror')");
    for panel in PANELS {
        page.tab(panel);
        page.wait(&format!("$('{panel}-out').getAttribute('aria-busy') !== 'true'"));
        assert_eq!(
            page.run("return [document.querySelectorAll('.made').length, window.made ?? null];"),
            json!([0, null])
        );
    }
    page.wait("$('code-out').textContent.includes('File')");
    page.tab("key");
    for text in [
        "'x'.repeat(1000000)",
        "'[table.t]\\n'.repeat(100000)",
        "'['.repeat(100000)",
        "'\\ud800\\u0000'",
        "'a = {'.repeat(3000)",
    ] {
        page.run(&format!("$('summary').textContent = 'waits'; $('design').value = {text}; $('design').dispatchEvent(new Event('input'));"));
        page.wait("$('summary').textContent !== 'waits'");
    }
    page.set("design", "format = 1\n[table.t]\nkey = [\"a: u8\"]\n");
    page.wait("$('summary').textContent.includes('note') || $('summary').textContent.includes('Nothing')");
    assert_eq!(page.browser.errors(), [""; 0]);
}

/// Nothing is outside of the window, over something else, or hard to read; and everything has a name. With
/// `ROWKEY_LONG` in each scheme at each size, else in one at each.
fn looks(page: &Opened<'_>) {
    let all = [(WIDE, "light"), (NARROW, "dark"), (NARROW, "light"), (WIDE, "dark")];
    let looked_at = if std::env::var_os("ROWKEY_LONG").is_some() { 4 } else { 2 };
    for (size, scheme) in all.into_iter().take(looked_at) {
        page.open(size, scheme);
        page.wait("document.querySelector('#key-out .cells')");
        for panel in PANELS {
            page.tab(panel);
            match panel {
                "explain" => page.set("pasted", "8000000000000000000000000000000000000102"),
                "infer" => page.set(
                    "keys",
                    &(0..50).fold(String::new(), |keys, row| keys + &format!("a#{}\n", row * 7919 + 1000)),
                ),
                _ => {}
            }
            page.wait(&format!(
                "$('{panel}-out').childElementCount > 0 && !$('{panel}-out').hasAttribute('aria-busy')"
            ));
            let wrong = page.run(LOOK);
            page.browser.screenshot(&format!("page-{panel}-{}-{scheme}", size.0));
            assert_eq!(wrong, json!([]), "{panel} at {size:?} in {scheme}");
            assert_eq!(page.run(opened::CONTRAST_OF_INPUTS), json!([]), "{panel} at {size:?} in {scheme}");
            let named = page.browser.named();
            let nameless: Vec<_> = named.iter().filter(|(_, name)| name.trim().is_empty()).collect();
            assert!(nameless.is_empty() && named.len() > 15, "{panel}: {nameless:?} of {named:?}");
            names(page, panel);
        }
        assert_eq!(page.browser.errors(), [""; 0]);
    }
}

/// Tab and arrow keys alone come to each thing that can be used, where it is seen to have the focus.
fn by_keyboard(page: &Opened<'_>) {
    page.ready();
    page.run("$('tab-key').focus();");
    for panel in PANELS {
        if panel != "key" {
            page.run(&format!("$('tab-{}').focus();", PANELS[PANELS.iter().position(|of| *of == panel).unwrap() - 1]));
            page.browser.press(RIGHT);
        }
        page.wait(&format!("!$('{panel}').hidden && document.activeElement.id === 'tab-{panel}'"));
        if !["explain", "infer"].contains(&panel) {
            page.wait(&format!(
                "$('{panel}-out').childElementCount > 0 && !$('{panel}-out').hasAttribute('aria-busy')"
            ));
        }
        let stops = page.run(
            "document.activeElement.blur(); let at = 0;
             for (const stop of document.querySelectorAll('button, input, select, textarea, [tabindex]')) {
               delete stop.dataset.stop;
               if (stop.checkVisibility() && stop.tabIndex >= 0) stop.dataset.stop = at++;
             } return at;",
        );
        let mut reached = BTreeSet::new();
        for _ in 0..stops.as_u64().unwrap() + 3 {
            page.browser.press(TAB);
            let at = page.run(
                "const at = document.activeElement, frame = at.id === 'design' ? $('frame') : at;
                 return [at.dataset.stop ?? null, getComputedStyle(frame).outlineStyle];",
            );
            if let Some(stop) = at[0].as_str() {
                assert!(["solid", "auto"].contains(&at[1].as_str().unwrap()), "{panel}: {at}");
                reached.insert(stop.to_owned());
            }
        }
        assert_eq!(reached.len() as u64, stops.as_u64().unwrap(), "{panel}");
    }
    assert_eq!(page.browser.errors(), [""; 0]);
}
