//! Reads of one call, by place.

/// Reads are counted in hundredths: each row of a range after the first is one (`ReadCost`).
pub(crate) const READ: u64 = 100;

/// The reads of each place by the call that is served, in hundredths, and the places of which it reads any.
#[derive(Debug, Default)]
pub(crate) struct Call {
    reads: Vec<u64>,
    places: Vec<usize>,
}

impl Call {
    pub(crate) fn add(&mut self, place: usize, reads: u64) {
        if place >= self.reads.len() {
            self.reads.resize(place + 1, 0);
        }
        let of = &mut self.reads[place];
        if *of == 0 && reads > 0 {
            self.places.push(place);
        }
        *of = of.saturating_add(reads);
    }

    /// All reads, and the sum of the squares of those of each place; it begins anew.
    pub(crate) fn end(&mut self) -> (f64, f64) {
        let (mut all, mut squares) = (0.0, 0.0);
        for place in self.places.drain(..) {
            let reads = std::mem::take(&mut self.reads[place]) as f64 / READ as f64;
            (all, squares) = (all + reads, squares + reads * reads);
        }
        (all, squares)
    }
}
