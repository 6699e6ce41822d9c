//! Tests of `src/compile/compiler.rs`.

use super::*;

fn variables(set: &[(&str, &str)]) -> impl Fn(&str) -> Option<OsString> {
    let set: Vec<(String, OsString)> =
        set.iter().map(|(key, value)| ((*key).to_owned(), value.into())).collect();
    move |name| set.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone())
}

#[test]
fn the_target_may_be_an_older_card_of_the_same_generation() {
    let known = [75, 80, 86, 90, 100, 120];
    assert_eq!(target(&known, (9, 0)), Some(90));
    assert_eq!(target(&known, (8, 9)), Some(86));
    assert_eq!(target(&known, (8, 5)), Some(80));
    assert_eq!(target(&known, (10, 3)), Some(100));
    assert_eq!(target(&known, (7, 0)), None);
    assert_eq!(target(&known, (11, 0)), None);
    assert_eq!(target(&known, (13, 0)), None);
}

#[test]
fn every_environment_is_searched_for_wheels() {
    let prefix = tempfile::tempdir().unwrap();
    let prefix = prefix.path();
    let packages = prefix.join("lib/python3.11/site-packages");
    fs::create_dir_all(&packages).unwrap();
    let wheel = packages.join("nvidia/cu13/lib");
    let text = prefix.to_str().unwrap();
    for name in ["VIRTUAL_ENV", "CONDA_PREFIX"] {
        assert!(folders(&variables(&[(name, text)])).contains(&wheel), "{name}");
    }
    assert!(!folders(&variables(&[])).contains(&wheel));
    // A Python on PATH, in an environment that is not active.
    fs::create_dir(prefix.join("bin")).unwrap();
    let path = format!("/nowhere:{text}/bin");
    assert!(!folders(&variables(&[("PATH", &path)])).contains(&wheel));
    fs::write(prefix.join("bin/python3"), "").unwrap();
    assert!(folders(&variables(&[("PATH", &path)])).contains(&wheel));
    // The user's own packages.
    let user = prefix.join(".local/lib/python3.12/site-packages");
    fs::create_dir_all(&user).unwrap();
    let found = folders(&variables(&[("HOME", text), ("CUDA_HOME", "/opt/cuda")]));
    assert!(found.contains(&user.join("nvidia/cuda_nvrtc/lib")));
    assert_eq!(found[0], Path::new("/opt/cuda/lib64"));
}

#[test]
fn only_a_named_file_is_tried() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("libnvrtc.so.13");
    let error = Compiler::find_with(&variables(&[
        ("BEADWORK_NVRTC", missing.to_str().unwrap()),
        ("CUDA_HOME", "/opt/cuda"),
    ]))
    .unwrap_err();
    assert_eq!(error.code(), "cuda/no-compiler");
    let text = error.to_string();
    for part in [missing.to_str().unwrap(), "No such file", "pip install nvidia-cuda-nvrtc"] {
        assert!(text.contains(part), "{part} is not in: {text}");
    }
    assert!(!text.contains("/opt/cuda"), "{text}");
}

#[test]
fn the_message_lists_files_that_are_not_nvrtc() {
    let toolkit = tempfile::tempdir().unwrap();
    let folder = toolkit.path().join("lib64");
    fs::create_dir(&folder).unwrap();
    let file = folder.join("libnvrtc.so.13");
    fs::write(&file, "text").unwrap();
    match Compiler::find_with(&variables(&[("CUDA_HOME", toolkit.path().to_str().unwrap())])) {
        Ok(other) => println!("skipped: NVRTC is installed at {}", other.place().display()),
        Err(error) => {
            let text = error.to_string();
            assert!(text.contains(&format!("{}: ", file.display())), "{text}");
            assert!(text.contains("/usr/local/cuda/lib64\n"), "{text}");
            assert!(text.contains("libnvrtc.so.12, where the system looks"), "{text}");
            println!("{text}");
        }
    }
}
