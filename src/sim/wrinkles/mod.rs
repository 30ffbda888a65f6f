//! Strain of the skin, and the folds it makes.
