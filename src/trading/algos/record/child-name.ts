import type { ChildRole } from '../plan/children.js';

/** The letter of each role in the client id of a child. */
const ROLE_LETTERS: Readonly<Record<ChildRole, string>> = { entry: 'e', take: 't', stop: 's' };

/** The name of a child: the id of its algo order, what it is for, and its number. */
interface ChildName {
  readonly parent: string;
  readonly role: ChildRole;
  readonly number: number;
}

/** The client id of a child. It holds the whole name, so the order itself says which algo order it belongs to. */
export function childId({ parent, role, number }: ChildName): string {
  return `${parent}${ROLE_LETTERS[role]}${number}`;
}

/** The name of a child by its client id; undefined for an order that is none. */
export function childName(clientId: string): ChildName | undefined {
  const [, parent, letter, number] = /^(a[a-hj-km-np-z2-9]{6})([ets])([1-9]\d{0,8})$/.exec(clientId) ?? [];
  const role = (Object.keys(ROLE_LETTERS) as ChildRole[]).find((one) => ROLE_LETTERS[one] === letter);
  return parent === undefined || role === undefined ? undefined : { parent, role, number: Number(number) };
}

/** The algo order of a child, by its client id; undefined for an order that is no child. */
export function parentOf(clientId: string): string | undefined {
  return childName(clientId)?.parent;
}
