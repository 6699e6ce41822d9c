//! The bits of the elementary functions' results. A change of any of them is value-breaking.
//!
//! The expected bits come from an independent program that follows the documented order of operations.

use beadwork_arithmetic::{arc_cosine, exponential, natural_logarithm, sine_cosine_of_turns};

#[test]
fn logarithm_in_single_precision() {
    let expected = [
        (0x3380_0000, 0xc185_1592), // 2⁻²⁴
        (0x3dcc_cccd, 0xc013_5d8e), // 0.1
        (0x3f00_0000, 0xbf31_7218), // 0.5
        (0x3f40_0000, 0xbe93_4b10), // 0.75
        (0x3f7f_ffff, 0xb380_0000), // 1 − 2⁻²⁴
    ];
    for (x, logarithm) in expected {
        assert_eq!(natural_logarithm(f32::from_bits(x)).to_bits(), logarithm, "ln of {x:#x}");
    }
}

#[test]
fn logarithm_in_double_precision() {
    let expected = [
        (0x3ca0_0000_0000_0000, 0xc042_5e4f_7b27_37fa), // 2⁻⁵³
        (0x3fb9_9999_9999_999a, 0xc002_6bb1_bbb5_5515), // 0.1
        (0x3fe0_0000_0000_0000, 0xbfe6_2e42_fefa_39ef), // 0.5
        (0x3fe8_0000_0000_0000, 0xbfd2_6962_1134_db92), // 0.75
        (0x3fef_ffff_ffff_ffff, 0xbca0_0000_0000_0000), // 1 − 2⁻⁵³
    ];
    for (x, logarithm) in expected {
        assert_eq!(natural_logarithm(f64::from_bits(x)).to_bits(), logarithm, "ln of {x:#x}");
    }
}

#[test]
fn turns_in_single_precision() {
    let expected = [
        (0x3380_0000, 0x34c9_0fdb, 0x3f80_0000), // 2⁻²⁴
        (0x3dcc_cccd, 0x3f16_7918, 0x3f4f_1bbc), // 0.1
        (0x3e99_999a, 0x3f73_7870, 0xbe9e_377d), // 0.3
        (0x3f19_999a, 0xbf16_791b, 0xbf4f_1bbc), // 0.6
        (0x3f66_6666, 0xbf16_791b, 0x3f4f_1bbc), // 0.9
        (0x3f7f_ffff, 0xb4c9_0fdb, 0x3f80_0000), // 1 − 2⁻²⁴
    ];
    for (u, sine, cosine) in expected {
        let (found_sine, found_cosine) = sine_cosine_of_turns(f32::from_bits(u));
        assert_eq!((found_sine.to_bits(), found_cosine.to_bits()), (sine, cosine), "turns {u:#x}");
    }
}

#[test]
fn turns_in_double_precision() {
    let expected = [
        (0x3ca0_0000_0000_0000, 0x3cc9_21fb_5444_2d18, 0x3ff0_0000_0000_0000), // 2⁻⁵³
        (0x3fb9_9999_9999_999a, 0x3fe2_cf23_0475_5a5e, 0x3fe9_e377_9b97_f4a8), // 0.1
        (0x3fd3_3333_3333_3333, 0x3fee_6f0e_1344_5500, 0xbfd3_c6ef_372f_e94f), // 0.3
        (0x3fe3_3333_3333_3333, 0xbfe2_cf23_0475_5a5d, 0xbfe9_e377_9b97_f4a8), // 0.6
        (0x3fec_cccc_cccc_cccd, 0xbfe2_cf23_0475_5a5d, 0x3fe9_e377_9b97_f4a8), // 0.9
        (0x3fef_ffff_ffff_ffff, 0xbcc9_21fb_5444_2d18, 0x3ff0_0000_0000_0000), // 1 − 2⁻⁵³
    ];
    for (u, sine, cosine) in expected {
        let (found_sine, found_cosine) = sine_cosine_of_turns(f64::from_bits(u));
        assert_eq!((found_sine.to_bits(), found_cosine.to_bits()), (sine, cosine), "turns {u:#x}");
    }
}

#[test]
fn exponential_in_single_precision() {
    let expected = [
        (0xc2ae_0000, 0x00b3_3687), // −87
        (0xc1a0_0000, 0x310d_a433), // −20
        (0xbeb1_6873, 0x3f35_085c), // −0.3465, just above −½ ln 2
        (0x3dcc_cccd, 0x3f8d_763e), // 0.1
        (0x3eb1_758e, 0x3fb5_062c), // 0.3466, just above ½ ln 2
        (0x3f80_0000, 0x402d_f854), // 1
        (0x42b1_0000, 0x7f4c_dcc4), // 88.5
    ];
    for (x, power) in expected {
        assert_eq!(exponential(f32::from_bits(x)).to_bits(), power, "exponential of {x:#x}");
    }
}

#[test]
fn exponential_in_double_precision() {
    let expected = [
        (0xc086_2000_0000_0000, 0x0017_c8ab_2288_c9ab), // −708
        (0xc034_0000_0000_0000, 0x3e21_b486_55f3_7267), // −20
        (0xbfd6_2d0e_5604_1893, 0x3fe6_a10b_883d_5676), // −0.3465, just above −½ ln 2
        (0x3fb9_9999_9999_999a, 0x3ff1_aec7_b35a_00d4), // 0.1
        (0x3fd6_2eb1_c432_ca58, 0x3ff6_a0c5_906b_c779), // 0.3466, just above ½ ln 2
        (0x3ff0_0000_0000_0000, 0x4005_bf0a_8b14_576a), // 1
        (0x4086_2c00_0000_0000, 0x7fe8_1e9b_4b52_d0c9), // 709.5
    ];
    for (x, power) in expected {
        assert_eq!(exponential(f64::from_bits(x)).to_bits(), power, "exponential of {x:#x}");
    }
}

#[test]
fn arc_cosine_in_single_precision() {
    let expected = [
        (0xbf7f_be77, 0x4046_3315), // −0.999
        (0xbf33_3333, 0x4016_280a), // −0.7
        (0xbf00_0000, 0x4006_0a92), // −0.5
        (0x3dcc_cccd, 0x3fbc_3d91), // 0.1
        (0x3f00_0000, 0x3f86_0a92), // 0.5
        (0x3f19_999a, 0x3f6d_6338), // 0.6
        (0x3f66_6666, 0x3ee6_ecfe), // 0.9
        (0x3f7f_ffff, 0x39b5_04f3), // 1 − 2⁻²⁴
    ];
    for (x, angle) in expected {
        assert_eq!(arc_cosine(f32::from_bits(x)).to_bits(), angle, "arc cosine of {x:#x}");
    }
}

#[test]
fn arc_cosine_in_double_precision() {
    let expected = [
        (0xbfef_f7ce_d916_872b, 0x4008_c662_80ae_928e), // −0.999
        (0xbfe6_6666_6666_6666, 0x4002_c501_446c_d5f2), // −0.7
        (0xbfe0_0000_0000_0000, 0x4000_c152_382d_7366), // −0.5
        (0x3fb9_9999_9999_999a, 0x3ff7_87b2_2ce3_f590), // 0.1
        (0x3fe0_0000_0000_0000, 0x3ff0_c152_382d_7366), // 0.5
        (0x3fe3_3333_3333_3333, 0x3fed_ac67_0561_bb4f), // 0.6
        (0x3fec_cccc_cccc_cccd, 0x3fdc_dd9f_8f92_2e98), // 0.9
        (0x3fef_ffff_ffff_ffff, 0x3e50_0000_0000_0000), // 1 − 2⁻⁵³
    ];
    for (x, angle) in expected {
        assert_eq!(arc_cosine(f64::from_bits(x)).to_bits(), angle, "arc cosine of {x:#x}");
    }
}
