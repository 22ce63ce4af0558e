import { afterAll } from 'vitest';
import { endFile } from './after-file.js';

// a vitest set-up file: run anew for every test file, so that its hook is one of that file's
afterAll(endFile);
