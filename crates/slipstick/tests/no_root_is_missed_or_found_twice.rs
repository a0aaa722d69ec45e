//! A hundred thousand random guards with known roots: polynomials and piecewise polynomials with kinks, roots close together, several in one
//! step. Every root is an event, once, in order, on the side that was asked for. The guards are closures: their roots are found by samples.

use slipstick::equations::{ClosureGuard, ClosureSystem, Side};
use slipstick::simulate::{Keep, Options, Start, simulate};
use std::sync::Arc;

/// A small generator of random numbers that is the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * self.next()
    }

    fn up_to(&mut self, n: usize) -> usize {
        (1..=n).find(|_| self.next() < 0.3).unwrap_or(n)
    }
}

/// A continuous guard made of polynomials between breakpoints.
struct Pieces {
    breaks: Vec<f64>,
    /// The roots and the factor of each piece.
    pieces: Vec<(Vec<f64>, f64, f64)>,
}

impl Pieces {
    fn of_piece(&self, k: usize, x: f64) -> f64 {
        let (roots, factor, bend) = &self.pieces[k];
        factor * (1.0 + bend * x * x) * roots.iter().map(|r| x - r).product::<f64>()
    }

    fn at(&self, x: f64) -> f64 {
        self.of_piece(self.breaks.partition_point(|b| *b <= x), x)
    }

    fn random(random: &mut Random, roots: &[f64]) -> Self {
        let sign = if random.next() < 0.5 { -1.0 } else { 1.0 };
        let mut guard = Self { breaks: Vec::new(), pieces: Vec::new() };
        let mut left = 0;
        for k in 0..roots.len() {
            // A break between two roots, now and then; else the piece goes on.
            let next = roots.get(k + 1).copied().unwrap_or(1.1);
            if random.next() < 0.4 || k + 1 == roots.len() {
                let bend = random.between(0.0, 3.0);
                guard.pieces.push((roots[left..=k].to_vec(), sign, bend));
                guard
                    .breaks
                    .push(random.between(roots[k] + 0.2 * (next - roots[k]), next - 0.2 * (next - roots[k])));
                left = k + 1;
            }
        }
        for k in 1..guard.pieces.len() {
            let x = guard.breaks[k - 1];
            guard.pieces[k].1 = guard.of_piece(k - 1, x) / (guard.of_piece(k, x) / guard.pieces[k].1);
        }
        guard.breaks.pop();
        guard
    }
}

/// Roots in ascending order: some far apart, some close pairs.
fn random_roots(random: &mut Random) -> Vec<f64> {
    let mut roots: Vec<f64> = Vec::new();
    for _ in 0..random.up_to(4) {
        let root = random.between(0.02, 0.97);
        roots.push(root);
        if random.next() < 0.25 {
            roots.push(root + 10f64.powf(random.between(-5.0, -1.7)));
        }
    }
    roots.sort_by(f64::total_cmp);
    roots.dedup_by(|a, b| *a - *b < 5e-6);
    roots.retain(|r| *r < 0.99);
    roots
}

/// Every second root, from the first or from the second on.
fn every_second(roots: &[f64], skip: bool) -> Vec<f64> {
    roots.iter().skip(usize::from(skip)).step_by(2).copied().collect()
}

/// Runs one guard. Tells what is wrong, if anything is.
fn check(seed: u64) -> Result<(), String> {
    let mut random = Random(seed);
    let roots = random_roots(&mut random);
    if roots.is_empty() {
        return Ok(());
    }
    let guard = Arc::new(Pieces::random(&mut random, &roots));
    let side = if random.next() < 0.5 { Side::Before } else { Side::After };
    let surface = Arc::clone(&guard);
    let by_time = random.next() < 0.5;
    let surface = move |t: f64, y: &[f64]| surface.at(if by_time { t } else { y[0] });
    let rises = guard.at(0.0) < 0.0;
    // Both ways, or only the way of every second root.
    let (way, wanted) = match random.up_to(3) {
        1 => (ClosureGuard::both("g", surface), roots.clone()),
        2 => (ClosureGuard::rising("g", surface), every_second(&roots, !rises)),
        _ => (ClosureGuard::falling("g", surface), every_second(&roots, rises)),
    };
    let system = ClosureSystem::new(["x"], |_, _, dy| dy[0] = 1.0).guard(way.side(side));
    let mut options = Options::until(1.0);
    options.keep = if random.next() < 0.5 { Keep::Dense } else { Keep::Ends };
    let run = simulate(&system, &Start::at([0.0]), &options).map_err(|failure| format!("{failure:?}"))?;
    let times: Vec<f64> = run.events.iter().map(|e| e.t).collect();
    if times.len() != wanted.len() {
        return Err(format!("seed {seed}: roots {wanted:?} of {roots:?}, events {times:?}"));
    }
    for (event, root) in run.events.iter().zip(&wanted) {
        let value = guard.at(if by_time { event.t } else { event.before[0] });
        let old = guard.at(0.5 * (root + roots.iter().rev().find(|r| *r < root).unwrap_or(&0.0))).signum();
        let crossed = value * old < 0.0;
        if (event.t - root).abs() >= 1e-11 || crossed != (side == Side::After) {
            return Err(format!("seed {seed}: {} for {root}, value {value}, {side:?}", event.t));
        }
    }
    Ok(())
}

fn check_all(seeds: std::ops::Range<u64>) {
    let halves = [0_u64, 1].map(|half| {
        let seeds = seeds.clone().filter(move |seed| seed % 2 == half);
        std::thread::spawn(move || seeds.filter_map(|seed| check(seed).err()).collect::<Vec<_>>())
    });
    let wrong: Vec<String> = halves.into_iter().flat_map(|half| half.join().expect("all guards")).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), seeds.end - seeds.start, wrong.join("\n"));
}

#[test]
fn in_a_hundred_thousand_random_guards() {
    check_all(0..100_000);
}

#[test]
#[ignore = "minutes; run it after changes to the search"]
fn in_a_million_more() {
    check_all(100_000..1_100_000);
}
