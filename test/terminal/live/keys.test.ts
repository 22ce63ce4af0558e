import { describe, expect, it } from 'vitest';
import { keysOfRest, patienceMs, readKeys } from '../../../src/terminal/live/keys.js';

const names = (text: string) => readKeys(text).keys.map(({ name }) => name);

/** The keys of a text that arrives in these pieces. */
function inPieces(pieces: readonly string[]): { names: string[]; rest: string } {
  let rest = '';
  const found: string[] = [];
  for (const piece of pieces) {
    const read = readKeys(rest + piece);
    found.push(...read.keys.map(({ name, text }) => (name === 'paste' ? `paste ${text}` : name)));
    rest = read.rest;
  }
  return { names: found, rest };
}

describe('keys', () => {
  it.each([
    ['b', ['b']],
    ['B?', ['B', '?']],
    ['ü€🙂', ['ü', '€', '🙂']],
    ['\r', ['enter']],
    ['\t', ['tab']],
    ['\u007f\b', ['backspace', 'backspace']],
    ['\u0003\u001a\u0004', ['ctrl-c', 'ctrl-z', 'ctrl-d']],
    ['\u001b[A\u001b[B\u001b[C\u001b[D', ['up', 'down', 'right', 'left']],
    ['\u001bOA\u001bOH', ['up', 'home']],
    ['\u001b[5~\u001b[6~\u001b[3~\u001b[1~\u001b[4~', ['page-up', 'page-down', 'delete', 'home', 'end']],
    ['\u001b[1;5A\u001b[1;2B\u001b[5;3~', ['ctrl-up', 'shift-down', 'alt-page-up']],
    ['\u001b[Z', ['shift-tab']],
    ['\u001b[27u\u001b[13u', ['escape', 'enter']],
    ['\u001bOP\u001b[15~\u001b[[A', ['f1', 'f5', 'f1']],
    ['\u001bx\u001b\r', ['alt-x', 'alt-enter']],
    ['\u001b\u001b[A', ['escape', 'up']],
  ])('%j is read as %j', (text, expected) => {
    expect(readKeys(text)).toMatchObject({ rest: '' });
    expect(names(text)).toEqual(expected);
  });

  it.each([
    ['a mouse report', '\u001b[<0;98;121M\u001b[<0;98;121m'],
    ['an old mouse report whose position is the letters b, y', '\u001b[M by'],
    ['a report of the cursor', '\u001b[12;80$y'],
    ['an answer about the terminal', '\u001b[?62;22c\u001b[>1;10;0c'],
    ['a colour that was asked for', '\u001b]11;rgb:0000/0000/0000\u0007\u001b]4;1;y\u001b\\'],
    ['an unknown key', '\u001b[99~\u001bOy'],
  ])('%s is no key', (_what, text) => {
    expect(readKeys(text)).toEqual({ keys: [], rest: '' });
  });

  it('a key is alone only if nothing came with it', () => {
    expect(readKeys('y').keys).toEqual([{ name: 'y', text: 'y', isAlone: true }]);
    expect(readKeys('by').keys.map(({ isAlone }) => isAlone)).toEqual([false, false]);
    expect(readKeys('y\u001b[').keys.map(({ isAlone }) => isAlone)).toEqual([false]);
  });

  it.each(['\u001b[A', '\u001b[1;5A', '\u001b[3~', '\u001bOA', '\u001b[<0;98;121M', '\u001b[M by', 'a\u001b[Bb'])(
    '%j is read alike however it is broken into pieces',
    (text) => {
      const whole = inPieces([text]);
      for (let at = 1; at < text.length; at += 1)
        expect(inPieces([text.slice(0, at), text.slice(at)]), `broken at ${at}`).toEqual(whole);
      expect(inPieces([...text])).toEqual(whole);
    },
  );

  it('Escape is a key once nothing follows it', () => {
    const { keys, rest } = readKeys('\u001b');
    expect([keys, keysOfRest(rest)]).toEqual([[], [{ name: 'escape', text: '', isAlone: true }]]);
    expect(keysOfRest('\u001b[')).toEqual([]);
  });
});

describe('pasted text', () => {
  const paste = (text: string) => `\u001b[200~${text}\u001b[201~`;

  it('pasted text is one key, whatever is in it', () => {
    expect(inPieces([`a${paste('by\r\u001b[A\u0003')}z`])).toEqual({
      names: ['a', 'paste by\r\u001b[A\u0003', 'z'],
      rest: '',
    });
  });

  it('pasted text is one key however it is broken into pieces', () => {
    const text = paste('by\r');
    for (let at = 1; at < text.length; at += 1)
      expect(inPieces([text.slice(0, at), text.slice(at)]).names).toEqual(['paste by\r']);
  });

  it('ends after a while if its end never comes', () => {
    const { keys, rest } = readKeys('\u001b[200~by\r');
    expect([keys, patienceMs(rest)]).toEqual([[], 1_000]);
    expect(keysOfRest(rest).map(({ name, text }) => [name, text])).toEqual([['paste', 'by\r']]);
  });

  it('cuts pasted text where it is long, and still ends it', () => {
    const long = inPieces(['\u001b[200~', ...Array<string>(100).fill('y'.repeat(1_000)), '\u001b[20', '1~b']);
    expect(long.names.map((name) => name.length)).toEqual([4_096 + 'paste '.length, 1]);
    expect(long.rest).toBe('');
  });
});
