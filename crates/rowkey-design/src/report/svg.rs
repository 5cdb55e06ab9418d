//! Keys as a picture for documents.

use std::fmt::Write;

use rowkey::LayoutBuf;
use rowkey::untyped::Part;

use crate::quote::xml;

/// The width of a character of the font, the height of a line of text, and the room around text.
const CHAR: usize = 8;
const LINE: usize = 18;
const PAD: usize = 8;
/// A row of boxes is broken before it is wider.
const WIDEST: usize = 1000;
/// The number of characters after which a text is cut, and of bytes.
const CHARACTERS: usize = 40;
const BYTES: usize = 12;

/// Keys as one SVG: a box for each part with its field, shape, bytes and value. A key that the layout does not decode
/// has a box for the rest, and a line that says why.
///
/// ```
/// let layout = "text, u16".parse()?;
/// let svg = rowkey_design::internal::report::svg(&[b"<a>\0\x01\x02"], &layout);
/// assert!(svg.starts_with("<svg ") && svg.contains("&lt;a&gt;") && !svg.contains("<a>"));
/// # Ok::<(), rowkey::LayoutError>(())
/// ```
pub fn svg(keys: &[impl AsRef<[u8]>], layout: &LayoutBuf) -> String {
    let (mut body, mut width, mut y) = (String::new(), 0, PAD);
    for key in keys {
        let key = key.as_ref();
        let told = layout.explain(key);
        let mut x = PAD;
        for part in &told.parts {
            let bytes = key.get(part.range.clone()).unwrap_or_default();
            let lines = texts(part, bytes);
            let room = lines.iter().map(|line| columns(line)).max().unwrap_or(0) * CHAR + 2 * PAD;
            if x > PAD && x + room > WIDEST {
                (x, y) = (PAD, y + HEIGHT + PAD);
            }
            let fill = if part.shape == "?" { "#f6d5d5" } else { "#eef3fa" };
            let height = lines.len() * LINE + PAD;
            _ = writeln!(
                body,
                r##"<rect x="{x}" y="{y}" width="{room}" height="{height}" fill="{fill}" stroke="#555"/>"##
            );
            for (i, line) in lines.iter().enumerate() {
                let weight = if i == 0 { r#" font-weight="bold""# } else { "" };
                _ = writeln!(body, r#"<text x="{}" y="{}"{weight}>{}</text>"#, x + PAD, y + (i + 1) * LINE, xml(line));
            }
            x += room;
            width = width.max(x);
        }
        y += HEIGHT + PAD;
        if let Some(error) = &told.error {
            let line = cut(&format!("not a key: {error}"), 2 * CHARACTERS);
            _ = writeln!(body, r##"<text x="{PAD}" y="{}" fill="#a00000">{}</text>"##, y + LINE - PAD, xml(&line));
            width = width.max(columns(&line) * CHAR + PAD);
            y += LINE + PAD;
        }
    }
    let width = width + PAD;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{y}\" viewBox=\"0 0 {width} {y}\" \
         font-family=\"monospace\" font-size=\"13\" xml:space=\"preserve\">\n{body}</svg>\n"
    )
}

/// Five lines of text: place and field, shape, bytes, value, note.
const HEIGHT: usize = 5 * LINE + PAD;

fn texts(part: &Part, bytes: &[u8]) -> [String; 5] {
    let spaced = bytes.iter().take(BYTES).map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ");
    let more = if bytes.len() > BYTES { format!(" … {} bytes", bytes.len()) } else { String::new() };
    let name = if part.field.is_empty() { &part.shape } else { &part.field };
    let field = format!("{}..{} {name}", part.range.start, part.range.end);
    let [field, shape, value, note] = [&field, &part.shape, &part.value, &part.note].map(|text| cut(text, CHARACTERS));
    [field, shape, spaced + &more, value, note]
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// The columns that a text takes when it is escaped: characters of other alphabets may be two wide.
fn columns(text: &str) -> usize {
    crate::quote::terminal(text).chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum()
}
