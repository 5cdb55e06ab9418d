//! Makes the sample of a web log, `studies/data/access.log.gz`: five days of a small site, in the combined format.
//!
//!     cargo run -p rowkey-studies -- make_log | gzip -9n > studies/data/access.log.gz
//!
//! It has no real visits. Times, visitors, pages and referers are drawn with a fixed seed, so each run prints the same
//! log; addresses and domains are those that are kept for documentation (RFC 5737, 3849, 2606). The days are from
//! Thursday, 30 May 2024, to Monday, 3 June: they are of two months and two weeks.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use jiff::Timestamp;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{RngCore, SeedableRng};
use rowkey_studies::output::exit;

const SEED: u64 = 2024;
/// 2024-05-30T00:00:00Z.
const START: u64 = 1_717_027_200;
const DAY: u64 = 86_400;
const DAYS: u64 = 5;
const VISITORS: u64 = 160;
const SESSIONS: u64 = 420;

/// Pages, the best known first, and about how many bytes each has.
const PAGES: [(&str, u64); 18] = [
    ("/", 5_120),
    ("/blog/", 18_400),
    ("/blog/2024/sorted-keys", 14_210),
    ("/blog/2024/hot-regions", 12_980),
    ("/projects/", 7_300),
    ("/projects/lamp", 9_870),
    ("/blog/2023/wide-rows", 16_044),
    ("/docs/install.html", 6_450),
    ("/docs/", 3_980),
    ("/blog/2024/time-series", 15_500),
    ("/docs/keys.html", 21_300),
    ("/blog/tags/keys", 8_200),
    ("/blog/2022/salt", 11_760),
    ("/about.html", 2_940),
    ("/projects/kite", 8_110),
    ("/docs/faq.html", 13_330),
    ("/blog/2021/first-post", 4_020),
    ("/contact.php", 1_870),
];
const FILES: [(&str, u64); 4] = [
    ("/download/lamp-1.4.tar.gz", 182_044),
    ("/download/lamp-1.4.zip", 201_377),
    ("/download/kite-0.9.tar.gz", 64_512),
    ("/download/sorted-keys.pdf", 912_381),
];
/// The files that a page loads.
const PARTS: [(&str, u64); 5] = [
    ("/style.css", 4_877),
    ("/favicon.ico", 3_638),
    ("/images/logo.png", 9_210),
    ("/images/lamp-in-the-dark.jpg", 48_803),
    ("/site.js", 6_006),
];
const TERMS: [&str; 6] = ["row+key", "hot+region", "sorted+store", "lamp+download", "what+is+a+salt", "wide+row"];
const AGENTS: [&str; 5] = [
    "Mozilla/5.0 (X11; Linux x86_64; rv:126.0) Gecko/20100101 Firefox/126.0",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/125.0.0.0 Safari/537.36",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15",
    "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/125.0.0.0 Mobile Safari/537.36",
    "A \\\"reader\\\" of feeds/2.1",
];
const SITE: &str = "https://www.example.org";

struct Dice(Xoshiro256PlusPlus);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0.next_u64() % n.max(1)
    }

    /// Mostly the first.
    fn early(&mut self, n: u64) -> u64 {
        self.below(n).min(self.below(n)).min(self.below(n))
    }

    fn of<T: Copy>(&mut self, some: &[T]) -> T {
        some[self.early(some.len() as u64) as usize]
    }

    /// More by day than by night.
    fn moment(&mut self) -> u64 {
        loop {
            let (at, noon) = (self.below(DAYS * DAY), 14 * 3600);
            if self.below(DAY / 2) > (at % DAY).abs_diff(noon) {
                return START + at;
            }
        }
    }

    /// The page that a visitor comes from; `-` if it is unknown.
    fn referer(&mut self) -> String {
        let term = self.of(&TERMS);
        let item = 40_000_000 + self.early(40);
        match self.below(10) {
            0..=3 => "-".to_owned(),
            4 | 5 => format!("https://www.lantern.example/search?q={term}"),
            6 => format!("https://find.lantern.test/?query={term}&from=12"),
            7 => format!("https://news.orchard.example/item?id={item}"),
            8 => format!("https://forum.orchard.example/t/{}", self.early(9)),
            _ => "http://[2001:db8::80]:8080/links.html".to_owned(),
        }
    }
}

/// Who makes a request, by a number: few come often.
fn visitor(number: u64) -> String {
    match number {
        3 => "proxy.meadow.example".to_owned(),
        n if n % 7 == 5 => format!("2001:db8:{:x}::{:x}", n % 3 + 1, n * 257),
        n => format!("{}.{}", ["192.0.2", "198.51.100", "203.0.113"][(n % 3) as usize], n + 1),
    }
}

/// A second, and the line that was written then.
type Line = (u64, String);

/// Who asks.
struct Client {
    visitor: String,
    user: &'static str,
    agent: &'static str,
}

impl Client {
    fn line(&self, at: u64, request: &str, status: u16, size: u64, referer: &str) -> Line {
        let Self { visitor, user, agent } = self;
        let size = if size == 0 { "-".to_owned() } else { size.to_string() };
        (at, format!("{visitor} - {user} [TIME] \"{request} HTTP/1.1\" {status} {size} \"{referer}\" \"{agent}\""))
    }
}

/// A visitor's requests, one after another.
fn session(dice: &mut Dice, lines: &mut Vec<Line>) {
    let number = dice.early(VISITORS);
    let user = if number == 8 { "ada" } else { "-" };
    let client = Client { visitor: visitor(number), user, agent: AGENTS[(number % AGENTS.len() as u64) as usize] };
    let (mut at, mut referer) = (dice.moment(), dice.referer());
    for step in 0..=dice.early(12) {
        let (page, size) = dice.of(&PAGES);
        let request = format!("GET {page}");
        match dice.below(40) {
            0 => lines.push(client.line(at, "GET /wp-login.php", 404, 289, "-")),
            1 => lines.push(client.line(at, "POST /contact.php", 302, 0, &referer)),
            2 => lines.push(client.line(at, &request, 500, 612, &referer)),
            3 => lines.push(client.line(at, &format!("HEAD {page}"), 200, 0, "-")),
            4..=6 => {
                let asked = format!("GET /search?q={}", dice.of(&TERMS));
                lines.push(client.line(at, &asked, 200, 2_000 + dice.below(3_000), &referer));
            }
            7..=10 => {
                let (file, size) = dice.of(&FILES);
                lines.push(client.line(at, &format!("GET {file}"), 200, size, &referer));
            }
            11..=14 => lines.push(client.line(at, &request, 304, 0, &referer)),
            _ => lines.push(client.line(at, &request, 200, size + dice.below(64), &referer)),
        }
        let here = format!("{SITE}{page}");
        // A browser loads the parts with the first page, and keeps them.
        for (part, size) in PARTS.iter().take(if step == 0 { 2 + dice.below(4) as usize } else { 0 }) {
            lines.push(client.line(at + dice.below(2), &format!("GET {part}"), 200, *size, &here));
        }
        referer = here;
        at += 3 + dice.early(400);
    }
}

fn make(out: &mut impl Write) -> Result<(), Box<dyn std::error::Error>> {
    let mut dice = Dice(Xoshiro256PlusPlus::seed_from_u64(SEED));
    let mut lines = Vec::new();
    for _ in 0..SESSIONS {
        session(&mut dice, &mut lines);
    }
    let agent = "monitor/1.0 (+https://status.test/)";
    let monitor = Client { visitor: "192.0.2.250".to_owned(), user: "-", agent };
    // A program that looks at one page each second hour, as such programs do.
    for at in (START..START + DAYS * DAY).step_by(7200) {
        lines.push(monitor.line(at, "GET /projects/lamp", 200, 9_870, "-"));
    }
    lines.retain(|(at, _)| *at < START + DAYS * DAY);
    lines.sort_by_key(|(at, _)| *at);
    for (at, line) in lines {
        let at = Timestamp::from_second(at.try_into()?)?.strftime("%d/%b/%Y:%H:%M:%S +0000");
        writeln!(out, "{}", line.replacen("TIME", &at.to_string(), 1))?;
    }
    Ok(out.flush()?)
}

/// Writes the log. It takes no arguments.
pub(crate) fn main(_: Vec<OsString>) -> ExitCode {
    exit(make(&mut io::BufWriter::new(io::stdout().lock())))
}
