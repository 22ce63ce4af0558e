import { Refusal } from '../refusals.js';
import { FUNDS } from '../server/choices.js';
import type { Codec, Table } from '../store-table.js';

/** Wrong fund passwords in a row, and until when none is looked at any more. */
interface Attempts {
  readonly wrong: number;
  /** ms since the Unix epoch. */
  readonly lockedUntil: number;
}

export const attemptsCodec: Codec<Attempts> = {
  encode: ({ wrong, lockedUntil }) => [wrong, lockedUntil],
  decode: (row) => {
    const [wrong, lockedUntil] = row as [number, number];
    return { wrong, lockedUntil };
  },
};

/** Compares fund passwords, and locks an account's after too many wrong ones. */
export class FundPasswords {
  constructor(private readonly table: Table<Attempts>) {}

  /** Throws {@link Refusal} 1005 for a wrong one, which counts, and 1004 for any while the account's is locked. */
  check(account: string, expected: string, given: string, now: number): void {
    const { wrong, lockedUntil } = this.table.get(account) ?? { wrong: 0, lockedUntil: 0 };
    if (now < lockedUntil) throw new Refusal('fundPasswordLocked', `until ${new Date(lockedUntil).toISOString()}`);
    if (given === expected) {
      if (wrong > 0) this.table.delete(account);
      return;
    }
    const isLast = wrong + 1 >= FUNDS.wrongPasswords;
    this.table.put(
      account,
      isLast ? { wrong: 0, lockedUntil: now + FUNDS.passwordLock } : { wrong: wrong + 1, lockedUntil: 0 },
    );
    throw new Refusal('badFundPassword');
  }
}
