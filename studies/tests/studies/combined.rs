//! The parser of the studies on web logs, line by line.

use rowkey_studies::weblog::{Hit, Malformed, parse};

fn hit(line: &str) -> Hit {
    parse(line.as_bytes()).unwrap().hit
}

#[test]
fn every_field() {
    let line =
        br#"2001:db8::7 ident Ada "L" [x] [17/May/2015:12:05:03 +0200] "GET /a?b HTTP/1.1" 304 - "http://r/" "A (b)""#;
    let line = parse(line).unwrap();
    assert_eq!((line.visitor, line.at.to_string().as_str()), ("2001:db8::7", "2015-05-17T10:05:03Z"));
    assert_eq!(
        line.hit,
        Hit {
            user: Some("Ada \"L\" [x]".into()),
            request: Some("GET /a?b HTTP/1.1".into()),
            status: Some(304),
            size: 0,
            referrer: Some("http://r/".into()),
            agent: Some("A (b)".into()),
        }
    );
}

#[test]
fn escapes() {
    let request = |written: &str| {
        hit(&format!("h - - [17/May/2015:12:05:03 -0730] \"{written}\" 200 1 \"-\" \"-\"")).request.unwrap_or_default()
    };
    assert_eq!(request(r#"a\"b\\"#), "a\"b\\");
    assert_eq!(request(r"\x16\x03\xC3\xa4"), "\u{16}\u{3}ä");
    assert_eq!(request(r"\n\r\t\v\b"), "\n\r\t\u{b}\u{8}");
    assert_eq!(request(r"\xff"), "\u{fffd}");
    assert_eq!(request(r"\q \x4 \xg0"), r"\q \x4 \xg0");
    assert_eq!(request("-"), "");
    assert_eq!(request(""), "");
}

#[test]
fn what_no_server_writes_is_refused() {
    let start = "h - - [17/May/2015:12:05:03 +0000] \"GET /\"";
    for (line, due) in [
        (String::new(), Malformed::Empty),
        ("h".into(), Malformed::Missing("identity")),
        ("h - - \"GET /\"".into(), Malformed::Missing("time")),
        (start.into(), Malformed::Missing("status")),
        (format!("{start} 200 1"), Malformed::Missing("referrer")),
        (format!("{start} 200 1 \"-\""), Malformed::Missing("agent")),
        (format!("{start} 200 1 \"-\" \"x"), Malformed::Unclosed("agent")),
        (format!("{start} 200 -1 \"-\" \"x\""), Malformed::Wrong { what: "size", found: "-1".into() }),
        (format!("{start} 99999 1 \"-\" \"x\""), Malformed::Wrong { what: "status", found: "99999".into() }),
        (format!("{start} 200 1 x \"-\""), Malformed::Wrong { what: "referrer", found: "x".into() }),
        (format!("{start} 200 1 \"a\"b\" \"-\""), Malformed::Wrong { what: "referrer", found: "a\"b\" \"-\"".into() }),
        (format!(" {start} 200 1 \"-\" \"-\""), Malformed::Wrong { what: "visitor", found: String::new() }),
    ] {
        assert_eq!(parse(line.as_bytes()), Err(due), "{line}");
    }
}

#[test]
fn no_line_makes_it_panic() {
    let line = br#"h - u [17/May/2015:12:05:03 +0000] "GET /\"\x41" 200 12 "r" "a\\" x"#;
    assert!(parse(line).is_ok());
    for end in 0..line.len() {
        drop(parse(&line[..end]));
        for byte in [0, b' ', b'"', b'\\', b'[', b']', b'-', 0xff] {
            let mut altered = line.to_vec();
            altered[end] = byte;
            drop(parse(&altered));
        }
    }
}
