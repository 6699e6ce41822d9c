//! Energies that drift, and the notes on them.

use super::*;

/// Makes the energies of a ladder rise by `rise` temperatures from its first row to its last.
fn raise(ladder: &mut Ladder, rise: f64) {
    for (rows, temperature) in ladder.rows.iter_mut().zip(&ladder.temperatures) {
        let all = rows.len() as f64;
        for row in rows {
            row.values[0] += rise * temperature * row.step as f64 / all;
        }
    }
}

/// A drift of the energy is noted whether single temperatures show it or only all together; fluctuations are not noted.
#[test]
fn energies_that_drift_are_noted() {
    let said = |ladders, rungs, rows: u64, rise: f64| {
        let mut drifting = group(ladders, rungs, rows);
        (0..ladders).for_each(|number| raise(drifting.ladder(number), rise));
        words(drifting)
    };
    // σ = 2 T: a rise of 0.35 T between halves of 400 rows is 1.8 standard errors, and five for eight rungs together.
    let still = said(3, 4, 400, 0.0);
    assert!(!still.contains("drift"), "{still}");
    let together = said(1, 8, 400, 0.7);
    assert!(
        together.contains("note: the energies drift: at all temperatures together they rise "),
        "{together}"
    );
    assert!(together.contains(": averages include rows before equilibrium"), "{together}");
    let fast = said(1, 4, 4_000, -1.0);
    assert!(fast.contains("note: the energy drifts: at T = "), "{fast}");
    assert!(fast.contains(" a bead lower in the second half of the last stage "), "{fast}");
    for text in [together, fast] {
        assert!(!text.contains("highest specific heat") || text.contains("(without an error)"));
    }
}

/// The note names the ladder if ladders differ in temperatures, and advises an earlier stage if there is none.
#[test]
fn a_note_of_drift_names_the_ladder_and_the_remedy() {
    let said = |rungs, rows, rise, one_stage| {
        let mut drifting = group(3, rungs, rows);
        raise(drifting.ladder(1), rise);
        drifting.one_stage = one_stage;
        let text = words(drifting);
        text.lines().find(|line| line.contains("drift")).expect(&text).to_string()
    };
    let together = said(16, 400, 0.5, false);
    let named = "at all temperatures of ladder 1 together they rise ";
    assert!(together.contains(named), "{together}");
    let advice =
        "; make the stages before it longer, or put one there, and make this one longer too";
    assert!(together.ends_with(advice), "{together}");
    let single = said(4, 4_000, -1.0, true);
    assert!(single.contains(" of ladder 1 it is "), "{single}");
    let advice = "; put a stage before this one that is left out, and make this one longer too";
    assert!(single.ends_with(advice), "{single}");
}

/// A drift that is significant in a run of one point occurs by chance in a sweep of fifty points.
#[test]
fn drifts_of_many_points_have_to_be_rarer() {
    let notes = |rise: f64, points: usize| {
        let mut drifting = group(1, 8, 400);
        raise(drifting.ladder(0), rise);
        let _ = drifting.findings();
        let text = in_words(&vec![drifting; points]);
        text.lines().filter(|line| line.contains("drift")).count()
    };
    assert_eq!([notes(0.65, 1), notes(0.65, 50)], [1, 0]);
    // A clear drift is noted for each of the fifty points.
    assert_eq!(notes(1.5, 50), 50);
}
