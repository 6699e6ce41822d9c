//! Imported SOP-GPU inputs, and published systems built from them.

use std::path::{Path, PathBuf};

use crate::common::{assert_fixed_point, parse, pdb, snake, write};
use beadwork_input::{Imported, TrajectoryKind, import_sop_gpu};
use beadwork_model::StageKind;
use beadwork_model::externals::External;
use beadwork_testing::shared_data;

/// Imports a file and reads the result beside it.
pub fn import(path: &Path) -> (Imported, beadwork_input::Request) {
    let imported = import_sop_gpu(path).unwrap();
    let folder = path.parent().unwrap();
    let request = beadwork_input::parse(&imported.toml, "imported.toml", folder, &[])
        .unwrap_or_else(|error| panic!("{}\n{}", crate::common::complaint(&error), imported.toml));
    assert_fixed_point(&request);
    (imported, request)
}

pub fn copy(folder: &Path, data: &str, to: &str) -> Option<PathBuf> {
    let from = shared_data(data)?;
    let to = folder.join(to);
    std::fs::create_dir_all(to.parent()?).ok()?;
    // The test data are read-only, and a copy of the file itself would be read-only too.
    std::fs::write(&to, std::fs::read(from).ok()?).ok()?;
    Some(to)
}

#[test]
fn ww_in_equilibrium() {
    let folder = tempfile::tempdir().unwrap();
    let Some(path) = copy(folder.path(), "sop-gpu/ww/ww_1-100_equil.sop", "e.sop") else { return };
    copy(folder.path(), "sop-gpu/ww/ww.top", "topologies/ww.top").unwrap();
    copy(folder.path(), "sop-gpu/ww/ww_ca.pdb", "structures/ww.pdb").unwrap();
    let (imported, request) = import(&path);
    let point = &request.points[0];
    assert_eq!(point.system.beads(), 34);
    assert_eq!(point.system.counts.bonds, 33);
    assert_eq!(point.system.counts.native_contacts, 75);
    let dynamics = &point.protocol.dynamics;
    assert_eq!(dynamics.temperature, 0.6);
    assert_eq!(dynamics.timestep, 20.0);
    // h/zeta of the program: 0.08/50.
    assert_eq!(dynamics.timestep / dynamics.friction, 0.0016);
    assert_eq!(point.protocol.stages[0].kind, StageKind::Dynamics { steps: 1_000_000 });
    assert_eq!((request.replicas, point.protocol.seed), (100, 1_119_726));
    assert_eq!(request.output.table_every, 10_000);
    assert_eq!(request.output.trajectory, Some((10_000, TrajectoryKind::Dcd)));
    assert!(point.starts.is_none());
    // The energies of SOP-GPU's topology: each of the 75 contacts is at its minimum with depth 1.5.
    let energies = point.system.energies(&point.system.particles.positions);
    assert!((energies.contacts + 112.5).abs() < 0.01, "{energies:?}");
    assert!((energies.pairs - 2.340_96).abs() < 1e-3, "{energies:?}");
    assert!(imported.notes.iter().any(|note| note.starts_with("Left out: `device`, `block_size`")));
    assert!(imported.notes.iter().all(|note| note.ends_with('.')));
    assert!(
        !imported.notes.iter().any(|note| note.contains("no counterpart")),
        "{:?}",
        imported.notes
    );
}

#[test]
fn ww_pulled_from_equilibrated_starts() {
    let folder = tempfile::tempdir().unwrap();
    let Some(path) = copy(folder.path(), "sop-gpu/ww/ww_1-100_pull.sop", "p.sop") else { return };
    copy(folder.path(), "sop-gpu/ww/ww.top", "topologies/ww.top").unwrap();
    for run in 1..=100 {
        copy(
            folder.path(),
            "sop-gpu/ww/ww_ca.pdb",
            &format!("structures/ww_{run}_equil_final.pdb"),
        )
        .unwrap();
    }
    let (imported, request) = import(&path);
    let point = &request.points[0];
    assert_eq!(point.starts.as_ref().unwrap().len(), 100);
    assert_eq!(request.files[request.files.len() - 1].name, "inputs/ww_100_equil_final.pdb");
    let stage = &point.protocol.stages[0];
    assert_eq!((stage.name.as_str(), stage.fixed.as_slice()), ("pull", &[0][..]));
    let External::Spring(spring) = &stage.externals[0] else { panic!("{stage:?}") };
    assert_eq!((spring.ends.pulled.as_slice(), spring.ends.direction), (&[33][..], None));
    assert_eq!((spring.stiffness, spring.update_every), (0.05, 1000));
    // 0.0005 Å in 1,000 steps of 20 ps: the 2.5 µm/s of [A].
    assert!((spring.speed / 2.5e-8 - 1.0).abs() < 1e-12);
    assert!(imported.toml.contains("speed = \"2.5 um/s\""), "{}", imported.toml);
    assert_eq!(point.protocol.ends, (vec![0], vec![33]));
    assert!(imported.notes.iter().any(|note| note.contains("remove `update_every`")));
}

#[test]
fn topology_makers() {
    let folder = tempfile::tempdir().unwrap();
    let Some(path) = copy(folder.path(), "sop-gpu/ww/ww_top.sop", "ww_top.sop") else { return };
    copy(folder.path(), "proteins/ww.pdb", "ww.pdb").unwrap();
    let (_, request) = import(&path);
    assert_eq!(request.points[0].system.counts.native_contacts, 75);

    // The example names a model of two beads a residue.
    let path = copy(folder.path(), "sop-gpu/titin/1TIT_top.sop", "1TIT_top.sop").unwrap();
    copy(folder.path(), "proteins/1TIT.pdb", "1TIT.pdb").unwrap();
    let error = import_sop_gpu(&path).unwrap_err().to_string();
    assert!(error.contains("line 6: `cgconfig`: says which beads the residues have, and ../aa_to_cg.inp cannot be read"), "{error}");
    let text = std::fs::read_to_string(&path).unwrap().replace("cgconfig ../aa_to_cg.inp", "");
    std::fs::write(&path, text).unwrap();
    let (imported, request) = import(&path);
    assert!(imported.toml.contains("energy = \"beta\""));
    assert_eq!(request.points[0].system.counts.native_contacts, 255);
}

#[test]
fn a_protofilament_without_its_tip() {
    let Some(path) = shared_data("sop-gpu/protofilament/PF8_vf_3.0_R_100_HI.sop") else { return };
    let text = std::fs::read_to_string(path).unwrap();
    let text = text
        .replace("indentation\t\ton", "indentation\t\toff")
        .replace("hi_on\t\t\tyes", "hi_on\t\t\tno");
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "pf.sop", &text);
    copy(folder.path(), "sop-gpu/protofilament/PF8.top", "topologies/PF8.top").unwrap();
    copy(folder.path(), "proteins/PF8_sop.pdb", "structures/PF8_sop.pdb").unwrap();
    let (imported, request) = import(&folder.path().join("pf.sop"));
    let point = &request.points[0];
    assert_eq!((point.system.beads(), request.replicas), (6928, 1));
    let dynamics = &point.protocol.dynamics;
    // 0.16 is SOP-GPU's 40 ps.
    assert_eq!((dynamics.timestep, dynamics.friction), (40.0, 12500.0));
    let stage = &point.protocol.stages[0];
    assert_eq!(stage.fixed.len(), 27);
    let External::Force(force) = &stage.externals[0] else { panic!("{stage:?}") };
    assert_eq!((force.force, force.ends.direction), (10.0, Some([1.0, 0.0, 0.0])));
    assert_eq!(point.protocol.ends, (vec![1], vec![2]));
    assert!(imported.notes.iter().any(|note| note.contains("they belong to what is switched off")));
}

#[test]
fn forces_on_several_beads_and_long_vectors_keep_their_strength() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a.pdb", &pdb(&snake('A', 6)));
    let top = "structure a.pdb\neh 1.5\nSC_limit_bond 0\n";
    write(folder.path(), "t.sop", top);
    let (imported, _) = import(&folder.path().join("t.sop"));
    assert!(!imported.toml.contains("side_chain_cutoff"));
    let run = "topology a.top\ncoordinates a.pdb\nnumsteps 10\ntimestep 0.08\nrun 03\npulling on\nfixed 0\npulled 4 5\nfconst 1.5\npullDirection vector\npullVector 0 3 4\nnumsteps 11\n";
    write(folder.path(), "f.sop", run);
    let imported = import_sop_gpu(&folder.path().join("f.sop")).unwrap();
    // 1.5 on each of two beads, along a vector of length 5.
    assert!(
        imported.toml.contains("direction = [0.0, 3.0, 4.0], force = \"15 kcal/(mol A)\""),
        "{}",
        imported.toml
    );
    assert!(imported.toml.contains("steps = 11\n"));
    for part in [
        "`numsteps` is there twice; line 3 was left out",
        "multiplied by 2",
        "the length 5",
        "Run 03 alone",
    ] {
        assert!(
            imported.notes.iter().any(|note| note.contains(part)),
            "{part}: {:?}",
            imported.notes
        );
    }
    let spring = run.replace("fconst 1.5", "deltax 0.001\nnav 100");
    write(folder.path(), "s.sop", &spring);
    let imported = import_sop_gpu(&folder.path().join("s.sop")).unwrap();
    // 0.001 Å × 5 in 100 steps of 20 ps is 2.5e-6 Å/ps.
    assert!(
        imported.toml.contains(
            "stiffness = \"0.05 kcal/(mol A^2)\", speed = \"250 um/s\", update_every = 100"
        ),
        "{}",
        imported.toml
    );
}

#[test]
fn fibrinogen_with_its_listed_disulfides() {
    let Some(structure) = shared_data("proteins/3ghg_ca_AF.pdb") else { return };
    let folder = structure.parent().unwrap();
    let text = "[system]\nstructure = \"3ghg_ca_AF.pdb\"\nbonds = { extra = \"3ghg_disulfides.csv\" }\n[[stage]]\nsteps = 1\n";
    let request = parse(folder, text).unwrap();
    let counts = &request.points[0].system.counts;
    // Table I of [A]. Its repelling pairs count the 25 disulfides among both bonds and contacts.
    assert_eq!((counts.beads, counts.bonds, counts.extra_bonds), (1913, 1932, 25));
    assert_eq!((counts.native_contacts, counts.native_contacts_with_energy), (5709, 5684));
    assert_fixed_point(&request);
}
