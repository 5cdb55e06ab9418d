//! Go, with `cloud.google.com/go/bigtable`.

use std::process::Command;

use rowkey_codec::Language;

use crate::{PROJECT, check, generated, rows, run, table, write, write_file};

/// The version of Google's client.
const CLIENT: &str = "cloud.google.com/go/bigtable@v1.58.0";

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs an emulator of Bigtable, and Go"]
async fn go_and_rust_read_what_the_other_wrote() {
    let folder = tempfile::tempdir().unwrap();
    let (keys, program) = (folder.path().join("rowkeys"), folder.path().join("program"));
    generated(Language::Go, &keys);
    write_file(&program.join("main.go"), include_str!("../go/bigtable/main.go"));
    let module = "module program\n\ngo 1.23\n\nrequire rowkeys v0.0.0\n\nreplace rowkeys => ../rowkeys\n";
    write_file(&program.join("go.mod"), module);
    let go =
        |arguments: &[&str]| run(Command::new("go").args(arguments).current_dir(&program).env("GOFLAGS", "-mod=mod"));
    go(&["get", CLIENT]);
    go(&["build", "-buildvcs=false", "-o", "bigtable", "."]);
    let bigtable = |what: &str, instance: &str, name: &str| {
        let rows = rows().to_string();
        run(Command::new(program.join("bigtable")).args([what, PROJECT, instance, name, &rows]))
    };

    let (by_go, instance) = table("by_go").await;
    bigtable("write", &instance, "by_go");
    check(&by_go, rows(), "go").await;

    let (by_rust, instance) = table("by_rust").await;
    write(&by_rust, rows()).await;
    println!("go: {}", bigtable("read", &instance, "by_rust"));
}
