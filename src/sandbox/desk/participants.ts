/** The accounts that quote. */
export const MAKERS = ['maker-1', 'maker-2', 'maker-3'] as const;
/** The accounts that trade against quotes. */
export const TAKERS = ['taker-1', 'taker-2'] as const;

const ALL: ReadonlySet<string> = new Set([...MAKERS, ...TAKERS]);

/** Whether an account is one of the sandbox's own traders: these have no bills and no history of orders. */
export function isSimulated(account: string): boolean {
  return ALL.has(account);
}
