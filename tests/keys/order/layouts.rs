//! Keys by layout alone.

use proptest::prelude::*;
use rowkey::{LayoutBuf, laws};

#[test]
fn laws_of_random_layouts() {
    laws::layout_cases(crate::order::cases(3_000), laws::layouts());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: crate::order::cases(1_000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn layouts_come_back_from_shape_and_json(layout in laws::layouts()) {
        prop_assert_eq!(&LayoutBuf::from_json(&layout.to_json()).unwrap(), &layout);
        // A shape says all of a layout but names and the widths of a user's own encodings.
        let shaped: LayoutBuf = layout.shape().parse().unwrap();
        prop_assert_eq!(shaped.shape(), layout.shape());
        prop_assert_eq!(shaped.fingerprint(), layout.fingerprint());
    }

    #[test]
    fn values_come_back_from_json((layout, rows) in laws::layouts().prop_flat_map(|layout| {
        let rows = laws::rows(&layout);
        (Just(layout), rows)
    })) {
        for row in rows {
            let json = row.iter().map(|value| value.to_json()).collect();
            prop_assert_eq!(layout.values_from_json(&json).unwrap(), row);
        }
    }
}
