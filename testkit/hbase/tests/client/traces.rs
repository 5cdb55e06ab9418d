//! Spans and events that a subscriber of `tracing` gets from an operation.

use std::fmt::{Debug, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use hbase_client::{Client, Put, protocol as pb};
use rowkey_hbase_testkit::{Fake, Reply};

/// Keeps a line for each span and event.
#[derive(Clone, Default)]
struct Lines {
    lines: Arc<Mutex<Vec<String>>>,
    spans: Arc<AtomicU64>,
}

struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _ = write!(self.0, " {field}={value:?}");
    }
}

impl Subscriber for Lines {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("hbase_client")
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut text = Text(format!("span {}", span.metadata().name()));
        span.record(&mut text);
        self.lines.lock().unwrap().push(text.0);
        Id::from_u64(self.spans.fetch_add(1, Ordering::Relaxed) + 1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut text = Text("event".into());
        event.record(&mut text);
        self.lines.lock().unwrap().push(text.0);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[tokio::test]
async fn an_operation_and_its_attempts_are_spans_without_what_is_stored() {
    // With one subscriber alone, a test in another thread, which has none, decides what is traced in all threads.
    let _second = tracing::Dispatch::new(Lines::default());
    let lines = Lines::default();
    let _guard = tracing::subscriber::set_default(lines.clone());
    let fake = Fake::start(|call| match call.nth {
        0 => Reply::Exception("org.apache.hadoop.hbase.CallQueueTooBigException", "busy".into()),
        _ => Reply::message(&pb::MutateResponse { processed: Some(true), ..Default::default() }),
    });
    let client = Client::new(fake.options()).unwrap();
    client.table("t").put(Put::new("r").value("f", "q", "the-value")).await.unwrap();
    let lines = lines.lines.lock().unwrap().clone();
    let count = |start: &str| lines.iter().filter(|line| line.starts_with(start)).count();
    assert_eq!(count("span hbase call method=\"Mutate\" table=t"), 1, "{lines:#?}");
    assert_eq!(count(&format!("span hbase attempt method=\"Mutate\" server={}", fake.address())), 2, "{lines:#?}");
    assert!(lines.iter().any(|line| line.contains("an attempt failed") && line.contains("attempt=1")), "{lines:#?}");
    assert!(lines.iter().all(|line| !line.contains("the-value")), "{lines:#?}");
}
