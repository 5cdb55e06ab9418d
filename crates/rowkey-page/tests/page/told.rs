//! Texts of the page: counts, the design that a panel is of, accessible names, and no completion in prose.

use serde_json::json;

use crate::opened::Opened;
use crate::{DOWN, ENTER};

/// The names of controls that do not hold their visible text, or that two have; and empty heads of tables.
const NAMES: &str = "
    const wrong = [], seen = new Set();
    for (const control of document.querySelectorAll('button, select, input, textarea')) {
      if (!control.checkVisibility()) continue;
      const text = control.matches('button') ? control.textContent.trim() : '';
      const name = control.getAttribute('aria-label') ?? (text || [...control.labels].map((label) => label.textContent).join(' '));
      if (!name.includes(text)) wrong.push(`“${text}” is not in “${name}”`);
      if (seen.has(name)) wrong.push(`two are “${name}”`);
      seen.add(name);
    }
    for (const head of document.querySelectorAll('th')) if (head.textContent.trim() === '') wrong.push('an empty head');
    return wrong;";

/// Names are of what is seen, and each is of one thing.
pub(crate) fn names(page: &Opened<'_>, panel: &str) {
    assert_eq!(page.run(NAMES), json!([]), "{panel}");
}

/// All that is found is counted, notes too, and what is not shown is said.
pub(crate) fn findings(page: &Opened<'_>) {
    page.ready();
    let table = |at: usize| {
        format!(
            "[table.t{at}]\nkey = [\"a: u64\"]\n[[table.t{at}.write]]\nname = \"w\"\nrate = \"90k/s\"\norder = \"key\"\n"
        )
    };
    let design = |count| "format = 1\n".to_owned() + &(0..count).map(table).collect::<String>();
    page.set("design", &design(250));
    page.wait("$('summary').textContent.includes(' 250 warnings')");
    let summary = page.text("summary");
    let numbers: Vec<usize> = summary.split([' ', ',']).filter_map(|word| word.parse().ok()).collect();
    let [errors, warnings, notes, shown, all] = numbers[..] else { panic!("{summary}") };
    assert_eq!(errors + warnings + notes, all, "{summary}");
    assert_eq!(page.run("return $('findings').childElementCount;"), json!(shown), "{summary}");
    page.set("design", &("format = 1\n".to_owned() + &"[table.t]\n".repeat(500)));
    page.wait("$('summary').textContent.includes('; the first 200 of ')");
    page.set("design", "format = 1\n[table.t]\nkey = [\"a: u8\"]\nsample = \"x.txt\"\n");
    page.wait("$('summary').textContent === '0 errors, 0 warnings, 1 note'");
    assert!(page.text("findings").contains("x.txt is not read"), "{}", page.text("findings"));
    // A panel says of which design it is, and shows none of another state.
    page.wait("document.querySelectorAll('#key-out .cells button').length === 1 && $('stale').textContent === ''");
    page.set("design", "format = 1\n[table.t]\nkey = [\"a: u88\"]\n");
    page.wait("$('stale').textContent.includes('of the last one without')");
    page.run("const input = $('field-0'); input.value = '7'; input.dispatchEvent(new Event('input'));");
    page.wait("document.querySelector('#key-out .cells').textContent === '07'");
    let hash = page.deflated("JSON.stringify({ design: 'format = 1\\n[' })");
    page.go(&format!("#{hash}"));
    page.wait("$('stale').textContent.includes('nothing follows from it yet')");
    assert_eq!(page.run("return [$('key-out').childElementCount, $('fields').childElementCount];"), json!([0, 0]));
    page.set("design", "format = 1\n[table.t]\nkey = [\"a: u8\"]\n");
    page.wait("document.querySelector('#key-out .cells') && $('stale').textContent === ''");
    page.set("design", "format = 1\n");
    page.wait("!document.querySelector('#key-out .cells')");
    assert_eq!(page.browser.errors(), [""; 0]);
}

/// Prose is left alone, and a completion in a string takes the place of its word alone.
pub(crate) fn prose(page: &Opened<'_>) {
    page.ready();
    let at = |design: &str| {
        page.set("design", &design.replace('|', ""));
        let place = design.find('|').unwrap();
        page.run(&format!("$('design').focus(); $('design').setSelectionRange({place}, {place});"));
    };
    at("format = 1\n[table.t]\nkey = [\"a: |\"]\n");
    page.browser.press("u");
    page.wait("!$('words').hidden && $('words').textContent.includes('u16')");
    page.browser.press(DOWN);
    page.browser.press(ENTER);
    page.wait("$('design').value.includes('key = [\"a: u8\"]') && $('words').hidden");
    at("format = 1\n[table.t]\nkey = [\"a: u8\"]\nabout = \"\"\"\n|\n\"\"\"\n");
    page.wait("location.hash.length > 20");
    page.run("window.before = location.hash;");
    page.browser.press("all");
    // The words would come before the address is written.
    page.wait("location.hash !== window.before && $('design').value.includes('all')");
    page.browser.press(DOWN);
    page.browser.press(ENTER);
    assert!(page.run("return $('design').value;").as_str().unwrap().contains("all\n"));
    assert_eq!(page.run("return [$('words').hidden, $('design').value.includes('allow')];"), json!([true, false]));
    assert_eq!(page.browser.errors(), [""; 0]);
}
