/** What was there before the block, where that is not told by what is left without it. */
type Before = 'line ended' | 'file made' | null;

const BLOCK = /^# >>> pit completion(?: \((line ended|file made)\))? >>>\n[\s\S]*?^# <<< pit completion <<<\n?/m;
const HALF = /^# (?:>>>|<<<) pit completion\b/m;

/** A text with marked lines at its end, in the place of those that were marked before. Null: there is no file yet. */
export function withBlock(text: string | null, lines: readonly string[]): string {
  const found = BLOCK.exec(text ?? '');
  if (text !== null && found !== null) {
    const same = block(lines, (found[1] ?? null) as Before);
    return text.slice(0, found.index) + same + text.slice(found.index + found[0].length);
  }
  if (text === null) return block(lines, 'file made');
  return text === '' || text.endsWith('\n') ? `${text}${block(lines, null)}` : `${text}\n${block(lines, 'line ended')}`;
}

/** The text as it was without the block; null where there was no file. */
export function withoutBlock(text: string): string | null {
  const found = BLOCK.exec(text);
  if (found === null) return text;
  const before = text.slice(0, found.index);
  const rest = text.slice(found.index + found[0].length);
  if (found[1] === 'file made' && before + rest === '') return null;
  // somebody may have written on below it
  return found[1] === 'line ended' && rest === '' ? before.replace(/\n$/, '') : before + rest;
}

export function hasBlock(text: string): boolean {
  return BLOCK.test(text);
}

/** Whether one of the two marks is there without the other: nobody can tell what lies between them. */
export function isBroken(text: string): boolean {
  return HALF.test(text.replace(BLOCK, ''));
}

function block(lines: readonly string[], before: Before): string {
  const note = before === null ? '' : ` (${before})`;
  return [`# >>> pit completion${note} >>>`, ...lines, '# <<< pit completion <<<', ''].join('\n');
}
