//! A page is short whatever the run's size.

use rowkey_simulate::page::{Measure, PageText, RowOrder, Terminal, blocks, html, svg};

use crate::made;

#[test]
fn scratch() {
    let text = PageText {
        title: "Metrics, led by the metric or by the time".into(),
        sentence: "The table saturates after 20 minutes at 12,000 writes a second: one metric has half of all writes. Lead with a salt of 16 buckets.".into(),
        facts: vec![("sustained rate".into(), vec!["8,400 ± 300 writes/s".into(), "29,000 ± 900 writes/s".into()]), ("hottest region".into(), vec!["50 % of writes".into(), "3 %".into()])],
        assumed: vec!["a server takes 10,000 writes/s: say region.writes".into()],
        remarks: vec![],
    };
    let a = made::of_metrics("led by the metric", 8, 120, 24_000);
    let b = made::of_metrics("five hundred metrics", 200, 90, 24_000);
    let dir = std::path::Path::new("/tmp/w/page");
    std::fs::create_dir_all(dir).unwrap();
    let one = html(&text, &[a.drawn()], made::CAPACITY);
    let two = html(&text, &[a.drawn(), b.drawn()], made::CAPACITY);
    println!("{} {}", one.len(), two.len());
    std::fs::write(dir.join("one.html"), one).unwrap();
    std::fs::write(dir.join("two.html"), two).unwrap();
    std::fs::write(
        dir.join("two.svg"),
        svg(&text.title, &[a.drawn(), b.drawn()], Measure::Writes, RowOrder::Key, made::CAPACITY),
    )
    .unwrap();
    for is_ascii in [false, true] {
        println!(
            "{}",
            blocks(&a.drawn(), Measure::Writes, RowOrder::Key, made::CAPACITY, Terminal { columns: 100, is_ascii })
        );
    }
    println!(
        "{}",
        blocks(
            &b.drawn(),
            Measure::Writes,
            RowOrder::HotFirst,
            made::CAPACITY,
            Terminal { columns: 50, is_ascii: false }
        )
    );
}
