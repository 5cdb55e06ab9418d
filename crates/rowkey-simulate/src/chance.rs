//! The part of an uneven load that is chance: a sample of events puts more on one server than its share.

/// The sums by which it is known how far the shares of servers are chance, of writes or of reads.
///
/// Calls are independent of each other. What one call asks of all servers alike is no chance: of a read of each salt
/// bucket all servers have their share each time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Chance {
    /// The squares of what each call asks of each server.
    pub(crate) by_server: f64,
    /// The squares of what each call asks of all.
    pub(crate) by_call: f64,
}

/// The limit of chance, in standard deviations above the mean, of the greatest of a number of shares: one more than the
/// greatest of as many normal deviates is.
fn most_of_chance(servers: f64) -> f64 {
    (2.0 * libm::log(servers)).sqrt() + 1.0
}

/// Half of a standard deviation of the unevenness of samples.
const HALF: f64 = 0.5;

impl Chance {
    pub(crate) fn add(&mut self, more: &Self) {
        self.by_server += more.by_server;
        self.by_call += more.by_call;
    }

    /// The part that the busiest server has of the load, without what chance has put on it; none of nothing.
    ///
    /// The greatest of several samples is more than the greatest share. Samples are as uneven as shares are, and as
    /// chance makes them; so much of their distance from the mean is left as is not chance (James and Stein).
    pub(crate) fn busiest(&self, counts: impl Iterator<Item = u64> + Clone) -> Option<f64> {
        let all = counts.clone().map(|count| count as f64).sum::<f64>();
        let servers = counts.clone().count() as f64;
        let most = counts.clone().max().filter(|most| *most > 0)? as f64 / all;
        let mean = 1.0 / servers;
        let shares = || counts.clone().map(|count| count as f64 / all);
        let own: f64 = shares().map(|share| share * share).sum();
        let uneven: f64 = shares().map(|share| (share - mean) * (share - mean)).sum();
        // Shares of one call say nothing of others.
        let calls = all * all / self.by_call;
        if self.by_call <= 0.0 || calls <= 1.0 || uneven <= 0.0 {
            return Some(most);
        }
        let of = |own: f64| (self.by_server - self.by_call * own).max(0.0) / (all * all);
        let (chance, even) = (of(own) / (1.0 - 1.0 / calls), of(mean));
        if most - mean > most_of_chance(servers) * (even / servers).sqrt() {
            return Some(most);
        }
        // Samples of even shares are more uneven than their mean in one of two: so much more is chance too.
        let chance = chance * (1.0 + HALF * (2.0 / (servers - 1.0)).sqrt());
        Some(mean + (1.0 - chance / uneven).max(0.0) * (most - mean))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The chance of so many calls, each of one row on one server.
    fn of_rows(calls: u64) -> Chance {
        Chance { by_server: calls as f64, by_call: calls as f64 }
    }

    fn busiest(chance: Chance, counts: &[u64]) -> f64 {
        chance.busiest(counts.iter().copied()).unwrap()
    }

    #[test]
    fn what_chance_has_put_on_a_server_is_left_out() {
        // As uneven as a hundred rows are on four servers, and less.
        assert_eq!(busiest(of_rows(100), &[25, 29, 23, 23]), 0.25);
        // One server has half of them: that is no chance.
        assert_eq!(busiest(of_rows(100), &[50, 17, 17, 16]), 0.5);
        // The same counts are no chance where each row stands for few, or each call asks all servers alike.
        assert_eq!(busiest(of_rows(10_000), &[2500, 2900, 2300, 2300]), 0.29);
        let alike = Chance { by_server: 0.2536, by_call: 1.0 };
        assert_eq!(busiest(alike, &[25, 29, 23, 23]), 0.29);
    }

    #[test]
    fn little_is_told_as_it_is() {
        assert_eq!(of_rows(0).busiest([0, 0].into_iter()), None);
        assert_eq!(busiest(of_rows(1), &[0, 1, 0]), 1.0);
        assert_eq!(busiest(of_rows(9), &[9]), 1.0);
        assert_eq!(busiest(Chance::default(), &[3, 1]), 0.75);
    }
}
