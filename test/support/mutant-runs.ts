import fc from 'fast-check';

// A mutant is dead at the first failure: the search for the smallest counterexample would take most of the time. The same
// cases for every mutant make a score that can be measured again.
fc.configureGlobal({ endOnFailure: true, numRuns: 50, seed: 20_181_023 });

// A command is loaded by the first test that runs it: without this, only that test would try a change of its constants.
for (const file of process.env.PIT_MUTANTS?.split(',') ?? [])
  await import(new URL(`../../${file}`, import.meta.url).href);
