import fc from 'fast-check';

// a mutant is dead at the first failure: looking for the smallest counterexample would take most of the time
fc.configureGlobal({ endOnFailure: true });
