//! Pictures of watched clusters: what is unknown is no calm, and servers have names.

use rowkey_simulate::page::{Measure, RowOrder, Terminal, blocks, html};
use rowkey_simulate::run::{Interval, Key, Known, Merge, Region, Server};

use crate::made::{self, CAPACITY};

#[test]
fn what_no_server_told_is_drawn_as_unknown() {
    let mut made = made::empty("watched", made::layout_of("[\"id: u64\"]"), 1000);
    for t_ms in [1000, 2000, 3000] {
        let calm = made::region(Key(Vec::new()), 0);
        let known = if t_ms == 2000 { Known::None } else { Known::All };
        let other = Region { known, ..made::region(Key(vec![128]), 1) };
        made.intervals.push(Interval { t_ms, regions: vec![calm, other], servers: vec![Server::default(); 2] });
    }
    made.settings.server_names = vec!["<b>rs0</b>:16020".to_owned(), "rs1:16020".to_owned()];
    made.merges.push(Merge { t_ms: 3000, start: Key(Vec::new()), others: vec![Key(vec![128])] });
    let terminal = Terminal { columns: 80, is_ascii: false };
    let text = blocks(&made.drawn(), Measure::Writes, RowOrder::Key, CAPACITY, terminal);
    let rows: Vec<&str> = text.lines().filter_map(|line| line.split_once('│')).map(|(_, cells)| cells).collect();
    assert_eq!(rows, ["", " ?"], "{text}");
    assert!(text.contains("? unknown") && text.contains(", 1 merge"), "{text}");
    let page = html(&<_>::default(), &[made.drawn()], CAPACITY);
    for said in ["unknown: no server told of it", "regions were merged", "server 1, rs1:16020", "&lt;b&gt;rs0"] {
        assert!(page.contains(said), "{said}");
    }
    assert!(!page.contains("<b>rs0"));
}

#[test]
fn what_is_known_in_part_is_underlined() {
    let page = |known| {
        let mut made = made::empty("watched", made::layout_of("[\"id: u64\"]"), 1000);
        for (t_ms, known) in [(1000, Known::All), (2000, known)] {
            let regions = vec![made::region(Key(Vec::new()), 0), Region { known, ..made::region(Key(vec![128]), 1) }];
            made.intervals.push(Interval { t_ms, regions, servers: vec![Server::default(); 2] });
        }
        html(&<_>::default(), &[made.drawn()], CAPACITY)
    };
    let [all, part] = [Known::All, Known::Part].map(page);
    for (said, of) in [("class=\"part\" d=\"M1.1 1.9h.8\"", "the second column"), ("a part is known: ", "the legend")] {
        assert!(part.contains(said) && !all.contains(said), "{of}");
    }
}

#[test]
fn each_server_has_a_label_however_narrow_the_page() {
    let mut made = made::empty("watched", made::layout_of("[\"id: u64\"]"), 1000);
    for t_ms in [1000, 2000] {
        let regions = vec![made::region(Key(Vec::new()), 1)];
        made.intervals.push(Interval { t_ms, regions, servers: vec![Server::default(); 12] });
    }
    made.settings.server_names = (0..12).map(|server| format!("region-server-{server}.example.org:16020")).collect();
    let page = html(&<_>::default(), &[made.drawn()], CAPACITY);
    for server in 0..12 {
        let label = format!(">server {server}, region-server-{server}.example.org:16020</span>");
        let start = page.find(&label).and_then(|end| page[..end].rfind("<span")).map(|start| &page[start..]);
        assert!(start.is_some_and(|span| span.starts_with("<span class=\"line\"")), "{server}: {start:.200?}");
    }
}
