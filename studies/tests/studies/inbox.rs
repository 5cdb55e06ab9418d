use std::cmp::Reverse;
use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::{nobody_reads, number, output, place, run, temporary, told};

#[derive(Debug, Clone)]
struct Mail {
    user: String,
    at: Timestamp,
    from: String,
    subject: String,
    message: String,
    attachments: Vec<String>,
}

fn mail(tsv: &str) -> Vec<Mail> {
    let mail = |line: &str| {
        let [user, at, from, subject, message, attachments] = line.split('\t').collect::<Vec<_>>()[..] else {
            unreachable!()
        };
        let at: Timestamp = at.parse().unwrap();
        Mail {
            user: user.to_owned(),
            at: Timestamp::from_second(at.as_nanosecond().div_euclid(1_000_000_000) as i64).unwrap(),
            from: from.to_owned(),
            subject: subject.to_owned(),
            message: message.to_owned(),
            attachments: attachments.split(';').filter(|name| !name.is_empty()).map(str::to_owned).collect(),
        }
    };
    tsv.lines().skip(1).filter(|line| !line.is_empty()).map(mail).collect()
}

impl Mail {
    fn newest_first(&self) -> (Reverse<Timestamp>, &str) {
        (Reverse(self.at), &self.message)
    }

    fn text(&self) -> String {
        format!("{}  {:?}", self.from, self.subject)
    }

    /// The message and its attachments, as one line each.
    fn parts(&self) -> Vec<String> {
        let attached = self.attachments.iter().map(|name| format!("attached: {name}"));
        let parts = (0..).zip(std::iter::once(self.text()).chain(attached));
        parts.map(|(part, content)| format!("{}  {}/{part}  {content}", self.at, self.message)).collect()
    }

    fn by_sender(&self) -> String {
        format!("{}  {}  {}  {:?}", self.from, self.at, self.message, self.subject)
    }

    fn by_subject(&self) -> String {
        format!("{:?}  {}  {}  {}", self.subject, self.at, self.message, self.from)
    }
}

/// Cells of a wide row that may be read besides: in front of a jump, and after the last.
const ASIDE: u64 = 16;

struct Asked<'a> {
    user: &'a str,
    page: usize,
    show: usize,
    subject: &'a str,
}

/// The beginning of an answer, and how many more there are.
fn first(lines: &[String], show: usize) -> Vec<String> {
    let more = (lines.len() > show).then(|| format!("and {} more", lines.len() - show));
    lines.iter().take(show).map(|line| line.trim().to_owned()).chain(more).collect()
}

/// The user with most messages, the first by name among equals.
fn fullest(all: &[Mail]) -> &str {
    let mut counts = BTreeMap::<&str, usize>::new();
    all.iter().for_each(|mail| *counts.entry(&mail.user).or_default() += 1);
    counts.iter().min_by_key(|(user, count)| (Reverse(**count), **user)).unwrap().0
}

impl<'a> Asked<'a> {
    fn by_default(all: &'a [Mail]) -> Self {
        Self { user: fullest(all), page: 50, show: 5, subject: "Hello" }
    }

    /// A query of the tall tables returned these lines, read as many rows in one seek, and shows the first.
    fn tall(&self, out: &str, title: &str, due: &[String], read: usize) {
        let (found, rows) = (told(out, title), due.len() as u64);
        assert_eq!((found.rows, found.cells), (rows, rows), "{title}");
        assert_eq!((found.rows_read, found.cells_read, found.seeks), (read as u64, read as u64, 1), "{title}");
        assert_eq!(found.lines, first(due, self.show), "{title}");
    }

    /// The same of the wide row: one row, and few cells more.
    fn wide(&self, out: &str, title: &str, due: &[String], read: usize) {
        let (found, cells) = (told(out, title), due.len() as u64);
        assert_eq!((found.rows, found.cells, found.seeks), (cells.min(1), cells, 1), "{title}");
        assert!(found.rows_read <= 1 && (cells..read as u64 + ASIDE).contains(&found.cells_read), "{title}: {found:?}");
        assert_eq!(found.lines, first(due, self.show), "{title}");
    }

    fn check(&self, out: &str, all: &[Mail]) {
        let Self { user, page, subject, .. } = self;
        let words: Vec<_> = out.lines().next().unwrap().split(' ').collect();
        assert_eq!((number(words[0]), words[1]), (all.len() as u64, "messages,"));

        let mut theirs: Vec<_> = all.iter().filter(|mail| mail.user == *user).collect();
        theirs.sort_by_key(|mail| mail.newest_first());
        let parts: Vec<_> = theirs.iter().flat_map(|mail| mail.parts()).collect();
        self.tall(out, &format!("All mail of {user}"), &parts, parts.len());

        let newest = theirs[0];
        let about = theirs.iter().find(|mail| !mail.attachments.is_empty()).unwrap_or(&newest);
        let day = about.at.to_string()[..10].to_owned();
        let of_day = theirs.iter().filter(|mail| mail.at.to_string().starts_with(&day));
        let of_day: Vec<_> = of_day.flat_map(|mail| mail.parts()).collect();
        self.tall(out, &format!("Mail of {user} on {day}"), &of_day, of_day.len());
        let of_moment = theirs.iter().filter(|mail| mail.at == about.at);
        let of_moment: Vec<_> = of_moment.flat_map(|mail| mail.parts()).collect();
        self.tall(out, &format!("Mail of {user} at {}", about.at), &of_moment, of_moment.len());
        let title = format!("Message {} of {user}", about.message);
        self.tall(out, &title, &about.parts(), about.parts().len());
        let attached: Vec<_> = about.parts().into_iter().skip(1).take(1).collect();
        let one = format!("Attachment 1 of message {} of {user}", about.message);
        self.tall(out, &one, &attached, attached.len());
        let contents =
            about.parts().iter().map(|line| line.splitn(3, "  ").nth(2).unwrap().to_owned()).collect::<Vec<_>>();
        self.wide(out, &format!("{title}: a wide row"), &contents, contents.len());

        let mut by_sender = theirs.clone();
        by_sender.sort_by_key(|mail| (&mail.from, mail.newest_first()));
        let mut by_subject = theirs.clone();
        by_subject.sort_by_key(|mail| (Reverse(&mail.subject), mail.newest_first()));
        let of_sender = by_sender.iter().filter(|mail| mail.from == newest.from);
        let begin = by_subject.iter().filter(|mail| mail.subject.starts_with(subject));
        let all_by_sender: Vec<_> = by_sender.iter().map(|mail| mail.by_sender()).collect();
        for (title, due) in [
            (format!("Mail of {user} by sender"), all_by_sender.clone()),
            (format!("Mail of {user} from {}", newest.from), of_sender.map(|mail| mail.by_sender()).collect()),
            (
                format!("Mail of {user} by subject, the last first"),
                by_subject.iter().map(|mail| mail.by_subject()).collect(),
            ),
            (
                format!("Mail of {user} whose subject begins with {subject:?}"),
                begin.map(|mail| mail.by_subject()).collect(),
            ),
        ] {
            let due = &due[..due.len().min(*page)];
            self.tall(out, &title, due, due.len());
            self.wide(out, &format!("{title}: a wide row"), due, due.len());
        }

        let mut drawn = drawn(out, &format!("Pages of {page}")).into_iter();
        let newest_first = format!("Mail of {user}, newest first");
        let senders = format!("Mail of {user} by sender");
        for (title, lines, wide) in [
            (newest_first, &parts, false),
            (senders.clone(), &all_by_sender, false),
            (format!("{senders}: a wide row"), &all_by_sender, true),
        ] {
            let pages: Vec<_> = lines.chunks(*page).collect();
            let (by_offset, behind) = (format!("{title}, page 2 by offset"), format!("{title}, page 2 after the last"));
            match pages.get(1) {
                None => assert!(!out.contains(&by_offset) && !out.contains(&behind)),
                Some(second) if wide => {
                    self.wide(out, &by_offset, second, page + second.len());
                    self.wide(out, &behind, second, second.len() + 1);
                }
                Some(second) => {
                    self.tall(out, &by_offset, second, page + second.len());
                    self.tall(out, &behind, second, (page + 1).min(lines.len() - page));
                }
            }
            for (at, rows) in
                (0..).zip(&pages).filter(|(at, _)| *at < 2_usize || at.is_power_of_two() || at + 1 == pages.len())
            {
                let told = drawn.next().unwrap();
                assert_eq!(told[0], title);
                let told: Vec<_> = told[1..].iter().map(|word| number(word) as usize).collect();
                let (skipped, left) = (at * page, lines.len() - at * page);
                assert_eq!(told[..2], [at + 1, rows.len()]);
                let due = [skipped + rows.len(), left.min(page + 1)];
                for (read, due) in told[2..].iter().zip(due) {
                    assert!(
                        if wide { (due..due + ASIDE as usize).contains(read) } else { *read == due },
                        "{title} {at}: {told:?}"
                    );
                }
            }
        }
        assert_eq!(drawn.next(), None);
        changed(out, all, user);
    }
}

/// The rows of a drawn table, as words.
fn drawn<'o>(out: &'o str, title: &str) -> Vec<Vec<&'o str>> {
    let lines = out.lines().skip_while(|line| *line != title).skip(4).take_while(|line| line.starts_with('│'));
    lines.map(|line| line.trim_matches('│').split('┆').map(str::trim).collect()).collect()
}

/// The guarantees, and that they hold.
fn changed(out: &str, all: &[Mail], user: &str) {
    assert_eq!(
        drawn(out, "What changes atomically"),
        [
            ["a message and its attachments", "yes", "no", "yes"],
            ["a message and its index", "yes", "no", "yes"],
            ["a message to two users", "yes", "no", "no"],
            ["read, if it is unread", "yes", "yes", "yes"],
        ]
    );
    let below = |title: &str| -> Vec<_> {
        let lines = out.lines().skip_while(|line| *line != title).skip(1);
        lines.take_while(|line| line.starts_with("  ")).map(str::trim).collect()
    };
    let comes = format!("The books' message 725aae5f-d72e-f90f3f070419 comes to {user}, and comes again");
    assert_eq!(below(&comes), ["wide, if it is not there: true, 3 cells; then false, 0 cells"]);
    assert_eq!(below("It is read, if it is unread, twice"), ["tall: true, then false", "wide: true, then false"]);
    let cells = |all: &[&Mail]| all.iter().map(|mail| 3 + mail.attachments.len()).sum::<usize>();
    // The message that came, and its flag.
    let row = cells(&all.iter().filter(|mail| mail.user == user).collect::<Vec<_>>()) + 3 + 1;
    let refused = below("A mutation of which one column can't be");
    assert_eq!(refused[0], "there is no family \"trash\"; the families are data, flag, index");
    assert_eq!(refused[1].replace(',', ""), format!("{row} cells before {row} after"));

    let costs = drawn(out, "What changes cost");
    let cells_of = |row: &[&str]| [row[1], row[3]].map(number);
    let stored = cells(&all.iter().collect::<Vec<_>>()) as u64;
    assert_eq!(costs.iter().map(|row| cells_of(row)).collect::<Vec<_>>(), [[stored; 2], [3; 2], [1; 2]]);

    let looks = below("Looked at while it changes, 200 times");
    assert_eq!(looks.len(), 2);
    assert!(looks.iter().all(|line| line.ends_with(": 200 times")), "{looks:?}");
}

#[test]
fn mail_made_up() {
    let path = place("inbox_saved.tsv");
    let out = output("inbox", &["--save", path.to_str().unwrap()]);
    assert_eq!(out.lines().next().unwrap(), "3,000 messages, all made up, with seed 2011");
    let all = mail(&std::fs::read_to_string(&path).unwrap());
    Asked::by_default(&all).check(&out, &all);
    assert_eq!(output("inbox", &[""; 0]), out, "the seed is fixed");

    let read = output("inbox", &[&path]);
    assert_eq!(read.split_once('\n').unwrap().1, out.split_once('\n').unwrap().1);
    assert_eq!(read.lines().next().unwrap(), format!("3,000 messages, of {}", path.display()));
}

#[test]
fn the_books_subject_inverted() {
    let out = output("inbox", &[""; 0]);
    let lines = out.lines().skip_while(|line| *line != "An index column, of the books' subject \"Hello,\"");
    let picture: Vec<_> = lines.skip(3).take(4).collect();
    let second = |line: &str| line.split('│').nth(2).unwrap().trim().to_owned();
    let inverted = "Hello,".bytes().map(|byte| format!("{:02x}", !byte)).collect::<Vec<_>>().join(" ");
    assert_eq!(inverted, "b7 9a 93 93 90 d3");
    let due = ["_0.subject".to_owned(), "text desc".to_owned(), format!("{inverted} ff"), "\"Hello,\"".to_owned()];
    assert_eq!(picture.into_iter().map(second).collect::<Vec<_>>(), due);
}

/// Some hundred messages in no order, many of one second, subjects and senders that begin others.
fn made() -> String {
    let users = ["ada", "ad", "mary", "Łukasz", ""];
    let senders = ["bob@x", "bob@x.org", "", "žofie@x"];
    let subjects = ["Hello", "Hello,", "Hello, you", "", "Re: Hello", "Ça va?", "  blank"];
    let mut tsv = "user\tdate\tfrom\tsubject\tmessage\tattachments\r\n".to_owned();
    let mut random = 3u64;
    let mut below = |n: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % n
    };
    for id in 0..160 {
        let date = match below(4) {
            0 => "2011-06-03T23:59:59Z".to_owned(),
            1 => format!("2011-06-0{}T00:00:00+02:00", 1 + below(5)),
            2 => format!("2011-06-0{}T00:00:00.{}Z", 1 + below(5), below(9)),
            _ => "1969-12-31T23:59:59.5Z".to_owned(),
        };
        let (user, from, subject) = (users[below(5).min(below(5))], senders[below(4)], subjects[below(7)]);
        let attachments = ["", "", "a.pdf", "a.pdf;ä.png", ";a.pdf;;a.pdf;z"][below(5)];
        let message = format!("{}{}", ["", "m", "mm"][below(3)], (id * 7) % 160);
        tsv +=
            &format!("{user}\t{date}\t{from}\t{subject}\t{message}\t{attachments}{}", ["\n", "\r\n", "\n\n"][below(3)]);
    }
    tsv
}

#[test]
fn mail_of_a_file() {
    let tsv = made();
    let all = mail(&tsv);
    let path = temporary("inbox.tsv", tsv.as_bytes());
    let path = path.to_str().unwrap();
    Asked::by_default(&all).check(&output("inbox", &[path]), &all);
    let mut users: Vec<_> = all.iter().map(|mail| mail.user.as_str()).collect();
    users.sort();
    users.dedup();
    let asked = [(1, 0, ""), (3, 2, "Hello,"), (16, 5, "Re"), (1000, 1000, "none"), (10, 9, "Ça")];
    for (user, (page, show, subject)) in users.into_iter().zip(asked) {
        let (pages, shows) = (page.to_string(), show.to_string());
        let args = [path, "--user", user, "--page", &pages, "--show", &shows, "--subject", subject];
        Asked { user, page, show, subject }.check(&output("inbox", &args), &all);
    }
    let out = output("inbox", &[path, "--user", "nobody"]);
    assert_eq!(out, format!("160 messages, of {path}\nnobody has no mail\n"));
}

#[test]
fn small_files() {
    for tsv in ["", "user\tdate\tfrom\tsubject\tmessage\tattachments\n"] {
        let path = temporary("inbox_none.tsv", tsv.as_bytes());
        assert_eq!(output("inbox", &[&path]), format!("0 messages, of {}\n", path.display()));
    }
    let tsv = "user\tdate\tfrom\tsubject\tmessage\tattachments\n地球\t2011-06-03T10:44:08Z\tü@ö\tgrüß \"dich\"\t1\t";
    let (all, path) = (mail(tsv), temporary("inbox_one.tsv", tsv.as_bytes()));
    Asked::by_default(&all).check(&output("inbox", &[path]), &all);
}

/// A message with a number of attachments.
fn attached(count: usize) -> String {
    format!("ada\t2011-06-03T10:44:08Z\tbob\tHello,\t1\t{}\n", vec!["a"; count].join(";"))
}

#[test]
fn more_attachments_than_part_has_numbers() {
    let path = temporary("inbox_more.tsv", attached(65_536).as_bytes());
    let run = run("inbox", &[&path], b"");
    assert_eq!(run.stderr, format!("error: {}:1: 65536 attachments are too many\n", path.display()));
}

#[test]
fn as_many_attachments_as_part_has_numbers() {
    let path = temporary("inbox_most.tsv", attached(65_535).as_bytes());
    let out = output("inbox", &[path.to_str().unwrap(), "--page", "65535"]);
    assert_eq!(told(&out, "All mail of ada").rows, 65_536);
}

#[test]
fn what_is_no_mail_is_told() {
    let good = "ada\t2011-06-03T10:44:08Z\tbob\tHello,\t1\t";
    for (line, why) in [
        ("ada\tbob", "no user, date, from, subject, message and attachments: \"ada\\tbob\""),
        ("ada\tyesterday\tbob\tHello,\t2\t", "no date: \"yesterday\": "),
        ("ada\t9999-12-30T22:00:00Z\tbob\tHello,\t2\t", "9999-12-30 begins or ends"),
        (good, "\"ada\" has message \"1\" already"),
    ] {
        let path = temporary("inbox_malformed.tsv", format!("{good}\n\n{line}\n").as_bytes());
        let run = run("inbox", &[&path], b"");
        assert_eq!((run.status.code(), run.stdout.as_str()), (Some(1), ""));
        assert!(run.stderr.starts_with(&format!("error: {}:3: {why}", path.display())), "{}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1);
    }
    let missing = run("inbox", &["no_such.tsv"], b"");
    assert_eq!((missing.status.code(), missing.stdout.as_str()), (Some(1), ""));
    assert!(missing.stderr.starts_with("error: cannot read no_such.tsv: "), "{}", missing.stderr);
    let unwritten = run("inbox", &["--save", "no_such_folder/saved.tsv"], b"");
    assert_eq!((unwritten.status.code(), unwritten.stderr.lines().count()), (Some(1), 1));
    assert_eq!(run("inbox", &["--page", "0"], b"").status.code(), Some(2));
}

#[test]
fn a_reader_may_leave() {
    nobody_reads("inbox", &[""; 0]);
}
