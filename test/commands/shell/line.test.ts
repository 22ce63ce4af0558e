import { describe, expect, it } from 'vitest';
import { readLine, scan } from '../../../src/commands/shell/line.js';

const words = (line: string) => readLine(line).words;

describe('a line of pit shell', () => {
  it('splits a line at spaces', () =>
    expect(words('  depth  btc_usdt\t--size 5 ')).toEqual(['depth', 'btc_usdt', '--size', '5']));

  it('keeps what quotes and backslashes protect', () =>
    expect(words(`a 'b c' "d \\"e\\" \\\\ \\n" f\\ g '' "h"i`)).toEqual(['a', 'b c', 'd "e" \\ \\n', 'f g', '', 'hi']));

  it('expands nothing', () =>
    expect(words('$HOME * ~ `id` $(id) a{b,c}')).toEqual(['$HOME', '*', '~', '`id`', '$(id)', 'a{b,c}']));

  it('accepts a line that begins with pit', () => expect(words('pit depth btc_usdt')).toEqual(['depth', 'btc_usdt']));

  it('a line that begins with # is a comment', () => {
    expect(words('  # depth btc_usdt | less')).toEqual([]);
    expect(words('profile add a#b')).toEqual(['profile', 'add', 'a#b']);
  });

  it('hands only what follows the first | to the shell', () =>
    expect(readLine(`orders --fields 'id|x' | grep "1 2" | wc -l > "a b"`)).toEqual({
      words: ['orders', '--fields', 'id|x'],
      outside: 'grep "1 2" | wc -l > "a b"',
    }));

  it('hands a file to the shell too', () => {
    expect(readLine('orders > ~/a.txt').outside).toBe('cat > ~/a.txt');
    expect(readLine('orders >>a.txt').outside).toBe('cat >>a.txt');
  });

  it.each(['last>30000', 'last>=30000', 'bid<27000', 'last>>1', 'change<-5%'])(
    'redirects nothing inside the word %s',
    (word) =>
      expect(readLine(`alert btc_usdt ${word} bid>1 > out.txt`)).toEqual({
        words: ['alert', 'btc_usdt', word, 'bid>1'],
        outside: 'cat > out.txt',
      }),
  );

  it.each(['a; b', 'a & b', 'a && b', 'a || b', 'a < b', 'a 2> b', '| less', 'a |', 'a >', 'a "b', "a 'b"])(
    'refuses %s',
    (line) => expect(() => readLine(line)).toThrow(expect.objectContaining({ kind: 'usage' })),
  );

  it('the last word may go on unless a space follows it', () => {
    expect(scan('depth bt').isOpen).toBe(true);
    expect(scan('depth ').isOpen).toBe(false);
    expect(scan('depth "b').quote).toBe('"');
  });
});
