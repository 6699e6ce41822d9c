//! A macro for the closed list of formulas of one shape.

/// Defines the enum of a shape's terms, and two traits for code that serves every formula: a visitor and a maker.
///
/// Each variant holds the data of one formula. `visit` calls the visitor with the formula as a type, so that the
/// compiler makes separate code for each formula.
macro_rules! terms {
    (
        $(#[$documentation:meta])*
        $term:ident of $data:ident, $formula_trait:ident, visited by $visitor:ident, made by $maker:ident:
        $($formula:ident),+ $(,)?
    ) => {
        $(#[$documentation])*
        #[derive(Clone, Debug, PartialEq)]
        #[allow(missing_docs, reason = "variants are named after their formulas, which are documented")]
        pub enum $term {
            $($formula($data<$formula>)),+
        }

        /// A computation on a term of any formula.
        pub trait $visitor {
            /// The result of the computation.
            type Output;

            /// Runs the computation on `term`.
            fn visit<F: $formula_trait>(self, term: &$data<F>) -> Self::Output;
        }

        /// Makes a value from each formula.
        pub trait $maker {
            /// The type of the value.
            type Output;

            /// Makes the value of one formula.
            fn make<F: $formula_trait>(&mut self) -> Self::Output
            where
                $term: From<$data<F>>;
        }

        impl $term {
            /// The names of all formulas, in the order of the list.
            pub const NAMES: &'static [&'static str] =
                &[$(<$formula as $formula_trait>::NAME),+];

            /// Calls the maker for each formula, in the order of the list.
            pub fn each<M: $maker>(maker: &mut M) -> Vec<M::Output> {
                vec![$(maker.make::<$formula>()),+]
            }

            /// The position of the formula in the list of its shape: the terms of a system are in this order.
            pub fn rank(&self) -> usize {
                let ranks = [$(matches!(self, $term::$formula(_))),+];
                ranks.iter().position(|&is| is).unwrap_or(ranks.len())
            }

            /// Calls the visitor with the formula of this term as a type.
            pub fn visit<V: $visitor>(&self, visitor: V) -> V::Output {
                match self {
                    $($term::$formula(data) => visitor.visit(data)),+
                }
            }
        }

        $(
            impl From<$data<$formula>> for $term {
                fn from(data: $data<$formula>) -> Self {
                    $term::$formula(data)
                }
            }

            impl<'a> TryFrom<&'a $term> for &'a $data<$formula> {
                type Error = ();

                fn try_from(term: &'a $term) -> Result<Self, ()> {
                    #[allow(unreachable_patterns, reason = "a shape may have one formula")]
                    match term {
                        $term::$formula(data) => Ok(data),
                        _ => Err(()),
                    }
                }
            }

            impl<'a> TryFrom<&'a mut $term> for &'a mut $data<$formula> {
                type Error = ();

                fn try_from(term: &'a mut $term) -> Result<Self, ()> {
                    #[allow(unreachable_patterns, reason = "a shape may have one formula")]
                    match term {
                        $term::$formula(data) => Ok(data),
                        _ => Err(()),
                    }
                }
            }
        )+
    };
}

pub(crate) use terms;
