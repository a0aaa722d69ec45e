mod common;
#[test]
fn dbg() {
    for f in ["p1", "p3"] {
        let text = std::fs::read_to_string(format!("/tmp/m/{f}.toml")).unwrap();
        for tol in [1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9] {
            let mut plan = common::plan(&text);
            plan.options = plan.options.clone().tolerances(tol, tol);
            if std::env::var("INT").is_ok() {
                plan.options.location = Some(slipstick::model::Location::Integrate);
            }
            let run = slipstick::simulate::simulate(&plan.system, &plan.start, &plan.options).unwrap();
            let s = &run.statistics;
            println!(
                "{f} {tol:e} events {} rhs {} acc {} rej {} slid {} slidrej {} est {} settle {} phantoms {} end {:?}",
                run.events.len(),
                s.derivatives,
                s.accepted,
                s.rejected,
                s.slid,
                s.slid_rejected,
                s.estimates,
                s.settling,
                s.phantoms,
                run.end_state()
            );
        }
    }
}
