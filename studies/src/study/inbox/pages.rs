//! A mailbox page by page.

use std::error::Error;
use std::io::Write;

use indicatif::HumanCount;
use rowkey::Select;
use rowkey::wide::Columns;
use rowkey_studies::output::report::{self, Query};

use super::{Args, Design, Index, Indexed, Lines, Mailboxes, Part, index_line, index_lines, part_line, tell};

/// Pages of both designs, by offset and by what stood last on the page before.
pub(crate) fn pages(out: &mut impl Write, boxes: &Mailboxes, user: &String, args: &Args) -> Result<(), Box<dyn Error>> {
    let (rows, limit) = (usize::from(args.page), u64::from(args.page));
    let mut costs = Vec::new();

    let newest = || boxes.parts.scan(Part::prefix().user(user));
    let by_offset = |offset| newest().offset(offset).limit(limit).map(|row| row.map(part_line)).collect();
    let mut cursor = None;
    let by_cursor = || {
        let page = newest().after(cursor.take()).page(rows)?;
        cursor = page.next;
        Ok((page.rows.into_iter().map(part_line).collect(), cursor.is_some()))
    };
    costs.extend(walk(
        out,
        boxes,
        (&format!("Mail of {user}, newest first"), Design::Tall),
        args,
        by_offset,
        by_cursor,
    )?);

    let by_sender = || boxes.index.scan(Indexed::prefix().user(user).index_prefix(Index::prefix().by_sender()));
    let by_offset = |offset| by_sender().offset(offset).limit(limit).map(|row| row.map(index_line)).collect();
    let mut cursor = None;
    let by_cursor = || {
        let page = by_sender().after(cursor.take()).page(rows)?;
        cursor = page.next;
        Ok((page.rows.into_iter().map(index_line).collect(), cursor.is_some()))
    };
    costs.extend(walk(out, boxes, (&format!("Mail of {user} by sender"), Design::Tall), args, by_offset, by_cursor)?);

    let by_sender = || Columns::all().qualifiers_in("index", Index::prefix().by_sender().ranges());
    let by_offset = |offset| index_lines(&boxes.wide.get(user, &by_sender().offset(offset).limit(limit))?);
    let mut last: Option<Vec<u8>> = None;
    let behind_last = || {
        let columns = match last.take() {
            Some(last) => by_sender().after_qualifier("index", last),
            None => by_sender(),
        };
        // One more than a page tells whether there is another.
        let row = boxes.wide.get(user, &columns.limit(limit + 1))?;
        last = row.cells().take(rows).last().map(|cell| cell.qualifier.to_vec());
        let mut lines = index_lines(&row)?;
        let more = lines.len() > rows;
        lines.truncate(rows);
        Ok((lines, more))
    };
    costs.extend(walk(out, boxes, (&format!("Mail of {user} by sender"), Design::Wide), args, by_offset, behind_last)?);

    let titles = ["", "page", "rows or columns", "cells read by offset", "after the last"];
    report::table(out, &format!("Pages of {limit}"), titles, costs)
}

/// Goes over all pages, each from where the one before ended, and holds the first, second, third, fifth, ninth and so
/// on, and the last, to what their offset gives.
fn walk(
    out: &mut impl Write,
    boxes: &Mailboxes,
    (what, design): (&str, Design),
    args: &Args,
    by_offset: impl Fn(u64) -> Lines,
    mut next: impl FnMut() -> Result<(Vec<String>, bool), rowkey::Error>,
) -> Result<Vec<[String; 5]>, Box<dyn Error>> {
    let mut costs = Vec::new();
    for page in 0_u64.. {
        let query = Query::of(&boxes.db);
        let ((lines, more), behind) = boxes.cost(&mut next)?;
        if page == 1 {
            tell(out, query, (&format!("{what}{design}, page 2 after the last"), design), args.show, &lines)?;
        }
        if page == 0 || page.is_power_of_two() || !more {
            let query = Query::of(&boxes.db);
            let (same, offset) = boxes.cost(|| by_offset(page * u64::from(args.page)))?;
            if page == 1 {
                tell(out, query, (&format!("{what}{design}, page 2 by offset"), design), args.show, &same)?;
            }
            if same != lines {
                return Err(format!("{what}{design}: page {} is another by its offset", page + 1).into());
            }
            let numbers = [page + 1, lines.len() as u64, offset.cells_read, behind.cells_read];
            let [page, rows, offset, behind] = numbers.map(|number| HumanCount(number).to_string());
            costs.push([format!("{what}{design}"), page, rows, offset, behind]);
        }
        if !more {
            break;
        }
    }
    Ok(costs)
}
