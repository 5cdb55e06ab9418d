//! Mail of some users: read from a file, or made up; and the longer ones of what is asked of it.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{RngCore, SeedableRng};
use rowkey::{Seconds, civil};
use rowkey_studies::input;

const SEED: u64 = 2011;

/// A message in a user's mailbox.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Mail {
    pub(crate) user: String,
    pub(crate) at: Seconds,
    pub(crate) from: String,
    pub(crate) subject: String,
    /// Its id, which comes once in a mailbox.
    pub(crate) message: String,
    pub(crate) attachments: Vec<String>,
}

/// The mail of a file, plain or gzip, or that made up, and where it is from.
pub(crate) fn mail(path: Option<&Path>) -> Result<(Vec<Mail>, String), String> {
    let Some(path) = path else { return Ok((made_up(), format!("all made up, with seed {SEED}"))) };
    let (text, name) = input::text(Some(path), &[])?;
    let mail = parse(&text).map_err(|error| format!("{name}:{error}"))?;
    Ok((mail, format!("of {name}")))
}

const TITLES: &str = "user\tdate\tfrom\tsubject\tmessage\tattachments";

fn parse(text: &str) -> Result<Vec<Mail>, String> {
    let (mut all, mut seen) = (Vec::new(), BTreeSet::new());
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.is_empty());
    for (number, line) in lines.filter(|&(number, line)| number > 1 || line != TITLES) {
        let mail = message(line).map_err(|error| format!("{number}: {error}"))?;
        if !seen.insert((mail.user.clone(), mail.message.clone())) {
            return Err(format!("{number}: {:?} has message {:?} already", mail.user, mail.message));
        }
        all.push(mail);
    }
    Ok(all)
}

/// `ada<TAB>2011-06-03T11:50:48Z<TAB>paul@foobar.com<TAB>World!<TAB>dcbee495<TAB>plan.pdf;map.png`
fn message(line: &str) -> Result<Mail, String> {
    let [user, date, from, subject, message, attachments] = line.split('\t').collect::<Vec<_>>()[..] else {
        return Err(format!("no user, date, from, subject, message and attachments: {line:?}"));
    };
    let at: Timestamp = date.parse().map_err(|error| format!("no date: {date:?}: {error}"))?;
    let at = Seconds::floor(at).map_err(|error| error.to_string())?;
    day(at)?;
    let attachments: Vec<_> = attachments.split(';').filter(|name| !name.is_empty()).map(str::to_owned).collect();
    if attachments.len() > u16::MAX.into() {
        return Err(format!("{} attachments are too many", attachments.len()));
    }
    Ok(Mail {
        user: user.to_owned(),
        at,
        from: from.to_owned(),
        subject: subject.to_owned(),
        message: message.to_owned(),
        attachments,
    })
}

/// The day that an instant is in, in UTC, and its range.
pub(crate) fn day(at: Seconds) -> Result<(Date, Range<Seconds>), String> {
    let date = Timestamp::try_from(at).map_err(|error| error.to_string())?.to_zoned(TimeZone::UTC).date();
    let range = civil::day(date, &TimeZone::UTC).map_err(|error| error.to_string())?;
    Ok((date, range))
}

/// The mail in the form that is read.
pub(crate) fn written(all: &[Mail]) -> String {
    let line = |mail: &Mail| {
        let Mail { user, at, from, subject, message, attachments } = mail;
        format!("{user}\t{}\t{from}\t{subject}\t{message}\t{}\n", date(*at), attachments.join(";"))
    };
    format!("{TITLES}\n{}", all.iter().map(line).collect::<String>())
}

pub(crate) fn date(at: Seconds) -> String {
    Timestamp::try_from(at).map_or_else(|_| at.0.to_string(), |at| at.to_string())
}

/// Three thousand messages to ten users in a month, to some many more than to others; every fifth has attachments.
fn made_up() -> Vec<Mail> {
    const USERS: [&str; 10] = ["ada", "alan", "barbara", "blaise", "carl", "edsger", "emmy", "grace", "joan", "jörg"];
    const SENDERS: [&str; 8] = [
        "mary@foobar.com",
        "paul@foobar.com",
        "pete@foobar.com",
        "sales@ignore.me",
        "news@list.example",
        "root@localhost",
        "ruth@example.org",
        "søren@example.org",
    ];
    const SUBJECTS: [&str; 10] =
        ["Hello,", "Hello", "World!", "Lunch", "Report", "Überraschung", "Invoice", "Minutes", "", "Question"];
    const FILES: [&str; 4] = ["plan.pdf", "map.png", "notes.txt", "table.csv"];
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(SEED);
    let mail = |_| {
        let attachments = if below(&mut rng, 5) == 0 { 1 + below(&mut rng, 3) } else { 0 };
        let subject = pick(&mut rng, &SUBJECTS);
        Mail {
            user: pick(&mut rng, &USERS),
            at: Seconds(1_306_886_400 + below(&mut rng, 30 * 24 * 60 * 60) as i64), // June 2011
            from: pick(&mut rng, &SENDERS),
            subject: if below(&mut rng, 3) == 0 { format!("Re: {subject}") } else { subject },
            message: format!("{:016x}", rng.next_u64()),
            attachments: (0..attachments).map(|_| pick(&mut rng, &FILES)).collect(),
        }
    };
    (0..3000).map(mail).collect()
}

fn below(rng: &mut Xoshiro256PlusPlus, n: u64) -> u64 {
    rng.next_u64() % n
}

/// One of them, the first ones more often.
fn pick(rng: &mut Xoshiro256PlusPlus, of: &[&str]) -> String {
    let most = of.len() as u64;
    let at = below(rng, most).min(below(rng, most));
    of[at as usize].to_owned()
}
