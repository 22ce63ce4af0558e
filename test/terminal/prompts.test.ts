import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Failure, Interrupted } from '../../src/errors.js';
import { Prompts } from '../../src/terminal/asking/prompts.js';
import { FakeTerminal, type TerminalStep } from '../support/terminal.js';
import { questions } from './programs/questions.js';
import { AWAITED } from './questions.js';
import { hostWith, Kept } from './screens.js';

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const ESCAPE = '\u001b';
const DOWN = '\u001b[B';

/** Asks on a terminal as the program sees one, with what was answered or how the question was left. */
async function ask(
  kind: string,
  typed: string,
  {
    steps,
    environment,
  }: { readonly steps?: readonly TerminalStep[]; readonly environment?: Record<string, string> } = {},
) {
  const terminal = new FakeTerminal();
  // a question ends the stream that it is piped to, unless that is the process's own
  const errors = Object.assign(new PassThrough().setEncoding('utf8'), { isTTY: true, columns: 80, rows: 30 });
  errors.on('data', (text: string) => terminal.show(text));
  errors.end = () => errors;
  const host = hostWith({ input: terminal.keys, errors, environment: { TERM: 'xterm', ...environment } });
  const said = (questions(new Prompts(host))[kind]?.() ?? Promise.reject(new Error(kind)))
    .then(
      (answer): unknown => ({ answer }),
      (error: Error) => ({ [error.name]: error instanceof Interrupted ? error.signal : (error as Failure).kind }),
    )
    .finally(() => setImmediate(() => terminal.end()));
  await terminal.follow(steps ?? [{ await: AWAITED[kind] ?? '', type: typed }]);
  const result = { said: await said, screen: terminal.screen };
  expect(terminal.isRaw).toBe(false);
  return result;
}

describe('questions', () => {
  it.each(['y\r', 'Y\r', 'yes\r', ' yes \r'])('%j confirms a question', async (typed) => {
    expect(await ask('confirm', typed)).toMatchObject({ said: { answer: true } });
  });

  it.each(['\r', 'n\r', 'no\r', 'ye\r', 'yess\r', '\t\r', 'yy\r'])('%j does not confirm a question', async (typed) => {
    expect(await ask('confirm', typed)).toMatchObject({ said: { answer: false } });
  });

  describe('that a terminal has no room for', () => {
    const LONG = `Withdraw 0.01 btc to ${'1Boa tSLR '.repeat(10)}with memo ${'m'.repeat(60)}?`;

    /** Asks at a terminal whose window may become smaller before the answer. */
    async function askIn(columns: number, rows: number, how: 'confirm' | 'confirmTyping' | 'hidden', later = rows) {
      const terminal = new FakeTerminal();
      const errors = Object.assign(new PassThrough().setEncoding('utf8'), { isTTY: true, columns, rows });
      errors.on('data', (text: string) => terminal.show(text));
      errors.end = () => errors;
      const prompts = new Prompts(hostWith({ input: terminal.keys, errors, environment: { TERM: 'xterm' } }));
      const asked = how === 'confirmTyping' ? prompts.confirmTyping(LONG, 'y') : prompts[how](LONG);
      const said = asked
        .then(
          (answer): unknown => answer,
          (error: Failure) => error,
        )
        .finally(() => setImmediate(() => terminal.end()));
      await terminal.follow([{ await: 'm?' }]);
      errors.rows = later;
      await terminal.follow([{ await: '', type: 'y\r' }]);
      return { said: await said, screen: terminal.screen };
    }

    it.each(['confirm', 'confirmTyping', 'hidden'] as const)(
      '%s asks nothing, and says what is missing',
      async (how) => {
        const { said, screen } = await askIn(40, 5, how);
        expect(said).toMatchObject({ kind: 'declined', message: expect.stringContaining('this terminal shows 5') });
        expect(screen).toBe('');
      },
    );

    it('it is asked whole where it just fits, with a long word in several lines', async () => {
      const { said, screen } = await askIn(40, 7, 'confirm');
      expect(said).toBe(true);
      const lines = screen.replace(/\u001b\[[\d;?]*[A-Za-z]/g, '\n').split(/[\r\n]+/);
      expect(lines.filter((line) => line.length > 40)).toEqual([]);
      expect(screen.match(/m{30,}/g)?.length).toBeGreaterThan(1);
    });

    it('nothing is confirmed if the window has become too small for it', async () => {
      expect((await askIn(40, 20, 'confirm', 3)).said).toMatchObject({ kind: 'declined' });
    });
  });

  it('Ctrl-C interrupts a question', async () => {
    expect(await ask('confirm', CTRL_C)).toMatchObject({ said: { Interrupted: 'SIGINT' } });
    expect(await ask('hidden', `abc${CTRL_C}`)).toMatchObject({ said: { Interrupted: 'SIGINT' } });
  });

  it.each([
    ['Ctrl-D', CTRL_D],
    ['Ctrl-D after something', `y${CTRL_D}`],
    ['Escape', ESCAPE],
  ])('%s declines a question', async (_name, typed) => {
    expect(await ask('confirm', typed)).toMatchObject({ said: { Failure: 'declined' } });
  });

  it('no key reveals a hidden answer', async () => {
    const { screen } = await ask('hidden', 'qZ#x&w\u0014\r');
    for (const character of 'qZ#x&w') expect(screen).not.toContain(character);
  });

  it('asks again until an answer is valid', async () => {
    const result = await ask('text', '', {
      steps: [
        { await: 'Amount:', type: 'x\r' },
        { await: 'An amount is a number', type: '\u007f12\r' },
      ],
    });
    expect(result.said).toEqual({ answer: '12' });
    expect(result.screen).not.toContain(']0;title\u0007');
  });

  it('offers a choice of several', async () => {
    expect((await ask('select', `${DOWN}\r`)).said).toEqual({ answer: 'SELL' });
  });

  it.each([
    ['price-band\r', true],
    [' Price-Band \r', true],
    ['y\r', false],
    ['price\r', false],
    ['price-bandy\r', false],
    ['\r', false],
  ])('confirms a word that is typed in full: %j confirms: %s', async (typed, confirmed) => {
    expect(await ask('typing', typed)).toMatchObject({ said: { answer: confirmed } });
  });

  describe('with a live description', () => {
    it('updates the description at every key, and redraws it while nobody types', async () => {
      let refresh = () => undefined as unknown;
      const { setTimeout } = globalThis;
      const timers = vi.spyOn(globalThis, 'setTimeout').mockImplementation((work, ms, ...given) => {
        if (ms === 1_500) refresh = work;
        return setTimeout(ms === 1_500 ? () => undefined : work, ms, ...given);
      });
      onTestFinished(() => timers.mockRestore());
      const second = async () => void refresh();
      const steps = [
        { await: 'update 1: means <>', type: '1' },
        { await: 'means <1>', type: '2' },
        { await: 'means <12>', meanwhile: second },
        { await: 'update 2: means <12>', meanwhile: second },
        { await: 'update 3: means <12>', type: '\r' },
      ];
      expect(await ask('live', '', { steps })).toMatchObject({ said: { answer: '12' } });
    });

    it('accepts only a valid answer, and keeps the typed text', async () => {
      const steps = [
        { await: 'update 1', type: '12x\r' },
        { await: 'only digits', type: '\u007f' },
        { await: 'means <12>', type: '3\r' },
      ];
      expect(await ask('live', '', { steps })).toMatchObject({ said: { answer: '123' } });
    });

    it.each([
      ['the line was erased', '99\u001512\r', '12'],
      ['a tab is typed or pasted', '1\t2\r', '12'],
      ['spaces surround it', ' 12 \r', '12'],
    ])('accepts the text on the line if %s', async (_name, typed, answer) => {
      expect(await ask('live', typed)).toMatchObject({ said: { answer } });
    });

    it('accepts the text on the line if the cursor moved within it', async () => {
      // keys that come in one piece are a paste, which Node puts at the end wherever the cursor is
      const steps = [
        { await: 'update 1', type: '1' },
        { await: 'means <1>', type: '3' },
        { await: 'means <13>', type: '\u001b[D' },
        // the cursor stands before the 3
        { await: '\u001b[11G', type: '2' },
        { await: 'means <123>', type: '\r' },
      ];
      expect(await ask('live', '', { steps })).toMatchObject({
        said: { answer: '123' },
      });
    });

    it('the backspace key edits the answer', async () => {
      expect(await ask('live', '1x\u007f2\r')).toMatchObject({ said: { answer: '12' } });
    });

    it.each([
      ['Escape', ESCAPE, { Failure: 'declined' }],
      ['Ctrl-D', CTRL_D, { Failure: 'declined' }],
      ['Ctrl-C', CTRL_C, { Interrupted: 'SIGINT' }],
    ])('shows the cursor again after %s', async (_name, typed, said) => {
      const result = await ask('live', `1${typed}`);
      expect(result.said).toEqual(said);
      expect(result.screen.lastIndexOf('\u001b[?25h')).toBeGreaterThan(result.screen.lastIndexOf('\u001b[?25l'));
    });
  });

  it('narrows a list to the typed text', async () => {
    const steps = [
      { await: 'ltc_usdt', type: 'et' },
      { await: 'Market: et', type: '\r' },
    ];
    const { screen, said } = await ask('search', '', { steps, environment: { NO_COLOR: '1' } });
    expect(said).toEqual({ answer: 'eth_usdt' });
    // the chosen market is shown without its price
    expect(screen).toMatch(/Market: eth_usdt\u001b/);
  });

  describe('on a dumb terminal', () => {
    const environment = { TERM: 'dumb' };

    it.each<[string, readonly { await: string; type: string }[], unknown]>([
      ['confirm', [{ await: '? Place it? [y/N] ', type: 'y\n' }], true],
      ['confirm', [{ await: '? Place it? [y/N] ', type: '\n' }], false],
      // an arrow key is no Escape, which would leave the question
      ['confirm', [{ await: '? Place it? [y/N] ', type: `${DOWN}y\n` }], true],
      ['hidden', [{ await: '? Secret key: ', type: 'topSecrex\u007ft\r' }], 'topSecret'],
      [
        'text',
        [
          { await: 'Amount: ', type: 'x\n' },
          { await: '> An amount is a number', type: '12\n' },
        ],
        '12',
      ],
      ['typing', [{ await: 'Type price-band: ', type: 'price-band\n' }], true],
      [
        'live',
        [
          { await: 'means <>', type: '1x\n' },
          { await: 'only digits', type: '1x\u007f2\n' },
        ],
        '12',
      ],
      [
        'select',
        [
          { await: 'Number or name: ', type: '3\n' },
          { await: '> Type one of', type: '2\n' },
        ],
        'SELL',
      ],
      ['select', [{ await: 'Number or name: ', type: 'buy\n' }], 'BUY'],
      [
        'search',
        [
          { await: '3) ltc_usdt', type: 'usdt\n' },
          { await: '2) eth_usdt', type: 'eth\n' },
        ],
        'eth_usdt',
      ],
    ])('%s asks in plain lines', async (kind, steps, answer) => {
      const { said, screen } = await ask(kind, '', { steps, environment });
      expect(said).toEqual({ answer });
      // no escape sequence, no control and no drawing: only ASCII in lines
      expect(screen).toMatch(/^[ -~\r\n]*$/);
      expect(screen).not.toContain('topSecret');
    });

    it.each([
      ['Escape', ESCAPE, { Failure: 'declined' }],
      ['Ctrl-D', CTRL_D, { Failure: 'declined' }],
      ['Ctrl-C', CTRL_C, { Interrupted: 'SIGINT' }],
    ])('%s leaves a question', async (_name, typed, said) => {
      for (const kind of ['confirm', 'hidden', 'select'])
        expect((await ask(kind, '', { steps: [{ await: '? ', type: typed }], environment })).said).toEqual(said);
    });

    it('takes lines that were pasted together one by one', async () => {
      const terminal = new FakeTerminal();
      const errors = Object.assign(new PassThrough().setEncoding('utf8'), { isTTY: true, columns: 80, rows: 30 });
      errors.on('data', (text: string) => terminal.show(text));
      const prompts = new Prompts(hostWith({ input: terminal.keys, errors, environment }));
      terminal.keys.write('one\ntwo\ny\n');
      expect([await prompts.text('First:'), await prompts.text('Second:')]).toEqual(['one', 'two']);
      // a confirmation is not answered by what was typed before
      terminal.keys.write('y\n');
      const confirmed = prompts.confirm('Sure?');
      await terminal.follow([{ await: 'Sure?', type: 'n\n' }]);
      expect(await confirmed).toBe(false);
    });
  });

  it('uses no colour if NO_COLOR is set', async () => {
    const { screen } = await ask('select', '\r', { environment: { NO_COLOR: '1' } });
    expect(screen).not.toMatch(/\u001b\[[0-9;]*m/);
  });
});

describe('questions without a terminal', () => {
  const terminal = Object.assign(new PassThrough(), { isTTY: true });

  it.each([
    ['stdin is a pipe', new PassThrough(), new Kept(80)],
    ['stderr is a pipe', terminal, new Kept()],
  ])('refuses a question if %s, whatever the input holds', async (_name, input, errors) => {
    input.write('y\n');
    const prompts = new Prompts(hostWith({ input, errors }));
    expect(prompts.available).toBe(false);
    await expect(prompts.confirm('Place it?')).rejects.toMatchObject({ kind: 'declined', exitCode: 8 });
    expect(errors.text).toBe('');
  });

  it('declines a question if the input ends in the middle of it', async () => {
    const input = Object.assign(new PassThrough(), { isTTY: true });
    const asked = new Prompts(hostWith({ input, errors: new Kept(80) })).confirm('Place it?');
    setTimeout(() => input.end(), 50);
    await expect(asked).rejects.toMatchObject({ kind: 'declined' });
  });
});
