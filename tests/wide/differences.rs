//! Where `Cells` answers otherwise than HBase did, and why.

pub(crate) struct Difference {
    pub(crate) case: &'static str,
    pub(crate) step: &'static str,
    pub(crate) ours: &'static str,
    pub(crate) why: &'static str,
}

/// Steps that ask for what is not here: counts of cells by family, filters in other orders than ours.
pub(crate) const NOT_HERE: usize = 0;

pub(crate) const DIFFERENCES: &[Difference] = &[];
