//! A grid as a figure of HTML: the picture, labels at its rows, times below.

use maud::{Markup, html};

use super::grid::{Columns, Grid};
use super::picture::{Marks, parts, paths};
use super::scale::{elapsed, ticks};
use super::{Drawn, Measure, Rate, RowOrder};

/// A grid in an order.
pub(super) struct Map<'m> {
    pub(super) run: &'m Drawn<'m>,
    pub(super) grid: &'m Grid,
    /// Its number among the grids of the page.
    pub(super) number: usize,
    pub(super) labels: &'m [String],
    pub(super) order: RowOrder,
    /// Its rows in that order.
    pub(super) rows: &'m [usize],
    pub(super) measure: Measure,
    pub(super) capacity: Rate,
    /// The name of the picture, for those who do not see it.
    pub(super) name: String,
}

/// The least distance of labels in pixels, where there is room for one line of each, and where each may have two.
const LINE: usize = 18;
const LINES: usize = 36;

/// The height of a row in pixels.
fn row_height(rows: usize) -> usize {
    (460 / rows.max(1)).clamp(5, 26)
}

impl Map<'_> {
    pub(super) fn html(&self) -> Markup {
        let height = row_height(self.rows.len());
        let all = format!("height:{}px", height * self.rows.len());
        let order = if self.order == RowOrder::Key { "key" } else { "hot" };
        html! {
            div class="map" data-grid=(self.number) data-order=(order) data-measure=(self.measure.word()) {
                div class="labels" style=(all) aria-hidden="true" { (self.row_labels(height)) }
                div class="cells" style=(all) {
                    svg viewBox={ "0 0 " (self.grid.columns.count) " " (self.rows.len()) } preserveAspectRatio="none"
                        role="img" aria-label=(self.name) { (self.drawn()) }
                }
                div class="times" aria-hidden="true" { (times(self.grid.columns)) }
            }
        }
    }

    fn row_labels(&self, height: usize) -> Markup {
        let down = height.saturating_sub(LINE) / 2;
        // Short labels have one line wherever they are; and so have servers, which are known by what comes first.
        let are_servers = self.grid.starts.is_empty();
        let is_short = are_servers || self.labels.iter().all(|label| label.len() <= 16);
        let rarely = if is_short { LINE } else { LINES }.div_ceil(height);
        // Where two lines are taken, every second label is left out, or none is.
        let often = if rarely.is_multiple_of(2) && rarely / 2 * height >= LINE { rarely / 2 } else { rarely };
        html! {
            @for (y, row) in self.rows.iter().enumerate().step_by(often) {
                @if (self.rows.len() - y) * height >= LINE || y == 0 {
                    @let class = if y % rarely != 0 { Some("wide") } else { are_servers.then_some("line") };
                    span class=[class] style={ "top:" (y * height + down) "px" } {
                        (self.labels[*row])
                    }
                }
            }
        }
    }

    fn drawn(&self) -> Markup {
        let cells = paths(self.grid, self.rows, self.measure, self.capacity);
        html! {
            @for (class, path) in cells.iter().enumerate().filter(|(_, path)| !path.is_empty()) {
                @let class = if class == 0 { "unknown".to_owned() } else { format!("c{class}") };
                path class=(class) d=(path) {}
            }
            @let parts = parts(self.grid, self.rows);
            @if !parts.is_empty() {
                path class="part" d=(parts) {}
            }
            @if !self.grid.starts.is_empty() {
                @let marks = Marks::of(self.run, self.grid, self.rows);
                @for (class, path) in [("split", &marks.splits), ("merge", &marks.merges), ("move", &marks.moves)] {
                    @if !path.is_empty() {
                        path class={ "halo " (class) } d=(path) {}
                        path class=(class) d=(path) {}
                    }
                }
            }
        }
    }
}

/// The times below a picture, the fewer the less room there is.
fn times(columns: Columns) -> Markup {
    let end = columns.end_ms();
    let ticks = ticks(end);
    let percent = |tick: u64| (tick as f64 / end as f64 * 1000.0).round() / 10.0;
    html! {
        @for (i, tick) in ticks.iter().enumerate() {
            @let is_last = percent(*tick) > 92.0;
            @let room = if is_last || i % 2 == 1 { "wide" } else if i % 4 == 2 { "middle" } else { "" };
            // At the right end the time stands before its place, where it is apart from the one before.
            @if !is_last || ticks.len() <= 5 {
                span class={ (room) @if is_last { " last" } } style={ "left:" (percent(*tick)) "%" } { (elapsed(*tick)) }
            }
        }
    }
}
