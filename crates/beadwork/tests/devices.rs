//! `--device` on machines without a GPU, or with hidden GPUs.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::common::{PULL, Place, assert_same, earlier_record, json_of};
use beadwork::cpu::Member;
use beadwork::device::Choice;
use beadwork::engine::{Control, Devices, Progress};
use beadwork::model::potentials::PairThermostat;
use beadwork::model::{Boundary, Generator, Integrator, Protocol, System};
use beadwork::session::Session;

/// A short input: few steps of three members.
fn short() -> String {
    PULL.replace("80_000", "400").replace("10_000", "400").replace("steps = 5000", "steps = 5")
}

/// Whether NVIDIA's driver is on this machine.
fn has_driver() -> bool {
    !matches!(beadwork::cuda::devices(), Err(beadwork::cuda::Error::NoDriver { .. }))
}

#[test]
fn refuses_unknown_devices() {
    let place = Place::with_input(PULL);
    for command in ["run input.toml", "check input.toml", "resume run", "doctor", "bench sop"] {
        for device in ["gpu", "cuda:", "cuda:0,0", "cpu:1"] {
            let said = place.beadwork(&format!("{command} --device {device}")).expect(2);
            said.complains(&["--device"]);
        }
    }
    place.beadwork("bench sop --device auto").expect(2).complains(&["cpu or cuda"]);
}

#[test]
fn without_a_gpu_auto_chooses_the_processor() {
    let place = Place::with_input(&PULL.replace("replicas = 3", "replicas = 20"));
    let said = place.beadwork("check input.toml --json").expect(0);
    assert_eq!(json_of(&said.stdout)["stepping"]["device"], "cpu");
    if has_driver() {
        said.complains(&["note: the CPU is used and not the GPU, since: ", "CUDA_VISIBLE_DEVICES"]);
        assert_eq!(said.stderr.lines().count(), 1, "{}", said.stderr);
    } else {
        assert_eq!(said.stderr, "", "a machine without GPU is nothing to talk of");
    }
    let said = place.beadwork("check input.toml --device cpu").expect(0);
    assert_eq!(said.stderr, "");
    assert!(said.stdout.contains("instructions, "), "{}", said.stdout);
    // Few trajectories of a small system run on the processor on any machine.
    let said = place.beadwork("check input.toml --set ensemble.replicas=7").expect(0);
    assert_eq!(said.stderr, "");
}

#[test]
fn a_requested_gpu_that_is_missing_is_reported() {
    let place = Place::with_input(&short());
    let code = if has_driver() { "cuda/no-device" } else { "cuda/no-driver" };
    for command in [
        "run input.toml -o run --device cuda",
        "run input.toml -o run --device cuda:0",
        "check input.toml --device cuda",
        "doctor --device cuda",
        "doctor --device cuda --thorough",
        "bench sop --device cuda",
    ] {
        place.beadwork(command).expect(4).complains(&[code, "CPU"]);
    }
    assert!(!place.path("run").exists());
}

#[test]
fn a_run_continues_on_its_kind_of_device() {
    let place = Place::with_input(&short());
    place.beadwork("run input.toml -o run --quiet --max-time 0s").expect(5);
    assert_eq!(json_of(&place.read("run/run.json"))["device"], "cpu");
    assert!(json_of(&place.read("run/run.json")).get("gpus").is_none());
    let before = place.results("run");
    for command in ["resume run", "run input.toml -o run --continue"] {
        let said = place.beadwork(&format!("{command} --device cuda")).expect(2);
        said.complains(&["run/device", "began on cpu", "leave --device out"]);
    }
    assert_same(&before, &place.results("run"));

    // The record of a run that began on a GPU.
    let record = place.read("run/run.json");
    let on_gpu =
        "\"device\": \"cuda\",\n  \"gpus\": [\"NVIDIA H200\"],\n  \"cuda_driver\": \"13.0\"";
    place.write("run/run.json", &earlier_record(&record, &[("\"device\": \"cpu\"", on_gpu)]));
    let before = place.results("run");
    for command in ["resume run", "run input.toml -o run --continue", "resume run --device cuda:0"]
    {
        let said = place.beadwork(command).expect(4);
        said.complains(&["cuda/no-d", "the run in run began on a GPU"]);
        assert!(!said.stderr.contains("run on the CPU"), "{}", said.stderr);
    }
    let said = place.beadwork("resume run --device cpu").expect(2);
    said.complains(&["run/device", "began on cuda (NVIDIA H200), and cpu would not continue"]);
    // The library refuses it too.
    let session = Session::open(&place.path("run")).unwrap();
    let interrupted = AtomicBool::new(false);
    let control = Control::on_processors(&interrupted, 1);
    let error = session.run(&control, &Progress::default()).unwrap_err();
    assert_eq!(error.code(), "run/device");
    let control = Control { devices: Devices::Cuda(Vec::new()), ..control };
    let error = session.run(&control, &Progress::default()).unwrap_err();
    assert_eq!(error.code(), "cuda/no-device");
    assert_eq!(session.devices(&Choice::Cpu).unwrap_err().code(), "run/device");
    drop(session);
    assert_same(&before, &place.results("run"));

    let abacus = [("\"device\": \"cpu\"", "\"device\": \"abacus\"")];
    place.write("run/run.json", &earlier_record(&record, &abacus));
    place.beadwork("resume run").expect(2).complains(&["run/record", "abacus"]);
    place.write("run/run.json", &record);
    place.beadwork("resume run --device cpu --quiet").expect(0);
}

#[test]
fn a_finished_gpu_run_is_analysed_without_a_gpu() {
    let place = Place::with_input(&short());
    place.beadwork("run input.toml -o run --quiet").expect(0);
    let record = place.read("run/run.json");
    let cuda = [("\"device\": \"cpu\"", "\"device\": \"cuda\"")];
    place.write("run/run.json", &earlier_record(&record, &cuda));
    let before = place.results("run");
    for command in ["resume run", "run input.toml -o run --continue", "resume run --device cuda:0"]
    {
        std::fs::remove_file(place.path("run/summary.txt")).unwrap();
        place.beadwork(command).expect(0);
        assert_same(&before, &place.results("run"));
    }
    assert!(
        place
            .read("run/log.txt")
            .contains(" on no GPU, since no member has steps left: 3 member(s)")
    );
    place.beadwork("resume run --device cpu").expect(2).complains(&["run/device"]);
    // If steps are left, the run needs a GPU.
    place.beadwork("extend run --steps 400").expect(0);
    place.beadwork("resume run").expect(4).complains(&["cuda/no-d"]);
}

#[test]
fn a_gpu_run_is_extended_and_drawn_without_a_gpu() {
    let place = Place::with_input(&short());
    place.beadwork("run input.toml -o run --quiet").expect(0);
    let on_gpu =
        "\"device\": \"cuda\",\n  \"gpus\": [\"NVIDIA H200\"],\n  \"cuda_driver\": \"13.0\"";
    let record = place.read("run/run.json");
    place.write("run/run.json", &earlier_record(&record, &[("\"device\": \"cpu\"", on_gpu)]));
    place.beadwork("plot run").expect(0);
    place.beadwork("extend run --steps 400").expect(0);
    let record = json_of(&place.read("run/run.json"));
    assert_eq!((&record["device"], &record["gpus"][0]), (&"cuda".into(), &"NVIDIA H200".into()));
    assert!(Session::exists(Path::new(&place.path("run"))));
}

#[test]
fn a_gpu_takes_boxes_with_every_generator_and_pair_thermostats_with_some() {
    let place = Place::with_input(PULL);
    let request = beadwork::input::load(&place.path("input.toml"), &[]).unwrap();
    let point = &request.points[0];
    let mut protocol = (*point.protocol).clone();
    protocol.dynamics.integrator = Integrator::VelocityVerlet;
    protocol.stages.iter_mut().for_each(|stage| stage.externals.clear());
    let obstacle = |system: System, generator: Generator| {
        let start = system.particles.positions.clone();
        let protocol = Arc::new(Protocol { randomness: generator.into(), ..protocol.clone() });
        beadwork::cuda::obstacle(&Member::new(Arc::new(system), protocol, 0, &start))
    };
    let plain = (*point.system).clone();
    let mut boxed = plain.clone();
    boxed.boundary = Boundary::Periodic { lengths: [1e3; 3] };
    let mut warm = plain.clone();
    warm.interactions.thermostat = Some(PairThermostat::of_one_type(1.0, 5.0));
    for system in [plain, boxed] {
        assert_eq!(obstacle(system.clone(), Generator::Philox4x32x10), None);
        assert_eq!(obstacle(system, Generator::Ran2), None);
    }
    assert_eq!(obstacle(warm.clone(), Generator::Philox4x32x10), None);
    let expected = "a pair thermostat has no program on a GPU with the generator ran2; take philox4x32-10, philox4x32-7, \
                    saru-tea, saru, hybrid-taus, or run on CPUs";
    assert_eq!(obstacle(warm, Generator::Ran2).as_deref(), Some(expected));
}

#[test]
fn a_gpu_has_programs_for_every_generator() {
    let place = Place::with_input(PULL);
    let obstacle_of = |more: &[(&str, &str)]| {
        let set = |(path, value): &(&str, &str)| (format!("random.{path}"), value.to_string());
        let sets: Vec<_> = more.iter().chain(&[("accept_flaws", "true")]).map(set).collect();
        let request = beadwork::input::load(&place.path("input.toml"), &sets).unwrap();
        let point = &request.points[0];
        let (system, protocol) = (point.system.clone(), point.protocol.clone());
        let start = system.particles.positions.clone();
        beadwork::cuda::obstacle(&Member::new(system, protocol, 0, &start))
    };
    let obstacle = |generator: &str| obstacle_of(&[("generator", generator)]);
    for generator in Generator::ALL {
        assert_eq!(obstacle(generator.name()), None);
    }
    let saru = obstacle_of(&[("generator", "saru"), ("scheme", "one-per-thread")]);
    let expected = "the generator saru has no program on a GPU in the scheme one-per-thread, only in one-per-call";
    assert_eq!(saru.as_deref(), Some(expected));
    let polar = obstacle_of(&[("distribution", "polar")]);
    let expected = "the distribution polar has no program on a GPU, where there is box-muller";
    assert_eq!(polar.as_deref(), Some(expected));
}
