import { usage } from '../../errors.js';
import type { Host } from '../../platform/host.js';
import { hasBlock, isBroken, withBlock, withoutBlock } from './block.js';
import { asBytes, readOwn, removeOwn, writeOwn } from './files.js';
import { certainPlaces, type Places, placesOf } from './places.js';
import { isOurs, type Shell, scriptText } from './shells.js';

/** What is to become of a file. */
export interface Change {
  readonly file: string;
  /** What is done, as in `write /home/me/file`. */
  readonly words: string;
  /** Null: it is removed. */
  readonly text: string | null;
}

/**
 * What makes a shell complete pit's command lines, without what is so already.
 * @throws Failure `usage` where a file is in the way that pit did not put there, marked lines are damaged, or there is no
 *   certain place for them
 */
export function installing(host: Pick<Host, 'environment' | 'self'>, shell: Shell): Change[] {
  const { script, startup } = certainPlaces(shell, host.environment);
  const wanted = asBytes(scriptText(host, shell));
  const found = readOwn(script);
  requireOurs(script, found);
  const changes = found === wanted ? [] : [{ file: script, words: `write ${script}`, text: wanted }];
  if (startup === null) return changes;
  const before = readStartup(startup.file);
  const text = withBlock(before, startup.lines.map(asBytes));
  const { file } = startup;
  const words = before === null ? `make ${file} with marked lines` : `add marked lines to ${file}`;
  return text === before ? changes : [...changes, { file, words, text }];
}

/** What takes out again what {@link installing} put in, and nothing else. @throws Failure `usage` as there */
export function uninstalling({ environment }: Pick<Host, 'environment'>, shell: Shell): Change[] {
  const { script, startup } = certainPlaces(shell, environment);
  const found = readOwn(script);
  requireOurs(script, found);
  const changes: Change[] = found === null ? [] : [{ file: script, words: `remove ${script}`, text: null }];
  const before = startup === null ? null : readStartup(startup.file);
  if (startup === null || before === null || !hasBlock(before)) return changes;
  // the lines go first: a shell that starts in between finds no script that is named and not there
  const { file } = startup;
  return [{ file, words: `take pit's marked lines out of ${file}`, text: withoutBlock(before) }, ...changes];
}

export function carryOut(changes: readonly Change[]): void {
  for (const { file, text } of changes) {
    if (text === null) removeOwn(file);
    else writeOwn(file, text);
  }
}

/** Whether the completion of a shell is there, and is this version's. Never fails. */
export function completionState(host: Pick<Host, 'environment' | 'self'>, shell: Shell) {
  const places = placesOf(shell, host.environment);
  const script = tryRead(() => readOwn(places.script));
  const isThere = script !== null && isOurs(script) && isNamed(places);
  const isCurrent = isThere && tryRead(() => asBytes(scriptText(host, shell))) === script;
  return { shell, script: places.script, isInstalled: isThere, isCurrent };
}

function isNamed({ startup }: Places): boolean {
  if (startup === null) return true;
  return hasBlock(tryRead(() => readOwn(startup.file)) ?? '');
}

function tryRead(read: () => string | null): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}

function requireOurs(file: string, text: string | null): void {
  if (text === null || text === '' || isOurs(text)) return;
  throw usage(`${file} is there, and is not pit's.`, 'Move it away, and run this again; nothing was changed.');
}

function readStartup(file: string): string | null {
  const text = readOwn(file);
  if (text === null || !isBroken(text)) return text;
  throw usage(
    `${file} has one of pit's two marks without the other.`,
    'Take "pit completion" and the lines that belong to it out of the file, and run this again; nothing was changed.',
  );
}
