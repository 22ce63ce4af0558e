import { describe, expect, it } from 'vitest';
import { carryOut, type WriteContext, type WriteSteps } from '../../../src/commands/writes/write.js';
import { type EndingSignal, Failure, Interrupted, type Interruption } from '../../../src/errors.js';
import type { Halt } from '../../../src/exchange/exchange.js';
import { fakeHost } from '../../support/fake-host.js';

type OnInterrupt = Parameters<WriteContext['host']['onInterrupt']>;

/** A context that keeps what a write shows, asks and reports. */
function contextOf(
  changes: Partial<Pick<WriteContext, 'isPreviewed'>> & { readonly dryRun?: boolean; readonly halt?: Halt } = {},
) {
  const said: string[] = [];
  let handlers: OnInterrupt | undefined;
  const output = {
    preview: () => said.push('preview'),
    warn: (text: unknown) => said.push(`warning: ${text}`),
    interrupted: (signal: EndingSignal, left: Interruption | null) =>
      said.push(`${signal}: ${left === null ? 'nothing sent' : left.advice}`),
  };
  const host = {
    ...fakeHost(),
    onInterrupt: (...added: OnInterrupt) => {
      handlers = added;
      return () => {
        handlers = undefined;
      };
    },
  };
  const { dryRun = false, isPreviewed = true } = changes;
  const trading = { client: { halt: async () => changes.halt, prepareWrite: () => undefined } };
  const session = { currentSettings: async () => ({}) };
  const context = {
    host,
    output,
    trading,
    session,
    isPreviewed,
    globals: { yes: false, dryRun },
  } as unknown as WriteContext;
  return {
    context,
    said,
    signal: (signal: EndingSignal) => handlers?.[0](signal),
    signalAgain: (signal: EndingSignal) => handlers?.[1]?.(signal),
    listens: () => handlers !== undefined,
  };
}

type Ready = { readonly price: string; readonly warnings: readonly { readonly text: string }[] };

/** A write whose steps add their names to what was said. */
function writeOf(said: string[], steps: Partial<WriteSteps<Ready, string>> = {}): WriteSteps<Ready, string> {
  return {
    prepare: async () => ({ price: '1', warnings: [{ text: 'far' }] }),
    preview: async () => () => 'table',
    dryRun: ({ price }) => ({ price }),
    confirm: async ({ price }, { isAgain }) => void said.push(`${isAgain ? 'again' : 'asked'} ${price}`),
    send: async ({ price }) => {
      said.push(`sent ${price}`);
      return 'id';
    },
    interrupted: () => ({ advice: 'may be done' }),
    result: ({ price }, id) => ({ data: { price, id }, show: () => '' }),
    ...steps,
  };
}

it('previews, asks, sends and answers, in this order', async () => {
  const { context, said, listens } = contextOf();
  const { data } = await carryOut(context, writeOf(said));
  expect([said, data, listens()]).toEqual([['preview', 'asked 1', 'sent 1'], { price: '1', id: 'id' }, false]);
});

it('shows the warnings alone if there is no preview', async () => {
  const { context, said } = contextOf({ isPreviewed: false });
  await carryOut(context, writeOf(said));
  expect(said).toEqual(['warning: far', 'asked 1', 'sent 1']);
});

it('asks and sends nothing in a dry run', async () => {
  const { context, said } = contextOf({ dryRun: true });
  const { data } = await carryOut(context, writeOf(said));
  expect([said, data]).toEqual([[], { price: '1' }]);
});

it('sends nothing that was not confirmed', async () => {
  const { context, said, listens } = contextOf();
  const refused = new Failure('declined', 'no');
  const write = writeOf(said, { confirm: () => Promise.reject(refused) });
  await expect(carryOut(context, write)).rejects.toBe(refused);
  expect([said, listens()]).toEqual([['preview'], false]);
});

it('shows and asks again, with the new terms, until a check after the reply finds nothing changed', async () => {
  const { context, said } = contextOf();
  const prices = ['2', '3', '3'];
  await carryOut(
    context,
    writeOf(said, {
      recheck: async ({ price }) => {
        const ready = { price: prices.shift() ?? '', warnings: [] };
        return ready.price === price ? { ready } : { ready, reason: 'The price moved.' };
      },
    }),
  );
  const moved = 'warning: Not sent yet. The price moved.';
  expect(said).toEqual(['preview', 'asked 1', moved, 'preview', 'again 2', moved, 'preview', 'again 3', 'sent 3']);
});

describe('a signal', () => {
  it('before a write is sent reports that nothing was sent, and nothing is', async () => {
    const { context, said, signal } = contextOf();
    const write = writeOf(said, { confirm: async () => void signal('SIGTERM') });
    await expect(carryOut(context, write)).rejects.toBeInstanceOf(Interrupted);
    expect(said).toEqual(['preview', 'SIGTERM: nothing sent']);
  });

  it('while a write is sent, and while its outcome is read, reports what the write says', async () => {
    const { context, said, signal } = contextOf();
    const send = async () => {
      signal('SIGINT');
      return 'id';
    };
    const result = async () => {
      signal('SIGHUP');
      return { data: null, show: () => '' };
    };
    await carryOut(context, writeOf(said, { send, result }));
    expect(said).toEqual(['preview', 'asked 1', 'SIGINT: may be done', 'SIGHUP: may be done']);
  });

  it('lets a write stop first, and a second signal does not wait for that', async () => {
    const { context, said, signal, signalAgain } = contextOf();
    let stopped = () => {};
    const stopping = new Promise<void>((resolve) => {
      stopped = resolve;
    });
    const send = async () => {
      const first = signal('SIGINT');
      expect(said.at(-1)).toBe('asked 1');
      signalAgain('SIGTERM');
      expect(said.at(-1)).toBe('SIGTERM: may be done');
      stopped();
      await first;
      return 'id';
    };
    await carryOut(context, writeOf(said, { send, stop: () => stopping }));
    expect(said.at(-1)).toBe('SIGINT: may be done');
  });

  it('that a question takes for itself is reported too', async () => {
    const { context, said } = contextOf();
    const write = writeOf(said, { confirm: () => Promise.reject(new Interrupted('SIGINT')) });
    await expect(carryOut(context, write)).rejects.toBeInstanceOf(Interrupted);
    expect(said).toEqual(['preview', 'SIGINT: nothing sent']);
  });
});

describe('while the account is halted', () => {
  const halt: Halt = { since: 0, until: null, reason: 'news', problem: null };

  it('a write is refused before its preview and its question', async () => {
    const { context, said } = contextOf({ halt });
    await expect(carryOut(context, writeOf(said))).rejects.toMatchObject({ kind: 'usage', halted: true });
    expect(said).toEqual([]);
  });

  it('a dry run and a cancellation go on', async () => {
    const dry = contextOf({ halt, dryRun: true });
    expect(await carryOut(dry.context, writeOf(dry.said))).toMatchObject({ data: { price: '1' } });
    const { context, said } = contextOf({ halt });
    await carryOut(context, writeOf(said, { passesHalt: true }));
    expect(said).toContain('sent 1');
  });
});
