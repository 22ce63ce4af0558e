import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { sendCall } from '../../../src/trading/call/call.js';
import { encodeLine, valuesIn } from '../../../src/trading/journal/files.js';
import { placeOrder } from '../../../src/trading/orders/place.js';
import { settleManually } from '../../../src/trading/settling/manual/settle-manually.js';
import { withdrawLimits } from '../../../src/trading/withdrawals/limits.js';
import { sendWithdrawal } from '../../../src/trading/withdrawals/send.js';
import { saying } from '../../support/advice.js';
import { anyText } from '../../support/any-text.js';
import { ScriptedExchange } from '../../support/scripted-exchange.js';
import { begin as beginBatch, lines } from '../batches/jobs.js';
import { placesIn } from '../support/places.js';
import { TERMS } from '../support/terms.js';
import { type TestTrading, tradingOf } from '../support/trading.js';
import { contents, newJournal, PLACED, settledOf } from './support.js';

/** A journal with three open writes and three settled ones. */
function filled() {
  const made = newJournal();
  for (const id of ['done1', 'done2', 'done3']) made.begin(id).settle(PLACED, 'placed');
  for (const id of ['open1', 'open2', 'open3']) {
    const entry = made.begin(id);
    entry.note('accepted');
    entry.note('no answer: a timeout');
  }
  return made;
}

/** The line of an order, but for some of its parts. */
function line(changed: object): string {
  const firstOwner = { pid: 1, startStamp: null };
  return JSON.stringify({
    write: { operation: 'order', id: 'open2', time: 1, reqTime: 1, terms: TERMS, firstOwner, ...changed },
  });
}

const CHECK_DISK = saying('Check who may read there, and that the disk is sound.');

const archiveOf = (folder: string) => path.join(folder, fs.readdirSync(folder)[0] ?? '');

describe('a journal file that is cut off at any length', () => {
  it('loses no other open write; the cut one is whole, shorter or damaged', () => {
    const { journal, unsettled } = filled();
    const file = path.join(unsettled, 'open2');
    const whole = fs.readFileSync(file);
    const results = new Set<string>();
    for (const length of [whole.length, ...placesIn(whole, 5).reverse()]) {
      fs.truncateSync(file, length);
      const left = journal.unsettledEntries().map(({ write }) => write.id);
      expect(left.filter((id) => id !== 'open2')).toEqual(['open1', 'open3']);
      const isThere = left.includes('open2');
      expect(journal.unsettled().damaged).toEqual(isThere ? [] : ['open2']);
      expect(journal.findUnsettled('open2')?.events.length ?? 0).toBe(
        isThere ? valuesIn(contents(unsettled).open2?.toString() ?? '').length : 0,
      );
      results.add(isThere ? `with ${journal.findUnsettled('open2')?.events.length} events` : 'damaged');
    }
    expect([...results]).toEqual(['with 3 events', 'with 2 events', 'with 1 events', 'damaged']);
  });

  it('loses no settled record before the cut, and keeps what is added after it', () => {
    const { journal, archive } = filled();
    const file = archiveOf(archive);
    const whole = fs.readFileSync(file);
    const ends = ['done1', 'done2', 'done3'].map((id) => whole.indexOf('\n', whole.indexOf(`"id":"${id}"`)));
    for (const length of [...placesIn(whole, 7), whole.length]) {
      fs.writeFileSync(file, whole.subarray(0, length));
      const complete = ends.filter((end) => length >= end).length;
      const wanted = ['done1', 'done2', 'done3'].slice(0, complete);
      expect(journal.archive.since(0).map(({ write }) => write.id)).toEqual(wanted);
      journal.archive.add(settledOf('added1'));
      expect(journal.archive.since(0).map(({ write }) => write.id)).toEqual([...wanted, 'added1']);
    }
  });
});

describe('a journal file with a byte that the disk lost', () => {
  it('loses at most the archived write of that line', () => {
    const { journal, archive } = filled();
    const file = archiveOf(archive);
    const whole = fs.readFileSync(file);
    for (const place of placesIn(whole, 3)) {
      const bytes = Buffer.from(whole);
      bytes[place] = 0;
      fs.writeFileSync(file, bytes);
      expect(journal.archive.since(0).length).toBeGreaterThanOrEqual(2);
    }
  });

  it('loses no other open write, and never turns the damaged one into another', () => {
    const { journal, unsettled } = filled();
    const file = path.join(unsettled, 'open2');
    const whole = fs.readFileSync(file);
    const { write } = journal.findUnsettled('open2') ?? {};
    for (let place = 0; place < whole.length; place += 1) {
      const bytes = Buffer.from(whole);
      bytes[place] = 0;
      fs.writeFileSync(file, bytes);
      const found = journal.findUnsettled('open2');
      if (found !== undefined) expect(found.write).toEqual(write);
      const others = journal.unsettledEntries().filter((entry) => entry.write.id !== 'open2');
      expect(others.map((entry) => entry.write.id)).toEqual(['open1', 'open3']);
    }
  });

  it.each([
    '{}',
    '[]',
    'null',
    '"text"',
    '{"write":null}',
    '{"write":{}}',
    '{"write":{"id":"open2","time":1}}',
    line({ terms: null }),
    line({ terms: {} }),
    line({ terms: { ...TERMS, market: null } }),
    line({ firstOwner: null }),
    line({ operation: 'teleport' }),
    line({ operation: 'toString' }),
    line({ operation: 'replace' }),
    '{"time":1}',
    '{"event":"sent"}',
    '{"at":1}',
    '{"at":1,"settled":{"write":{"id":"open2"}}}',
  ])('takes a line that pit did not write for none: %s', (text) => {
    const { journal, unsettled, archive } = filled();
    fs.writeFileSync(path.join(unsettled, 'open2'), `${text}\n`);
    expect([journal.unsettled().damaged, journal.damagedEvents('open2')]).toEqual([['open2'], []]);
    fs.appendFileSync(archiveOf(archive), `${text}\n`);
    expect(journal.archive.since(0)).toHaveLength(3);
  });
});

it.each<[string, object]>([
  ['its write', { write: undefined }],
  ['its outcome', { outcome: undefined }],
  ['its duplicates', { duplicates: undefined }],
  ['its events', { events: undefined }],
])('a line of the archive is left out if it has lost %s', (_, lost) => {
  const { journal, archive } = filled();
  fs.appendFileSync(archiveOf(archive), encodeLine({ at: 1, settled: { ...settledOf('done4'), ...lost } }));
  expect(journal.archive.since(0).map(({ write }) => write.id)).toEqual(['done1', 'done2', 'done3']);
});

describe('a damaged record', () => {
  it('stops no other write from being read or settled', () => {
    const { journal, begin, unsettled } = filled();
    fs.writeFileSync(path.join(unsettled, 'open2'), 'half a rec');
    expect(journal.unsettledEntries().map(({ write }) => write.id)).toEqual(['open1', 'open3']);
    expect([begin('open4').write.id, journal.unsettled().damaged]).toEqual(['open4', ['open2']]);
  });

  it('still shows the events that are whole', () => {
    const { journal, unsettled } = filled();
    const file = path.join(unsettled, 'open2');
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('"write"', '"wri'));
    expect(journal.damagedEvents('open2').map(({ event }) => event)).toEqual(['accepted', 'no answer: a timeout']);
  });

  it('of a settled job hides no other write', () => {
    const { journal, folder } = filled();
    const notSent = { outcome: 'notSent', id: null, duplicates: [] } as const;
    for (const entry of journal.unsettledEntries()) entry.settle(notSent, 'not sent');
    for (const entry of journal.settledEntries(TERMS)) entry.noteFound([], '8');
    const { market, side, account } = TERMS;
    const terms = { market, side, account, count: 1, lines: [[1, '2', '3'] as const] };
    journal.begin<'batch'>({ operation: 'batch', terms }, { id: 'job1', reqTime: 1 }).settle(notSent, 'not sent');
    for (const name of fs.readdirSync(path.join(folder, 'jobs'))) fs.truncateSync(path.join(folder, 'jobs', name), 20);
    const others = ['done1', 'done2', 'done3', 'open1', 'open2', 'open3'];
    expect(journal.settledEntries(TERMS).map(({ write }) => write.id)).toEqual(others);
    expect(journal.unexpected().map(({ write }) => write.id)).toEqual(others);
  });

  const WITHDRAWAL = {
    coin: 'btc',
    amount: '1',
    fee: '0.1',
    address: '1mxZTPRKv7J1AxiUiXMXZ3JEtd8NGHVMKM',
    internal: false,
  };
  const writes: Readonly<Record<string, (trading: TestTrading) => unknown>> = {
    order: (trading) => placeOrder(trading, TERMS, { id: 'next1' }),
    batch: (trading) => beginBatch(trading, { lines: lines(2) }),
    withdrawal: (trading) =>
      sendWithdrawal(trading, WITHDRAWAL, { id: 'next1', limits: async () => withdrawLimits({}), password: 'x' }),
    'call of api': (trading) => sendCall(trading, { method: 'setRepayState', parameters: {} }, 'next1'),
  };

  it.each(Object.keys(writes))('holds what may be identical to its write, and nothing is sent: %s', async (name) => {
    const exchange = new ScriptedExchange();
    const trading = tradingOf(exchange);
    trading.journal.begin<'order'>({ operation: 'order', terms: TERMS }, { id: 'open2', reqTime: 1 }).release();
    const file = trading.journal.fileOf('open2');
    fs.truncateSync(file, 20);
    const held = { kind: 'usage', clientId: 'open2', message: expect.stringContaining(`${file} is damaged`) };
    await expect((async () => writes[name]?.(trading))()).rejects.toMatchObject(held);
    expect([exchange.requests, trading.journal.unsettled().damaged, trading.journal.unsettledEntries()]).toEqual([
      [],
      ['open2'],
      [],
    ]);
  });

  it.each(['done', 'notSent'] as const)(
    'the user settles a damaged record, which is kept where no command reads it: %s',
    async (word) => {
      const exchange = new ScriptedExchange();
      const trading = tradingOf(exchange);
      const { journal } = trading;
      journal.begin<'order'>({ operation: 'order', terms: TERMS }, { id: 'open2', reqTime: 1 }).release();
      const file = journal.fileOf('open2');
      fs.truncateSync(file, 20);
      await settleManually(trading, 'open2', { outcome: word, id: null });
      expect([journal.unsettled().damaged, journal.unsettledEntries()]).toEqual([[], []]);
      const kept = path.join(path.dirname(path.dirname(file)), 'damaged', 'open2');
      expect(fs.readFileSync(kept, 'utf8')).toContain(`${word}, as the user says`);
      expect(trading.progress).toEqual([`The damaged record of open2 was moved to ${kept}`]);
      await placeOrder(trading, TERMS, { id: 'next1' });
      expect(exchange.count('order')).toBe(1);
    },
  );

  it('stays where it is, and unknown, when the disk does not let it be moved', () => {
    const { journal, unsettled } = filled();
    const file = path.join(unsettled, 'open2');
    fs.writeFileSync(file, 'nothing that anybody wrote');
    const refusing = vi.spyOn(fs, 'renameSync').mockImplementation(() => {
      throw Object.assign(new Error('read-only'), { code: 'EROFS' });
    });
    onTestFinished(() => refusing.mockRestore());
    expect(() => journal.settleDamaged('open2', 'done')).toThrow(
      expect.objectContaining({ kind: 'usage', message: `Cannot write ${file}: EROFS.` }),
    );
    expect(journal.unsettled().damaged).toEqual(['open2']);
  });
});

describe('a record that cannot be read', () => {
  it.each(['EIO', 'EACCES', 'EMFILE'])(
    'reports the record as unreadable, not as damaged, until it can be read again: %s',
    (code) => {
      const { journal, begin, unsettled } = filled();
      const file = path.join(unsettled, 'open2');
      const read = fs.openSync;
      const failing = vi.spyOn(fs, 'openSync').mockImplementation(((target: string, ...more: [number]) => {
        if (target === file) throw Object.assign(new Error('passing'), { code });
        return read(target, ...more);
      }) as typeof read);
      onTestFinished(() => failing.mockRestore());
      expect(journal.unsettledEntries().map(({ write }) => write.id)).toEqual(['open1', 'open3']);
      expect([begin('open4').write.id, journal.unsettled().damaged, journal.findUnsettled('open2')]).toEqual([
        'open4',
        [],
        undefined,
      ]);
      expect(journal.unsettled().unreadable).toMatchObject([
        { id: 'open2', failure: { kind: 'usage', message: `${file} cannot be read (${code}).`, hints: CHECK_DISK } },
      ]);
      const message = `${file} cannot be read (${code}). Its write may be identical to this one, so nothing was sent.`;
      const hints = saying('Find out: pit resolve open2');
      expect(() => journal.requireReadable()).toThrow(
        expect.objectContaining({ kind: 'usage', clientId: 'open2', message, hints }),
      );
      failing.mockRestore();
      expect(() => journal.requireReadable()).not.toThrow();
      expect([journal.unsettled().unreadable, journal.findUnsettled('open2')?.write.id]).toEqual([[], 'open2']);
    },
  );
});

it.each(['EIO', 'EACCES'])(
  'an archive that cannot be read is reported, and never taken for an empty one: %s',
  (code) => {
    const { journal, archive } = filled();
    const file = archiveOf(archive);
    const open = fs.openSync;
    const failing = vi.spyOn(fs, 'openSync').mockImplementation((target, ...more) => {
      if (target === file) throw Object.assign(new Error('the disk'), { code });
      return open(target, ...more);
    });
    onTestFinished(() => failing.mockRestore());
    const failure = { kind: 'usage', message: `${file} cannot be read (${code}).`, hints: CHECK_DISK };
    expect(() => journal.archive.find('done1')).toThrow(expect.objectContaining(failure));
  },
);

it('a defect in the archive is not taken for an error of the disk', () => {
  const { journal, begin } = newJournal();
  const entry = begin('own0001', undefined, journal);
  const failing = vi.spyOn(journal.archive, 'add').mockImplementation(() => {
    throw new TypeError('a defect');
  });
  onTestFinished(() => failing.mockRestore());
  expect(() => entry.settle(PLACED, 'placed')).toThrow('a defect');
});

describe('the lines of a journal', () => {
  const value = fc.dictionary(fc.string(), fc.oneof(anyText(), fc.integer(), fc.constant(null)));

  it('reads the lines back as written, whatever lies between them', () => {
    const rubbish = anyText();
    fc.assert(
      fc.property(fc.array(fc.tuple(value, rubbish)), (pairs) => {
        const text = pairs.map(([one, other]) => `${encodeLine(one)}${other}`).join('');
        expect(valuesIn(text)).toEqual(pairs.map(([one]) => JSON.parse(JSON.stringify(one))));
      }),
    );
  });

  it('the lines contain no line break, so that processes can append to a file at the same time', () => {
    fc.assert(fc.property(value, (one) => encodeLine(one).slice(1, -1).split('\n').length === 1));
  });
});

it('says that the journal cannot be deleted, instead of ending as a defect', () => {
  const { journal } = filled();
  vi.spyOn(fs, 'rmSync').mockImplementationOnce(() => {
    throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
  });
  expect(() => journal.deleteAll()).toThrow(
    expect.objectContaining({ kind: 'usage', message: expect.stringContaining(journal.folder) }),
  );
});
