//! Statistical assertions and test data shared by beadwork's own tests.

pub mod data;
pub mod statistics;

pub use data::shared_data;
pub use statistics::{
    assert_mean, blocked_standard_error, chi_square_p_value, correlation, correlation_threshold,
    ks_statistic, ks_threshold, mean_and_standard_error, normal_cdf, normal_quantile,
};
