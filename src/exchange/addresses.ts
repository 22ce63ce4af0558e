import { Failure } from '../errors.js';
import type { ExchangeClient } from './exchange-client.js';
import { readFees } from './fee-info.js';
import { OBSERVED } from './observed-codes.js';
import type { operations } from './operations/index.js';
import type { Result } from './operations/operation.js';

/** Where coins come in or may go to. What the exchange does not tell is null. */
export interface ChainAddress {
  readonly coin: string;
  readonly chain: string | null;
  /** On a chain with a memo the account that receives for many. Null where the exchange lists a chain without one. */
  readonly address: string | null;
  readonly memo: string | null;
  /** Coins sent without their memo are lost. */
  readonly needsMemo: boolean;
  readonly canDeposit: boolean | null;
  readonly canWithdraw: boolean | null;
}

const VERIFIED = 'verified withdrawal address';

type PayinEntry = Result<typeof operations.getPayinAddress>['message']['datas'][number];

/**
 * Where the account receives a coin, one address for each chain; the single address where the exchange refuses the
 * multi-chain operation or lists nothing there.
 *
 * Throws Failure `refused` where there is no address yet, and as {@link ExchangeClient.read}.
 */
export async function readDepositAddresses(client: ExchangeClient, coin: string): Promise<ChainAddress[]> {
  const listed = await readChainAddresses(client, coin).catch((error: unknown) => {
    if (isAboutTheCoin(error)) return [];
    throw error;
  });
  if (listed.some(({ address }) => address !== null)) return listed;
  return [await readDepositAddress(client, coin)];
}

/** The one address of a coin with one chain. Throws as {@link readDepositAddresses}. */
export async function readDepositAddress(client: ExchangeClient, coin: string): Promise<ChainAddress> {
  return single(client, coin, 'getUserAddress', 'deposit address');
}

/** The verified address that withdrawals of a coin may go to; the exchange tells one. Throws as {@link readDepositAddresses}. */
export async function readWithdrawalAddress(client: ExchangeClient, coin: string): Promise<ChainAddress> {
  return single(client, coin, 'getWithdrawAddress', VERIFIED);
}

/** Where the account receives a coin on each chain, as the multi-chain operation lists it. Throws as {@link ExchangeClient.read}. */
export async function readChainAddresses(client: ExchangeClient, coin: string): Promise<ChainAddress[]> {
  const { datas } = (await client.read('getPayinAddress', { currency: coin })).message;
  return datas.map((entry) => chainAddress(coin, entry));
}

/** "When true, the deposit information is `account` plus `memo`. When false it is `address`." */
function chainAddress(coin: string, { blockChain, isUseMemo, address, account, memo, ...gates }: PayinEntry) {
  const place = isUseMemo ? account || address : address || account;
  const told = isUseMemo ? memo || null : null;
  return { coin, chain: blockChain, address: place || null, memo: told, needsMemo: isUseMemo, ...gates };
}

/** The verified address as `receiveAddr` takes it, with the memo joined where there is one. Throws as {@link readDepositAddresses}. */
export function readVerifiedAddress(client: ExchangeClient, coin: string): Promise<string> {
  return textOf(client, coin, 'getWithdrawAddress', VERIFIED);
}

async function single(
  client: ExchangeClient,
  coin: string,
  operation: 'getUserAddress' | 'getWithdrawAddress',
  what: string,
): Promise<ChainAddress> {
  const text = await textOf(client, coin, operation, what);
  const known = { coin, chain: null, ...(await gatesOf(client, coin)) };
  const joined = /^([^_]+)_(.+)$/.exec(text);
  const [, account = text, memo = null] = joined !== null && (await usesMemos(client, coin)) ? joined : [];
  return { ...known, address: account, memo, needsMemo: memo !== null };
}

/** What all chains of the coin have in common: nobody tells which one the address is of. */
async function gatesOf(
  client: ExchangeClient,
  coin: string,
): Promise<Pick<ChainAddress, 'canDeposit' | 'canWithdraw'>> {
  const fees = await readFees(client, coin).catch(nothingKnown);
  const shared = (gates: readonly (boolean | null)[]) => (new Set(gates).size === 1 ? (gates[0] ?? null) : null);
  return {
    canDeposit: shared(fees.map(({ canDeposit }) => canDeposit)),
    canWithdraw: shared(fees.map(({ canWithdraw }) => canWithdraw)),
  };
}

async function textOf(
  client: ExchangeClient,
  coin: string,
  operation: 'getUserAddress' | 'getWithdrawAddress',
  what: string,
): Promise<string> {
  try {
    const { key } = (await client.read(operation, { currency: coin })).message.datas;
    if (key !== null && key.trim() !== '') return key;
  } catch (error) {
    if (isAboutTheCoin(error)) throw noAddress(coin, what, error);
    throw error;
  }
  throw noAddress(coin, what);
}

/** "The address must first be obtained in the application or website." */
function noAddress(coin: string, what: string, refused?: Failure): Failure {
  const said = refused === undefined ? '' : ` (${refused.message})`;
  const code = refused?.code ?? null;
  return new Failure('refused', `The exchange gives no ${what} for ${coin}${said}.`, {
    hint: "Obtain it first in the exchange's app or on its website.",
    ...(code === null ? {} : { code }),
  });
}

/** `<account>_<remark>` is the form of chains with a memo; elsewhere the mark may be a part of the address. */
async function usesMemos(client: ExchangeClient, coin: string): Promise<boolean> {
  const chains = await readChainAddresses(client, coin).catch(nothingKnown);
  return chains.length > 0 && chains.every(({ needsMemo }) => needsMemo);
}

/** For what is only asked to know more. */
function nothingKnown(error: unknown): never[] {
  if (error instanceof Failure) return [];
  throw error;
}

/** Codes that are about the key and not about what was asked. */
const ABOUT_THE_KEY: ReadonlySet<number | null> = new Set([
  OBSERVED.noPermission,
  OBSERVED.badSignature,
  OBSERVED.noUser,
  OBSERVED.badAddress,
  OBSERVED.expired,
]);

function isAboutTheCoin(error: unknown): error is Failure {
  return error instanceof Failure && error.kind === 'refused' && !ABOUT_THE_KEY.has(error.code);
}
