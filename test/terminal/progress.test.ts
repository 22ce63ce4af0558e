import { describe, expect, it } from 'vitest';
import { Progress } from '../../src/terminal/progress.js';
import { screenOf } from '../../src/terminal/screen.js';
import { Kept } from './screens.js';

/** What a terminal of so many columns shows in the end, line by line; escapes move its cursor as a terminal does. */
function shown(bytes: string): string[] {
  const lines = [''];
  let column = 0;
  for (const [token] of bytes.matchAll(/\u001b\[[0-9;]*[A-Za-z]|\r|\n|[^\r\n\u001b]/g)) {
    const line = lines.at(-1) ?? '';
    if (token === '\r') column = 0;
    else if (token === '\n') lines.push('');
    else if (token.startsWith('\u001b[') && token.endsWith('K')) lines[lines.length - 1] = line.slice(0, column);
    else if (!token.startsWith('\u001b')) {
      lines[lines.length - 1] = line.slice(0, column) + token + line.slice(column + 1);
      column += 1;
    }
  }
  return lines;
}

function bar(columns: number | undefined, environment: Record<string, string> = { TERM: 'xterm' }) {
  const errors = columns === undefined ? new Kept() : new Kept(columns);
  let now = 0;
  const progress = new Progress({ errors, now: () => now }, screenOf(errors, environment));
  return { progress, errors, wait: (ms: number) => (now += ms) };
}

describe('a progress bar', () => {
  it.each([20, 30, 40, 80, 200])('fits %i columns and is one line drawn over itself', (columns) => {
    const { progress, errors, wait } = bar(columns);
    for (let done = 0; done <= 10_000; done += 250) {
      progress.advance({ done, total: 10_000, note: `${Math.ceil((10_000 - done) / 1_200)} s` });
      const lines = shown(errors.text);
      expect(lines).toHaveLength(1);
      expect([...(lines[0] ?? '')].length).toBeLessThan(columns);
      wait(150);
    }
    expect(shown(errors.text)[0]).toContain('10,000/10,000');
    progress.clear();
    expect(shown(errors.text)).toEqual(['']);
  });

  it('grows with what is done', () => {
    const { progress, errors, wait } = bar(80);
    progress.advance({ done: 2_500, total: 10_000, note: '7 s' });
    expect(shown(errors.text)).toEqual([`2,500/10,000 ${'█'.repeat(7)}▌${' '.repeat(22)}  25% 7 s`]);
    wait(100);
    progress.advance({ done: 10_000, total: 10_000, note: '0 s' });
    expect(shown(errors.text)).toEqual([`10,000/10,000 ${'█'.repeat(30)} 100% 0 s`]);
  });

  it('is not drawn more often than an eye can follow, but at its end', () => {
    const { progress, errors } = bar(80);
    for (let done = 0; done <= 100; done += 1) progress.advance({ done, total: 100 });
    expect(errors.text.match(/\r/g)).toHaveLength(2);
    expect(shown(errors.text)[0]).toContain('100/100');
  });

  it('makes room for words, and leaves nothing behind', () => {
    const { progress, errors } = bar(30);
    progress.advance({ done: 5, total: 10 });
    progress.say('Looking for what is not known yet, which takes long');
    expect(shown(errors.text)).toEqual(['Looking for what is not known']);
    progress.clear();
    progress.clear();
    expect(shown(errors.text)).toEqual(['']);
    expect(errors.text.endsWith('\r\u001b[K')).toBe(true);
  });

  it.each([
    ['a pipe', undefined, { TERM: 'xterm' }],
    ['a dumb terminal', 80, { TERM: 'dumb' }],
  ])('is not drawn into %s', (_, columns, environment) => {
    const { progress, errors } = bar(columns, environment as Record<string, string>);
    progress.advance({ done: 5, total: 10 });
    progress.say('words');
    progress.clear();
    expect(errors.text).toBe('');
  });
});
