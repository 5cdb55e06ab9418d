//! Progress bars, for what may take long.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work that ends sooner has no progress bar.
const PATIENCE: Duration = Duration::from_millis(500);

/// The items, with a progress bar on the terminal if they take long.
pub fn progress<I: IntoIterator<IntoIter: ExactSizeIterator>>(items: I) -> impl Iterator<Item = I::Item> {
    let items = items.into_iter();
    let style = ProgressStyle::with_template("{human_pos} of {human_len} [{wide_bar}] {eta} left");
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> ");
    let bar = ProgressBar::with_draw_target(Some(items.len() as u64), ProgressDrawTarget::hidden()).with_style(style);
    let (started, shown) = (Instant::now(), bar.clone());
    // What wraps the items clears the bar at their end.
    let bar = bar.with_finish(indicatif::ProgressFinish::AndClear);
    bar.wrap_iter(items).inspect(move |_| {
        if shown.is_hidden() && started.elapsed() > PATIENCE {
            shown.set_draw_target(ProgressDrawTarget::stderr());
        }
    })
}
