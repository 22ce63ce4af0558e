import fs from 'node:fs';
import path from 'node:path';
import { systemErrorCode } from '../../errors.js';
import { HIDDEN, ignoringMissing, removeLink } from './files.js';
import { decodeOwner, isOwnerAlive, type Owner, thisProcess } from './owner.js';

/**
 * What only one process may do. A claim is a link `.NAME.NUMBER` that names its process, and the system lets only one process make it. Only
 * that process removes it. The link of a process that died is never removed, and the next process takes the next number: so of two that
 * find the same dead process, one gets its place. A gap in the numbers would let a second process claim below the one that holds it.
 */
interface Claim {
  /** Undefined if the link does not say which process made it: it may be alive. */
  readonly owner: Owner | undefined;
  readonly isHeld: boolean;
}

/** As {@link claimLink} writes it: no other name is ever looked at, and the next number is one too. */
const NUMBER = /^[1-9]\d{0,14}$/;

/** The link of the claim of this number on a file. */
export function claimLink(file: string, number: number): string {
  return path.join(path.dirname(file), `${HIDDEN}${path.basename(file)}${HIDDEN}${number}`);
}

/** The number of the newest claim on a file; 0 if there is none. @param names those in its folder */
export function newestClaim(file: string, names: readonly string[]): number {
  const beginning = `${HIDDEN}${path.basename(file)}${HIDDEN}`;
  const numbers = names.flatMap((name) => {
    const number = name.startsWith(beginning) ? name.slice(beginning.length) : '';
    return NUMBER.test(number) ? Number(number) : [];
  });
  return Math.max(0, ...numbers);
}

/** Makes the claim of this number; false if a process has made it. Throws the system's error. @param owner this process */
export function makeClaim(file: string, number: number, owner = thisProcess()): boolean {
  try {
    fs.symlinkSync(JSON.stringify(owner), claimLink(file, number));
    return true;
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'EEXIST') return false;
    throw thrown;
  }
}

/**
 * Claims a file for this process and returns the number of the claim. It passes over claims of dead processes. If another claim is
 * held, it makes none and returns that one. Throws the system's error.
 * @param first the number that it tries first: all claims below it have ended, and there is no gap below it
 * @param owner this process
 */
export function claimNext(file: string, first: number, owner = thisProcess()): { readonly number: number } | Claim {
  for (let number = first; ; ) {
    if (makeClaim(file, number, owner)) return { number };
    const other = claimOn(file, number);
    if (other?.isHeld === true) return other;
    // it was given up meanwhile
    if (other !== undefined) number += 1;
  }
}

/** The claim of this number; undefined if there is none. Throws the system's error. */
export function claimOn(file: string, number: number): Claim | undefined {
  let text: string | undefined;
  ignoringMissing(() => {
    text = fs.readlinkSync(claimLink(file, number));
  });
  if (text === undefined) return undefined;
  const owner = decodeOwner(text);
  return { owner, isHeld: owner === undefined || isOwnerAlive(owner) };
}

/** Gives up the claim of this number, which this process has made. Throws the system's error. */
export function giveUpClaim(file: string, number: number): void {
  removeLink(claimLink(file, number));
}
