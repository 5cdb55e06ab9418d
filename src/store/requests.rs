//! The items of a call, divided into requests.

/// Divides the items of a call into requests of at most `most` bytes, in order. An item that is larger has a request of
/// its own. For engines whose server limits the size of a request.
///
/// ```
/// use rowkey::store::requests_within;
///
/// let requests = requests_within(["ada", "bob", "grace hopper", "eve"], 8, |name| name.len());
/// assert_eq!(requests, [vec!["ada", "bob"], vec!["grace hopper"], vec!["eve"]]);
/// ```
pub fn requests_within<T>(items: impl IntoIterator<Item = T>, most: usize, bytes: impl Fn(&T) -> usize) -> Vec<Vec<T>> {
    let mut requests: Vec<Vec<T>> = Vec::new();
    // `None` if the last item alone is too large.
    let mut left = None::<usize>;
    for item in items {
        let needed = bytes(&item);
        let rest = left.and_then(|left| left.checked_sub(needed));
        match requests.last_mut().filter(|_| rest.is_some()) {
            Some(request) => request.push(item),
            None => requests.push(vec![item]),
        }
        left = rest.or_else(|| most.checked_sub(needed));
    }
    requests
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_request_is_too_large_and_none_is_begun_too_early(
            items in proptest::collection::vec(0..12_usize, 0..30),
            most in 0..20_usize,
        ) {
            let requests = requests_within(items.iter().copied(), most, |item| *item);
            prop_assert_eq!(requests.concat(), items);
            let size = |request: &[usize]| request.iter().sum::<usize>();
            for request in &requests {
                prop_assert!(request.len() == 1 || size(request) <= most);
            }
            for two in requests.windows(2) {
                prop_assert!(size(&two[0]) + two[1][0] > most);
            }
        }
    }
}
