//! Tests of `src/monte_carlo/chain_cases.rs`.

use super::*;

#[test]
fn each_case_has_a_program() {
    let programs = chain_programs();
    assert_eq!(programs.len(), chain_cases().len());
    for (case, program) in chain_cases().iter().zip(&programs) {
        let lanes = format!("{} lanes", case.lanes);
        assert!(program.name.contains(&lanes), "{} has {}", case.name(), program.name);
    }
}
