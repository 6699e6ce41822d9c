//! A macro for the closed list of terms of one shape.

/// Defines the enum of a shape's terms, and two traits for code that serves every term: a visitor and a maker.
///
/// Each variant holds the data of one formula. `visit` calls the visitor with the formula as a type, so that the
/// compiler makes separate code for each formula. Most terms are named after their formulas; where several have one
/// formula, each says its own and its name, and those that stand for their formulas are listed again behind.
macro_rules! terms {
    (
        $(#[$documentation:meta])*
        $term:ident of $data:ident, $formula_trait:ident, visited by $visitor:ident, made by $maker:ident:
        $($formula:ident),+ $(,)?
    ) => {
        terms! {
            $(#[$documentation])*
            $term of $data, $formula_trait, visited by $visitor, made by $maker:
            $($formula: $formula called <$formula as $formula_trait>::NAME),+;
            standing for their formulas: $($formula),+
        }
    };
    (
        $(#[$documentation:meta])*
        $term:ident of $data:ident, $formula_trait:ident, visited by $visitor:ident, made by $maker:ident:
        $($variant:ident: $formula:ident called $name:expr),+;
        standing for their formulas: $($standing:ident),+ $(,)?
    ) => {
        $(#[$documentation])*
        #[derive(Clone, Debug, PartialEq)]
        #[allow(missing_docs, reason = "variants are named after their formulas, which are documented")]
        pub enum $term {
            $($variant($data<$formula>)),+
        }

        /// A computation on a term of any formula.
        pub trait $visitor {
            /// The result of the computation.
            type Output;

            /// Runs the computation on `term`.
            fn visit<F: $formula_trait>(self, term: &$data<F>) -> Self::Output;
        }

        /// Makes a value from each kind of term.
        pub trait $maker {
            /// The type of the value.
            type Output;

            /// Makes the value of one kind; `term` makes a term of this kind.
            fn make<F: $formula_trait>(&mut self, term: fn($data<F>) -> $term) -> Self::Output;
        }

        impl $term {
            /// The names of all kinds of terms, in the order of the list.
            pub const NAMES: &'static [&'static str] = &[$($name),+];

            /// Calls the maker for each kind of term, in the order of the list.
            pub fn each<M: $maker>(maker: &mut M) -> Vec<M::Output> {
                vec![$(maker.make::<$formula>($term::$variant)),+]
            }

            /// The position in the list of its shape: the terms of a system are in this order.
            pub fn rank(&self) -> usize {
                let ranks = [$(matches!(self, $term::$variant(_))),+];
                ranks.iter().position(|&is| is).unwrap_or(ranks.len())
            }

            /// The name of its kind.
            pub fn name(&self) -> &'static str {
                Self::NAMES[self.rank()]
            }

            /// Calls the visitor with the formula of this term as a type.
            pub fn visit<V: $visitor>(&self, visitor: V) -> V::Output {
                match self {
                    $($term::$variant(data) => visitor.visit(data)),+
                }
            }
        }

        $(
            impl From<$data<$standing>> for $term {
                fn from(data: $data<$standing>) -> Self {
                    $term::$standing(data)
                }
            }

            impl<'a> TryFrom<&'a $term> for &'a $data<$standing> {
                type Error = ();

                fn try_from(term: &'a $term) -> Result<Self, ()> {
                    #[allow(unreachable_patterns, reason = "a shape may have one formula")]
                    match term {
                        $term::$standing(data) => Ok(data),
                        _ => Err(()),
                    }
                }
            }

            impl<'a> TryFrom<&'a mut $term> for &'a mut $data<$standing> {
                type Error = ();

                fn try_from(term: &'a mut $term) -> Result<Self, ()> {
                    #[allow(unreachable_patterns, reason = "a shape may have one formula")]
                    match term {
                        $term::$standing(data) => Ok(data),
                        _ => Err(()),
                    }
                }
            }
        )+
    };
}

pub(crate) use terms;
