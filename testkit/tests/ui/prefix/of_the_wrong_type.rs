use rowkey::encode::{Encoding, Reader, Sink, Writer};
use rowkey::{DecodeError, List, RowKey};

struct Own;

impl Encoding<String> for Own {
    const SHAPE: &'static str = "own";
    fn encode<S: Sink>(_: &String, w: &mut Writer<'_, S>) {
        w.byte(0);
    }
    fn decode(r: &mut Reader<'_>) -> Result<String, DecodeError> {
        r.byte().map(|_| String::new())
    }
}

#[derive(RowKey)]
struct Inner {
    a: u64,
}

#[derive(RowKey)]
#[rowkey(transparent)]
struct Outer(Inner);

#[derive(RowKey)]
struct Key {
    path: List<u64>,
    parent: Option<String>,
    host: String,
    #[rowkey(with = Own)]
    own: String,
    inner: Inner,
}

#[derive(RowKey)]
#[rowkey(hashed(by(user)))]
struct Hashed {
    user: String,
    at: u64,
}

fn main() {
    let path = || List(vec![1]);
    let _ = Key::prefix().path_starts_with(&[1u64]);
    let _ = Key::prefix().path_prefix(path());
    let _ = Key::prefix().path(path()).parent_starts_with("x");
    let _ = Key::prefix().path(path()).parent(None::<String>).host_prefix("ap");
    let _ = Key::prefix().path(path()).parent(None::<String>).host("ap").own_starts_with("x");
    let _ = Key::prefix().path(path()).parent(None::<String>).host("ap").own("x".to_owned()).inner_prefix(1);
    let _ = Hashed::prefix().user_starts_with("x");
    let _ = Outer::prefix();
    let _ = String::prefix();
}
