import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { bundleProgram } from '../../support/bundled-program.js';
import { newJournal } from './support.js';

const ROUNDS = 100;

/** A process that claims each write in turn once it is told to, and lives on: the claims of a dead process are free. */
class Claimer {
  readonly #child;
  readonly #lines;

  constructor(program: string, state: string) {
    this.#child = spawn(process.execPath, [program, state, `${ROUNDS}`], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
    onTestFinished(() => void this.#child.kill('SIGKILL'));
  }

  async line(): Promise<string> {
    return (await this.#lines.next()).value ?? '';
  }

  go(): void {
    this.#child.stdin.write('go\n');
  }
}

it('a claim is won by exactly one of eight processes at the same moment, again and again', async () => {
  const { state, begin } = newJournal();
  for (let round = 0; round < ROUNDS; round += 1) begin(`race${1000 + round}`).release();
  const program = path.join(state, 'claim-all.mjs');
  await bundleProgram(path.join(import.meta.dirname, 'programs', 'claim-all.ts'), program);
  const claimers = Array.from({ length: 8 }, () => new Claimer(program, state));
  await Promise.all(claimers.map((claimer) => claimer.line()));
  for (const claimer of claimers) claimer.go();
  const won = await Promise.all(claimers.map(async (claimer) => JSON.parse(await claimer.line()) as number[]));
  const winners = Array.from({ length: ROUNDS }, (_, round) => won.filter((one) => one.includes(round)).length);
  expect(winners).toEqual(Array.from({ length: ROUNDS }, () => 1));
});
