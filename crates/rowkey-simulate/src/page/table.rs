//! A grid as a table.

use maud::{Markup, html};

use super::Measure;
use super::grid::Grid;
use super::scale::{count, elapsed};

/// The rows a second of every cell, in the order of keys or servers.
pub(super) fn table(grid: &Grid, labels: &[String], measure: Measure, caption: &str) -> Markup {
    let rows = if grid.starts.is_empty() { "server" } else { "from key" };
    html! {
        details class=(measure.word()) {
            summary { (caption) }
            div class="scroll" tabindex="0" role="region" aria-label=(caption) {
                table aria-label=(caption) {
                    thead {
                        tr {
                            th scope="col" { (rows) }
                            @for column in 0..grid.columns.count {
                                th scope="col" { (elapsed(column as u64 * grid.columns.step_ms)) }
                            }
                        }
                    }
                    tbody {
                        @for (row, label) in labels.iter().enumerate() {
                            tr {
                                th scope="row" { (label) }
                                @for cell in grid.row(row) {
                                    td { @if cell.regions > 0 { (count(cell.of(measure).0)) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
