//! Names of Windows' devices.

/// Returns whether Windows takes a file's or a folder's name for that of a device, whatever follows behind a dot.
pub(crate) fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    match stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt")) {
        Some(number) => matches!(number.as_bytes(), [b'1'..=b'9']),
        None => matches!(stem.as_str(), "con" | "prn" | "aux" | "nul"),
    }
}

/// Why a package has no such name.
pub(crate) const DEVICE: &str = "Windows has no folder of this name, which is a device's: take another";
