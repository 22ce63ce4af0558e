import type { Permission } from '../../domain/account.js';
import { type Advice, suggest } from '../../errors.js';

/**
 * What each permission of a key allows, in the interface's words. The interface does not state which operation needs which
 * permission.
 */
export const PERMISSIONS = {
  asset: 'query account info and assets',
  lever: 'margin: investment and lending management',
  entrust: 'place, cancel and query orders',
  money: 'deposit and withdrawal addresses and records, withdrawals',
} as const satisfies Readonly<Record<Permission, string>>;

/** The permissions that a key needs for a command, by its first word. They are inferred from what the permissions allow. */
const NEEDS = {
  order: ['entrust'],
  orders: ['entrust'],
  fills: ['entrust'],
  pnl: ['asset', 'entrust'],
  cancel: ['entrust'],
  'cancel-after': ['entrust'],
  halt: ['entrust'],
  algo: ['entrust'],
  resolve: ['entrust'],
  account: ['asset'],
  balance: ['asset'],
  bills: ['asset'],
  ledger: ['asset', 'entrust'],
  address: ['money'],
  deposits: ['money'],
  withdrawals: ['money'],
  withdraw: ['asset', 'money'],
} as const satisfies Readonly<Record<string, readonly Permission[]>>;

/** A command that needs a permission, by its first word. */
export type PermittedCommand = keyof typeof NEEDS;

/**
 * The permissions that a key needs for a command, by its first word; empty for one that needs none.
 * @internal for its test
 */
export function permissionsFor(command: string): readonly Permission[] {
  return command in NEEDS ? NEEDS[command as PermittedCommand] : [];
}

/** What needs a permission: commands by their first words, or flags. */
export function whatNeeds(permission: Permission): string {
  if (permission === 'lever') return 'order with --account isolated or cross, --borrow, --repay';
  return Object.keys(NEEDS)
    .filter((command) => permissionsFor(command).includes(permission))
    .join(', ');
}

/** What to do if the exchange refuses a command because the key lacks a permission. */
export function permissionHint(command: PermittedCommand): Advice {
  const needed = NEEDS[command];
  return [
    `It needs the ${needed.length === 1 ? 'permission' : 'permissions'} ${needed.join(' and ')}.`,
    suggest('See what your key may do', 'account'),
    'Create a key with more permissions on the website of the exchange.',
  ];
}
