mod common;
#[test]
fn dbg() {
    let truth: [(&str, &[f64]); 3] = [
        ("p1", &[1.187119498248758509121e+00, 7.284052163854174774428e-01]),
        ("p3", &[1.414041642876175312818e-03, 1.074735097635642802708e+00, 3.191223886951533720154e-01]),
        ("p4", &[-0.468206043243, -0.0595369099, 0.0, 0.0]),
    ];
    for (f, y) in truth {
        let text = std::fs::read_to_string(format!("/tmp/m/{f}.toml")).unwrap();
        for tol in [1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9] {
            let mut plan = common::plan(&text);
            plan.options = plan.options.clone().tolerances(tol, tol);
            let run = slipstick::simulate::simulate(&plan.system, &plan.start, &plan.options).unwrap();
            let s = &run.statistics;
            let e: f64 = y.iter().zip(run.end_state()).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
            println!(
                "{f} {tol:e} events {} rhs {} GE {e:.2e} acc {} rej {} slid {} slidrej {} est {} settle {} phantoms {}",
                run.events.len(),
                s.derivatives,
                s.accepted,
                s.rejected,
                s.slid,
                s.slid_rejected,
                s.estimates,
                s.settling,
                s.phantoms
            );
        }
    }
}
