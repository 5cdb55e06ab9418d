//! The service, as a program on disk and in this process: pages, the index, counters, deadlines, kills and stops under load.

mod deadlines;
mod program;
mod stops;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};

use flate2::read::GzDecoder;
use rowkey_studies::sample::ACCESS_LOG;
use rowkey_studies::weblog::parse;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ureq::Agent;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Visit {
    user: String,
    at: i64,
    page: String,
}

/// Visits of a real web log.
fn visits(most: usize) -> Vec<Visit> {
    let log = BufReader::new(GzDecoder::new(ACCESS_LOG)).split(b'\n').map(Result::unwrap);
    let visit = |line: Vec<u8>| {
        let line = parse(&line).ok()?;
        let page = line.hit.request.as_deref()?.split(' ').nth(1)?.to_owned();
        Some(Visit { user: line.visitor.to_owned(), at: line.at.as_millisecond(), page })
    };
    let all: BTreeSet<Visit> = log.filter_map(visit).take(most).collect();
    all.into_iter().collect()
}

/// A client of a service.
#[derive(Clone)]
struct Client {
    agent: Agent,
    address: String,
}

impl Client {
    fn new(address: &str) -> Self {
        let config = Agent::config_builder().http_status_as_error(false).build();
        Self { agent: config.into(), address: address.to_owned() }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The status, or `None` if there was no response.
    fn add(&self, visit: &Visit) -> Option<u16> {
        Some(self.agent.post(self.url("/visits")).send_json(visit).ok()?.status().as_u16())
    }

    fn get(&self, path: &str, query: &[(&str, &str)]) -> (u16, String) {
        let request = self.agent.get(self.url(path)).query_pairs(query.iter().copied());
        let mut response = request.call().unwrap();
        (response.status().as_u16(), response.body_mut().read_to_string().unwrap())
    }

    fn json(&self, path: &str, query: &[(&str, &str)]) -> Value {
        let (status, body) = self.get(path, query);
        assert_eq!(status, 200, "{body}");
        serde_json::from_str(&body).unwrap()
    }

    /// All visits, page by page.
    fn all(&self, path: &str, of: (&str, &str), rows: &str) -> Vec<Visit> {
        let (mut all, mut after): (Vec<Visit>, Option<String>) = (Vec::new(), None);
        loop {
            let mut query = vec![of, ("rows", rows)];
            query.extend(after.as_deref().map(|after| ("after", after)));
            let mut page = self.json(path, &query);
            let visits: Vec<Visit> = serde_json::from_value(page["visits"].take()).unwrap();
            assert!(visits.len() <= rows.parse().unwrap());
            all.extend(visits);
            match page["next"].as_str() {
                Some(next) => after = Some(next.to_owned()),
                None => return all,
            }
        }
    }

    fn hits(&self, page: &str) -> i64 {
        self.json("/pages/hits", &[("page", page)])["hits"].as_i64().unwrap()
    }
}

/// The visits of a user or a page, newest first.
fn newest_first(visits: &[Visit], of: impl Fn(&Visit) -> bool) -> Vec<Visit> {
    let mut found: Vec<_> = visits.iter().filter(|visit| of(visit)).cloned().collect();
    found.sort_by(|a, b| b.at.cmp(&a.at).then_with(|| (&a.user, &a.page).cmp(&(&b.user, &b.page))));
    found
}

/// What the service has is what was sent: by user, by page, and what was counted at most.
fn has_all(client: &Client, visits: &[Visit], counters_are_exact: bool) {
    let users: BTreeSet<_> = visits.iter().map(|visit| &visit.user).collect();
    for user in users {
        let due = newest_first(visits, |visit| visit.user == *user);
        assert_eq!(client.all("/users/visits", ("user", user), "7"), due, "of {user}");
    }
    let pages: BTreeSet<_> = visits.iter().map(|visit| &visit.page).collect();
    for page in pages {
        let due = newest_first(visits, |visit| visit.page == *page);
        assert_eq!(client.all("/pages/visits", ("page", page), "100"), due, "of {page}");
        let hits = client.hits(page);
        assert!(hits <= due.len() as i64 && (!counters_are_exact || hits == due.len() as i64), "{page}: {hits} hits");
    }
}
