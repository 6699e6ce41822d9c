//! Runs of proteins with a bead for each residue: tables, answers, exchange, sweeps over sequences.

use crate::common::{Place, Table, assert_same, only};

const CHAIN: &str = r#"
[system]
model = "residues"
force_field = "calvados2"
sequence = "DSHAKRHHGYKRKFHEKHHSHRGY"

[[stage]]
name = "relax"
steps = 4_000

[[stage]]
name = "sample"
steps = 8_000

[ensemble]
replicas = 3

[output]
table = { every_steps = 100 }
trajectory = { every_steps = 200 }
"#;

const COLUMNS: &str = "step,time_ns,stage,extension_nm,force_pN,mean_force_pN,work_pN_nm,bond_energy_kcal_per_mol,pair_energy_kcal_per_mol,charge_energy_kcal_per_mol,trap_energy_kcal_per_mol,potential_energy_kcal_per_mol,kinetic_energy_kcal_per_mol,temperature_K,radius_of_gyration_nm,radius_of_gyration_by_mass_nm,end_to_end_nm";

#[test]
fn a_run_of_residues_says_how_large_the_chain_is() {
    let place = Place::with_input(CHAIN).with_plots();
    let words = place.beadwork("check input.toml").expect(0).stdout;
    assert!(words.contains("24 residues in 1 chain(s) by calvados2, 23 bonds"), "{words}");
    assert!(words.contains("relative permittivity 78.46, Bjerrum length 0.7147 nm"), "{words}");
    assert!(words.contains("2 h sqrt(k/m) = 0.237"), "{words}");
    let said = place.beadwork("run input.toml -o run --quiet").expect(0).stdout;
    for part in ["radius of gyration by mass: ", " K (standard error", "scaling exponent: "] {
        assert!(said.contains(part), "{said}");
    }
    let text = place.read("run/tables/member-0001.csv");
    assert_eq!(text.lines().next().unwrap(), COLUMNS);
    let table = Table::parse(&text);
    let energies = |name: &str| table.numbers(&format!("{name}_energy_kcal_per_mol"));
    let sums = energies("bond").into_iter().zip(energies("pair")).zip(energies("charge"));
    for (((bond, pair), charge), all) in sums.zip(energies("potential")) {
        assert!(
            (bond + pair + charge - all).abs() < 1e-9 * all.abs().max(1.0),
            "{bond} {pair} {charge} {all}"
        );
    }
    // 3 N k_B T/2 = E.
    let kelvin = energies("kinetic")[60] / (1.5 * 24.0 * 0.001_987_204_26);
    assert!((kelvin - table.numbers("temperature_K")[60]).abs() < 1e-6, "{kelvin}");
    let averages = Table::parse(&place.read("run/answers.csv"));
    let quantities = averages.column("quantity");
    assert_eq!(quantities[0], "radius_of_gyration_by_mass");
    assert!(quantities.contains(&"scaling_exponent"), "{quantities:?}");
    // The mean of the answer is that of the rows of the last stage.
    let rows = (0..3).flat_map(|member| {
        let table = place.table("run", member);
        let sizes = table.numbers("radius_of_gyration_by_mass_nm");
        let stages: Vec<bool> =
            table.column("stage").iter().map(|name| *name == "sample").collect();
        sizes.into_iter().zip(stages).filter(|(_, is_last)| *is_last).map(|(size, _)| size)
    });
    let rows: Vec<f64> = rows.collect();
    let mean = rows.iter().sum::<f64>() / rows.len() as f64;
    assert!((mean - averages.numbers("value")[0]).abs() < 1e-9, "{mean}");
    let distances = Table::parse(&place.read("run/distances.csv"));
    assert_eq!(distances.numbers("separation").len(), 23);
    assert!((distances.numbers("distance_nm")[0] - 0.38).abs() < 0.01);
    for plot in ["radius-of-gyration-time.svg", "internal-distances.png", "contacts.svg"] {
        assert!(place.path(&format!("run/plots/{plot}")).exists(), "{plot}");
    }
}

#[test]
fn residues_continue_and_extend_exactly() {
    let place = Place::with_input(CHAIN);
    place.beadwork("run input.toml -o whole --quiet").expect(0);
    place.beadwork("run input.toml -o part --quiet --set sample.steps=3_000").expect(0);
    place.beadwork("extend part --by 50ps").expect(0);
    place.beadwork("resume part --quiet").expect(0);
    let of = |run: &str| only(&place.results(run), &["tables", "trajectories", "averages"]);
    assert_same(&of("whole"), &of("part"));
    place.beadwork("run input.toml -o threads --quiet --threads 1").expect(0);
    assert_same(&of("whole"), &of("threads"));
}

#[test]
fn chains_of_residues_exchange_temperatures() {
    let exchange = "solution = { temperature = \"298 K\" }\n[exchange]\ntemperatures = [\"280 K\", \"300 K\", \"320 K\"]\nevery_steps = 50\nladders = 2\n";
    let collisions = "[dynamics]\ncollision_rate = \"1 /ps\"\n";
    let added = format!("{exchange}\n{collisions}\n[[stage]]");
    let input = CHAIN.replacen("\n[[stage]]", &added, 1);
    let place = Place::with_input(&input.replace("[ensemble]\nreplicas = 3\n", ""));
    let said = place.beadwork("run input.toml -o run --quiet").expect(0).stdout;
    assert!(said.contains("280"), "{said}");
    // Velocities follow the temperature of the rung: the mean kinetic temperature of the rows at each.
    let mut sums = std::collections::BTreeMap::<String, (f64, u32)>::new();
    for member in 0..6 {
        let table = place.table("run", member);
        let baths = table.column("bath_temperature_K");
        for (bath, kelvin) in baths.iter().zip(table.numbers("temperature_K")).skip(20) {
            let (sum, count) = sums.entry(bath.to_string()).or_default();
            (*sum, *count) = (*sum + kelvin, *count + 1);
        }
    }
    assert_eq!(sums.len(), 3, "{sums:?}");
    // Some 200 rows at each temperature, a collision time apart, with 72 degrees of freedom: the standard error is
    // T √(2/72/200) = 0.012 T, of which five are allowed.
    for (bath, (sum, count)) in &sums {
        let bath: f64 = bath.parse().unwrap();
        let off = sum / f64::from(*count) / bath - 1.0;
        assert!(off.abs() < 0.06, "{bath} K: {off}");
    }
    place.beadwork("run input.toml -o again --quiet --threads 1").expect(0);
    let of = |run: &str| only(&place.results(run), &["tables", "trajectories", "exchange"]);
    assert_same(&of("run"), &of("again"));
}

#[test]
fn a_file_of_sequences_is_an_ensemble() {
    let input = CHAIN.replace("\"DSHAKRHHGYKRKFHEKHHSHRGY\"", "{ file = \"two.fasta\" }").replace(
        "replicas = 3",
        "replicas = 2\n[ensemble.sweep]\n\"system.sequence.name\" = \"all\"",
    );
    let place = Place::with_input(&input).with_plots();
    place.write("two.fasta", ">short\nGSKHEGSKHE\n>long\nDSHAKRHHGYKRKFHEKHHSHRGY\n");
    let said = place.beadwork("run input.toml -o run --quiet").expect(0).stdout;
    assert!(said.contains("name = short:\n") && said.contains("name = long:\n"), "{said}");
    place.beadwork("resume run --quiet").expect(0);
    // A member has the bits that it has without the members of the other sequence.
    place.beadwork("run input.toml -o part --quiet --replicas 2..4").expect(0);
    for member in 2..4 {
        let path = format!("tables/member-{member:04}.csv");
        assert_eq!(place.read(&format!("run/{path}")), place.read(&format!("part/{path}")));
    }
    assert!(place.path("run/plots/contacts-1.svg").exists());
}

#[test]
fn residues_can_be_pulled_and_conserve_energy() {
    let pull = "drives = [ { kind = \"spring\", fixed = \"first\", pulled = \"last\", stiffness = \"35 pN/nm\", speed = \"1e4 um/s\" } ]\n";
    let place =
        Place::with_input(&CHAIN.replacen("steps = 8_000\n", &format!("steps = 8_000\n{pull}"), 1))
            .with_plots();
    place.beadwork("run input.toml -o pulled --quiet").expect(0);
    assert!(place.path("pulled/plots/force-extension.svg").exists());
    let place = Place::with_input(&CHAIN.replacen("[[stage]]", "[dynamics]\nintegrator = \"velocity-verlet\"\nprecision = \"double\"\ntimestep = \"1 fs\"\n\n[[stage]]", 1));
    place.beadwork("run input.toml -o free --quiet").expect(0);
    let table = place.table("free", 0);
    let of = |name: &str| table.numbers(&format!("{name}_energy_kcal_per_mol"));
    let total: Vec<f64> = of("potential").iter().zip(of("kinetic")).map(|(a, b)| a + b).collect();
    // The error of velocity Verlet is some (ωh)²/8 of the energy of the bonds, (0.024)²/8 of 20 kcal/mol; forces jump a
    // little at the cutoff of 2 nm.
    let largest = total.iter().map(|energy| (energy - total[0]).abs()).fold(0.0, f64::max);
    assert!(largest < 0.02, "{largest}");
}
