//! The numbers that a key of a design file takes.

/// No count as a number is more than the most that a text can say.
const MOST: f64 = 1e24;

/// The numbers that a key takes: fewer than its type does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) least: f64,
    pub(crate) most: f64,
    pub(crate) whole: bool,
}

impl Bounds {
    /// All that the type takes.
    pub(crate) const ANY: Self = Self { least: 0.0, most: MOST, whole: false };
    /// More than none: a thousandth is the least that can be written.
    pub(crate) const POSITIVE: Self = Self { least: 0.001, ..Self::ANY };
    /// Whole numbers from 1.
    pub(crate) const FROM_ONE: Self = Self::whole(1, u32::MAX);
    /// Whole numbers of any size from 1.
    pub(crate) const MANY: Self = Self { least: 1.0, whole: true, ..Self::ANY };
    /// Whole numbers of any size.
    pub(crate) const WHOLE: Self = Self { whole: true, ..Self::ANY };

    /// Whole numbers from one to another.
    pub(crate) const fn whole(least: u32, most: u32) -> Self {
        Self { least: least as f64, most: most as f64, whole: true }
    }

    /// Numbers from one to another.
    pub(crate) const fn from_to(least: f64, most: f64) -> Self {
        Self { least, most, whole: false }
    }

    pub(crate) fn has(self, number: f64) -> bool {
        (self.least..=self.most).contains(&number) && !(self.whole && number.fract() != 0.0)
    }

    /// True if one number alone is within, as the version of a format is.
    pub(crate) fn is_one(self) -> bool {
        self.least == self.most
    }

    /// As messages say it.
    pub(crate) fn described(self) -> String {
        if self.is_one() {
            return self.least.to_string();
        }
        let what = if self.whole { "a whole number" } else { "a number" };
        if self.most < MOST {
            format!("{what} from {} to {}", self.least, self.most)
        } else {
            format!("{what} from {} to {:e}", self.least, self.most)
        }
    }
}
