import fc from 'fast-check';
import { afterAll } from 'vitest';
import { endFile } from './after-file.js';

// A vitest set-up file: runs for every test file, so that its hook belongs to that file.

// the same cases each time, so that a failure is of the change; another seed explores others
fc.configureGlobal({ seed: Number(process.env.PIT_TEST_SEED ?? 20_181_023) });
afterAll(endFile);
