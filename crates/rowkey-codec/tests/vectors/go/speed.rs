//! Generated keys beside keys by hand: the same bytes, and nothing but the result allocated. `bench/go/run` measures
//! how long they take.

use super::{Generated, go, run};
use crate::benches;

#[test]
fn nothing_but_the_result_is_allocated_in_go() {
    let generated = Generated::new(&benches::tables("go"));
    for file in ["by_hand.go", "speed_test.go"] {
        generated.write(&format!("speed/{file}"), &benches::read(&format!("go/{file}")));
    }
    run(go().args(["test", "./speed"]).current_dir(generated.path()));
}
