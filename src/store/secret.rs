//! Tokens, passwords, keys: values that must not be logged.

use std::fmt;

pub use zeroize::Zeroize;

/// A value that is not printed by accident: a token, a password, a table of keys.
///
/// `Debug` prints `[secret]`, also inside other types. There is no `Display`, no serialization, and no `==`, as a
/// failed assertion would print both sides. The memory is overwritten (zeroized) on drop. Copies made before are not,
/// such as those that a growing `String` leaves behind.
#[doc(alias = "password")]
#[doc(alias = "zeroize")]
///
/// ```
/// use rowkey::Secret;
///
/// #[derive(Debug)]
/// struct Login {
///     user: String,
///     password: Secret,
/// }
///
/// let login = Login { user: "ada".into(), password: Secret::new("hunter2".to_owned()) };
/// assert_eq!(format!("{login:?}"), r#"Login { user: "ada", password: [secret] }"#);
/// assert_eq!(login.password.expose(), "hunter2");
/// ```
///
/// None of these compile:
///
/// ```compile_fail
/// println!("{}", rowkey::Secret::new(String::new()));
/// ```
///
/// ```compile_fail
/// let _ = rowkey::Secret::new(String::new()) == rowkey::Secret::new(String::new());
/// ```
///
/// ```compile_fail
/// let _ = serde_json::to_string(&rowkey::Secret::new(String::new()));
/// ```
#[derive(Clone)]
pub struct Secret<T: Zeroize = String>(T);

impl<T: Zeroize> Secret<T> {
    /// Wraps a secret.
    pub const fn new(secret: T) -> Self {
        Self(secret)
    }

    /// Returns the secret. The caller must not log it or pass it on.
    pub const fn expose(&self) -> &T {
        &self.0
    }
}

impl<T: Zeroize> From<T> for Secret<T> {
    fn from(secret: T) -> Self {
        Self(secret)
    }
}

impl<T: Zeroize> Drop for Secret<T> {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl<T: Zeroize> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::collections::BTreeMap;
    use std::rc::Rc;

    use super::*;

    #[derive(Clone, Debug)]
    #[expect(dead_code, reason = "they are printed")]
    struct Nested {
        name: &'static str,
        keys: BTreeMap<u8, Secret<[u8; 4]>>,
        more: Option<Vec<Secret>>,
        all: Result<Secret<Vec<u8>>, ()>,
    }

    #[test]
    fn what_holds_secrets_does_not_show_them() {
        let nested = Nested {
            name: "shown",
            keys: BTreeMap::from([(1, Secret::new([77; 4]))]),
            more: Some(vec!["hidden".to_owned().into()]),
            all: Ok(b"hidden".to_vec().into()),
        };
        for said in [format!("{nested:?}"), format!("{nested:#?}"), format!("{:?}", Some(nested.clone()))] {
            assert!(said.contains("shown") && said.matches("[secret]").count() == 3, "{said}");
            assert!(!said.contains("hidden") && !said.contains("77") && !said.contains("104"), "{said}");
        }
        assert_eq!(format!("{:>20?}|{:02x?}", Secret::new([77_u8]), Secret::new([77_u8])), "[secret]|[secret]");
        let error = crate::Error::engine(format!("refused: {:?}", nested.more));
        assert_eq!(error.to_string(), "refused: Some([[secret]])");
    }

    struct Watched(Rc<Cell<u8>>);

    impl Zeroize for Watched {
        fn zeroize(&mut self) {
            self.0.set(self.0.get() + 1);
        }
    }

    #[test]
    fn it_is_overwritten_when_it_is_dropped() {
        let wiped = Rc::new(Cell::new(0));
        let secret = Secret::new(Watched(Rc::clone(&wiped)));
        assert_eq!(secret.expose().0.get(), 0);
        drop(secret);
        assert_eq!(wiped.get(), 1);
        drop(Some(Secret::new(Watched(Rc::clone(&wiped)))));
        assert_eq!(wiped.get(), 2);
    }
}
