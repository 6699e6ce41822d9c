//! A schedule by the CPU's reference path: the definition that [`ChainSamplers`](crate::ChainSamplers) must reproduce.

use beadwork_cpu::monte_carlo::{ChainSampler, ChainSamplerState, tuned};
use beadwork_model::Precision;
use beadwork_simulation::AcceptanceCount;
use beadwork_simulation::exchange::{Ladder, LadderState};

use crate::SweepSchedule;
use crate::batch::records::Number;
use crate::monte_carlo::ladder_batch::{LadderBatch, Replicas, Stop};

impl LadderBatch {
    /// Runs all replicas through a schedule, one [`ChainSampler`] after another; returns its stops in order.
    ///
    /// The energies of the `stops_of_card`, which may be rounded differently, decide exchanges; without them, the
    /// path's own energies do.
    pub fn sample_plainly(
        &mut self,
        precision: Precision,
        schedule: SweepSchedule,
        stops_of_card: &[Stop],
    ) -> Vec<Stop> {
        match precision {
            Precision::Single => self.sample_plainly_in::<f32>(schedule, stops_of_card),
            Precision::Double => self.sample_plainly_in::<f64>(schedule, stops_of_card),
        }
    }

    fn sample_plainly_in<T: Number>(
        &mut self,
        schedule: SweepSchedule,
        stops_of_card: &[Stop],
    ) -> Vec<Stop> {
        let polymer = self.polymer;
        let rungs = self.ladders.first().map_or(0, |ladder| ladder.rungs.len());
        let mut samplers = self.samplers::<T>();
        let end = self.sweep + schedule.sweeps;
        let mut stops = Vec::new();
        let mut counts = vec![0; samplers.len()];
        while self.sweep < end {
            self.sweep += 1;
            let due =
                |every: Option<u64>| every.is_some_and(|every| self.sweep.is_multiple_of(every));
            let sample = due(schedule.sample_every) || due(schedule.also_sample_every);
            let exchange = due(schedule.exchange_every) && rungs > 1;
            let tune = due(schedule.tune_every);
            for (number, sampler) in samplers.iter_mut().enumerate() {
                let ladder = &mut self.ladders[number / rungs];
                let rung_number = ladder.rung_of[number % rungs] as usize;
                let rung = &mut ladder.rungs[rung_number];
                let accepted = sampler.advance(1, *rung, &polymer);
                counts[number] += accepted;
                let fit = &mut ladder.fits[rung_number];
                fit.accepted += accepted;
                fit.attempted += polymer.monomers as u64;
                if tune {
                    let AcceptanceCount { accepted, attempted } = std::mem::take(fit);
                    let length = polymer.bonds.length;
                    rung.displacement = tuned(rung.displacement, accepted, attempted, length);
                }
            }
            if !(sample || exchange || tune || self.sweep == end) {
                continue;
            }
            let energies = || samplers.iter().map(|sampler| sampler.energy(&polymer)).collect();
            let energies: Option<Vec<f64>> = (sample || exchange).then(energies);
            if exchange {
                let energies_of_card =
                    stops_of_card.get(stops.len()).and_then(|stop| stop.energies.as_ref());
                self.exchange(energies_of_card.or(energies.as_ref()).map_or(&[], Vec::as_slice));
            }
            let rungs = || self.ladders.iter().flat_map(|ladder| ladder.rung_of.clone()).collect();
            stops.push(Stop {
                sweep: self.sweep,
                accepted: std::mem::replace(&mut counts, vec![0; samplers.len()]),
                energies,
                positions: sample.then(|| samplers.iter().map(ChainSampler::positions).collect()),
                rungs: exchange.then(rungs),
            });
        }
        let replicas = self.ladders.iter_mut().flat_map(|ladder| &mut ladder.positions);
        for (positions, sampler) in replicas.zip(&samplers) {
            *positions = sampler.positions();
        }
        stops
    }

    fn samplers<T: Number>(&self) -> Vec<ChainSampler<T>> {
        let sampler = |(number, positions): (u64, &Vec<[f64; 3]>)| {
            let state = ChainSamplerState { sweep: self.sweep, positions: positions.clone() };
            ChainSampler::new(&self.polymer, self.seed, number, &state)
        };
        let replicas = |ladder: &Replicas| {
            (ladder.first..).zip(&ladder.positions).map(sampler).collect::<Vec<_>>()
        };
        self.ladders.iter().flat_map(replicas).collect()
    }

    /// Attempts an exchange on each ladder, decided by the energies of all replicas.
    pub(crate) fn exchange(&mut self, energies: &[f64]) {
        let rungs = self.ladders.first().map_or(1, |ladder| ladder.rungs.len());
        for (ladder, energies) in self.ladders.iter_mut().zip(energies.chunks_exact(rungs)) {
            let temperatures: Vec<f64> = ladder.rungs.iter().map(|rung| rung.temperature).collect();
            let mut state = LadderState::new(&temperatures);
            (state.attempt, state.rungs) = (self.attempt, ladder.rung_of.clone());
            let energies: Vec<Option<f64>> = energies.iter().copied().map(Some).collect();
            ladder.rung_of = Ladder::new(self.seed, ladder.first, state).decide(&energies);
        }
        self.attempt += 1;
    }
}
