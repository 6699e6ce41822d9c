//! Recognises sequences that are no proteins by their letters and headings.

/// Letters of which nucleic acids consist; N is any of them.
const BASES: &str = "ACGTUN";
/// IUPAC codes for one of several bases.
const SEVERAL_BASES: &str = "RYSWKMBDHV";
/// Abbreviations of polymers that are amino acids letter by letter.
const POLYMERS: [&str; 12] =
    ["PEG", "PVA", "PLA", "PLGA", "PAA", "PMMA", "PSS", "PDMS", "PNIPAM", "DNA", "RNA", "SSDNA"];
/// A sequence may have codes for several bases among its letters if it is as long as this, and if at most one letter in
/// `ONE_IN` is such a code. Proteins do not come near: even those that prevent ice from growing have four times as many.
const LONG: usize = 20;
const ONE_IN: usize = 20;

/// What a sequence seems to be if it is no protein, as the end of a sentence that begins with "it"; `None` for a protein.
///
/// `letters` are as written, in capitals or not; `heading` is the line of a FASTA file without its `>`, or empty. A heading
/// that says which polymer it is decides: that of a database of proteins, or of the sequences of the Protein Data Bank.
///
/// ```
/// use beadwork_structure::seems_no_protein;
/// assert!(seems_no_protein("", "GGGAAACUUCGGUUUCCC").is_some());
/// assert!(seems_no_protein("", "MASNDYTQQAT").is_none());
/// assert!(seems_no_protein("sp|P12345|SILK", "GAGAGAGA").is_none());
/// ```
pub fn seems_no_protein(heading: &str, letters: &str) -> Option<String> {
    match says(heading) {
        Some(Said::Protein) => return None,
        Some(Said::NucleicAcid) => {
            return Some("is nucleic acid, as \"mol:na\" in its heading says".to_owned());
        }
        None => {}
    }
    let named = |text: &str, names: &[&'static str]| {
        let stem = text.trim_end_matches(|digit: char| digit.is_ascii_digit());
        names.iter().find(|name| stem.eq_ignore_ascii_case(name)).copied()
    };
    if let Some(polymer) = named(letters, &POLYMERS) {
        return Some(format!("is the abbreviation of a polymer, {polymer}"));
    }
    let name = heading.split_whitespace().next().unwrap_or_default();
    if let Some(polymer) = named(name, &["PEG", "PEO"]) {
        return Some(format!("is named as a polymer, {polymer}"));
    }
    let count = letters.chars().count();
    if count > 0 && letters.chars().all(|letter| letter == 'r') {
        return Some("has the letter r alone, which files of CALVADOS use for RNA".to_owned());
    }
    let capitals = letters.to_ascii_uppercase();
    let of = |set: &str| capitals.chars().filter(|letter| set.contains(*letter)).count();
    let (bases, several, unknown) = (of(BASES), of(SEVERAL_BASES), of("N"));
    let which = |u: usize, t: usize| match (u > 0, t > 0) {
        (true, false) => "RNA",
        (false, true) => "DNA",
        _ => "RNA or DNA",
    };
    let which = which(of("U"), of("T"));
    let kinds = "ACGTU".chars().filter(|letter| capitals.contains(*letter)).count();
    if count > 1 && bases == count && 2 * unknown <= count && kinds > 0 {
        let used: String = BASES.chars().filter(|letter| capitals.contains(*letter)).collect();
        return Some(format!("has the letters {used} alone, as {which} has"));
    }
    let mixed = count >= LONG
        && bases + several == count
        && several * ONE_IN <= count
        && 2 * unknown <= count
        && kinds >= 3;
    mixed.then(|| format!("consists of the letters of {which} and a few codes for several bases"))
}

enum Said {
    Protein,
    NucleicAcid,
}

/// What the heading of a database says. Words such as "RNA" say nothing: many proteins bind it.
fn says(heading: &str) -> Option<Said> {
    let first = heading.split_whitespace().next()?;
    if heading.contains("mol:protein") || ["sp|", "tr|"].iter().any(|one| first.starts_with(one)) {
        return Some(Said::Protein);
    }
    if heading.contains("mol:na") {
        return Some(Said::NucleicAcid);
    }
    // Accessions of RefSeq: two letters, an underscore, digits. Those of genomes also name their proteins.
    let accession = first.split('|').find(|part| {
        let (kind, number) = part.split_once('_').unwrap_or_default();
        kind.len() == 2 && number.starts_with(|digit: char| digit.is_ascii_digit())
    })?;
    matches!(&accession[..2], "NP" | "XP" | "YP" | "WP" | "AP").then_some(Said::Protein)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nucleic_acids_are_recognised() {
        for (heading, letters) in [
            ("", "ACGUACGU"),
            ("", "acgtnnacgt"),
            (
                "tRNA",
                "GCGGAUUUAGCUCAGUUGGGAGAGCGCCAGACUGAAGAUCUGGAGGUCCUGUGUUCGAUCCACAGAAUUCGCACCA",
            ),
            ("polyA", "AAAAAAAAAA"),
            ("polyR30", "rrrrrrrrrr"),
            ("", "ACGTACGTACGTACGTACGTRCGTACGTACGTACGTACGTA"),
            ("101d_A mol:na length:12  DNA", "CGCGAATTCGCG"),
            ("", "PEG20"),
            ("", "peg"),
            ("PEG8000", "GGGSGG"),
        ] {
            assert!(seems_no_protein(heading, letters).is_some(), "{heading} {letters}");
        }
    }

    #[test]
    fn proteins_are_not() {
        for (heading, letters) in [
            ("", "GSGSGSGS"),
            ("", "NNNNNN"),
            ("", "G"),
            ("", "PEGPEG"),
            ("DNA2 helicase", "MKVL"),
            ("", "RRRRRRRRRR"),
            ("", "rrggrr"),
            // Winter flounder's antifreeze protein, and a mealworm's.
            ("", "DTASDAAAAAALTAANAKAAAELTAANAAAAAAATAR"),
            (
                "",
                "QCTGGADCTSCTGACTGCGNCPNAVTCTNSQHCVKANTCTGSTDCNTAQTCTNSKDCFEANTCTDSTNCYKATACTNSSGCPGH",
            ),
            ("sp|P35637|FUS_HUMAN RNA-binding protein FUS", "GAGA"),
            ("2mpz_A mol:protein length:6  SILK", "GAGAGA"),
            ("NP_004951.1 RNA-binding protein", "GAGAGA"),
            ("lcl|NC_000913.3_prot_NP_414542.1_1 [gene=thrL]", "MKRISTTITTTITITTGNGAG"),
        ] {
            assert_eq!(seems_no_protein(heading, letters), None, "{heading} {letters}");
        }
    }
}
