import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { commitPrepared, findPrepared } from '../../../src/commands/commit/send-prepared.js';
import { placedBefore, refuseUnreported } from '../../../src/commands/commit/unreported.js';
import { commands } from '../../../src/commands/index.js';
import type { Context } from '../../../src/commands/session/command.js';
import type { WriteContext } from '../../../src/commands/writes/write.js';
import { type Failure, type Hint, suggest } from '../../../src/errors.js';
import { AlgoStore } from '../../../src/trading/algos/record/store.js';
import { AgentLimits } from '../../../src/trading/guards/agent-limits.js';
import type { Outcome } from '../../../src/trading/journal/write.js';
import { PreparedStore } from '../../../src/trading/prepared/prepared-store.js';
import { NO_ESTIMATES, type PreparedWrite, type WorkedOut } from '../../../src/trading/prepared/prepared-write.js';
import { sell } from '../../trading/algos/support/terms.js';
import { TERMS } from '../../trading/support/terms.js';
import { type TestTrading, tradingOf } from '../../trading/support/trading.js';

const WRITE: WorkedOut = {
  ...{ kind: 'order', market: 'btc_usdt', argv: ['order', 'buy', 'btc_usdt', '0.01', '--at', '30000'] },
  ...{ key: 'buy 0.01 at 30000', askedKey: null, text: 'buy 0.01 btc_usdt at 30,000 (limit, spot)' },
  ...{ does: [], places: [], cancels: [], notional: '300' },
};

/** A process id that no process has. */
const DEAD = 2 ** 22 + 1;

/** An account with its journal, its algo orders and what was prepared for it. */
class Account {
  readonly trading: TestTrading & { readonly state: string };
  readonly prepared: PreparedStore;

  constructor() {
    this.trading = tradingOf('http://127.0.0.1:1');
    const { host, state } = this.trading;
    let made = 0;
    Object.assign(host, {
      directories: { ...host.directories, state },
      randomBytes: (count: number) => new Uint8Array(count).fill(++made),
    });
    this.prepared = new PreparedStore(host);
  }

  prepare(changes: Partial<WorkedOut> = {}, account = 'test'): PreparedWrite {
    const write = { ...WRITE, ...changes };
    return this.prepared.keep({ write, estimates: NO_ESTIMATES, profile: 'main', account, limits: {} });
  }

  /** What `pit commit` says of it. */
  find({ id }: PreparedWrite): Promise<PreparedWrite> {
    const { trading } = this;
    const session = { connection: async () => ({ profile: 'main' }) };
    return findPrepared({ trading, host: trading.host, session } as unknown as WriteContext, id);
  }
}

/** Something that happens to a prepared write. */
type Event = (account: Account, prepared: PreparedWrite) => void;

/** A process takes it, which is at work. */
const taken: Event = ({ prepared }, write) => expect(prepared.take(write)).toBe(true);
/** A process takes it and dies. */
const takenByDead: Event = ({ trading }, { id }) => {
  const claim = JSON.stringify({ pid: DEAD, startStamp: null });
  symlinkSync(claim, path.join(trading.state, 'prepared', `.${id}.1`));
};
/** It is recorded before it is sent. */
const recorded: Event = ({ trading }, { id }) => {
  trading.journal.begin<'order'>({ operation: 'order', terms: TERMS }, { id, reqTime: trading.host.now() });
};
/** Its outcome is known. */
const settled =
  (outcome: Exclude<Outcome, 'unknown'>, order: string | null = null): Event =>
  (account, write) => {
    recorded(account, write);
    account.trading.journal.findUnsettled(write.id)?.settle({ outcome, id: order, duplicates: [] }, outcome);
  };
/** An algo order is made. */
const algoMade: Event = ({ trading }, { id: given }) => {
  const store = new AlgoStore(trading.host, trading.state, 'test');
  const terms = { ...sell('1', { stop: '90' }), id: given };
  store.create(() => ({ fact: 'began', time: 1, terms, bid: null, ask: null }), given);
};
/** Its outcome is reported to a client that may have given up waiting. */
const reported: Event = ({ prepared }, { id }) => prepared.report(id, 'Connection reset.', false);
/** Its outcome is certainly known to the user or the agent. */
const known: Event = ({ prepared }, { id }) => prepared.report(id, 'it was done', true);

const ALGO = { kind: 'algo' } as const;
const CANCEL = { kind: 'cancel', key: null } as const;

describe('the same write as one that was committed', () => {
  const NOT_REPORTED = 'its outcome was not reported';
  const NOT_HEARD = 'pit cannot know whether the answer to that has arrived';

  it.each<[what: string, events: readonly Event[], why: string, changes?: Partial<WorkedOut>]>([
    ['is being committed', [taken], NOT_REPORTED],
    ['is sent and open', [taken, recorded], NOT_REPORTED],
    ['is sent and open, by a process that died', [takenByDead, recorded], NOT_REPORTED],
    ['is placed', [takenByDead, settled('placed', '7')], NOT_REPORTED],
    ['is rejected', [takenByDead, settled('refused')], NOT_REPORTED],
    ['has made an algo order', [takenByDead, algoMade], NOT_REPORTED, ALGO],
    ['is open, which its client may not have heard', [taken, recorded, reported], NOT_HEARD],
    ['is placed, which its client may not have heard', [taken, settled('placed', '7'), reported], NOT_HEARD],
    ['is placed, whose answer its client gave up', [taken, settled('placed', '7'), known, reported], NOT_HEARD],
    ['is placed in part, which its client may not have heard', [taken, settled('partial'), reported], NOT_HEARD],
    ['has made an algo order, which its client may not have heard', [taken, algoMade, reported], NOT_HEARD, ALGO],
  ])('is refused while that %s', async (_, events, why, changes = {}) => {
    const account = new Account();
    const first = account.prepare(changes);
    for (const event of events) event(account, first);
    const { id } = first;
    const see =
      changes.kind === 'algo' ? suggest('See it', 'algo', 'show', id) : suggest('Find its outcome', 'resolve', id);
    expect(() => refuseUnreported(account.trading, account.prepared, { ...WRITE, ...changes })).toThrow(
      expect.objectContaining({
        kind: 'usage',
        message: `The same was committed as ${id}, and ${why}. Nothing was sent this time.`,
        clientId: id,
        hints: [see, 'After the agent has called resolve with this id, the same can be prepared once more.'],
      }),
    );
  });

  it.each<[what: string, events: readonly Event[], changes?: Partial<WorkedOut>, of?: string]>([
    ['waits for its commit', []],
    ['was taken by a process that died before it sent anything', [takenByDead]],
    ['was rejected, as was reported', [taken, settled('refused'), reported]],
    ['was not sent, as was reported', [taken, settled('notSent'), reported]],
    ['never left, as was reported', [taken, reported]],
    ['was placed, as its user knows', [taken, settled('placed', '7'), known]],
    ['was placed, as resolve has told', [taken, settled('placed', '7'), reported, known]],
    ['is of another account', [taken, recorded], {}, 'another'],
    ['does something else', [taken, recorded], { key: 'buy 0.02 at 30000' }],
    ['cancels, which does no harm twice', [taken], CANCEL],
  ])('may be prepared if that %s', (_, events, changes = {}, of = 'test') => {
    const account = new Account();
    const first = account.prepare(changes, of);
    for (const event of events) event(account, first);
    const again = changes.kind === undefined ? WRITE : first.write;
    expect(() => refuseUnreported(account.trading, account.prepared, again)).not.toThrow();
  });

  it('does not stand in its own way while it is committed', () => {
    const account = new Account();
    const { id, write } = account.prepare();
    account.prepared.take(account.prepared.waiting()[0] as PreparedWrite);
    expect(() => refuseUnreported(account.trading, account.prepared, write, id)).not.toThrow();
  });
});

describe('the warning that the same was placed', () => {
  const warningAfter = async (events: readonly Event[], changes: Partial<WorkedOut> = {}, of = 'test') => {
    const account = new Account();
    const first = account.prepare(changes, of);
    for (const event of events) event(account, first);
    await account.trading.host.sleep(240_000);
    return placedBefore(account.trading, account.prepared, WRITE)?.replace(first.id, 'ID');
  };

  it.each<[order: string | null, text: string]>([
    ['7', 'The same was placed 5 min ago as order 7 (ID).'],
    [null, 'The same was placed 5 min ago (ID).'],
  ])('names its age and its order: %s', async (order, text) => {
    expect(await warningAfter([taken, settled('placed', order)])).toBe(text);
  });

  it.each<[what: string, events: readonly Event[], changes?: Partial<WorkedOut>, of?: string]>([
    ['it was not committed', []],
    ['it was rejected', [taken, settled('refused')]],
    ['it is open', [taken, recorded]],
    ['it does something else', [taken, settled('placed', '7')], { key: 'buy 0.02 at 30000' }],
    ['it was placed in another account', [taken, settled('placed', '7')], {}, 'another'],
  ])('is not given if %s', async (_, events, changes, of) => {
    expect(await warningAfter(events, changes, of)).toBeUndefined();
  });

  it('is about the last one', () => {
    const account = new Account();
    for (const order of ['7', '8']) {
      const write = account.prepare();
      taken(account, write);
      settled('placed', order)(account, write);
      void account.trading.host.sleep(1_000);
    }
    expect(placedBefore(account.trading, account.prepared, WRITE)).toContain('as order 8 (');
  });
});

describe('an id that was committed before', () => {
  const AGAIN = 'Prepare it again.';
  const resolve = (id: string) => suggest('See what became of it', 'resolve', id);

  it.each<
    [
      what: string,
      changes: Partial<WorkedOut>,
      events: readonly Event[],
      kind: Failure['kind'],
      message: string,
      hint: string | ((id: string) => Hint),
    ]
  >([
    [
      'it is open',
      {},
      [taken, recorded],
      'unknown',
      'ID was committed already: its outcome is not known yet. Nothing was sent this time.',
      resolve,
    ],
    [
      'it was placed',
      {},
      [taken, settled('placed', '7'), known],
      'usage',
      'ID was committed already: placed, order 7. Nothing was sent this time.',
      resolve,
    ],
    [
      'it was rejected, although nothing says that a process took it',
      {},
      [settled('refused')],
      'usage',
      'ID was committed already: refused. Nothing was sent this time.',
      resolve,
    ],
    [
      'it is being committed',
      {},
      [taken],
      'unknown',
      'ID was committed already: it is being committed now. Nothing was sent this time.',
      resolve,
    ],
    [
      'its process died before it sent anything',
      {},
      [takenByDead],
      'usage',
      'ID was not sent and cannot be committed again: its process ended before anything was sent.',
      AGAIN,
    ],
    [
      'it was not sent, as was reported',
      {},
      [taken, reported],
      'usage',
      'ID was not sent and cannot be committed again: Connection reset.',
      AGAIN,
    ],
    [
      'it cancelled, as was reported',
      CANCEL,
      [taken, known],
      'usage',
      'ID was committed already: it was done. Nothing was sent this time.',
      AGAIN,
    ],
    [
      'it may have cancelled, by a process that died',
      CANCEL,
      [takenByDead],
      'unknown',
      'ID was committed already: what came of it is not known yet. Nothing was sent this time.',
      () => suggest('See what is open', 'orders', 'btc_usdt'),
    ],
    [
      'it may have paused an algo order',
      { kind: 'algoPause', key: null },
      [taken],
      'unknown',
      'ID was committed already: what came of it is not known yet. Nothing was sent this time.',
      () => suggest('See what is open', 'algo', 'list'),
    ],
    [
      'it made an algo order',
      ALGO,
      [taken, algoMade],
      'usage',
      'ID was committed already. Nothing was sent this time.',
      (id) => suggest('See the algo order', 'algo', 'show', id),
    ],
    [
      'it was to make an algo order and made none',
      ALGO,
      [taken, reported],
      'usage',
      'ID was not sent and cannot be committed again: Connection reset.',
      AGAIN,
    ],
  ])('is refused with what became of it: %s', async (_, changes, events, kind, message, hint) => {
    const account = new Account();
    const write = account.prepare(changes);
    for (const event of events) event(account, write);
    const { id } = write;
    await expect(account.find(write)).rejects.toMatchObject({
      ...{ kind, clientId: id, message: message.replace('ID', id) },
      hints: [typeof hint === 'string' ? hint : hint(id)],
    });
  });

  it.each<[what: string, become: (file: string) => void]>([
    ['is gone', rmSync],
    ['was changed', (file) => writeFileSync(file, 'changed\n')],
  ])('is not committed by a second process that found it before, although its file %s', async (_, become) => {
    const account = new Account();
    const { trading } = account;
    const write = account.prepare();
    taken(account, write);
    become(path.join(trading.state, 'prepared', write.id));
    const context = { commands, globals: { dryRun: false } } as unknown as Context;
    const opened = { trading, host: trading.host } as unknown as WriteContext;
    await expect(commitPrepared(context, opened, write, new AgentLimits({}))).rejects.toMatchObject({
      ...{ kind: 'usage', message: 'It was committed already. Nothing was sent this time.' },
      hints: [suggest('See your orders', 'orders')],
    });
  });

  it('is found as long as it was not', async () => {
    const account = new Account();
    const write = account.prepare();
    expect(await account.find(write)).toEqual(write);
  });
});
