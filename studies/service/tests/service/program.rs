//! The program on disk.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;

use tempfile::tempdir;

use crate::{Client, Visit, has_all, newest_first, visits};

/// A service that runs; it is killed when this is dropped.
pub(crate) struct Program {
    child: Child,
    pub(crate) client: Client,
}

impl Program {
    pub(crate) fn start(directory: &Path, args: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_rowkey-service"))
            .arg(directory)
            .args(["--listen", "127.0.0.1:0", "--timeout-ms", "60000"])
            .args(args)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on ").unwrap();
        Self { client: Client::new(address), child }
    }

    pub(crate) fn signal(&self, signal: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    }

    /// Waits for its end.
    pub(crate) fn ends(&mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends visits with eight clients until each was sent, or the service is gone. Returns those that it has acknowledged.
pub(crate) fn send(client: &Client, visits: &[Visit], at_half: impl Fn() + Sync) -> Vec<Visit> {
    let sent = std::sync::atomic::AtomicUsize::new(0);
    thread::scope(|scope| {
        let clients: Vec<_> = (0..8)
            .map(|number| {
                let (client, sent, at_half) = (Client::new(&client.address), &sent, &at_half);
                scope.spawn(move || {
                    let mut acknowledged = Vec::new();
                    for visit in visits.iter().skip(number).step_by(8) {
                        let status = client.add(visit);
                        if matches!(status, Some(200 | 201)) {
                            acknowledged.push(visit.clone());
                        }
                        if sent.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == visits.len() / 2 {
                            at_half();
                        }
                    }
                    acknowledged
                })
            })
            .collect();
        clients.into_iter().flat_map(|client| client.join().unwrap()).collect()
    })
}

#[test]
fn eight_clients_write_while_others_read_pages() {
    let directory = tempdir().unwrap();
    let service = Program::start(directory.path(), &[]);
    let visits = visits(600);
    let user = &visits[visits.len() / 2].user;
    let of_user = newest_first(&visits, |visit| visit.user == *user);
    let acknowledged = thread::scope(|scope| {
        let reader = scope.spawn(|| {
            // Pages are a subset, in order, whatever is written meanwhile.
            loop {
                let seen = service.client.all("/users/visits", ("user", user), "3");
                let mut due = of_user.iter();
                assert!(seen.iter().all(|visit| due.any(|due| due == visit)), "{seen:?}");
                if seen.len() == of_user.len() {
                    break;
                }
            }
        });
        let acknowledged = send(&service.client, &visits, || ());
        reader.join().unwrap();
        acknowledged
    });
    assert_eq!(acknowledged.len(), visits.len());
    has_all(&service.client, &visits, true);
    // Sent again, they count once.
    for visit in &visits[..20] {
        assert_eq!(service.client.add(visit), Some(200));
    }
    has_all(&service.client, &visits, true);

    let (status, body) = service.client.get("/users/export", &[("user", user)]);
    let lines: Vec<Visit> = body.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((status, lines), (200, of_user));
}

#[test]
fn what_was_acknowledged_is_there_after_a_kill() {
    let directory = tempdir().unwrap();
    let visits = visits(400);
    let mut killed = Program::start(directory.path(), &[]);
    let acknowledged = send(&killed.client, &visits, || killed.signal("-KILL"));
    assert!(acknowledged.len() < visits.len() && acknowledged.len() > 100);
    killed.ends();

    let service = Program::start(directory.path(), &[]);
    for visit in &acknowledged {
        let by_user = service.client.all("/users/visits", ("user", &visit.user), "100");
        assert!(by_user.contains(visit), "{visit:?}");
    }
    // Rows and index agree, and what is sent again is complete.
    send(&service.client, &visits, || ());
    has_all(&service.client, &visits, false);
}

#[test]
fn bad_requests_are_the_clients_fault() {
    let directory = tempdir().unwrap();
    let service = Program::start(directory.path(), &[]);
    let client = &service.client;
    let visit = Visit { user: "ada".into(), at: 1, page: "/".into() };
    assert_eq!(client.add(&visit), Some(201));
    for after in ["", "junk", "00", "ff".repeat(5000).as_str()] {
        let (status, body) = client.get("/users/visits", &[("user", "ada"), ("after", after)]);
        assert_eq!(status, 400, "{after}: {body}");
        assert!(body.contains("cursor"), "{body}");
    }
    // A cursor of the other table.
    client.add(&Visit { at: 2, ..visit.clone() });
    let next = client.json("/pages/visits", &[("page", "/"), ("rows", "1")])["next"].as_str().unwrap().to_owned();
    assert_eq!(client.get("/users/visits", &[("user", "ada"), ("after", &next)]).0, 400);
    let answer = client.agent.post(client.url("/visits")).send_json("no visit").unwrap();
    assert_eq!(answer.status().as_u16(), 422);
    let long = Visit { page: "x".repeat(70_000), ..visit };
    assert_eq!(client.add(&long), Some(400));
    assert_eq!(client.all("/users/visits", ("user", "nobody"), "5"), []);
}

#[test]
fn a_client_that_goes_away_ends_its_export() {
    let directory = tempdir().unwrap();
    let service = Program::start(directory.path(), &["--requests", "1"]);
    let rows: Vec<_> =
        (0..3000).map(|at| Visit { user: "ada".into(), at, page: format!("/{}", "x".repeat(2000)) }).collect();
    for visit in &rows {
        assert_eq!(service.client.add(visit), Some(201));
    }
    let mut stream = TcpStream::connect(&service.client.address).unwrap();
    stream.write_all(b"GET /users/export?user=ada HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    let mut begin = [0; 1000];
    stream.read_exact(&mut begin).unwrap();
    assert!(begin.starts_with(b"HTTP/1.1 200"));
    drop(stream);
    assert_eq!(service.client.all("/users/visits", ("user", "ada"), "1000").len(), rows.len());
}
