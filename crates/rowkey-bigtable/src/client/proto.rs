//! Types of Google's API of Bigtable, as the crates `googleapis-tonic-google-bigtable-v2` and
//! `googleapis-tonic-google-bigtable-admin-v2` generate them.

/// The API of tables and their families.
pub use googleapis_tonic_google_bigtable_admin_v2::google::bigtable::admin::v2 as admin;
pub use googleapis_tonic_google_bigtable_v2::google::bigtable::v2::*;
pub use googleapis_tonic_google_bigtable_v2::google::rpc::{RetryInfo, Status as RpcStatus};
