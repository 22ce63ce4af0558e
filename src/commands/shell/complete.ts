import fs from 'node:fs';
import path from 'node:path';
import { complete, type Names } from '../completion/complete.js';
import type { CommandTree } from '../reference/command-tree.js';
import { scan } from './line.js';

/** What can complete the end of a line. */
interface LineCompletion {
  /** The typed part that a candidate replaces. */
  readonly replaces: string;
  readonly candidates: readonly string[];
}

/** The words that only this shell has, which come before those of pit. */
const OWN_WORDS = ['use', 'exit'];

/** More would fill the screen. */
const MOST_FILES = 500;

/** What can be typed at the end of a line of `pit shell`. */
export function completeLine(line: string, tree: CommandTree, names: Names): LineCompletion {
  const { words, isOpen, quote, operator } = scan(line);
  if (operator !== null || quote !== null) return { replaces: '', candidates: [] };
  const texts = words.map(({ text }) => text);
  const typed = isOpen ? (texts.pop() ?? '') : '';
  if (texts[0] === 'pit') texts.shift();
  const own = texts.length === 0 ? OWN_WORDS.filter((word) => word.startsWith(typed)) : [];
  const candidates = [...own, ...wordsOf(texts, typed, tree, names)];
  const [only] = candidates;
  // a word that may go on gets no space
  const isWhole = candidates.length === 1 && only !== undefined && !/[=:/,]$/.test(only);
  return { replaces: typed, candidates: isWhole ? [`${only} `] : candidates };
}

function wordsOf(words: readonly string[], typed: string, tree: CommandTree, names: Names): string[] {
  const isUse = words[0] === 'use';
  if (isUse && (words.length > 1 || typed.startsWith('-'))) return [];
  // its market completes as that of any command
  const found = complete(isUse ? ['depth'] : words, typed, tree, names);
  if (found.of === 'words') return found.candidates.map(({ word }) => word);
  return found.of === 'file' ? files(typed) : [];
}

function files(typed: string): string[] {
  const [, lead = '', file = ''] = /^(--[a-z-]+=)?(.*)$/.exec(typed) ?? [];
  const folder = file.slice(0, file.lastIndexOf('/') + 1);
  try {
    const entries = fs.readdirSync(path.resolve(folder), { withFileTypes: true }).slice(0, MOST_FILES);
    return entries
      .filter(({ name }) => /^[\w@%+=:,.-]+$/.test(name))
      .map((entry) => `${lead}${folder}${entry.name}${entry.isDirectory() ? '/' : ''}`)
      .filter((name) => name.startsWith(typed));
  } catch {
    return [];
  }
}
