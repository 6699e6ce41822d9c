//! A tip that would move too far at once: what the program says of it, and what the folder keeps.

use beadwork::analysis::table::read_csv;
use beadwork::io::{TrajectoryFormat, frames};

use crate::common::{Place, Table, assert_same, only};

/// A tip far above a helix, whose base goes 2 Å between two moves of the tip. Move k sees the base where it was at the move
/// before, and goes n h κ/ζ = 0.2 of the way there, which is 2 (1 − 0.8^(k − 1)) Å. The fifth move, after 50 steps of the stage,
/// is the first one beyond σ/2 = 1 Å.
const JUMP: &str = r#"
[system]
structure = "helix.pdb"

[dynamics]
timestep = "20 ps"

[[stage]]
name = "settle"
steps = 20

[[stage]]
name = "press"
steps = 100
drives = [
    { kind = "surface", below = "all", gap = "1 nm", sigma = "1 nm", depth = "0.5 kcal/mol" },
    { kind = "tip", above = "all", radius = "2 nm", gap = "2 nm", sigma = "2 A", stiffness = "100 pN/nm", speed = "1_000_000 um/s", friction = "1e5 pN ps/nm", moves_every = 10 },
]

[ensemble]
replicas = 2

[output]
table = { every_steps = 10 }
trajectory = { every_steps = 20, format = "dcd" }
"#;

/// The steps of a member's frames, and the positions in the last one, Å.
fn frames_of(place: &Place, run: &str, member: usize) -> (Vec<u64>, Vec<f32>) {
    let path = place.path(&format!("{run}/trajectories/member-000{member}.dcd"));
    let mut last = Vec::new();
    frames::read(&path, TrajectoryFormat::Dcd, |frame| last = frame.to_vec()).unwrap();
    assert_eq!(last.len(), 3 * 16);
    let list = Table::parse(&place.read(&format!("{run}/tables/member-000{member}-frames.csv")));
    let steps = list.column("step").into_iter().map(|step| step.parse::<u64>().unwrap());
    (steps.collect(), last)
}

#[test]
fn a_tip_that_jumps_is_named_with_its_step_and_loses_nothing_before() {
    let place = Place::with_input(JUMP);
    let said = place.beadwork("run input.toml -o run --quiet").expect(3);
    let members = read_csv(place.path("run/members.csv")).unwrap();
    assert_eq!(members.texts("status").unwrap(), ["failed"; 2]);
    assert_eq!(members.texts("settle_step").unwrap(), ["20"; 2]);
    assert_eq!(members.texts("press_ended").unwrap(), [""; 2]);
    for (replica, message) in members.texts("message").unwrap().into_iter().enumerate() {
        // The step counts from the beginning of the run, and 2 (1 − 0.8⁴) = 1.1808.
        let expected = format!(
            "replica {replica}, step 70, stage \"press\": the tip of drive 2 of the stage would move by 1.181 A at once, more than half the sigma of its contact; "
        );
        assert!(message.starts_with(&expected), "{message}");
        assert!(said.stderr.contains(&format!("failed: {message}")), "{}", said.stderr);
        assert!(place.read("run/log.txt").contains(message));
    }
    // A run that ends one step before has the same rows, and ends in the state of the last frame. Where rows and frames are rare,
    // a step finds the move in place of a row.
    let sound = "--set press.steps=49 --set output.trajectory.every_steps=69";
    place.beadwork(&format!("run input.toml -o sound --quiet {sound}")).expect(0);
    let rarely = "--set output.table.every_steps=1000 --set output.trajectory.every_steps=1000";
    let rare = place.beadwork(&format!("run input.toml -o rare --quiet {rarely}")).expect(3);
    for member in 0..2 {
        let rows = place.table("run", member);
        assert_eq!(rows.column("step"), ["0", "10", "20", "30", "40", "50", "60"]);
        assert_eq!(rows.rows, place.table("sound", member).rows);
        let (steps, last) = frames_of(&place, "run", member);
        assert_eq!(steps, [0, 20, 40, 60, 69]);
        for run in ["sound", "rare"] {
            assert_eq!(frames_of(&place, run, member), (vec![0, 69], last.clone()), "{run}");
        }
        let expected = format!("failed: replica {member}, step 70, stage \"press\": the tip of ");
        assert!(rare.stderr.contains(&expected), "{}", rare.stderr);
    }
    // The folder is whole, and a member that has failed does not go on.
    place.beadwork("verify run").expect(0);
    let kept = ["tables", "trajectories", "checkpoints", "members.csv"];
    let before = only(&place.results("run"), &kept);
    let again = place.beadwork("resume run --quiet").expect(3);
    assert!(again.stderr.contains("failed: replica 1, step 70, stage \"press\""), "{again:?}");
    assert_same(&before, &only(&place.results("run"), &kept));
}
