//! The thin lines of replicas beside a bold one. Of many replicas, some have one. In figures of tips each cycle and direction of a
//! group has thin lines of its own.

/// The thin lines that the groups of a figure share: more hide each other, and take long to draw.
const MOST: usize = 100;

/// The thin lines that a group may have however many share them.
const LEAST_OF_A_GROUP: usize = 4;

/// The most thin lines of each of so many groups.
fn most_of_each(groups: usize) -> usize {
    (MOST / groups.max(1)).max(LEAST_OF_A_GROUP)
}

/// The replicas of a group that have a thin line in a figure with so many groups: all of few, otherwise the first and others at equal
/// distances.
pub(crate) fn with_lines<M>(members: &[M], groups: usize) -> impl Iterator<Item = &M> {
    let count = members.len().min(most_of_each(groups));
    (0..count).map(move |place| &members[place * members.len() / count])
}

/// What thin lines are; `sizes` are the replicas of each group.
pub(crate) fn in_words(sizes: &[usize]) -> String {
    let most = most_of_each(sizes.len());
    match sizes {
        _ if sizes.iter().all(|size| *size <= most) => "single replicas".to_string(),
        [all] => format!("{most} of {all} replicas, evenly chosen"),
        _ => format!("up to {most} replicas of each point, evenly chosen"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_replicas_have_all_lines_and_many_some() {
        let chosen = |all: usize, groups| -> Vec<usize> {
            let members: Vec<usize> = (0..all).collect();
            with_lines(&members, groups).copied().collect()
        };
        assert!(chosen(0, 1).is_empty());
        assert_eq!(chosen(2, 1), [0, 1]);
        assert_eq!(chosen(100, 1), (0..100).collect::<Vec<usize>>());
        let of_many = chosen(250, 1);
        assert_eq!((of_many.len(), &of_many[..4], of_many[99]), (100, &[0, 2, 5, 7][..], 247));
        assert_eq!(chosen(100, 3).len(), 33);
        assert_eq!(chosen(10, 1_000), [0, 2, 5, 7]);
        assert_eq!(in_words(&[2, 33]), "single replicas");
        assert_eq!(in_words(&[2_000]), "100 of 2000 replicas, evenly chosen");
        assert_eq!(in_words(&[51, 2]), "up to 50 replicas of each point, evenly chosen");
    }
}
