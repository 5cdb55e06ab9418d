//! The page, opened in a browser.

use std::thread::sleep;
use std::time::{Duration, Instant};

use rowkey_browser_testkit::Browser;
use serde_json::{Value as Json, json};

/// The texts in fields that are hard to read: the body of a function of JavaScript.
pub(crate) const CONTRAST_OF_INPUTS: &str = "
    const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
    const luminance = (colour) => {
      const [r, g, b] = channels(colour).map((channel) => (channel /= 255) <= .04045 ? channel / 12.92 : ((channel + .055) / 1.055) ** 2.4);
      return .2126 * r + .7152 * g + .0722 * b;
    };
    const wrong = [];
    for (const field of document.querySelectorAll('input, select, textarea:not(#design)')) {
      const { color, backgroundColor } = getComputedStyle(field);
      const [light, dark] = [luminance(color), luminance(backgroundColor)].sort((a, b) => b - a);
      if ((light + .05) / (dark + .05) < 4.5) wrong.push(`${field.id}: ${color} on ${backgroundColor}`);
    }
    return wrong;";

/// The longest that something is waited for: a busy machine takes many times what another does.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct Opened<'b> {
    pub(crate) browser: &'b Browser,
    html: &'b str,
}

impl<'b> Opened<'b> {
    pub(crate) fn new(browser: &'b Browser, html: &'b str) -> Self {
        Self { browser, html }
    }

    /// Opens the page anew.
    pub(crate) fn open(&self, size: (u32, u32), scheme: &str) {
        self.browser.open(self.html, size, scheme);
    }

    /// Opens the page anew, and waits until its example is judged.
    pub(crate) fn ready(&self) {
        self.open(crate::WIDE, "light");
        self.wait("document.querySelector('#key-out .cells')");
    }

    /// The value of a function's body, in which `$` finds an element by its id.
    pub(crate) fn run(&self, body: &str) -> Json {
        self.browser.run(&format!("const $ = (id) => document.getElementById(id); {body}"))
    }

    /// Waits until a condition holds.
    pub(crate) fn wait(&self, condition: &str) {
        let begun = Instant::now();
        while self.run(&format!("return Boolean({condition});")) != true {
            if begun.elapsed() > PATIENCE {
                self.browser.screenshot("waited-in-vain");
                panic!("{condition}: {} {} {:?}", self.text("summary"), self.text("findings"), self.browser.errors());
            }
            sleep(Duration::from_millis(30));
        }
    }

    /// The text of an element.
    pub(crate) fn text(&self, id: &str) -> String {
        self.run(&format!("return $('{id}').textContent;")).as_str().unwrap_or_default().to_owned()
    }

    /// Writes into a field, as pasting does.
    pub(crate) fn set(&self, id: &str, text: &str) {
        let script = format!("$('{id}').value = {}; $('{id}').dispatchEvent(new Event('input'));", json!(text));
        self.run(&script);
    }

    pub(crate) fn tab(&self, panel: &str) {
        self.run(&format!("$('tab-{panel}').click();"));
    }

    /// Goes to a state of the page.
    pub(crate) fn go(&self, hash: &str) {
        self.run(&format!("location.hash = {};", json!(hash)));
    }

    /// The address's text of bytes, or of a text, given as JavaScript.
    pub(crate) fn deflated(&self, value: &str) -> String {
        let script = format!(
            "const value = {value};
             const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : new Uint8Array(value);
             const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate-raw'));
             return new Response(stream).arrayBuffer().then((all) => {{
               const text = Array.from(new Uint8Array(all), (byte) => String.fromCharCode(byte)).join('');
               return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
             }});"
        );
        self.run(&script).as_str().unwrap_or_default().to_owned()
    }
}
