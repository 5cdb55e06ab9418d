//! Explanations of a key's bytes, drawn as a row of boxes.

use std::fmt::{self, Display};

use super::explain::{Explanation, Part};

impl Explanation {
    /// Draws the key as a row of boxes, one for each part, with its field, type, bytes and value; above it is the
    /// offset where it begins.
    ///
    /// Long parts are shortened, and long keys take several rows. Each character counts as one column; a line with
    /// characters of two columns, such as Chinese ones, is longer.
    ///
    /// ```
    /// use rowkey::RowKey;
    ///
    /// #[derive(RowKey)]
    /// struct Action {
    ///     user: u32,
    ///     #[rowkey(desc)]
    ///     day: u16,
    ///     event: String,
    /// }
    ///
    /// let key = Action { user: 42, day: 15_128, event: "login".into() }.encode();
    /// assert_eq!(Action::explain(&key).picture().to_string(), "\
    /// 0             4          6                   12
    /// ┌─────────────┬──────────┬───────────────────┐
    /// │ user        │ day      │ event             │
    /// │ u32         │ u16 desc │ text              │
    /// │ 00 00 00 2a │ c4 e7    │ 6c 6f 67 69 6e 00 │
    /// │ 42          │ 15128    │ \"login\"           │
    /// └─────────────┴──────────┴───────────────────┘
    /// ");
    /// ```
    pub fn picture(&self) -> impl Display + '_ {
        Picture(self)
    }
}

struct Picture<'e>(&'e Explanation);

/// The greatest width of a row of boxes, in characters. A row of one box may be wider.
const WIDTH: usize = 110;
/// Maximum number of bytes of a part that are shown. Of a longer part the first and the last are shown.
const BYTES: usize = 16;
/// Maximum number of characters of a value that are shown.
const CHARS: usize = 47;

/// A box: its four lines, and the width of the longest.
struct Drawn {
    start: usize,
    end: usize,
    lines: [String; 4],
    width: usize,
}

fn draw(part: &Part, key: &[u8]) -> Drawn {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ");
    let bytes = key.get(part.range.clone()).unwrap_or_default();
    let shown = match bytes.len() {
        ..=BYTES => hex(bytes),
        len => format!("{} … {}", hex(&bytes[..BYTES - 5]), hex(&bytes[len - 4..])),
    };
    // A salt or digest has no field: its shape takes the place of the name, and its note that of the shape.
    let (name, shape) = if part.field.is_empty() { (&part.shape, &part.note) } else { (&part.field, &part.shape) };
    let lines = [short(name), short(shape), shown, short(&part.value)];
    let (start, end) = (part.range.start, part.range.end);
    let width = lines.iter().map(|line| line.chars().count()).chain([end.to_string().len()]).max().unwrap_or(0);
    Drawn { start, end, lines, width }
}

fn short(text: &str) -> String {
    let shown: String = text.chars().take(CHARS).collect();
    if shown.len() < text.len() { shown.chars().take(CHARS - 1).chain(['…']).collect() } else { shown }
}

impl Display for Picture<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let boxes: Vec<_> = self.0.parts.iter().map(|part| draw(part, &self.0.bytes)).collect();
        let mut rest = boxes.as_slice();
        while !rest.is_empty() {
            let mut width = 1;
            let fit = rest.iter().take_while(|drawn| {
                width += drawn.width + 3;
                width <= WIDTH
            });
            let (row, more) = rest.split_at(fit.count().max(1));
            row_of_boxes(f, row)?;
            rest = more;
        }
        match &self.0.error {
            Some(error) => writeln!(f, "not a key: {error}"),
            None => Ok(()),
        }
    }
}

fn row_of_boxes(f: &mut fmt::Formatter<'_>, row: &[Drawn]) -> fmt::Result {
    let rule = |left: &str, between: &str, right: &str| {
        let rules: Vec<_> = row.iter().map(|drawn| "─".repeat(drawn.width + 2)).collect();
        format!("{left}{}{right}", rules.join(between))
    };
    for drawn in row {
        write!(f, "{:<1$}", drawn.start, drawn.width + 3)?;
    }
    writeln!(f, "{}", row.last().map_or(0, |drawn| drawn.end))?;
    writeln!(f, "{}", rule("┌", "┬", "┐"))?;
    for line in 0..4 {
        for drawn in row {
            write!(f, "│ {:1$} ", drawn.lines[line], drawn.width)?;
        }
        writeln!(f, "│")?;
    }
    writeln!(f, "{}", rule("└", "┴", "┘"))
}

#[cfg(test)]
mod tests {
    use crate::{LayoutBuf, Value};

    fn picture(shape: &str, key: &[u8]) -> String {
        shape.parse::<LayoutBuf>().unwrap().explain(key).picture().to_string()
    }

    #[test]
    fn a_salt_has_a_box_and_a_broken_rest_too() {
        let layout: LayoutBuf = "salt(16 xxh3 by 0) u32, u16".parse().unwrap();
        let key = layout.encode(&[Value::Unsigned(7), Value::Unsigned(1)]).unwrap();
        let whole = layout.explain(&key).picture().to_string();
        assert!(whole.lines().nth(2).unwrap().starts_with("│ salt "), "{whole}");
        let broken = layout.explain(&key[..6]).picture().to_string();
        assert!(broken.contains("not a key: "), "{broken}");
        assert_eq!(picture("u32, u16", b""), "not a key: key._0 at byte 0: the key ends here, expected 4 more bytes\n");
    }

    #[test]
    fn long_keys_take_several_rows_and_long_parts_are_shortened() {
        let text = [&[b'x'; 100_000][..], &[0]].concat();
        let drawn = picture("text, u64, u64, u64, u64, u64, u64", &[&text[..], &[7; 48]].concat());
        assert!(drawn.len() < 5_000 && drawn.contains("… 78 78 78 00"), "{drawn}");
        assert!(drawn.lines().all(|line| line.chars().count() <= super::WIDTH), "{drawn}");
        assert_eq!(drawn.lines().count(), 2 * 7, "{drawn}");
    }
}
