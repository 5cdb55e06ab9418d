use rowkey::RowKey;

#[derive(RowKey)]
struct Action {
    user: u64,
    #[rowkey(desc)]
    at: i64,
    event: String,
}

fn main() {
    let action = Action { user: 7, at: 1, event: "login".into() };
    let _ = action.to_array();
    let _ = Action::WIDTH;
    let _ = action.encode_into(&mut [0; 20]);
}
