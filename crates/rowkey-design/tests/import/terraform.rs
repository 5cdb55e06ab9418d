//! Terraform's resources for Bigtable.

use rowkey_design::internal::import::Source;

use super::imported;

/// In the form of the provider's own pages.
pub(super) const DOCUMENTED: &str = r#"
resource "google_bigtable_instance" "instance" {
  name = "tf-instance"
  cluster {
    cluster_id   = "tf-instance-cluster"
    num_nodes    = 3
  }
  labels = merge(var.labels, { a = "b" })
}

variable "family" {
  type    = string
  default = "meta"
}

locals { days = 90 }

/* Its rows are of devices. */
resource "google_bigtable_table" "events" {
  name          = "device-events" # the name
  instance_name = google_bigtable_instance.instance.name
  split_keys    = ["a", "b\u0000",
    "c"]
  change_stream_retention = "24h0m0s"

  column_family { family = "core" }
  column_family {
    family = var.family
    type   = "intsum"
  }
  column_family {
    family = "all"
  }
  column_family { family = "both" }
  column_family { family = "old" }

  lifecycle {
    prevent_destroy = true
  }
}

resource "google_bigtable_gc_policy" "core" {
  instance_name   = google_bigtable_instance.instance.name
  table           = google_bigtable_table.events.name
  column_family   = "core"
  deletion_policy = "ABANDON"

  gc_rules = <<EOF
  {
    "rules": [
      { "max_age": "168h" }
    ]
  }
  EOF
}

resource "google_bigtable_gc_policy" "meta" {
  table         = google_bigtable_table.events.id
  column_family = var.family
  gc_rules = jsonencode({
    mode = "union"
    rules = [
      { max_age = "2160h" }, // 90 days
      { "max_version" : 3 }
    ]
  })
}

resource "google_bigtable_gc_policy" "both" {
  table         = "device-events"
  column_family = "both"
  mode = "INTERSECTION"
  max_age { days = local.days }
  max_version { number = 2 }
}

resource "google_bigtable_gc_policy" "old" {
  table         = google_bigtable_table.events.name
  column_family = "old"
  max_age { duration = "1h30m" }
}
"#;

#[test]
fn documented_resources_are_read() {
    let expected = "format = 1\n\n[table.device-events]\n# A design has no key for change_stream_retention = 24h0m0s\n\
        # The fields of the key are not known: write them here.\nkey = [\"row: bytes raw\"]\nsplits = { keys = [\"61\", \"6200\", \"63\"] }\n\n\
        [table.device-events.family.core]\nversions = 2147483647\nttl = \"7 days\"\n\n\
        [table.device-events.family.meta]\n# A design has no key for type = intsum\nversions = 3\nttl = \"90 days\"\n\n\
        [table.device-events.family.all]\nversions = 2147483647\n\n\
        [table.device-events.family.both]\nversions = 2147483647\nttl = \"90 days\"\nmin_versions = 2\n\n\
        [table.device-events.family.old]\nversions = 2147483647\nttl = \"90 min\"\n";
    let text = imported(DOCUMENTED, Source::Terraform, None).unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!(text, expected);
}

/// A table with this schema of row keys.
fn with_schema(schema: &str) -> String {
    let text =
        format!("resource \"google_bigtable_table\" \"t\" {{\n  name = \"t\"\n  row_key_schema = {schema}\n}}\n");
    imported(&text, Source::Terraform, None).unwrap_or_else(|problems| panic!("{problems}\n{text}"))
}

#[test]
fn row_key_schemas_are_keys() {
    let documented = r#"<<EOF
{
  "structType": {
    "fields": [
      { "fieldName": "id", "type": { "stringType": { "encoding": { "utf8Bytes": {} } } } },
      { "fieldName": "date", "type": { "string_type": { "encoding": { "utf8_bytes": {} } } } },
      { "field_name": "product_code", "type": { "int64Type": { "encoding": { "bigEndianBytes": {} } } } }
    ],
    "encoding": { "delimitedBytes": { "delimiter": "Iw==" } }
  }
}
EOF"#;
    assert_eq!(
        with_schema(documented),
        "format = 1\n\n[table.t]\nkey = [\"id: text['#']\", \"date: text['#']\", \"product_code: be[i64]\"]\n"
    );
    let joined = r#"jsonencode({
      fields = [
        { fieldName = "a", type = { bytesType = { encoding = { raw = {} } } } },
        { fieldName = "b", type = { timestampType = { encoding = { unixMicrosInt64 = { orderedCodeBytes = {} } } } } },
      ]
      encoding = { orderedCodeBytes = {} }
    })"#;
    assert!(with_schema(joined).contains("key = [\"a: ordered[bytes]\", \"b: ordered[micros]\"]"));
}

#[test]
fn a_row_key_schema_that_is_no_layout_is_a_comment() {
    let field = |name: &str, ty: &str| format!(r#"{{ "fieldName": "{name}", "type": {{ {ty} }} }}"#);
    let text = r#""stringType": { "encoding": { "utf8Bytes": {} } }"#;
    let bytes = r#""bytesType": { "encoding": { "raw": {} } }"#;
    let int = r#""int64Type": { "encoding": { "orderedCodeBytes": {} } }"#;
    let schema = |fields: &[String], encoding: &str| {
        format!("<<EOF\n{{ \"fields\": [{}], \"encoding\": {{ {encoding} }} }}\nEOF", fields.join(", "))
    };
    let by = |delimiter: &str| format!(r#""delimitedBytes": {{ "delimiter": "{delimiter}" }}"#);
    for (schema, expected) in [
        ("var.schema".to_owned(), "Terraform computes its parts"),
        ("\"{\"".to_owned(), "its parts are no JSON"),
        ("\"[]\"".to_owned(), "it has no fields"),
        (schema(&[], &by("Iw==")), "it has no fields"),
        (schema(&[field("a", text)], "\"other\": {}"), "its encoding is not"),
        (schema(&[field("a", text), field("b", text)], "\"singleton\": {}"), "its encoding is not"),
        (schema(&[field("a", bytes), field("b", text)], &by("Iw==")), "\"a\" may hold the delimiter"),
        (schema(&[field("a", text)], &by("#")), "is no base64"),
        (schema(&[field("a", text)], &by("MTIzNDU2Nzg5")), "one to eight bytes"),
        (schema(&[field("a", int)], "\"singleton\": {}"), "orderedCodeBytes alone"),
        (schema(&[field("a", "\"dateType\": {}")], "\"orderedCodeBytes\": {}"), "has no layout"),
        // A word that nobody knows may change the bytes.
        (
            schema(&[field("a", r#""bytesType": { "encoding": { "raw": { "other": 1 } } }"#)], "\"singleton\": {}"),
            "has no layout",
        ),
        (schema(&[field("a", text), field("a", text)], "\"orderedCodeBytes\": {}"), "is there twice"),
        (schema(&[field("a b", text)], "\"orderedCodeBytes\": {}"), "not the name of a field"),
    ] {
        let design = with_schema(&schema);
        let comment = design.lines().find(|line| line.starts_with("# The row_key_schema is not the key here: "));
        assert!(comment.is_some_and(|comment| comment.contains(expected)), "{schema}: {design}");
        assert!(design.contains("key = [\"row: bytes raw\"]"), "{design}");
    }
}

#[test]
fn what_terraform_computes_is_refused() {
    let table = |more: &str| format!("resource \"google_bigtable_table\" \"t\" {{\nname = \"t\"\n{more}\n}}\n");
    let policy = |more: &str| {
        let head = "resource \"google_bigtable_gc_policy\" \"p\" {\ntable = google_bigtable_table.t.name\ncolumn_family = \"f\"\n";
        format!("{}{head}{more}\n}}\n", table("column_family { family = \"f\" }"))
    };
    for (text, told) in [
        (
            "resource \"google_bigtable_table\" \"t\" { name = var.name }".to_owned(),
            "1:47: the table's name is not said here",
        ),
        (
            "resource \"google_bigtable_table\" \"t\" { name = \"a-${var.x}\" }".to_owned(),
            "1:47: the table's name is not said",
        ),
        ("resource \"google_bigtable_table\" \"t\" {}".to_owned(), "1:1: this table has no name"),
        (table("count = 2"), "3:9: how many of these there are is not said"),
        (
            table("dynamic \"column_family\" {\nfor_each = var.f\ncontent { family = column_family.value }\n}"),
            "3:1: how many",
        ),
        (table("split_keys = [for k in var.k : k]"), "3:"),
        (table("split_keys = var.keys"), "3:14: the list of split points"),
        (
            table("column_family { family = \"f\" }\ncolumn_family { family = \"f\" }"),
            "4:26: this family is there twice",
        ),
        (policy("gc_rules = var.rules"), "5:1: a design cannot say this policy: Terraform computes its rules"),
        (
            policy("max_age { days = 1 }\nmax_version { number = 2 }"),
            "5:1: a design cannot say this policy: it has several rules",
        ),
        (policy("gc_rules = \"{\""), "5:1: a design cannot say this policy: its rules are no JSON"),
        (
            policy("mode = \"UNION\"\nmax_age { days = 1 }\nmax_age { days = 2 }"),
            "5:1: a design cannot say this policy: it has two ages",
        ),
        (
            policy("max_age { duration = \"5 days\" }"),
            "5:1: a design cannot say this policy: \"5 days\" is not a duration",
        ),
        (policy("").replace(".t.name", ".u.name"), "6:9: the table of this policy is not in this text"),
        (policy("").replace("column_family = \"f\"", "column_family = \"g\""), "7:17: the table has no such family"),
        (
            format!("{}{}", policy(""), policy("").split_once("}\n}\n").expect("a policy").1),
            "12:17: this family has two policies",
        ),
        ("resource {".to_owned(), "1:11: this is not Terraform's language"),
        ("a = 1\na = 2".to_owned(), "2:1: this is not Terraform's language: each argument once"),
        ("locals {}".to_owned(), "1:1: there is no resource google_bigtable_table"),
    ] {
        let problems = imported(&text, Source::Terraform, None).expect_err(&text).to_string();
        assert!(problems.starts_with(&format!("pasted:{told}")), "{text}: {problems}");
    }
}
