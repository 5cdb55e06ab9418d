//! Python, with `google-cloud-bigtable`.

use std::process::Command;

use rowkey_codec::Language;

use crate::{PROJECT, check, generated, rows, run, table, write, write_file};

/// Google's client, and its version.
const CLIENT: &str = "google-cloud-bigtable==2.50.2";

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs an emulator of Bigtable, and Python with venv"]
async fn python_and_rust_read_what_the_other_wrote() {
    let folder = tempfile::tempdir().unwrap();
    generated(Language::Python, folder.path());
    let program = folder.path().join("program.py");
    write_file(&program, include_str!("../python/bigtable.py"));
    run(Command::new("python3").args(["-m", "venv", "venv"]).current_dir(folder.path()));
    let python = folder.path().join("venv/bin/python");
    run(Command::new(&python).args(["-m", "pip", "install", "--quiet", CLIENT]));
    let bigtable = |what: &str, instance: &str, name: &str| {
        let rows = rows().to_string();
        run(Command::new(&python).arg(&program).args([what, PROJECT, instance, name, &rows]))
    };

    let (by_python, instance) = table("by_python").await;
    bigtable("write", &instance, "by_python");
    check(&by_python, rows(), "python").await;

    let (by_rust, instance) = table("by_rust").await;
    write(&by_rust, rows()).await;
    println!("python: {}", bigtable("read", &instance, "by_rust"));
}
