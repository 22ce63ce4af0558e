import { randomBytes, randomUUID } from 'node:crypto';
import { suggest } from '../../errors.js';
import { type Customer, type Permissions, UsernameTaken } from '../desk/accounts.js';
import type { Exchange } from '../exchange.js';
import { type AdminCall, type AdminInput, AdminRefusal, plainly } from './call.js';

/** An account of the sandbox with its play keys. */
export interface AccountReport {
  readonly id: string;
  readonly username: string;
  readonly accessKey: string;
  readonly secretKey: string;
  readonly safePwd: string;
  readonly permissions: Permissions;
}

export const PERMISSION_NAMES = ['asset', 'lever', 'entrust', 'money'] as const;

/** `POST /accounts/add` takes a `name` and `permissions`, all of them when they are left out. */
export function accountCalls(exchange: () => Exchange): [string, AdminCall][] {
  return [
    ['GET /accounts', plainly(() => exchange().administration.accounts().map(report))],
    ['POST /accounts/add', plainly((input) => add(exchange(), input))],
  ];
}

/** The account of a name. Throws {@link AdminRefusal} when there is none; the first one when no name is given. */
export function accountNamed({ administration }: Exchange, name: string | undefined): Customer {
  const accounts = administration.accounts();
  const found = name === undefined ? accounts[0] : accounts.find(({ username }) => username === name);
  if (found !== undefined) return found;
  throw new AdminRefusal(`There is no account ${name}.`, [
    `There are ${accounts.map(({ username }) => username).join(', ')}.`,
    suggest('Add one', 'sandbox', 'account', 'add', 'NAME'),
  ]);
}

async function add(exchange: Exchange, input: AdminInput): Promise<AccountReport> {
  const username = input.text('name');
  if (!/^[A-Za-z0-9_.-]{1,40}$/.test(username)) {
    throw new AdminRefusal(`"${username}" is not a name.`, 'Use 1 to 40 letters, digits, dots, dashes or underscores.');
  }
  const secrets = { accessKey: randomUUID(), secretKey: randomUUID(), safePwd: randomBytes(9).toString('base64url') };
  try {
    const added = exchange.administration.addAccount({ username, ...secrets }, permissionsIn(input));
    await exchange.durable();
    return report(added);
  } catch (error) {
    if (!(error instanceof UsernameTaken)) throw error;
    throw new AdminRefusal(
      `There is an account ${username} already.`,
      suggest('See its keys', 'sandbox', 'account', 'list'),
    );
  }
}

function permissionsIn(input: AdminInput): Permissions {
  const given: readonly string[] = input.texts('permissions') ?? PERMISSION_NAMES;
  const unknown = given.find((name) => PERMISSION_NAMES.every((known) => known !== name));
  if (unknown !== undefined) {
    throw new AdminRefusal(`"${unknown}" is not a permission.`, `There are ${PERMISSION_NAMES.join(', ')}.`);
  }
  const has = (name: string) => given.includes(name);
  return { asset: has('asset'), lever: has('lever'), entrust: has('entrust'), money: has('money') };
}

function report({ id, username, accessKey, secretKey, safePwd, permissions }: Customer): AccountReport {
  return { id, username, accessKey, secretKey, safePwd, permissions };
}
