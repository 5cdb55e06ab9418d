//! Files in a database's directory that are neither its own nor those of another program: desktops, file systems and
//! services that synchronise folders leave them anywhere.

/// Returns whether a name is that of such a file. Names that begin with a dot are: `.DS_Store`, `._name`,
/// `.Trash-1000`, `.nfs0001`, `.snapshot`, `.directory`, `.stfolder`.
pub(crate) fn is_stranger(name: &str) -> bool {
    const NAMES: [&str; 9] = [
        "lost+found",
        "thumbs.db",
        "ehthumbs.db",
        "desktop.ini",
        "$recycle.bin",
        "system volume information",
        "@eadir",
        "icon\r",
        "cachedir.tag",
    ];
    // The engine takes every file with this extension for a journal.
    let is_journal = || name.to_ascii_lowercase().ends_with(".jnl");
    (name.starts_with('.') && !is_journal()) || NAMES.contains(&name.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::is_stranger;

    #[test]
    fn files_of_desktops_and_file_systems_are_told_from_others() {
        for name in [".DS_Store", "._version", "Thumbs.db", "desktop.ini", "Desktop.ini", "lost+found", ".nfs001"] {
            assert!(is_stranger(name), "{name}");
        }
        for name in ["letter.txt", "0.jnl", "._0.jnl", ".x.JNL", "lock", "thumbs.db.txt", ""] {
            assert!(!is_stranger(name), "{name}");
        }
    }
}
