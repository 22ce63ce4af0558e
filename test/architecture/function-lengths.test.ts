import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { ROOT, textOf } from './sources.js';

/** In lines, from the declaration to the closing brace. */
const LONGEST = 60;

const NAME = String.raw`(?!(?:if|for|while|switch|return|throw|await|void|new)\b)[#\w.[\]]+`;
/** Begins a function, a method or a constructor, or what holds a function of its own. */
const DECLARATION = new RegExp(
  [
    String.raw`(?:export )?(?:default )?(?:async )?function\b`,
    String.raw`(?:(?:private|static|async|get|set) |\*)*${NAME}(?:<.*>)?\(`,
    String.raw`(?:export )?(?:const |readonly |static )*${NAME}(?:: .*)?(?: =|:) (?:async )?(?:<.*>)?(?:\(|\w+ =>)`,
  ]
    .map((start) => `^ *(?:${start})`)
    .join('|'),
);
/** The parameters or the type of the answer end, and the body begins. */
const BODY_BEGINS = /^[)}].* \{$/;
const END = /^\}[;,]?$/;

interface Declared {
  readonly line: number;
  readonly lines: number;
}

/** The functions of a file that have a body of their own. The formatter puts the closing brace under the declaration. */
function functionsIn(text: string): Declared[] {
  const lines = text.split('\n');
  return lines.flatMap((line, index) => {
    if (!DECLARATION.test(line)) return [];
    const indent = line.search(/\S/);
    const under = lines.slice(index + 1).map((one) => (one.search(/\S/) === indent ? one.trim() : ''));
    const end = under.findIndex((one) => one !== '' && !BODY_BEGINS.test(one));
    return END.test(under[end] ?? '') ? [{ line: index + 1, lines: end + 2 }] : [];
  });
}

it(`no function of src has more than ${LONGEST} lines`, () => {
  const files = readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
  const found = files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => functionsIn(textOf(path.join('src', file))).map((one) => ({ file: `src/${file}`, ...one })));
  expect(found.length).toBeGreaterThan(4_000);
  const long = found.filter(({ lines }) => lines > LONGEST);
  expect(long.map(({ file, line, lines }) => `${file}:${line} has ${lines} lines`)).toEqual([]);
});
