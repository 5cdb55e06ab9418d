//! Page by page: a cursor is where a page ended, as text that a client keeps and hands back.
//!
//!     cargo run --example pages

use std::error::Error;

use rowkey::{Cursor, Memory, RowKey, Table};

/// A user's actions, the latest first.
#[derive(RowKey)]
struct Action {
    user: u64,
    #[rowkey(desc)]
    at: u64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let actions: Table<Action, String, _> = Table::open(Memory::new(), "actions")?;
    for at in 1..=8 {
        actions.put(&Action { user: 42, at }, &format!("click {at}"))?;
    }

    // What a server does for each request: it keeps nothing from one request to the next.
    let page_after = |cursor: Option<&str>| -> Result<(Vec<String>, Option<String>), Box<dyn Error>> {
        let scan = actions.scan(Action::prefix().user(42));
        let scan = match cursor {
            // Text from a client is checked when it is parsed: it may be cut short, or of another kind of key.
            Some(text) => scan.after(text.parse::<Cursor>()?),
            None => scan,
        };
        let page = scan.page(3)?;
        Ok((page.rows.into_iter().map(|(_, what)| what).collect(), page.next.map(|cursor| cursor.to_string())))
    };

    let (first, next) = page_after(None)?;
    println!("first page: {first:?}");

    // A new row belongs before the first page. The second page starts where the first ended; with an
    // offset it would begin with "click 6" once more.
    actions.put(&Action { user: 42, at: 9 }, &"click 9".into())?;
    let mut cursor = next;
    while let Some(text) = cursor {
        let (rows, next) = page_after(Some(&text))?;
        println!("next page:  {rows:?}");
        cursor = next;
    }

    let refused = page_after(Some("bm90IGEgY3Vyc29y")).err().ok_or("a cursor of nothing was taken")?;
    println!("refused:    {refused}");
    Ok(())
}
