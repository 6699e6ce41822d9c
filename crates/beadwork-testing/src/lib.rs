//! Statistical assertions, test data, seeded dice and the length of tests, shared by beadwork's own tests.

pub mod data;
pub mod dice;
pub mod statistics;

pub use data::shared_data;
pub use dice::Dice;
pub use statistics::{
    assert_mean, blocked_standard_error, chi_square_p_value, correlation, correlation_threshold,
    ks_statistic, ks_statistic_of_counts, ks_threshold, mean_and_standard_error, normal_cdf,
    normal_quantile,
};

/// The amount of work of a test without a natural end, such as the number of kills or random cases: `few`, or `many` if
/// the environment has `BEADWORK_THOROUGH=1`, as in `.ci/run`.
pub fn few_or_many<T>(few: T, many: T) -> T {
    match std::env::var_os("BEADWORK_THOROUGH").is_some_and(|value| value != "0") {
        true => many,
        false => few,
    }
}

// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
