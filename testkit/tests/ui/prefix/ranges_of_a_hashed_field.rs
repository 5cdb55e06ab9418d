use rowkey::{Memory, RowKey, Table};

#[derive(RowKey)]
#[rowkey(hashed(by(user, day)))]
struct Action {
    user: u64,
    day: u32,
    at: i64,
}

#[derive(RowKey)]
#[rowkey(hashed)]
struct Session {
    token: String,
}

fn main() {
    let actions: Table<Action, (), _> = Table::open(Memory::new(), "actions").unwrap();
    let _ = actions.scan(Action::prefix().user_range(7..9));
    let _ = actions.scan(Action::prefix().user(7).day_in([1, 2]));
    let _ = actions.scan(Action::prefix().user(7));
    let sessions: Table<Session, (), _> = Table::open(Memory::new(), "sessions").unwrap();
    let _ = sessions.scan(Session::prefix().token_range("a".."b"));
}
