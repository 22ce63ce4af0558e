import type { AccountReport } from '../../sandbox/admin/accounts.js';
import type { Column } from '../../terminal/table.js';

/** The permissions that a key has, as people read them. */
function permitted({ permissions }: AccountReport): string {
  const names = Object.entries(permissions).flatMap(([name, has]) => (has ? [name] : []));
  return names.join(', ') || 'none';
}

export const ACCOUNT_FIELDS = ['id', 'username', 'accessKey', 'secretKey', 'safePwd', 'permissions'] as const;

export const ACCOUNT_COLUMNS: readonly Column<AccountReport>[] = [
  { title: 'account', value: ({ username }) => username, importance: 9 },
  { title: 'permissions', value: permitted, importance: 5 },
  { title: 'access key', value: ({ accessKey }) => accessKey, importance: 8 },
  { title: 'secret key', value: ({ secretKey }) => secretKey, importance: 7 },
  { title: 'fund password', value: ({ safePwd }) => safePwd, importance: 4 },
];
