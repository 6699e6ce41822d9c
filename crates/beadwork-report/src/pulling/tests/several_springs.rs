use beadwork_input::Request;

use super::*;
use crate::rows::{PointMembers, settings_of};

/// The springs `left` and `right` with the beads that they hold and pull, of two chains of ten residues that nothing joins: beads
/// 0 to 9, and 10 to 19.
fn request(springs: [[usize; 2]; 2], sweep: &str) -> Request {
    request_of(springs.map(|[held, pulled]| (format!("index {held}"), pulled)), sweep)
}

/// The springs `left` and `right` of the two chains, with selections of what they hold.
fn request_of(springs: [(String, usize); 2], sweep: &str) -> Request {
    let folder = tempfile::tempdir().unwrap();
    let mut pdb = String::new();
    for bead in 0..20_i32 {
        let (chain, x, y) = match bead {
            0..10 => ('A', 3.8 * f64::from(bead), 0.0),
            _ => ('B', 3.8 * f64::from(bead - 10), 100.0),
        };
        let number = bead + 1;
        pdb += &format!(
            "ATOM  {number:5}  CA  GLY {chain}{number:4}    {x:8.3}{y:8.3}{:8.3}  1.00  0.00           C\n",
            0.0
        );
    }
    std::fs::write(folder.path().join("chains.pdb"), pdb).unwrap();
    let [left, right] = springs;
    let [left, right] = [("left", left, -1), ("right", right, 1)].map(|(name, (held, pulled), way)| {
        // What is not held has a direction to be pulled in.
        let direction = match held.as_str() {
            "none" => format!(", direction = [{way}, 0, 0]"),
            _ => String::new(),
        };
        format!(
            "{{ kind = \"spring\", name = \"{name}\", fixed = \"{held}\", pulled = \"index {pulled}\"{direction}, stiffness = \"35 pN/nm\", speed = \"1 um/s\" }}"
        )
    });
    let text = format!(
        "[system]\nstructure = \"chains.pdb\"\n[[stage]]\nname = \"pull\"\nduration = \"1 us\"\ndrives = [{left}, {right}]\n[ensemble.sweep]\n{sweep}"
    );
    beadwork_input::parse(&text, "springs.toml", folder.path(), &[]).unwrap()
}

/// Both springs at three speeds, the right one twice as fast.
const BOTH: &str = r#"mode = "zip"
"pull.drives.1.speed" = ["1 um/s", "10 um/s", "100 um/s"]
"pull.drives.2.speed" = ["2 um/s", "20 um/s", "200 um/s"]
"pull.duration" = ["3 us", "2 us", "1 us"]
"#;

/// A chain each; and the two ends of the first chain, which has no contacts, away from a bead that is held.
const APART: [[usize; 2]; 2] = [[0, 9], [10, 19]];
const FROM_THE_MIDDLE: [[usize; 2]; 2] = [[5, 0], [5, 9]];

/// Both ends of the first chain, of which nothing is held.
fn together(sweep: &str) -> Request {
    request_of([("none".to_string(), 0), ("none".to_string(), 9)], sweep)
}

/// A group for each spring at each point, with forces by a law, as in `swept`.
fn groups(request: &Request) -> Vec<PulledGroup> {
    let law = BellEvans::new(0.4, 1e-3, 4.142);
    let mut groups = Vec::new();
    for (point, first) in request.points.iter().zip(0..) {
        let of_point = PointMembers {
            name: String::new(),
            run: String::new(),
            request,
            point,
            asked: None,
            first,
            members: Vec::new(),
            not_begun: 0,
        };
        for drive in ["left", "right"] {
            let loading = loading(&of_point, Some(0), drive);
            let rate = loading.as_ref().map_or(1e4, |loading| loading.rate);
            let force = |k: u32| Some(law.quantile((f64::from(k) + 0.5) / 20.0, rate));
            let forces: Vec<Option<f64>> = (0..20).map(force).collect();
            groups.push(group("", &forces).of_drive(drive).loaded(loading));
        }
    }
    groups
}

#[test]
fn springs_have_a_law_each_where_no_load_passes_between_them() {
    each_has_a_law(&request(APART, BOTH));
    each_has_a_law(&request(FROM_THE_MIDDLE, BOTH));
}

fn each_has_a_law(request: &Request) {
    let groups = groups(request);
    let answers = loading_rates::answers(&placed(&groups));
    let names: Vec<&str> = answers.iter().map(|answer| answer.name.as_str()).collect();
    assert_eq!(names, ["drive left, all loading rates", "drive right, all loading rates"]);
    for answer in &answers {
        let mut values = answer.values.iter();
        let distance = values.find(|value| value.name == "barrier_distance").unwrap();
        assert!((distance.value.unwrap() - 0.4).abs() < 0.1, "{answer:?}");
        assert_eq!(answer.points, [0, 1, 2]);
    }
    // 35 pN/nm times 1 µm/s and 2 µm/s.
    let about = vec![data::Group::default(); groups.len()];
    let csv = loading_rates::table(&placed(&groups)).unwrap().to_csv(&about);
    let rates: Vec<f64> =
        csv.lines().skip(1).map(|line| line.split(',').nth(1).unwrap().parse().unwrap()).collect();
    assert_eq!(rates.len(), 6);
    assert!((rates[0] / 3.5e4 - 1.0).abs() < 1e-9 && (rates[3] / 7e4 - 1.0).abs() < 1e-9);
}

/// κν of one is not the loading rate of the molecule, whether both are swept or one.
#[test]
fn springs_of_one_molecule_have_no_law_and_say_why() {
    let right = r#""pull.drives.2.speed" = ["1 um/s", "10 um/s", "100 um/s"]"#;
    for sweep in [BOTH, right] {
        let groups = groups(&together(sweep));
        let answers = loading_rates::answers(&placed(&groups));
        let [answer] = answers.as_slice() else { panic!("{answers:?}") };
        assert_eq!(answer.name, "drives left and right, all loading rates");
        assert_eq!((answer.points.as_slice(), answer.replicas), (&[0, 1, 2][..], 60));
        assert!(answer.values.is_empty() && answer.settings.is_empty());
        let [finding] = answer.findings.as_slice() else { panic!("{answer:?}") };
        assert_eq!(finding.code, data::Code::NotMeasured);
        assert!(finding.text.contains("drives left and right load the same molecule"));
        assert!(loading_rates::table(&placed(&groups)).is_none());
        assert!(loading_rates::figure(&placed(&groups)).is_none());
    }
    // Without a sweep over speeds there is nothing to say.
    let temperatures = r#""dynamics.temperature" = ["300 K", "310 K"]"#;
    let groups = groups(&together(temperatures));
    assert!(loading_rates::answers(&placed(&groups)).is_empty());
}

/// A spring at rest is an anchor that gives way, as the molecule does.
#[test]
fn a_spring_at_rest_leaves_the_law_to_the_other() {
    let sweep = r#""pull.drives.1.speed" = ["0 um/s", "5 um/s"]
"pull.drives.2.speed" = ["1 um/s", "10 um/s", "100 um/s"]
"#;
    let groups = groups(&together(sweep));
    let answers = loading_rates::answers(&placed(&groups));
    let found: Vec<(&str, &[u64])> =
        answers.iter().map(|answer| (answer.name.as_str(), answer.points.as_slice())).collect();
    let expected: [(&str, &[u64]); 2] = [
        ("speed of drive left = 0 um/s, drive right, all loading rates", &[0, 1, 2][..]),
        ("drives left and right, all loading rates", &[3, 4, 5][..]),
    ];
    assert_eq!(found, expected);
}

/// κν of a spring that pushes is no rate at which something unfolds.
#[test]
fn springs_that_push_have_no_loading_rates() {
    let left = r#""pull.drives.1.speed" = ["-1 um/s", "-10 um/s", "-100 um/s"]"#;
    let groups = groups(&request(APART, left));
    assert!(groups.iter().step_by(2).all(|group| group.loading.is_none()));
    assert!(groups.iter().skip(1).step_by(2).all(|group| group.loading.is_some()));
    assert!(loading_rates::answers(&placed(&groups)).is_empty());
    assert!(loading_rates::table(&placed(&groups)).is_none());
}

#[test]
fn settings_of_one_of_several_drives_have_its_name() {
    let request = request(APART, BOTH);
    let settings = settings_of(&request.points[0]);
    let drives: Vec<&str> = settings.iter().map(|one| one.drive.as_str()).collect();
    assert_eq!(drives, ["left", "right", ""]);
}
