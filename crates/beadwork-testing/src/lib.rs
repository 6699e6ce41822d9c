//! Statistical assertions, test data and the length of tests, shared by beadwork's own tests.

pub mod data;
pub mod statistics;

pub use data::shared_data;
pub use statistics::{
    assert_mean, blocked_standard_error, chi_square_p_value, correlation, correlation_threshold,
    ks_statistic, ks_threshold, mean_and_standard_error, normal_cdf, normal_quantile,
};

/// How much a test does of what has no natural end, kills and cases drawn at random: `few`, or `many` where the
/// environment has `BEADWORK_THOROUGH=1`, as in `.ci/run`.
pub fn few_or_many<T>(few: T, many: T) -> T {
    match std::env::var_os("BEADWORK_THOROUGH").is_some_and(|value| value != "0") {
        true => many,
        false => few,
    }
}
