//! The calls of a card's driver: errors on machines without a card, launches and copies with one.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "helpers of tests are tests too"
)]

use std::path::Path;
use std::process::{Command, Output};

use beadwork_cuda::{Buffer, Compiler, Device, ERROR_CODES, Error, devices, notices};
use bytemuck::{Pod, Zeroable};

/// A kernel that uses all features of a launch: parameters, dynamic and static shared memory.
const SOURCE: &str = r#"
struct Parameters { const double* from; double* to; double factor; unsigned int count; };
extern "C" __global__ void reverse(const Parameters p) {
    extern __shared__ double dynamic[];
    __shared__ double fixed[256];
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.count) return;
    fixed[threadIdx.x] = p.from[p.count - 1 - i];
    dynamic[threadIdx.x] = p.factor * fixed[threadIdx.x];
    p.to[i] = dynamic[threadIdx.x] + 1.0;
}
extern "C" __global__ void stray(const unsigned long long address) {
    *reinterpret_cast<volatile int*>(address) = 1;
}
extern "C" __global__ void two(int* one, int* other) { *one = *other; }
"#;

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Parameters {
    from: u64,
    to: u64,
    factor: f64,
    count: u32,
    padding: u32,
}

/// Error codes on machines without a usable card.
const NO_CARD: [&str; 4] = ["cuda/no-driver", "cuda/no-device", "cuda/old-driver", "cuda/old-card"];

/// Whether there is a card; prints a notice if there is none.
fn a_card() -> bool {
    match Device::open(0) {
        Ok(_) => true,
        Err(error) if NO_CARD.contains(&error.code()) => {
            println!("skipped: no CUDA device. {error}");
            false
        }
        Err(error) => panic!("{error}"),
    }
}

/// Runs one of the ignored tests below in its own process with the given environment variables.
fn child(test: &str, cache: &Path, variables: &[(&str, &str)]) -> Output {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--ignored", "--nocapture"])
        .env("BEADWORK_CACHE", cache)
        .envs(variables.iter().copied())
        .output()
        .unwrap()
}

fn passed(output: &Output) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, error) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success() && out.contains("1 passed"), "{}: {out}{error}", output.status);
    print!("{out}");
}

#[test]
fn codes_are_listed_once() {
    let errors = [
        Error::NoDriver { tried: vec!["libcuda.so.1".into()] },
        Error::NoDevice { reason: "none".into() },
        Error::OldDriver { found: (12, 2), missing: None },
        Error::OldCard { name: "Tesla V100".into(), found: (7, 0) },
        Error::NoCompiler { looked: vec!["/somewhere".into()] },
        Error::Compile {
            kernel: "block".into(),
            architecture: (9, 0),
            reason: "NVRTC_ERROR_COMPILATION".into(),
            log: "line 3".into(),
        },
        Error::Memory { asked: 3 << 30, free: Some(5 << 20), device: "H200".into() },
        Error::Launch { kernel: "block".into(), reason: "it went astray.".into() },
        Error::Watchdog { kernel: "block".into() },
        Error::Corrupt { what: "a step number that is too large".into() },
        Error::Other { action: "load".into(), reason: "no".into() },
    ];
    let codes: Vec<&str> = errors.iter().map(Error::code).collect();
    let listed: Vec<&str> = ERROR_CODES.iter().map(|(code, _)| *code).collect();
    assert_eq!(codes, listed);

    let parts = [
        "libcuda.so.1",
        "none",
        "CUDA 12.2 and beadwork needs 12.8",
        "Tesla V100 has compute capability 7.0, and beadwork needs 7.5",
        "pip install nvidia-cuda-nvrtc",
        "kernel block for compute capability 9.0",
        "3.00 GiB of memory on the GPU H200: 5.0 MiB are free",
        "kernel block failed on the GPU: it went astray.",
        "CUDA_ERROR_LAUNCH_TIMEOUT",
        "The GPU returned impossible values: a step number",
        "Could not load: no",
    ];
    for (error, part) in errors.iter().zip(parts) {
        assert!(error.to_string().contains(part), "{part} is not in: {error}");
    }
}

#[test]
fn a_missing_card_is_an_error() {
    if a_card() {
        let error = Device::open(devices().unwrap().len()).unwrap_err();
        assert_eq!(error.code(), "cuda/no-device", "{error}");
    } else if let Err(error) = devices() {
        assert_eq!(error.code(), Device::open(0).unwrap_err().code());
    }
}

#[test]
fn a_kernel_runs_and_then_comes_from_the_cache() {
    if !a_card() {
        return;
    }
    if let Err(error) = Compiler::find()
        && std::env::var_os("BEADWORK_NVRTC").is_none()
    {
        println!("skipped: no NVRTC. {error}");
        return;
    }
    let cache = tempfile::tempdir().unwrap();
    let nowhere = [("BEADWORK_NVRTC", "/nowhere/libnvrtc.so.13")];
    let without = child("child_without_anything", cache.path(), &nowhere);
    passed(&without);
    passed(&child("child_work", cache.path(), &[]));
    assert_eq!(cache.path().read_dir().unwrap().count(), 1);
    // With a warm cache no compiler is needed.
    passed(&child("child_work", cache.path(), &nowhere));
    passed(&child("child_failure", cache.path(), &nowhere));
}

#[test]
#[ignore = "run by a_kernel_runs_and_then_comes_from_the_cache"]
fn child_without_anything() {
    let error = Device::open(0).unwrap().load("reverse", SOURCE).unwrap_err();
    assert_eq!(error.code(), "cuda/no-compiler");
    assert!(error.to_string().contains("/nowhere/libnvrtc.so.13"), "{error}");
}

#[test]
#[ignore = "run by a_kernel_runs_and_then_comes_from_the_cache"]
fn child_work() {
    let device = Device::open(0).unwrap();
    let properties = device.properties();
    println!("{properties:?}");
    assert_eq!(properties, &devices().unwrap()[0]);
    assert_eq!(device.ordinal(), 0);
    let free = device.free_memory().unwrap();
    assert!(0 < free && free <= properties.memory);

    let module = device.load("reverse", SOURCE).unwrap();
    assert_eq!(notices(), Vec::<String>::new());
    let function = module.function("reverse").unwrap();
    assert_eq!(function.static_shared_bytes(), 2048);
    assert_eq!(function.local_bytes(), 0);
    assert_eq!(function.parameter_bytes(), size_of::<Parameters>());
    assert!(function.registers() > 0);
    let large = properties.shared_memory_per_block - 2048;
    function.allow_shared_memory(large).unwrap();
    assert_eq!(function.blocks_per_multiprocessor(256, large).unwrap(), 1);
    assert!(function.blocks_per_multiprocessor(256, 2048).unwrap() >= 4);
    let error = function.allow_shared_memory(large + 1).unwrap_err();
    assert_eq!(error.code(), "cuda/other", "{error}");
    assert!(module.function("nothing").unwrap_err().to_string().contains("nothing"));
    assert!(module.function("two").unwrap_err().to_string().contains("more than one"));

    // Each of many threads has its own stream.
    std::thread::scope(|scope| {
        for thread in 0..4_u32 {
            let (device, function) = (&device, &function);
            scope.spawn(move || {
                let count = 1000 + thread;
                let stream = device.stream().unwrap();
                let numbers: Vec<f64> = (0..count).map(f64::from).collect();
                let mut from = Buffer::<f64>::new(device, numbers.len()).unwrap();
                let mut to = Buffer::<f64>::new(device, numbers.len()).unwrap();
                from.upload(&stream, 0, &numbers[..500]).unwrap();
                from.upload(&stream, 500, &numbers[500..]).unwrap();
                to.fill_zero(&stream).unwrap();
                let parameters = Parameters {
                    from: from.address(),
                    to: to.address(),
                    factor: 2.0,
                    count: count - 1,
                    padding: 0,
                };
                // SAFETY: the buffers hold `count` numbers each, and exist to the end.
                unsafe { stream.launch(function, 4, 256, large, &parameters) }.unwrap();
                let mut found = vec![f64::NAN; numbers.len()];
                to.download(&stream, 0, &mut found).unwrap();
                let last = count - 1;
                let mut expected: Vec<f64> =
                    (0..last).map(|i| 2.0 * f64::from(last - 1 - i) + 1.0).collect();
                expected.push(0.0);
                assert_eq!(found, expected);
                let mut one = [f64::NAN];
                to.download(&stream, 7, &mut one).unwrap();
                assert_eq!(one[0], expected[7]);
                // SAFETY: the launch is refused before it starts.
                let error = unsafe { stream.launch(function, 4, 256, 0, &1_u32) }.unwrap_err();
                assert!(error.to_string().contains("has 32 bytes and was given 4"), "{error}");
                // SAFETY: as above.
                let error =
                    unsafe { stream.launch(function, 4, 4096, 0, &parameters) }.unwrap_err();
                assert_eq!(error.code(), "cuda/launch");
                assert!(error.to_string().contains("4 blocks of 4096 threads"), "{error}");
                stream.wait().unwrap();
            });
        }
    });

    let error = Buffer::<f64>::new(&device, usize::MAX / 64).unwrap_err();
    assert_eq!(error.code(), "cuda/memory", "{error}");
    assert!(error.to_string().contains("GiB are free"), "{error}");
    assert!(Buffer::<f64>::new(&device, 0).unwrap().is_empty());
}

#[test]
#[ignore = "run by a_kernel_runs_and_then_comes_from_the_cache"]
fn child_failure() {
    let device = Device::open(0).unwrap();
    let stream = device.stream().unwrap();
    let stray = device.load("reverse", SOURCE).unwrap().function("stray").unwrap();
    // SAFETY: the address belongs to no buffer; the card reports the error, and this process ends.
    unsafe { stream.launch(&stray, 1, 1, 0, &16_u64) }.unwrap();
    let error = stream.wait().unwrap_err();
    assert_eq!(error.code(), "cuda/launch");
    let text = error.to_string();
    assert!(text.contains("stray") && text.contains("CUDA_ERROR_ILLEGAL_ADDRESS"), "{text}");
    println!("{text}");
}
