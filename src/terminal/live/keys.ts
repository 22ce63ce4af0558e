/** A key that was pressed, or a text that was pasted. */
export interface Key {
  /** `up`, `enter`, `escape`, `ctrl-c`, `alt-x`, `shift-tab`, `f1`, `paste`; a character is its own name. */
  readonly name: string;
  /** The character, or the pasted text; empty for other keys. */
  readonly text: string;
  /** Whether nothing else came with it: neither typed ahead nor pasted by a terminal that does not mark pasted text. */
  readonly isAlone: boolean;
}

type Pressed = Omit<Key, 'isAlone'>;

const ESCAPE = '\u001b';
const PASTE_BEGINS = `${ESCAPE}[200~`;
const PASTE_ENDS = `${ESCAPE}[201~`;
/** Longer pasted text is cut: nothing that is asked for is so long. */
const LONGEST_PASTE = 4_096;

const FINALS: Readonly<Record<string, string>> = {
  ...{ A: 'up', B: 'down', C: 'right', D: 'left', F: 'end', H: 'home', M: 'enter' },
  ...{ P: 'f1', Q: 'f2', R: 'f3', S: 'f4', Z: 'shift-tab' },
};
const NUMBERED: Readonly<Record<string, string>> = {
  ...{ 1: 'home', 2: 'insert', 3: 'delete', 4: 'end', 5: 'page-up', 6: 'page-down', 7: 'home', 8: 'end' },
  ...{ 11: 'f1', 12: 'f2', 13: 'f3', 14: 'f4', 15: 'f5', 17: 'f6', 18: 'f7', 19: 'f8', 20: 'f9', 21: 'f10' },
  ...{ 23: 'f11', 24: 'f12' },
};
const CONTROLS: Readonly<Record<string, string>> = {
  ...{ '\r': 'enter', '\n': 'enter', '\t': 'tab', '\b': 'backspace', '\u007f': 'backspace', '\0': 'ctrl-space' },
};

/** Codes of the CSI sequences that kitty and xterm send for keys that have no sequence of their own. */
const CODES: Readonly<Record<string, string>> = { 9: 'tab', 13: 'enter', 27: 'escape', 127: 'backspace' };

/** What a terminal sends after Escape, each form with all that belongs to it. Mouse reports and answers are no keys. */
const SEQUENCES: readonly { readonly form: RegExp; readonly key: (match: RegExpExecArray) => string | undefined }[] = [
  // X10 mouse
  { form: /^\[M.{3}/s, key: () => undefined },
  // the Linux console's function keys
  { form: /^\[\[([A-E])/, key: ([, letter = '']) => `f${letter.charCodeAt(0) - 64}` },
  { form: /^\[([0-?]*)[ -/]*([@-~])/, key: ([, parameters = '', final = '']) => controlKey(parameters, final) },
  { form: /^O([@-~])/, key: ([, final = '']) => FINALS[final] },
  // titles, colours and other answers to questions
  { form: /^[\]PX^_]\P{Cc}*(?:\u0007|\u001b\\)/u, key: () => undefined },
];
/** The beginning of one of them: more of it may come. */
const UNFINISHED = /^(?:|\[|\[M.{0,2}|\[\[|\[[0-?]+[ -/]*|O|[\]PX^_]\P{Cc}*\u001b?)$/su;

/**
 * Reads what a terminal sent in one piece.
 *
 * @param text with the rest of what came before
 * @returns the keys, and the rest: an incomplete sequence or pasted text
 */
export function readKeys(text: string): { readonly keys: readonly Key[]; readonly rest: string } {
  const pressed: Pressed[] = [];
  let rest = text;
  while (rest !== '') {
    const next = readOne(rest);
    if (next === undefined) break;
    if (next.key !== undefined) pressed.push(next.key);
    rest = rest.slice(next.length);
  }
  const isAlone = pressed.length === 1 && rest === '';
  return { keys: pressed.map((key) => ({ ...key, isAlone })), rest: shortenedPaste(rest) };
}

/** How long to wait for more after a rest: what is left of a key comes at once, a pasted text may take longer. */
export function patienceMs(rest: string): number {
  return rest.startsWith(PASTE_BEGINS) ? 1_000 : 50;
}

/** The keys of a rest after which nothing came for a while: Escape itself, or a pasted text whose end is missing. */
export function keysOfRest(rest: string): readonly Key[] {
  if (rest.startsWith(PASTE_BEGINS)) return [{ ...pasted(rest.slice(PASTE_BEGINS.length)), isAlone: true }];
  return rest === ESCAPE ? [{ name: 'escape', text: '', isAlone: true }] : [];
}

/** The first key and the length of what stands for it, undefined if more has to come. The key is undefined if it is none. */
function readOne(text: string): { readonly key: Pressed | undefined; readonly length: number } | undefined {
  if (text.startsWith(PASTE_BEGINS)) {
    const end = text.indexOf(PASTE_ENDS);
    if (end === -1) return undefined;
    return { key: pasted(text.slice(PASTE_BEGINS.length, end)), length: end + PASTE_ENDS.length };
  }
  const [first = ''] = text;
  if (first !== ESCAPE) return { key: characterKey(first), length: first.length };
  return readSequence(text);
}

function readSequence(text: string): ReturnType<typeof readOne> {
  const after = text.slice(1);
  if (UNFINISHED.test(after)) return undefined;
  for (const { form, key } of SEQUENCES) {
    const match = form.exec(after);
    if (match === null) continue;
    const name = key(match);
    return { key: name === undefined ? undefined : { name, text: '' }, length: 1 + match[0].length };
  }
  const [character = ''] = after;
  if (character === ESCAPE) return { key: { name: 'escape', text: '' }, length: 1 };
  return { key: { name: `alt-${characterKey(character).name}`, text: '' }, length: 1 + character.length };
}

function controlKey(parameters: string, final: string): string | undefined {
  // `?`, `<`, `=` and `>`: an answer or a mouse report
  if (/^[<-?]/.test(parameters)) return undefined;
  const [number = '', modifiers = '1'] = parameters.split(';');
  const name = final === '~' ? NUMBERED[number] : final === 'u' ? CODES[number] : FINALS[final];
  return name === undefined ? undefined : `${modifierNames(Number(modifiers) - 1)}${name}`;
}

function modifierNames(bits: number): string {
  return `${bits & 4 ? 'ctrl-' : ''}${bits & 2 ? 'alt-' : ''}${bits & 1 ? 'shift-' : ''}`;
}

function characterKey(character: string): Pressed {
  const named = CONTROLS[character];
  if (named !== undefined) return { name: named, text: '' };
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return { name: `ctrl-${String.fromCharCode(code + 0x40).toLowerCase()}`, text: '' };
  return code >= 0x80 && code < 0xa0 ? { name: 'unknown', text: '' } : { name: character, text: character };
}

function pasted(text: string): Pressed {
  return { name: 'paste', text: text.slice(0, LONGEST_PASTE) };
}

/** Keeps its end, which may be the beginning of what ends it. */
function shortenedPaste(rest: string): string {
  const max = PASTE_BEGINS.length + LONGEST_PASTE + PASTE_ENDS.length;
  if (rest.length <= max) return rest;
  return rest.slice(0, PASTE_BEGINS.length + LONGEST_PASTE) + rest.slice(-PASTE_ENDS.length);
}
