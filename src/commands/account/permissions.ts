import type { CommandTable } from '../../cli/definition.js';

/**
 * What each permission of a key allows, in the interface's words. The interface does not state which operation needs which
 * permission; what a command `needs` is inferred from the words.
 */
export const PERMISSIONS = {
  asset: 'query account info and assets',
  lever: 'margin: investment and lending management',
  entrust: 'place, cancel and query orders',
  money: 'deposit and withdrawal addresses and records, withdrawals',
} as const;

export type Permission = keyof typeof PERMISSIONS;

/** What needs a permission and is a flag, not a command. */
const FLAGS: Readonly<Partial<Record<Permission, string>>> = {
  lever: 'order with --account isolated or cross, --borrow, --repay',
};

/** Returns what needs each permission: commands by their first words, or flags. It loads every command. */
export async function whatNeeds(commands: CommandTable): Promise<(permission: Permission) => string> {
  const loaded = await Promise.all(
    Object.entries(commands).map(async ([words, load]) => ({ words, needs: (await load()).default.needs ?? [] })),
  );
  return (permission) => {
    const needing = loaded.flatMap(({ words, needs }) =>
      needs.includes(permission) ? [words.replace(/ .*/, '')] : [],
    );
    return FLAGS[permission] ?? [...new Set(needing)].join(', ');
  };
}
