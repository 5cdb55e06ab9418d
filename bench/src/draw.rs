//! The picture of how costs grow.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use plotters::prelude::*;

use crate::growth;
use crate::measure::{Line, OURS};

const SIZE: (u32, u32) = (1000, 720);
/// One for each thing that is done; by hand is the paler line of it.
const COLORS: [RGBColor; 3] = [RGBColor(0x1f, 0x77, 0xb4), RGBColor(0xd6, 0x27, 0x28), RGBColor(0x2c, 0xa0, 0x2c)];

struct Curve {
    name: String,
    color: RGBAColor,
    /// x and nanoseconds.
    points: Vec<(f64, f64)>,
}

/// Draws four panels, each over what it grows with.
pub fn draw(json: &Path, svg: &Path) -> Result<()> {
    let open = || File::open(json).with_context(|| json.display().to_string());
    let lines: Vec<Line> =
        BufReader::new(open()?).lines().map(|line| Ok(serde_json::from_str(&line?)?)).collect::<Result<_>>()?;
    let root = SVGBackend::new(svg, SIZE).into_drawing_area();
    let panels: [(&str, &[&str]); 4] = [
        ("ns a key over bytes of its text", &growth::KEY_LENGTH),
        ("ns a key over fields of u64", &growth::FIELDS),
        ("ns a row over buckets", &growth::BUCKETS),
        ("ns a row over rows in Memory", &growth::ROWS),
    ];
    root.fill(&WHITE)?;
    for (area, (title, works)) in root.split_evenly((2, 2)).iter().zip(panels) {
        panel(area, title, &curves(&lines, works))?;
    }
    root.present()?;
    Ok(())
}

fn curves(lines: &[Line], works: &[&str]) -> Vec<Curve> {
    let mut curves = BTreeMap::<_, Curve>::new();
    for line in lines {
        let place = works.iter().position(|work| *work == line.work);
        let (Some(place), Some(x), Some(ns)) = (place, line.x, line.ns) else { continue };
        let curve = curves.entry((place, line.who != OURS)).or_insert_with(|| {
            let what = line.work.trim_start_matches("growth: ");
            let what = what.rsplit_once(", ").map_or(what, |(what, _)| what);
            let ours = line.who == OURS;
            Curve {
                name: if ours { what.to_owned() } else { format!("{what}, {}", line.who) },
                color: COLORS[place % COLORS.len()].mix(if ours { 1.0 } else { 0.4 }),
                points: Vec::new(),
            }
        });
        curve.points.push((x as f64, ns));
    }
    curves.into_values().collect()
}

/// Curves over logarithmic axes.
fn panel(area: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>, title: &str, curves: &[Curve]) -> Result<()> {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    ensure!(points().next().is_some(), "there is nothing of {title:?}: was growth left out?");
    let span = |values: &mut dyn Iterator<Item = f64>| {
        values.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)))
    };
    let (left, right) = span(&mut points().map(|point| point.0));
    let (low, high) = span(&mut points().map(|point| point.1.log10()));
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 17))
        .margin(12)
        .x_label_area_size(26)
        .y_label_area_size(48)
        .build_cartesian_2d(
            (left..right).log_scale(),
            (10f64.powf(low.floor())..10f64.powf(high.ceil())).log_scale(),
        )?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .x_labels(6)
        .x_label_formatter(&short)
        .y_label_formatter(&short)
        .label_style(("sans-serif", 12))
        .draw()?;
    for Curve { name, color, points } in curves {
        let style = color.stroke_width(2);
        let series = LineSeries::new(points.iter().copied(), style).point_size(3);
        let anno = chart.draw_series(series)?;
        anno.label(name).legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], style));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.8))
        .label_font(("sans-serif", 12))
        .draw()?;
    Ok(())
}

/// 64k, 10M.
fn short(value: &f64) -> String {
    let units = [(1e6, "M"), (1e3, "k"), (1.0, "")];
    let (size, unit) = units.into_iter().find(|(size, _)| value >= size).unwrap_or((1.0, ""));
    format!("{}{unit}", (value / size * 100.0).round() / 100.0)
}
