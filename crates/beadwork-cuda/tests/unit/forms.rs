//! Tests of `src/plans/forms.rs`.

use super::*;

#[test]
fn forms_are_written_and_read_back() {
    let all = LaunchOverrides {
        lanes: Some(true),
        cluster: Some(8),
        members: Some(16),
        threads: Some(512),
        blocks: Some(2),
        slot_lanes: Some(4),
        lists: Some(false),
        shared_lists: Some(true),
        helpers: Some(false),
        brick: Some([4, 5, 6]),
    };
    for form in
        [all, LaunchOverrides { cluster: Some(4), ..Default::default() }, Default::default()]
    {
        let read: LaunchOverrides = form.to_string().parse().unwrap();
        assert_eq!(read, form, "{form}");
    }
    assert_eq!(LaunchOverrides::default().to_string(), "usual");
    assert_eq!("lanes=no,cluster=4".parse(), "lanes=no cluster=4".parse::<LaunchOverrides>());
    for (text, said) in [
        ("lanes=maybe", "lanes takes yes or no, not \"maybe\""),
        ("cluster=0", "cluster takes a number from 1 to 1024, not \"0\""),
        ("brick=4x4", "brick takes cells along x, y and z, such as 4x4x4, not \"4x4\""),
        ("warps=3", "a form has no \"warps\""),
    ] {
        let error = text.parse::<LaunchOverrides>().unwrap_err();
        assert!(error.starts_with(said), "{error}");
    }
}

#[test]
fn the_last_form_of_a_situation_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let form = |text: &str| text.parse::<LaunchOverrides>().unwrap();
    assert_eq!(read(folder.path(), "a"), None);
    write(folder.path(), "a", form("cluster=4")).unwrap();
    write(folder.path(), "b; 2", form("lanes=yes")).unwrap();
    write(folder.path(), "a", form("cluster=8 threads=256")).unwrap();
    assert_eq!(read(folder.path(), "a"), Some(form("cluster=8 threads=256")));
    assert_eq!(read(folder.path(), "b; 2"), Some(form("lanes=yes")));
    assert_eq!(read(folder.path(), "b"), None);
    // A damaged file has nothing, and is written anew.
    fs::write(path(folder.path()), "no tab\na\tcluster=many\n").unwrap();
    assert_eq!(read(folder.path(), "a"), None);
    write(folder.path(), "a", form("usual")).unwrap();
    assert_eq!(read(folder.path(), "a"), Some(form("usual")));
}
