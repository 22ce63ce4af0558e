import { beforeAll, describe, expect, it } from 'vitest';
import { onTerminal, type PtyJob, type PtyResult, type PtyStep } from '../support/pty.js';
import { requires } from '../support/tools.js';
import { built } from './programs.js';
import { AWAITED } from './questions.js';

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const DOWN = '\u001b[B';

describe.skipIf(!requires('python3'))('questions of a program on a real terminal (needs python3)', () => {
  let program = '';
  beforeAll(async () => {
    program = await built('ask');
  });

  async function ask(kind: string, typed: string, job: Partial<PtyJob> = {}): Promise<PtyResult & { said: unknown }> {
    const shown = AWAITED[kind] ?? '';
    const result = await onTerminal({
      command: [process.execPath, program, kind],
      steps: [{ await: shown, type: typed }],
      stdout: 'pipe',
      ...job,
    });
    expect(result.late).toBe(false);
    expect(result.echoes).toBe(true);
    return { ...result, said: result.piped === '' ? null : JSON.parse(result.piped) };
  }

  it.each([
    ['confirm', 'y\r', { answer: true }, 0],
    ['live', '12\r', { answer: '12' }, 0],
    ['select', `${DOWN}\r`, { answer: 'SELL' }, 0],
    ['hidden', `abc${CTRL_C}`, { Interrupted: 'SIGINT' }, 130],
    ['live', `1${CTRL_D}`, { Failure: 'declined' }, 8],
  ])('a question of kind %s accepts %j', async (kind, typed, said, status) => {
    expect(await ask(kind, typed)).toMatchObject({ said, status });
  });

  /** As {@link ask}, with something typed while the program is being started. */
  function askAfter(early: string, kind: string, step: PtyStep) {
    const command = ['sh', '-c', 'echo starting >&2; sleep 1; exec "$@"', 'sh', process.execPath, program, kind];
    return ask(kind, '', { command, steps: [{ await: 'starting', type: early }, step] });
  }

  it.each(['y', 'y\r', 'y\ry\r'])('ignores %j typed before the question', async (early) => {
    expect(await askAfter(early, 'confirm', { await: '[y/N]', type: '\r' })).toMatchObject({
      said: { answer: false },
      status: 0,
    });
  });

  it('accepts an answer after an earlier key was ignored', async () => {
    const asked = askAfter('n', 'confirm', { await: '[y/N]', type: 'y\r' });
    expect(await asked).toMatchObject({ said: { answer: true }, status: 0 });
  });

  it('draws questions on stderr, never on stdout', async () => {
    const { screen, piped } = await ask('confirm', 'y\r');
    expect(screen).toContain('Place it? [y/N]');
    expect(piped).toBe('{"answer":true}');
  });

  it('declines a question without output if stdin is not a terminal', async () => {
    const result = await ask('confirm', '', { stdin: 'none', steps: [] });
    expect(result).toMatchObject({ said: { Failure: 'declined' }, status: 8, screen: '' });
  });

  it('shows nothing of a hidden answer', async () => {
    const { screen, said } = await ask('hidden', 'qZ#x&w\r');
    expect(said).toEqual({ answer: 'qZ#x&w' });
    for (const character of 'qZ#x&w*') expect(screen).not.toContain(character);
    expect(screen.trimEnd().endsWith('\u001b[?25h')).toBe(true);
  });

  it('restores the terminal when a signal ends the program', async () => {
    const steps = [{ await: 'Secret key:', type: 'q', signal: 'SIGTERM' as const }];
    const { screen, status } = await ask('hidden', '', { steps });
    expect(status).toBe(143);
    expect(screen.lastIndexOf('\u001b[?25h')).toBeGreaterThan(screen.lastIndexOf('\u001b[?25l'));
  });

  it('ignores a word that was typed before the question', async () => {
    const asked = askAfter('price-band\r', 'typing', { await: 'Type price-band:', type: '\r' });
    expect(await asked).toMatchObject({ said: { answer: false } });
  });
});
