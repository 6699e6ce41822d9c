//! What the tables of a run say of each independent ladder at each temperature: few numbers, from which averages,
//! fluctuations, derivatives and their correlations follow.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use beadwork_analysis::table::read_csv;

use crate::Failure;

/// Columns of the energy, by model.
const ENERGIES: [&str; 2] = ["energy", "total_energy_kcal_per_mol"];
/// Columns that are kept beside it.
const OBSERVABLES: [&str; 6] = [
    "square_radius_of_gyration",
    "end_to_end_distance",
    "contacts",
    "radius_of_gyration_nm",
    "extension_nm",
    "native_contacts",
];

/// Averages over rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moments {
    /// How many rows.
    pub rows: f64,
    /// ⟨E⟩ and ⟨E²⟩ of the whole system.
    pub energy: [f64; 2],
    /// ⟨A⟩, ⟨A²⟩ and ⟨EA⟩ of each observable.
    pub observables: Vec<[f64; 3]>,
}

impl Moments {
    fn add(&mut self, energy: f64, observables: &[f64]) {
        let share = 1.0 / (self.rows + 1.0);
        let towards = |mean: &mut f64, value: f64| *mean += share * (value - *mean);
        towards(&mut self.energy[0], energy);
        towards(&mut self.energy[1], energy * energy);
        self.observables.resize(observables.len(), [0.0; 3]);
        for (means, &value) in self.observables.iter_mut().zip(observables) {
            let now = [value, value * value, energy * value];
            means.iter_mut().zip(now).for_each(|(mean, value)| towards(mean, value));
        }
        self.rows += 1.0;
    }

    /// ⟨E²⟩ − ⟨E⟩².
    pub fn energy_variance(&self) -> f64 {
        self.energy[1] - self.energy[0].powi(2)
    }

    /// ⟨A⟩.
    pub fn mean(&self, which: usize) -> f64 {
        self.observables[which][0]
    }

    /// The mean of several, each as heavy as it has rows.
    fn together<'a>(all: impl Iterator<Item = &'a Moments>) -> Moments {
        let mut sum = Moments::default();
        for one in all {
            let rows = sum.rows + one.rows;
            let share = if rows > 0.0 { one.rows / rows } else { 0.0 };
            sum.observables.resize(one.observables.len(), [0.0; 3]);
            let own = sum.energy.iter_mut().chain(sum.observables.iter_mut().flatten());
            let other = one.energy.iter().chain(one.observables.iter().flatten());
            own.zip(other).for_each(|(mean, value)| *mean += share * (value - *mean));
            sum.rows = rows;
        }
        sum
    }
}

/// Independent ladders, or replicas, at one temperature.
#[derive(Clone, Debug, PartialEq)]
pub struct AtTemperature {
    /// In the unit of the run: reduced, or K.
    pub temperature: f64,
    /// Of each.
    pub ladders: Vec<Moments>,
}

impl AtTemperature {
    /// Pseudovalues of the jackknife, which leaves out one ladder after another (Efron, *The Jackknife, the Bootstrap
    /// and Other Resampling Plans*, 1982, §2.2): their mean is the number without its bias in first order, and the
    /// standard error of that mean is the number's.
    pub fn values(&self, number: impl Fn(&Moments) -> f64) -> Vec<f64> {
        let count = self.ladders.len() as f64;
        let all = number(&Moments::together(self.ladders.iter()));
        (0..self.ladders.len())
            .map(|out| {
                let rest = self.ladders.iter().enumerate().filter(|(other, _)| *other != out);
                let without = number(&Moments::together(rest.map(|(_, ladder)| ladder)));
                count * all - (count - 1.0) * without
            })
            .collect()
    }
}

/// All temperatures of a run, rising.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// Names of the observables.
    pub observables: Vec<String>,
    /// By temperature.
    pub at: Vec<AtTemperature>,
}

impl Run {
    /// Reads the tables of a run's folder, the rows of the last stage. Where replicas exchange temperatures their rows
    /// go by temperature; otherwise a swept temperature is taken from `members.csv`.
    ///
    /// # Errors
    /// A table that cannot be read or lacks a column.
    pub fn of_folder(folder: &Path) -> Result<Run, Failure> {
        let members = read_csv(folder.join("members.csv"))?;
        let numbered = members.numbers("member")?;
        let replicas = members.numbers("replica_of_point")?;
        let swept = members.columns.get(3).filter(|name| name.ends_with("temperature"));
        let swept = swept.map_or(Ok(Vec::new()), |name| members.texts(name))?;
        let mut observables: Vec<String> = Vec::new();
        // By temperature, as bits that sort as it does, and ladder.
        let mut found: BTreeMap<u64, BTreeMap<u64, Moments>> = BTreeMap::new();
        let exchange = folder.join("exchange.csv");
        let rungs = match exchange.exists() {
            true => read_csv(&exchange)?.numbers("rung")?.into_iter().fold(0.0, f64::max) + 1.0,
            false => 1.0,
        };
        for ((member, number), replica) in numbered.iter().enumerate().zip(replicas) {
            let table = format!("member-{:04}.csv", *number as u64);
            let table = read_csv(folder.join("tables").join(table))?;
            let energy = ENERGIES.iter().find(|name| table.has(name));
            let energy = table.numbers(energy.ok_or("a table has no energies")?)?;
            let names = OBSERVABLES.iter().filter(|name| table.has(name));
            observables = names.map(ToString::to_string).collect();
            let columns = observables.iter().map(|name| table.numbers(name));
            let columns: Vec<Vec<f64>> = columns.collect::<Result<_, _>>()?;
            let stages = table.texts("stage")?;
            let own = ["temperature", "bath_temperature_K"];
            let own = own.iter().find(|name| table.has(name));
            let temperatures = own.map(|name| table.numbers(name)).transpose()?;
            let fixed = swept.get(member).and_then(|text| text.split(' ').next()?.parse().ok());
            for row in (0..table.rows()).filter(|row| stages[*row] == stages[table.rows() - 1]) {
                let temperature: f64 = match &temperatures {
                    Some(temperatures) => temperatures[row],
                    None => fixed.ok_or("neither an exchanged nor a swept temperature")?,
                };
                let values: Vec<f64> = columns.iter().map(|column| column[row]).collect();
                let of_temperature = found.entry(temperature.to_bits()).or_default();
                let ladder = of_temperature.entry((replica / rungs) as u64).or_default();
                ladder.add(energy[row], &values);
            }
        }
        let at = found.into_iter().map(|(temperature, ladders)| AtTemperature {
            temperature: f64::from_bits(temperature),
            ladders: ladders.into_values().collect(),
        });
        Ok(Run { observables, at: at.collect() })
    }

    /// Reads what [`Run::csv`] wrote.
    ///
    /// # Errors
    /// A table that cannot be read.
    pub fn read(path: &Path) -> Result<Run, Failure> {
        let table = read_csv(path)?;
        let energies = [table.numbers("energy")?, table.numbers("energy_squared")?];
        let names = table.columns.iter().filter_map(|name| name.strip_suffix("_squared"));
        let observables: Vec<String> =
            names.filter(|name| *name != "energy").map(String::from).collect();
        let mut columns = Vec::new();
        for name in &observables {
            let of = |ending: &str| table.numbers(&format!("{name}{ending}"));
            columns.push([of("")?, of("_squared")?, of("_by_energy")?]);
        }
        let (rows, temperatures) = (table.numbers("rows")?, table.numbers("temperature")?);
        let mut run = Run { observables, at: Vec::new() };
        for (line, &temperature) in temperatures.iter().enumerate() {
            let moments = Moments {
                rows: rows[line],
                energy: [energies[0][line], energies[1][line]],
                observables: columns.iter().map(|of| of.each_ref().map(|all| all[line])).collect(),
            };
            match run.at.last_mut().filter(|at| at.temperature == temperature) {
                Some(at) => at.ladders.push(moments),
                None => run.at.push(AtTemperature { temperature, ladders: vec![moments] }),
            }
        }
        Ok(run)
    }

    /// A line for each temperature and ladder.
    pub fn csv(&self) -> String {
        let mut text = String::from("temperature,ladder,rows,energy,energy_squared");
        for name in &self.observables {
            let _ = write!(text, ",{name},{name}_squared,{name}_by_energy");
        }
        text.push('\n');
        for at in &self.at {
            for (number, ladder) in at.ladders.iter().enumerate() {
                let _ = write!(text, "{},{number},{}", at.temperature, ladder.rows);
                for value in ladder.energy.iter().chain(ladder.observables.iter().flatten()) {
                    let _ = write!(text, ",{value}");
                }
                text.push('\n');
            }
        }
        text
    }

    /// The temperature nearest to one, within a thousandth of it.
    pub fn near(&self, temperature: f64) -> Option<&AtTemperature> {
        self.at.iter().find(|at| (at.temperature / temperature - 1.0).abs() < 1e-3)
    }

    /// The number of an observable.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.observables.iter().position(|other| other == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run() -> Run {
        let ladder = |values: &[f64]| {
            let mut moments = Moments::default();
            values.iter().for_each(|value| moments.add(*value, &[2.0 * value]));
            moments
        };
        let ladders = vec![ladder(&[1.0, 2.0]), ladder(&[6.0, 3.0]), ladder(&[2.0, 4.0])];
        Run { observables: vec!["a".into()], at: vec![AtTemperature { temperature: 0.5, ladders }] }
    }

    #[test]
    fn moments_on_paper() {
        let run = run();
        // 1, 2, 6, 3, 2, 4: the mean is 3, that of the squares 70/6.
        let all = Moments::together(run.at[0].ladders.iter());
        assert!((all.energy[0] - 3.0).abs() < 1e-12 && all.rows == 6.0);
        assert!((all.energy_variance() - (70.0 / 6.0 - 9.0)).abs() < 1e-12);
        assert_eq!((all.mean(0), all.observables[0][2]), (6.0, 2.0 * all.energy[1]));
        // Pseudovalues of a mean are the means of the ladders.
        for (value, expected) in run.at[0].values(|m| m.energy[0]).iter().zip([1.5, 4.5, 3.0]) {
            assert!((value - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        std::fs::create_dir(folder.join("tables")).unwrap();
        std::fs::write(folder.join("kept.csv"), run().csv()).unwrap();
        assert_eq!(Run::read(&folder.join("kept.csv")).unwrap(), run());

        let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
        write("members.csv", "member,point,replica_of_point,status,message\n0,0,0,,\n1,0,1,,\n");
        write("exchange.csv", "first_replica,rung\n0,0\n0,1\n");
        let head = "sweep,stage,rung,temperature,energy,contacts\n0,a,0,0.1,9,9\n";
        write("tables/member-0000.csv", &format!("{head}1,b,0,0.1,-3,1\n2,b,1,0.2,-1,0\n"));
        write("tables/member-0001.csv", &format!("{head}1,b,1,0.2,-2,1\n2,b,0,0.1,-5,2\n"));
        let found = Run::of_folder(folder).unwrap();
        assert_eq!(
            (found.observables.as_slice(), found.at.len()),
            (&["contacts".to_string()][..], 2)
        );
        let cold = &found.near(0.1).unwrap().ladders;
        assert_eq!((cold.len(), cold[0].rows, cold[0].energy[0]), (1, 2.0, -4.0));
        // Without exchange temperatures are swept, and each replica is by itself.
        std::fs::remove_file(folder.join("exchange.csv")).unwrap();
        let head = "member,point,replica_of_point,dynamics.temperature,status,message";
        write("members.csv", &format!("{head}\n0,0,0,300 K,,\n1,0,1,300 K,,\n"));
        for member in ["0000", "0001"] {
            let rows = "step,stage,total_energy_kcal_per_mol,native_contacts\n1,b,-3,1\n2,b,-1,0\n";
            write(&format!("tables/member-{member}.csv"), rows);
        }
        let found = Run::of_folder(folder).unwrap();
        assert_eq!((found.at[0].temperature, found.at[0].ladders.len()), (300.0, 2));
    }
}
