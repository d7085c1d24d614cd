//! Charts of the statistics.

use std::fmt::Write as _;

use chessdb::Outcome as GameResult;
use chessdb::query::stats::Stats;
use plotters::coord::Shift;
use plotters::prelude::*;

use super::grouped_by;
use crate::output::plain;

const SIZE: (u32, u32) = (960, 900);
const COLOR: RGBColor = RGBColor(0x4C, 0x72, 0xB0);

/// A bar chart of games by a number. Each bar has its first number.
struct BarChart {
    title: &'static str,
    /// The number of values in each bar.
    size: u32,
    bars: Vec<(u32, u64)>,
}

/// Returns one image with charts of results, years, lengths and ratings.
pub(super) fn svg(stats: &Stats) -> Result<String, String> {
    let mut text = String::new();
    draw(stats, &mut text).map_err(|error| format!("cannot draw the charts: {error}"))?;
    Ok(text)
}

/// Returns an HTML page with the charts and the numbers.
pub(super) fn html(stats: &Stats, numbers: &str) -> Result<String, String> {
    let picture = svg(stats)?;
    let mut page = String::from(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>chessdb stats</title>\n\
         <style>body { font-family: sans-serif; margin: 2em } svg { max-width: 100%; height: auto }\
         </style>\n",
    );
    page.push_str(&picture);
    page.push_str("<pre>");
    for line in numbers.lines() {
        let line = plain(line).replace('&', "&amp;").replace('<', "&lt;");
        let _ = writeln!(page, "{line}");
    }
    page.push_str("</pre>\n</html>\n");
    Ok(page)
}

fn draw(stats: &Stats, text: &mut String) -> Result<(), Box<dyn std::error::Error>> {
    let root = SVGBackend::with_string(text, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let dated = stats.years.iter().filter(|(year, _)| **year > 0);
    let years = dated.map(|(&year, &games)| (year.into(), games));
    let lengths = stats.lengths.iter().map(|(&moves, &games)| (moves, games));
    let ratings = stats
        .ratings
        .iter()
        .map(|(&points, &players)| (points.into(), players));
    // As many bars as can be distinguished.
    let span = stats.years.keys().filter(|year| **year > 0);
    let (first, last) = (span.clone().min(), span.max());
    let span = u32::from(*last.unwrap_or(&0)) - u32::from(*first.unwrap_or(&0));
    let size = if span > 100 { 10 } else { 1 };
    let [top, bottom] = halves(&root, (2, 1))?;
    let [results, by_year] = halves(&top, (1, 2))?;
    let [by_length, by_rating] = halves(&bottom, (1, 2))?;
    draw_results(stats, &results)?;
    for (area, title, size, numbers) in [
        (by_year, "Games by year", size, grouped_by(years, size)),
        (
            by_length,
            "Games by number of moves",
            5,
            grouped_by(lengths, 5),
        ),
        (by_rating, "Players by rating", 50, grouped_by(ratings, 50)),
    ] {
        let bars = BarChart {
            title,
            size,
            bars: numbers,
        };
        draw_bars(&bars, &area)?;
    }
    root.present()?;
    Ok(())
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Splits an area into two.
fn halves<'a>(area: &Area<'a>, by: (usize, usize)) -> Result<[Area<'a>; 2], &'static str> {
    area.split_evenly(by)
        .try_into()
        .map_err(|_| "the area cannot be split")
}

fn draw_bars(bars: &BarChart, area: &Area<'_>) -> Result<(), Box<dyn std::error::Error>> {
    let first = bars.bars.first().map_or(0, |(first, _)| *first);
    let last = bars.bars.last().map_or(0, |(last, _)| *last) + bars.size;
    let highest = bars.bars.iter().map(|(_, games)| *games).max().unwrap_or(0);
    let mut chart = ChartBuilder::on(area)
        .caption(bars.title, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(28)
        .y_label_area_size(64)
        // A twentieth of the height stays free above the highest bar.
        .build_cartesian_2d(first..last, 0..highest + highest / 20 + 1)?;
    chart.configure_mesh().disable_x_mesh().x_labels(8).draw()?;
    let size = bars.size;
    chart.draw_series(bars.bars.iter().map(|&(from, games)| {
        let mut bar = Rectangle::new([(from, 0), (from + size, games)], COLOR.filled());
        bar.set_margin(0, 0, 1, 0);
        bar
    }))?;
    Ok(())
}

fn draw_results(stats: &Stats, area: &Area<'_>) -> Result<(), Box<dyn std::error::Error>> {
    let results: Vec<(&str, u64)> = GameResult::ALL
        .iter()
        .zip(stats.results)
        .map(|(result, games)| (result.as_pgn(), games))
        .collect();
    let highest = results.iter().map(|(_, games)| *games).max().unwrap_or(0);
    let name = |n: &u32| {
        let index = usize::try_from(n.saturating_sub(5) / 10).unwrap_or(usize::MAX);
        // Each bar takes ten units, and its label is at the middle.
        match (n % 10, results.get(index)) {
            (5, Some((name, _))) => (*name).to_owned(),
            _ => String::new(),
        }
    };
    let mut chart = ChartBuilder::on(area)
        .caption("Games by result", ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(28)
        .y_label_area_size(64)
        .build_cartesian_2d(
            (0_u32..40).with_key_points(vec![5, 15, 25, 35]),
            0..highest + highest / 20 + 1,
        )?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_label_formatter(&name)
        .draw()?;
    chart.draw_series(
        results
            .iter()
            .zip([0, 10, 20, 30])
            .map(|((_, games), from)| {
                Rectangle::new([(from + 1, 0), (from + 9, *games)], COLOR.filled())
            }),
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use chessdb::Game;
    use chessdb::query::stats::GameStats;

    use super::*;

    #[test]
    fn pictures_of_any_base() {
        let mut stats = Stats::default();
        for _ in 0..2 {
            let picture = svg(&stats).unwrap();
            assert!(picture.starts_with("<svg") && picture.contains("Games by year"));
            let page = html(&stats, "a <b> & c").unwrap();
            assert!(page.contains("a &lt;b> &amp; c") && page.contains("<svg"));
            let text = "[Date \"1851.06.21\"]\n[White \"A\"]\n[WhiteElo \"2700\"]\n\n1. e4 e5 1-0";
            stats.add(GameStats::from_game(&Game::from_pgn(text).unwrap()));
        }
        assert!(svg(&stats).unwrap().contains("1-0"));
    }
}
