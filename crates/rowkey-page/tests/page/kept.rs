//! The state in the address: what is written is read again, and what is not in it is said.

use serde_json::json;

use crate::opened::Opened;

/// A design of some length, in characters of three bytes.
fn long(characters: usize) -> String {
    format!("format = 1\n# {}\n[table.mine]\nkey = [\"a: u8\"]\n", "日".repeat(characters))
}

/// Opens the page anew with what its address keeps, and waits until it is judged.
fn reopen(page: &Opened<'_>) {
    let hash = page.run("return location.hash;").as_str().unwrap().to_owned();
    page.ready();
    page.go(&hash);
}

/// The state is restored from the fragment of the address; a fragment that is not valid is ignored.
pub(crate) fn addresses(page: &Opened<'_>) {
    page.ready();
    page.tab("explain");
    page.set("pasted", "80é");
    page.set("design", "format = 1\n[table.sent]\nkey = [\"name: text\"] # é😀\n");
    page.wait("location.hash.length > 20 && !$('summary').textContent.includes('errors')");
    page.wait("window.before === location.hash || (window.before = location.hash, false)");
    let address = page.run("return location.hash;").as_str().unwrap().to_owned();
    page.ready();
    page.go(&address);
    page.wait("$('design').value.includes('[table.sent]') && $('pasted').value === '80é' && !$('explain').hidden");
    // Not base64, not compressed, wrong UTF-8, no design, other kinds, and too long when it is read.
    for json in ["[255, 254]", "'{}'", "'{\"design\": 1}'", "'null'", "'\"' + 'x'.repeat(30000000)"] {
        let hash = page.deflated(json);
        page.go("#");
        page.wait("!$('status').textContent.includes('holds no state')");
        page.go(&format!("#{hash}"));
        page.wait("$('status').textContent.includes('holds no state') && $('design').value.includes('readings')");
    }
    for hash in ["%ff%00", "<script>made</script>", "AAAA", "=", "💩"] {
        page.go("#");
        page.wait("!$('status').textContent.includes('holds no state')");
        page.go(&format!("#{hash}"));
        page.wait("$('status').textContent.includes('holds no state')");
    }
    let odd = page.deflated("'{\"design\": \"format = 1\", \"tab\": \"constructor\", \"form\": \"<\", \"language\": 5, \"values\": [1], \"table\": {}}'");
    page.go(&format!("#{odd}"));
    page.wait("$('design').value === 'format = 1'");
    assert_eq!(page.browser.errors(), [""; 0]);
}

/// What is typed just before the page is loaded anew is not lost: in one block of bytes, in several, and too large.
pub(crate) fn left_at_once(page: &Opened<'_>) {
    for design in [long(10), long(40_000)] {
        page.ready();
        page.run(&format!(
            "window.isOld = true; $('design').value = {}; $('design').dispatchEvent(new Event('input')); location.reload();",
            json!(design)
        ));
        page.wait(&format!("!window.isOld && $('design').value === {}", json!(design)));
        assert_eq!(page.text("status"), "");
    }
    page.ready();
    let asked = page.run(&format!(
        "$('design').value = {}; $('design').dispatchEvent(new Event('input'));
         const leave = new Event('beforeunload', {{ cancelable: true }}); return !dispatchEvent(leave);",
        json!(long(70_000))
    ));
    assert_eq!(asked, true);
    page.set("design", &long(10));
    page.wait("location.hash.length > 20");
    assert_eq!(page.browser.errors(), [""; 0]);
}

/// What is typed just before the history goes to another entry is in the history, also when the page is loaded anew.
pub(crate) fn left_by_a_link(page: &Opened<'_>) {
    let of = |name: &str| format!("format = 1\n[table.{name}]\nkey = [\"a: u8\"]\n");
    let edit = |name: &str, then: &str| {
        let design = json!(of(name));
        page.run(&format!("$('design').value = {design}; $('design').dispatchEvent(new Event('input')); {then}"));
    };
    let shows = |name: &str| page.wait(&format!("$('design').value === {}", json!(of(name))));
    page.ready();
    let link = page.deflated(&format!("JSON.stringify({{ design: {} }})", json!(of("link"))));
    edit("first", &format!("location.hash = '{link}';"));
    shows("link");
    page.run("history.back();");
    shows("first");
    page.wait("location.hash.length > 20");
    page.run("history.forward();");
    shows("link");
    edit("second", "history.back();");
    shows("first");
    edit("third", "history.forward();");
    shows("second");
    edit("fourth", "window.isOld = true; location.reload();");
    page.wait("!window.isOld");
    shows("fourth");
    page.run("history.back();");
    shows("third");
    // The link itself, opened again, is as it was sent.
    page.go(&link);
    shows("link");
    assert_eq!(page.browser.errors(), [""; 0]);
}

/// Of an address that unpacks to far too much no more is read than shows it.
pub(crate) fn too_much(page: &Opened<'_>) {
    page.ready();
    let hash = page.deflated("'\"' + 'x'.repeat(100000000)");
    assert!(hash.len() > 100_000, "{}", hash.len());
    page.run(
        "window.taken = 0;
         const Real = DecompressionStream;
         window.DecompressionStream = class {
           constructor(format) {
             const counted = new TransformStream({ transform: (piece, to) => ((taken += piece.length), to.enqueue(piece)) });
             this.writable = counted.writable;
             this.readable = counted.readable.pipeThrough(new Real(format));
           }
         };",
    );
    page.go(&hash);
    page.wait("$('status').textContent.includes('holds no state')");
    let taken = page.run("return taken;").as_u64().unwrap();
    assert!((1..=32_768).contains(&taken), "{taken}");
    assert_eq!(page.browser.errors(), [""; 0]);
}

/// "Copy link" copies the state of now, and says what is not in it.
pub(crate) fn links(page: &Opened<'_>) {
    page.ready();
    page.run("navigator.clipboard.writeText = async (text) => { window.copied = text; };");
    let now = "format = 1\n[table.now]\nkey = [\"a: u8\"]\n";
    page.run(&format!(
        "$('design').value = {}; $('design').dispatchEvent(new Event('input')); $('link').click();",
        json!(now)
    ));
    page.wait(
        "window.copied && $('status').textContent === 'Copied: the address holds the design and what you typed.'",
    );
    let copied = page.run("return new URL(window.copied).hash;").as_str().unwrap().to_owned();
    page.ready();
    page.go(&copied);
    page.wait(&format!("$('design').value === {}", json!(now)));
    page.run("navigator.clipboard.writeText = async (text) => { window.copied = text; };");
    page.run(
        "$('keys').value = 'ab\\n'.repeat(100000); $('keys').dispatchEvent(new Event('input')); $('link').click();",
    );
    page.wait("$('status').textContent === 'Copied: the address holds the design, but not the keys in Infer.'");
    page.run("window.copied = null;");
    page.run(&format!(
        "$('design').value = {}; $('design').dispatchEvent(new Event('input')); $('link').click();",
        json!(long(70_000))
    ));
    page.wait("$('status').textContent.startsWith('Not copied')");
    assert_eq!(page.run("return [window.copied, location.hash];"), json!([null, ""]));
    assert_eq!(page.browser.errors(), [""; 0]);
}

/// No address is written that is not read: at the limit, one byte above it, and with long things beside the design.
pub(crate) fn too_large(page: &Opened<'_>) {
    let small = long(0);
    page.ready();
    // The table's name is a part of the address: it is the same for each of the designs once one is judged.
    page.set("design", &small);
    page.wait("$('table').value === 'mine'");
    page.set("design", &long(70_000));
    page.wait("$('left-out').textContent.includes('not in it: the design')");
    assert_eq!(page.run("return location.hash;"), "");
    let told = page.text("left-out");
    let numbers: Vec<usize> = told.split(' ').filter_map(|word| word.trim_end_matches(';').parse().ok()).collect();
    let [whole, most] = numbers[..] else { panic!("{told}") };
    let over = whole - most;
    let limit = format!("{}{}", long(70_000 - over / 3 - 1), "#".repeat(3 - over % 3));
    page.set("design", &format!("{limit}#"));
    page.wait(&format!("$('left-out').textContent.includes(' {} bytes ')", most + 1));
    page.set("design", &limit);
    page.wait("location.hash.length > 20 && $('left-out').textContent === ''");
    reopen(page);
    page.wait(&format!("$('design').value === {}", json!(limit)));
    // Unloading the page would lose nothing now; with a design that is in no address the user is asked.
    let asked = "const leave = new Event('beforeunload', { cancelable: true }); return !dispatchEvent(leave);";
    assert_eq!(page.run(asked), false);
    page.set("design", &long(70_000));
    page.wait("location.hash === ''");
    assert_eq!(page.run(asked), true);
    page.set("design", &small);
    page.tab("explain");
    page.set("pasted", &"ab".repeat(150_000));
    page.wait("$('left-out').textContent.endsWith('not in it: the key in Explain.')");
    reopen(page);
    page.wait(&format!("$('design').value === {} && $('pasted').value === ''", json!(small)));
    assert_eq!(page.browser.errors(), [""; 0]);
}

/// Names that JavaScript's objects have too are names as any other.
pub(crate) fn names_of_objects(page: &Opened<'_>) {
    let names = ["constructor", "toString", "hasOwnProperty", "__proto__", "b"];
    let key: Vec<String> = names.iter().map(|name| format!("\"{name}: u8\"")).collect();
    let design = format!("format = 1\n[table.toString]\nkey = [{}]\n", key.join(", "));
    page.ready();
    page.set("design", &design);
    page.wait("$('fields').querySelectorAll('input').length === 5 && document.querySelectorAll('#key-out .cells button').length === 5");
    let values = "return [...document.querySelectorAll('#fields input')].map(({ value }) => value);";
    let examples = page.run(values);
    assert!(
        examples.as_array().unwrap().iter().all(|value| value.as_str().unwrap().parse::<u8>().is_ok()),
        "{examples}"
    );
    page.run("const input = $('field-3'); input.value = '77'; input.dispatchEvent(new Event('input'));");
    page.wait("document.querySelector('#key-out .strip-of-bytes').textContent.includes('4d')");
    page.run("const input = $('field-4'); input.value = '999'; input.dispatchEvent(new Event('input'));");
    page.wait("$('fault-4').textContent !== ''");
    let faults = page.run("return [0, 1, 2, 3].map((at) => $(`fault-${at}`).textContent).join('');");
    assert_eq!(faults, "");
    page.run("window.before = location.hash;");
    page.wait("location.hash.length > 20 && window.before !== location.hash");
    reopen(page);
    page.wait("$('field-3')?.value === '77' && $('field-4').value === '999'");
    for tab in names {
        let state = format!("JSON.stringify({{ design: {}, tab: '{tab}' }})", json!(design));
        let hash = page.deflated(&state);
        page.go("#");
        page.wait("$('design').value.includes('readings')");
        page.go(&format!("#{hash}"));
        page.wait("$('design').value.includes('toString')");
        let shown = page.run(
            "return [...document.querySelectorAll('[role=tab]')].map((tab) =>
               [tab.getAttribute('aria-selected'), tab.tabIndex, $(tab.dataset.panel).hidden].join(' '));",
        );
        assert_eq!(shown.as_array().unwrap().iter().filter(|tab| *tab == "true 0 false").count(), 1, "{tab}: {shown}");
        assert_eq!(shown[0], "true 0 false", "{tab}: {shown}");
    }
    assert_eq!(page.browser.errors(), [""; 0]);
}
