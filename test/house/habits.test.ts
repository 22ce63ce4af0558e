import { describe, expect, it } from 'vitest';
import { filesUnder, isNode, type Node, nodesOf, textOf } from './sources.js';

const files = filesUnder('src');
const LONGEST = 250;
/** Files that may be longer, each for a reason. */
const LONG = new Map([['src/sandbox/markets/data/btc-usdt-2023-03.ts', 'recorded data, made by a script']]);

function isCalled(node: Node, object: string, property?: string): boolean {
  const { type, object: owner, property: member } = node;
  if (type !== 'MemberExpression' || !isNode(owner) || owner.name !== object) return false;
  return property === undefined || (isNode(member) && member.name === property);
}

/** The clock, chance and the outside world, as plain names. */
const IMPURE = new Set([
  'Date',
  'performance',
  'process',
  'fetch',
  'setTimeout',
  'setInterval',
  'crypto',
  'globalThis',
]);

function impurities(text: string): string[] {
  const nodes = nodesOf(text);
  const names = nodes.filter(({ type, name }) => type === 'Identifier' && IMPURE.has(String(name)));
  return [
    ...names.map(({ name }) => String(name)),
    ...nodes.filter((node) => isCalled(node, 'Math', 'random')).map(() => 'Math.random'),
  ];
}

describe('the habits of the house', () => {
  it('no file writes to the console', () => {
    expect(files.filter((file) => nodesOf(textOf(file)).some((node) => isCalled(node, 'console')))).toEqual([]);
  });

  it('only a signal (host/signals.ts) and what is thrown beside the command (pit.ts) end the program from within', () => {
    const exits = files.filter((file) => nodesOf(textOf(file)).some((node) => isCalled(node, 'process', 'exit')));
    expect(exits).toEqual(['src/host/signals.ts', 'src/pit.ts']);
  });

  it('the engine knows no clock, no chance and no outside world', () => {
    const engine = files.filter((file) => file.startsWith('src/sandbox/engine/'));
    expect(engine.length).toBeGreaterThan(0);
    expect(engine.flatMap((file) => impurities(textOf(file)))).toEqual([]);
    expect(impurities('const a = Date.now() + Math.random(); const b = Math.max(1, 2);')).toEqual([
      'Date',
      'Math.random',
    ]);
  });

  it('no file is long unless it is named here', () => {
    const long = files.filter((file) => textOf(file).split('\n').length - 1 > LONGEST);
    expect(long.filter((file) => !LONG.has(file))).toEqual([]);
  });

  it('nothing is silenced: no any, no ignored rule or type error', () => {
    const silenced = files.filter((file) => /@ts-|biome-ignore|eslint-/.test(textOf(file)));
    expect(silenced).toEqual([]);
    expect(files.filter((file) => nodesOf(textOf(file)).some(({ type }) => type === 'TSAnyKeyword'))).toEqual([]);
  });
});
