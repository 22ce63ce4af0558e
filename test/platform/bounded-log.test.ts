import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { boundedLog } from '../../src/platform/files/bounded-log.js';

it('a log writes each text as one line, whose control and invisible characters are escaped, and of bounded length', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pit-log-'));
  const file = path.join(folder, 'run.log');
  const log = boundedLog(file);
  log('first\nNOT PROTECTED\r\u001b[2J\u202e\u0007');
  log('\u0000'.repeat(10_000));
  const [first = '', second = ''] = readFileSync(file, 'utf8').split('\n');
  rmSync(folder, { recursive: true });
  expect(first).toMatch(/Z first\\nNOT PROTECTED\\u\{d\}\\u\{1b\}\[2J\\u\{202e\}\\u\{7\}$/);
  expect(second.length).toBeLessThan(4_100);
});
