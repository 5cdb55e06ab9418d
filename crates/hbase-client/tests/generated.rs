//! The generated code in `src/pb` is that of the files in `proto`. Run with `HBASE_CLIENT_GENERATE=1` to write it.

use std::path::Path;

#[test]
fn the_generated_code_is_that_of_the_proto_files() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = package.join("proto");
    let names = ["names", "rpc", "filter", "client", "registry", "master", "admin", "lock"];
    let files = protox::compile(names.map(|name| folder.join(name).with_extension("proto")), [&folder]);

    let out = tempfile::tempdir().expect("a folder");
    prost_build::Config::new()
        .bytes(["."])
        .out_dir(out.path())
        .compile_fds(files.expect("the files are right"))
        .expect("code of them");
    let generated = std::fs::read_to_string(out.path().join("hbase.pb.rs")).expect("generated code");

    let kept = package.join("src/pb/hbase.pb.rs");
    if std::env::var_os("HBASE_CLIENT_GENERATE").is_some() {
        std::fs::write(&kept, &generated).expect("the file is written");
    }
    let kept = std::fs::read_to_string(kept).expect("the generated code is there");
    assert!(kept == generated, "run this test with HBASE_CLIENT_GENERATE=1");
}
