import { describe, expect, it } from 'vitest';
import { factsOf, shownOf } from '../../../src/cli/fact-list.js';
import { NO_PREVIEW, type Warned } from '../../../src/commands/writes/preview-facts.js';
import { runWrite, type WriteContext, type WriteSteps } from '../../../src/commands/writes/write.js';
import { type EndingSignal, Failure, Interrupted, type Interruption } from '../../../src/errors.js';
import type { Halt } from '../../../src/exchange/exchange.js';
import type { Answer } from '../../../src/terminal/answer.js';
import { screenOf } from '../../../src/terminal/screen.js';
import { fakeHost } from '../../support/fake-host.js';

type OnInterrupt = Parameters<WriteContext['host']['onInterrupt']>;

/** A context that keeps what a write shows, asks and reports. */
function contextOf(
  changes: Partial<Pick<WriteContext, 'isPreviewed'>> & {
    readonly dryRun?: boolean;
    readonly yes?: boolean;
    readonly halt?: Halt;
    readonly currentSettings?: () => Promise<unknown>;
  } = {},
) {
  const said: string[] = [];
  let handlers: OnInterrupt | undefined;
  const output = {
    preview: () => said.push('preview'),
    warn: (text: unknown) => said.push(`warning: ${text}`),
    answer: async (answer?: Answer) => void said.push(`answer: ${answer?.data}`),
    interrupted: (signal: EndingSignal, left: Interruption | null) =>
      said.push(`${signal}: ${left === null ? 'nothing sent' : left.advice}`),
  };
  let slept = () => {};
  const waits: (readonly [ms: number, end: AbortSignal | undefined])[] = [];
  let clock = 0;
  const host = {
    ...fakeHost(),
    monotonic: () => clock,
    sleep: (ms: number, end?: AbortSignal) =>
      new Promise<void>((resolve) => {
        waits.push([ms, end]);
        slept = resolve;
      }),
    onInterrupt: (...added: OnInterrupt) => {
      handlers = added;
      return () => {
        handlers = undefined;
      };
    },
  };
  const { dryRun = false, yes = false, isPreviewed = true, currentSettings = async () => ({}) } = changes;
  const hosts = { tradeUrl: 'https://trade.test' };
  const trading = { client: { halt: async () => changes.halt, prepareWrite: () => undefined, hosts } };
  const session = { currentSettings, connection: async () => ({ profile: 'main' }) };
  const context = {
    host,
    output,
    trading,
    session,
    isPreviewed,
    globals: { yes, dryRun },
  } as unknown as WriteContext;
  return {
    context,
    said,
    signal: (signal: EndingSignal) => handlers?.[0](signal),
    signalAgain: (signal: EndingSignal) => handlers?.[1]?.(signal),
    listens: () => handlers !== undefined,
    /** Ends the time that a signal gives to answers. */
    slept: () => slept(),
    waits,
    pass: (ms: number) => {
      clock += ms;
    },
  };
}

const PLAIN = screenOf(Object.assign(Object.create(null), { isTTY: false }), {});

type Plan = { readonly price: string } & Warned;

const fact = factsOf<Plan>();

const REQUEST = { operation: 'order', request: {}, preview: NO_PREVIEW };

/** A write whose steps add their names to what was said. */
function writeOf(said: string[], steps: Partial<WriteSteps<Plan>> = {}): WriteSteps<Plan> {
  return {
    plan: async () => ({ price: '1', warnings: [{ text: 'far' }] }),
    preview: (plan) => shownOf({ price: fact({ label: 'price', text: ({ price }) => price }) }, plan),
    dryRun: () => REQUEST,
    ask: async ({ price }, { isAgain }) => void said.push(`${isAgain ? 'again' : 'asked'} ${price}`),
    run: async ({ price }) => {
      said.push(`sent ${price}`);
      return { data: { price }, show: () => '' };
    },
    left: () => ({ advice: 'may be done' }),
    ...steps,
  };
}

it('previews, asks, sends and answers, in this order', async () => {
  const { context, said, listens } = contextOf();
  const { data } = await runWrite(context, writeOf(said));
  expect([said, data, listens()]).toEqual([['preview', 'asked 1', 'sent 1'], { price: '1' }, false]);
});

it('shows no guard in the preview before a question, which names those that block', async () => {
  const { context } = contextOf();
  let shown = '';
  const preview = (draw: (screen: typeof PLAIN) => string) => {
    shown = draw(PLAIN);
  };
  const breaches = [{ guard: 'price-band', message: 'too far', failure: null }] as const;
  const write = writeOf([], { plan: async () => ({ price: '1', warnings: [{ text: 'far' }], breaches }) });
  await runWrite({ ...context, output: { ...context.output, preview } }, write);
  const lines = ['price     1', 'exchange  https://trade.test (profile main)', 'warning   far'];
  expect(shown).toBe(lines.join('\n'));
});

it('shows the warnings alone if there is no preview', async () => {
  const { context, said } = contextOf({ isPreviewed: false });
  await runWrite(context, writeOf(said));
  expect(said).toEqual(['warning: far', 'asked 1', 'sent 1']);
});

describe('a dry run', () => {
  const halt: Halt = { since: 0, until: null, reason: null, problem: null };
  const answerOf = async (steps: Partial<WriteSteps<Plan>>, changes: { readonly halt?: Halt } = {}) => {
    const { context, said } = contextOf({ dryRun: true, ...changes });
    const answer = await runWrite(context, writeOf(said, steps));
    expect(said).toEqual([]);
    return answer;
  };

  it('shows the preview, where it goes and what it warns of, and asks and sends nothing', async () => {
    const { show } = await answerOf({});
    const lines = ['price     1', 'exchange  https://trade.test (profile main)', 'warning   far'];
    expect(show(PLAIN)).toBe([...lines, 'Dry run: nothing was sent.'].join('\n'));
  });

  it('leaves out a warning that a line of the preview says, and shows the guards that block', async () => {
    const breaches = [{ guard: 'price-band', message: 'too far', failure: null }] as const;
    const plan = async () => ({ price: '1', warnings: [{ text: 'far', isFact: true }], breaches });
    expect((await answerOf({ plan })).show(PLAIN).split('\n').slice(2)).toEqual([
      'guard     price-band: too far',
      'Dry run: nothing was sent.',
    ]);
  });

  it('shows several things above where it goes, and nothing for none', async () => {
    const FACTS = {
      none: fact({ above: () => '' }),
      rows: fact({ above: () => 'table' }),
      more: fact({ above: () => 'rows' }),
    };
    const { show } = await answerOf({ preview: (plan) => shownOf(FACTS, plan) });
    expect(show(PLAIN)).toMatch(/^table\nrows\nexchange {2}/);
  });

  it('says of each request whether the account is halted', async () => {
    expect((await answerOf({}, { halt })).data).toEqual({ dryRun: true, ...REQUEST, halted: true });
    const dryRun = () => [REQUEST, REQUEST];
    expect((await answerOf({ dryRun })).data).toEqual(Array(2).fill({ dryRun: true, ...REQUEST, halted: false }));
  });
});

it('asks nothing if the write needs no consent', async () => {
  const { context, said } = contextOf();
  const { ask: _, ...unasked } = writeOf(said);
  await runWrite(context, unasked);
  expect(said).toEqual(['preview', 'sent 1']);
});

it('counts the age of what was confirmed from the moment when it was read', async () => {
  const { context, said, pass } = contextOf();
  const ages: number[] = [];
  pass(1_000);
  const plan = async () => {
    pass(10);
    return { price: '1', warnings: [] };
  };
  const ask: WriteSteps<Plan>['ask'] = async (_, { ageMs }) => {
    pass(5_000);
    ages.push(ageMs());
  };
  const compare: WriteSteps<Plan>['compare'] = async (_, current, ageMs) => {
    ages.push(ageMs);
    return ages.length === 2 ? { plan: current, reason: 'It is old.' } : { plan: current };
  };
  await runWrite(context, writeOf(said, { plan, ask, compare }));
  expect(ages).toEqual([5_010, 5_010, 5_010, 5_010]);
});

it('sends nothing that was not confirmed', async () => {
  const { context, said, listens } = contextOf();
  const refused = new Failure('declined', 'no');
  const write = writeOf(said, { ask: () => Promise.reject(refused) });
  await expect(runWrite(context, write)).rejects.toBe(refused);
  expect([said, listens()]).toEqual([['preview'], false]);
});

it('sends nothing if the profile has other hosts or keys by the time of the reply', async () => {
  const changed = new Failure('usage', 'The hosts or keys were changed meanwhile.');
  const { context, said } = contextOf({ currentSettings: () => Promise.reject(changed) });
  await expect(runWrite(context, writeOf(said))).rejects.toBe(changed);
  expect(said).toEqual(['preview', 'asked 1']);
});

it('plans again after the reply, and asks again until nothing has changed', async () => {
  const { context, said } = contextOf();
  const prices = ['1', '2', '3', '3'];
  const plan = async () => ({ price: prices.shift() ?? '', warnings: [] });
  const compare: WriteSteps<Plan>['compare'] = async (confirmed, current) =>
    current.price === confirmed.price ? { plan: current } : { plan: current, reason: 'The price moved.' };
  await runWrite(context, writeOf(said, { plan, compare }));
  const moved = 'warning: Not sent yet. The price moved.';
  expect(said).toEqual(['preview', 'asked 1', moved, 'preview', 'again 2', moved, 'preview', 'again 3', 'sent 3']);
});

it('sends what the comparison returns, not what was planned again', async () => {
  const { context, said } = contextOf();
  const compare: WriteSteps<Plan>['compare'] = async (confirmed) => ({ plan: { ...confirmed, price: '1.0' } });
  await runWrite(context, writeOf(said, { compare }));
  expect(said.at(-1)).toBe('sent 1.0');
});

it('plans once if --yes is given', async () => {
  const { context, said } = contextOf({ yes: true });
  const compare = () => Promise.reject(new Error('was compared'));
  await runWrite(context, writeOf(said, { compare }));
  expect(said.at(-1)).toBe('sent 1');
});

describe('a signal', () => {
  it('before a write is sent reports that nothing was sent, and nothing is', async () => {
    const { context, said, signal } = contextOf();
    const soFar = () => ({ data: 'nothing', show: () => '' });
    const ask = async () => {
      signal('SIGTERM');
      expect(said.at(-1)).toBe('SIGTERM: nothing sent');
    };
    const write = writeOf(said, { ask, soFar });
    await expect(runWrite(context, write)).rejects.toBeInstanceOf(Interrupted);
    expect(said).toEqual(['preview', 'SIGTERM: nothing sent']);
  });

  it('while a write is sent reports what it leaves, and its answer is not printed', async () => {
    const { context, said, signal } = contextOf();
    const run = async () => {
      signal('SIGHUP');
      expect(said.at(-1)).toBe('SIGHUP: may be done');
      return { data: null, show: () => '' };
    };
    await expect(runWrite(context, writeOf(said, { run }))).rejects.toEqual(new Interrupted('SIGHUP'));
    expect(said).toEqual(['preview', 'asked 1', 'SIGHUP: may be done']);
  });

  it('aborts what a write of many has not sent, waits for what it has, and prints what is done', async () => {
    const { context, said, signal, waits } = contextOf();
    const run: WriteSteps<Plan>['run'] = async (_, stopping) => {
      signal('SIGTERM');
      expect([stopping.aborted, said.at(-1)]).toEqual([true, 'asked 1']);
      await Promise.resolve();
      said.push('answered');
      throw new Failure('partial', 'only some');
    };
    const soFar = () => ({ data: '2 of 3', show: () => '' });
    await expect(runWrite(context, writeOf(said, { run, soFar }))).rejects.toEqual(new Interrupted('SIGTERM'));
    expect(said.slice(2)).toEqual(['answered', 'answer: 2 of 3', 'SIGTERM: may be done']);
    // the process does not live on for the rest of that time
    expect(waits.map(([ms, end]) => [ms, end?.aborted])).toEqual([[5_000, true]]);
  });

  it('does not hide a defect', async () => {
    const { context, said, signal } = contextOf();
    const defect = new Error('a defect');
    const run = () => {
      signal('SIGINT');
      return Promise.reject(defect);
    };
    await expect(runWrite(context, writeOf(said, { run }))).rejects.toBe(defect);
  });

  it('does not wait for an answer for longer than a moment', async () => {
    const { context, said, signal, slept } = contextOf();
    const run = async () => {
      const first = signal('SIGINT');
      slept();
      await first;
      expect(said.at(-1)).toBe('SIGINT: may be done');
      return { data: null, show: () => '' };
    };
    await expect(runWrite(context, writeOf(said, { run, soFar: () => undefined }))).rejects.toBeInstanceOf(Interrupted);
    expect(said.slice(2)).toEqual(['SIGINT: may be done']);
  });

  it('that comes a second time does not wait', async () => {
    const { context, said, signal, signalAgain } = contextOf();
    const run = async () => {
      signal('SIGINT');
      expect(said.at(-1)).toBe('asked 1');
      signalAgain('SIGTERM');
      expect(said.at(-1)).toBe('SIGTERM: may be done');
      return { data: null, show: () => '' };
    };
    await expect(runWrite(context, writeOf(said, { run, soFar: () => undefined }))).rejects.toBeInstanceOf(Interrupted);
    expect(said.at(-1)).toBe('SIGINT: may be done');
  });

  it('before a write is sent reports what was done before it', async () => {
    const { context, said, signal } = contextOf();
    const steps = {
      ask: async () => void signal('SIGINT'),
      doneBefore: { advice: 'halted' },
      soFar: () => ({ data: 'nothing sold', show: () => '' }),
    };
    await expect(runWrite(context, writeOf(said, steps))).rejects.toBeInstanceOf(Interrupted);
    expect(said).toEqual(['preview', 'answer: nothing sold', 'SIGINT: halted']);
  });

  it('that a question takes for itself is reported too', async () => {
    const { context, said } = contextOf();
    const write = writeOf(said, { ask: () => Promise.reject(new Interrupted('SIGINT')) });
    await expect(runWrite(context, write)).rejects.toBeInstanceOf(Interrupted);
    expect(said).toEqual(['preview', 'SIGINT: nothing sent']);
  });
});

describe('while the account is halted', () => {
  const halt: Halt = { since: 0, until: null, reason: 'news', problem: null };

  it('a write is refused before its preview and its question', async () => {
    const { context, said } = contextOf({ halt });
    await expect(runWrite(context, writeOf(said))).rejects.toMatchObject({
      ...{ kind: 'usage', halted: true },
      message: expect.stringMatching(
        /^halted blocks this: the account is halted since .* \(news\)\. Nothing was sent\.$/,
      ),
    });
    expect(said).toEqual([]);
  });

  it('a dry run and a cancellation go on', async () => {
    const dry = contextOf({ halt, dryRun: true });
    expect(await runWrite(dry.context, writeOf(dry.said))).toMatchObject({ data: { dryRun: true, halted: true } });
    const { context, said } = contextOf({ halt });
    await runWrite(context, writeOf(said, { passesHalt: true }));
    expect(said).toContain('sent 1');
  });
});
