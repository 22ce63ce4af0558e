import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { lineOf, valuesIn } from '../../../src/trading/journal/files.js';
import { contents, newJournal, PLACED, settledOf } from './support.js';

/** A journal with three open writes and three settled ones. */
function filled() {
  const made = newJournal();
  for (const id of ['done1', 'done2', 'done3']) made.begin(id).settle(PLACED, 'placed');
  for (const id of ['open1', 'open2', 'open3']) {
    const entry = made.begin(id);
    entry.note('sent');
    entry.note('no answer: a timeout');
  }
  return made;
}

const archiveOf = (folder: string) => path.join(folder, fs.readdirSync(folder)[0] ?? '');

describe('a journal file that is cut off at any length', () => {
  it('loses no other open write; the cut one is whole, shorter or damaged', () => {
    const { journal, open } = filled();
    const file = path.join(open, 'open2');
    const whole = fs.readFileSync(file);
    const results = new Set<string>();
    for (let length = whole.length; length >= 0; length -= 1) {
      fs.truncateSync(file, length);
      const left = journal.open().map(({ intent }) => intent.id);
      expect(left.filter((id) => id !== 'open2')).toEqual(['open1', 'open3']);
      const isThere = left.includes('open2');
      expect(journal.damaged()).toEqual(isThere ? [] : ['open2']);
      expect(journal.find('open2')?.events.length ?? 0).toBe(
        isThere ? valuesIn(contents(open).open2?.toString() ?? '').length : 0,
      );
      results.add(isThere ? `with ${journal.find('open2')?.events.length} events` : 'damaged');
    }
    expect([...results]).toEqual(['with 3 events', 'with 2 events', 'with 1 events', 'damaged']);
  });

  it('loses no settled record before the cut, and keeps what is added after it', () => {
    const { journal, settled } = filled();
    const file = archiveOf(settled);
    const whole = fs.readFileSync(file);
    const ends = ['done1', 'done2', 'done3'].map((id) => whole.indexOf('\n', whole.indexOf(`"id":"${id}"`)));
    for (let length = 0; length <= whole.length; length += 1) {
      fs.writeFileSync(file, whole.subarray(0, length));
      const complete = ends.filter((end) => length >= end).length;
      const wanted = ['done1', 'done2', 'done3'].slice(0, complete);
      expect(journal.archive.since(0).map(({ intent }) => intent.id)).toEqual(wanted);
      journal.archive.add(settledOf('added1'));
      expect(journal.archive.since(0).map(({ intent }) => intent.id)).toEqual([...wanted, 'added1']);
    }
  });
});

describe('a journal file with a wrong byte anywhere', () => {
  it('loses at most the line with the wrong byte', () => {
    const { journal, settled } = filled();
    const file = archiveOf(settled);
    const whole = fs.readFileSync(file);
    for (let place = 0; place < whole.length; place += 1) {
      for (const change of [0x01, 0x80, 0xff]) {
        const bytes = Buffer.from(whole);
        bytes[place] = (bytes[place] ?? 0) ^ change;
        fs.writeFileSync(file, bytes);
        expect(journal.archive.since(0).length).toBeGreaterThanOrEqual(2);
      }
    }
  });

  it('loses no other open write, and never turns the damaged one into another', () => {
    const { journal, open } = filled();
    const file = path.join(open, 'open2');
    const whole = fs.readFileSync(file);
    const { intent } = journal.find('open2') ?? {};
    for (let place = 0; place < whole.length; place += 1) {
      const bytes = Buffer.from(whole);
      bytes[place] = (bytes[place] ?? 0) ^ 0x20;
      fs.writeFileSync(file, bytes);
      const found = journal.find('open2');
      if (found !== undefined) expect(found.intent).toEqual(intent);
      const others = journal.open().filter((entry) => entry.intent.id !== 'open2');
      expect(others.map((entry) => entry.intent.id)).toEqual(['open1', 'open3']);
    }
  });
});

/** Makes a file look unwritten for a long time. */
const age = (file: string) => fs.utimesSync(file, 0, 0);

describe('a damaged record', () => {
  it('blocks no other write, is reported, and is set aside once no process can still be writing it', () => {
    const { journal, begin, open, folder, host } = filled();
    const file = path.join(open, 'open2');
    fs.writeFileSync(file, 'half a rec');
    expect(journal.open().map(({ intent }) => intent.id)).toEqual(['open1', 'open3']);
    expect(begin('open4').intent.id).toBe('open4');
    fs.utimesSync(file, 0, (host.now() - 59_000) / 1_000);
    expect([journal.damaged(), journal.setAside('open2'), fs.existsSync(file)]).toEqual([['open2'], undefined, true]);
    fs.utimesSync(file, 0, (host.now() - 61_000) / 1_000);
    expect(journal.setAside('open2')).toBe(path.join(folder, 'damaged', 'open2'));
    expect(journal.damaged()).toEqual([]);
  });

  it('stays in place if the disk does not let it be moved', () => {
    const { journal, open } = filled();
    fs.writeFileSync(path.join(open, 'open2'), 'no record at all');
    age(path.join(open, 'open2'));
    const refusing = vi.spyOn(fs, 'renameSync').mockImplementation(() => {
      throw Object.assign(new Error('read-only'), { code: 'EROFS' });
    });
    expect(journal.setAside('open2')).toBe(path.join(open, 'open2'));
    refusing.mockRestore();
    expect(journal.damaged()).toEqual(['open2']);
  });
});

describe('a record that cannot be read', () => {
  it.each(['EIO', 'EACCES', 'EMFILE'])(
    'is reported as unreadable, not as damaged, until it can be read again: %s',
    (code) => {
      const { journal, begin, open } = filled();
      const file = path.join(open, 'open2');
      const read = fs.openSync;
      const failing = vi.spyOn(fs, 'openSync').mockImplementation(((target: string, ...more: [number]) => {
        if (target === file) throw Object.assign(new Error('passing'), { code });
        return read(target, ...more);
      }) as typeof read);
      onTestFinished(() => failing.mockRestore());
      expect(journal.open().map(({ intent }) => intent.id)).toEqual(['open1', 'open3']);
      expect([begin('open4').intent.id, journal.damaged(), journal.find('open2')]).toEqual(['open4', [], undefined]);
      expect(journal.unreadable()).toMatchObject([
        { id: 'open2', failure: { kind: 'usage', message: `${file} cannot be read (${code}).` } },
      ]);
      failing.mockRestore();
      expect([journal.unreadable(), journal.find('open2')?.intent.id]).toEqual([[], 'open2']);
    },
  );
});

describe('the lines of a journal', () => {
  const value = fc.dictionary(fc.string(), fc.oneof(fc.string({ unit: 'binary' }), fc.integer(), fc.constant(null)));

  it('are read back as written, whatever lies between them', () => {
    const rubbish = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(fc.array(fc.tuple(value, rubbish)), (pairs) => {
        const text = pairs.map(([one, other]) => `${lineOf(one)}${other}`).join('');
        expect(valuesIn(text)).toEqual(pairs.map(([one]) => JSON.parse(JSON.stringify(one))));
      }),
    );
  });

  it('contain no line break, so that processes can append to a file at the same time', () => {
    fc.assert(fc.property(value, (one) => lineOf(one).slice(1, -1).split('\n').length === 1));
  });
});
