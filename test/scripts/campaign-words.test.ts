import { readdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';

const { problemOfWords } = (await import(pathToFileURL(path.resolve('scripts/campaign-words.js')).href)) as {
  readonly problemOfWords: (name: string, words: readonly string[]) => string | undefined;
};

const CAMPAIGNS = readdirSync('test/campaigns').map((file) => file.replace(/\.ts$/, ''));

it.each(CAMPAIGNS)('campaign:%s takes no flag, and nothing that it might count to zero', (name) => {
  expect(problemOfWords(name, [])).toBeUndefined();
  expect(problemOfWords(name, ['--runs', '5'])).toBe(
    `campaign:${name} does not take "--runs 5": see the first lines of test/campaigns/${name}.ts.`,
  );
  const isAboutText = name === 'recipes';
  for (const word of ['five', '0', '5x', '-5', '1e3', 'NaN'])
    expect({ word, isTaken: problemOfWords(name, [word]) === undefined }).toEqual({
      word,
      isTaken: isAboutText && word !== '-5',
    });
});

it.each([
  ['agents', '8 1166528358'],
  ['algos', '40 7 40 0'],
  ['faults', '500 3'],
  ['faults', 'kinds'],
  ['faults', 'kinds 7 lost answer'],
  ['faults', 'kinds slice 7'],
  ['halt-kills', 'all 5'],
  ['halts', '1000 5 redis://127.0.0.1:6379'],
  ['limiter', '20 redis://127.0.0.1:6379'],
  ['recipes', 'A stop'],
  ['stream-cuts', '200 100000 5'],
])('campaign:%s takes %s', (name, words) => {
  expect(problemOfWords(name, words.split(' '))).toBeUndefined();
});

it.each([
  ['agents', '8 seven'],
  ['faults', 'kind 7'],
  ['halts', '1000 redis://127.0.0.1:6379'],
])('campaign:%s refuses %s', (name, words) => {
  expect(problemOfWords(name, words.split(' '))).toContain(`does not take "${words}"`);
});
