//! Names of a design as names of a program.
//!
//! A design's name is any text. It is split into words, written in letters of ASCII, and joined in the case of its
//! kind: `HTTPStatus`, `http-status` and `http status` are the class `HttpStatus` and the field `http_status`. A word
//! of the language gets a `_`; a digit in front an `f`, as a tuple's field `_0` is `f0`; a name that is taken gets a
//! number. Two names never differ in case alone, as files of some systems could not, and none is longer than a file's
//! can be.

mod case;
mod device;
mod give;
mod go;
mod java;
mod python;

use std::collections::BTreeSet;

pub use self::case::Case;
pub(crate) use self::device::{DEVICE, is_device};

/// The names of a language.
#[derive(Debug)]
pub struct Style {
    /// The case of types.
    pub types: Case,
    /// The case of fields, and of the methods that are called as they are.
    pub fields: Case,
    /// The case of constants of an enum.
    pub constants: Case,
    /// The case of files or packages, one for each key.
    pub modules: Case,
    /// True if the types of a key have a scope of their own, within that of the key.
    pub is_nested: bool,
    /// The words that are no name at all.
    pub reserved: &'static [&'static str],
    /// The names of types that generated code uses or declares by itself.
    pub types_taken: &'static [&'static str],
    /// The names of what each generated record has beside its fields.
    pub members_taken: &'static [&'static str],
    /// The names of files that are taken.
    pub modules_taken: &'static [&'static str],
}

pub use self::go::GO;
pub use self::java::JAVA;
pub(crate) use self::python::KEYWORDS as PYTHON_KEYWORDS;
pub use self::python::PYTHON;

/// The names that are taken in one place.
#[derive(Clone, Debug)]
pub(crate) struct Scope<'s> {
    reserved: &'s [&'s str],
    taken: BTreeSet<String>,
    is_of_files: bool,
}

impl<'s> Scope<'s> {
    pub(crate) fn new(style: &'s Style, taken: &[&str]) -> Self {
        let taken = taken.iter().map(|name| name.to_lowercase()).collect();
        Self { reserved: style.reserved, taken, is_of_files: false }
    }

    /// The same, of files or folders: none has the name of a device.
    pub(crate) fn of_files(style: &'s Style, taken: &[&str]) -> Self {
        Self { is_of_files: true, ..Self::new(style, taken) }
    }

    /// A name in this case that is not taken, which it then is.
    pub(crate) fn take(&mut self, name: &str, case: Case) -> String {
        let mut name = case.of(name);
        if self.reserved.contains(&name.as_str()) {
            name.push(case.filler());
        }
        let numbered = |n: u32| if n == 1 { name.clone() } else { format!("{name}{}{n}", case.joint()) };
        let mut names = (1..).map(numbered).filter(|name| !(self.is_of_files && is_device(name)));
        let free = names.find(|name| self.taken.insert(name.to_lowercase()));
        free.unwrap_or(name)
    }
}
