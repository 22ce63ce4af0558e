import fc from 'fast-check';

// A mutant is dead at the first failure: the search for the smallest counterexample would take most of the time. The same
// cases for every mutant make a score that can be measured again.
fc.configureGlobal({ endOnFailure: true, numRuns: 50, seed: 20_181_023 });
