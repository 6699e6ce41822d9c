//! The macro that makes the closed list of a shape's formulas.

/// Makes the enum of a shape's terms and the trait by which a path is written once for all of them.
///
/// Each variant holds the data of one formula. `visit` calls the visitor with the formula as a type, so that whatever it
/// does is compiled for that formula alone.
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

        /// What is done with a term, whatever its formula.
        pub trait $visitor {
            /// What comes of it.
            type Output;

            /// Does it.
            fn visit<F: $formula_trait>(self, term: &$data<F>) -> Self::Output;
        }

        /// What makes something of each formula.
        pub trait $maker {
            /// What it makes.
            type Output;

            /// Makes it of one formula.
            fn make<F: $formula_trait>(&mut self) -> Self::Output
            where
                $term: From<$data<F>>;
        }

        impl $term {
            /// The names of all formulas, in the order of the list.
            pub const NAMES: &'static [&'static str] =
                &[$(<$formula as $formula_trait>::NAME),+];

            /// Makes something of each formula, in the order of the list.
            pub fn each<M: $maker>(maker: &mut M) -> Vec<M::Output> {
                vec![$(maker.make::<$formula>()),+]
            }

            /// Where the formula stands in the list of its shape: terms of a system are in this order.
            pub fn rank(&self) -> usize {
                let ranks = [$(matches!(self, $term::$formula(_))),+];
                ranks.iter().position(|&is| is).unwrap_or(ranks.len())
            }

            /// Does something that is written once for all formulas.
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
