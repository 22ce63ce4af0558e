/** What {@link withoutBlock} has to undo beside the block itself. These words are in users' files. */
type Before = 'line ended' | 'file made' | null;

const BLOCK = /^# >>> pit completion(?: \((line ended|file made)\))? >>>\n[\s\S]*?^# <<< pit completion <<<\n?/m;
const MARKER = /^# (?:>>>|<<<) pit completion\b/m;

/** The text with marked lines at its end, or in place of those already marked. @param text null if there is no file */
export function withBlock(text: string | null, lines: readonly string[]): string {
  const found = BLOCK.exec(text ?? '');
  if (text !== null && found !== null) {
    const same = block(lines, (found[1] ?? null) as Before);
    return text.slice(0, found.index) + same + text.slice(found.index + found[0].length);
  }
  if (text === null) return block(lines, 'file made');
  return text === '' || text.endsWith('\n') ? `${text}${block(lines, null)}` : `${text}\n${block(lines, 'line ended')}`;
}

/** The text as it was before {@link withBlock}; null if there was no file. */
export function withoutBlock(text: string): string | null {
  const found = BLOCK.exec(text);
  if (found === null) return text;
  const before = text.slice(0, found.index);
  const rest = text.slice(found.index + found[0].length);
  if (found[1] === 'file made' && before + rest === '') return null;
  // the user may have added lines below
  return found[1] === 'line ended' && rest === '' ? before.replace(/\n$/, '') : before + rest;
}

export function hasBlock(text: string): boolean {
  return BLOCK.test(text);
}

/** Whether a marker lacks its counterpart, so that the extent of the block is unknown. */
export function hasSingleMarker(text: string): boolean {
  return MARKER.test(text.replace(BLOCK, ''));
}

function block(lines: readonly string[], before: Before): string {
  const note = before === null ? '' : ` (${before})`;
  return [`# >>> pit completion${note} >>>`, ...lines, '# <<< pit completion <<<', ''].join('\n');
}
