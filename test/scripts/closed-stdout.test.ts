import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, it } from 'vitest';
import { BUILT } from '../support/command.js';
import { plainEnvironment, temporaryHome } from '../support/pit.js';

/** Runs a line of the shell in which `"$0"` is pit. */
function shell(line: string) {
  const options = { env: plainEnvironment(temporaryHome()), encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync('sh', ['-c', line, path.resolve(BUILT)], options);
  return { status, stdout, stderr };
}

it('a closed stdout ends pit with exit code 2 and a sentence, before anything is sent', () => {
  expect(shell('"$0" ticker >&-')).toEqual({
    status: 2,
    stdout: '',
    stderr: 'pit: stdout is closed, so no answer can be printed; nothing was sent.\n',
  });
});

it('an answer that nobody wants is no failure', () => {
  expect(shell('"$0" profile list >/dev/null')).toEqual({ status: 0, stdout: '', stderr: '' });
});
