import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A vitest global set-up: names the missing programs that skipped tests, at the end of the run. */
export default function nameWhatWasMissing(): () => void {
  const folder = mkdtempSync(path.join(tmpdir(), 'pit-missing-'));
  const list = path.join(folder, 'programs');
  writeFileSync(list, '');
  process.env.PIT_TEST_MISSING = list;
  return () => {
    const programs = [...new Set(readFileSync(list, 'utf8').split('\n'))].filter((name) => name !== '').sort();
    rmSync(folder, { recursive: true, force: true });
    if (programs.length > 0) process.stdout.write(`\nNot run, for want of: ${programs.join(', ')}\n`);
  };
}
