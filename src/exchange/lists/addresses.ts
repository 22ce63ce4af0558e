import type { ChainAddress, ChainFee } from '../../domain/funds.js';
import type { RefusalKind } from '../../domain/refusal.js';
import { Failure } from '../../errors.js';

const VERIFIED = 'verified withdrawal address';

type AddressKind = 'deposit address' | typeof VERIFIED;

interface OfCoin {
  readonly coin: string;
}

/** What the exchange says of addresses, one answer each. */
export interface AddressSource {
  listedAddresses(request: OfCoin): Promise<readonly ChainAddress[]>;
  depositAddressText(request: OfCoin): Promise<string | null>;
  verifiedAddressText(request: OfCoin): Promise<string | null>;
  fees(request: OfCoin): Promise<readonly ChainFee[]>;
}

/**
 * Where the account receives a coin, one address per chain; the single address if the exchange refuses the multi-chain
 * operation or lists nothing there.
 *
 * Throws Failure `refused` if there is no address yet; and `unreachable`, `limited`, `credentials`, or `internal` for a response
 * that is not what the interface says, as the other functions here do.
 */
export async function readDepositAddresses(source: AddressSource, coin: string): Promise<readonly ChainAddress[]> {
  const refusals: Failure[] = [];
  const listed = await source.listedAddresses({ coin }).catch((error: unknown) => {
    if (!isAboutTheCoin(error)) throw error;
    refusals.push(error);
    return [];
  });
  if (listed.some(({ address }) => address !== null)) return listed;
  return [await single(source, coin, 'deposit address', refusals)];
}

/** The one address of a coin with one chain. */
export async function readDepositAddress(source: AddressSource, coin: string): Promise<ChainAddress> {
  return single(source, coin, 'deposit address');
}

/** The verified address that withdrawals of a coin may go to; the exchange reports one. */
export async function readWithdrawalAddress(source: AddressSource, coin: string): Promise<ChainAddress> {
  return single(source, coin, VERIFIED);
}

/** The verified address as a withdrawal takes it; null if the exchange reports none. It reports one, and may know more. */
export function readVerifiedAddress(source: AddressSource, coin: string): Promise<string> {
  return readAddressText(source, coin, VERIFIED);
}

/** @param refusals what was refused before it */
async function single(
  source: AddressSource,
  coin: string,
  what: AddressKind,
  refusals: readonly Failure[] = [],
): Promise<ChainAddress> {
  const text = await readAddressText(source, coin, what, refusals);
  const common = { coin, chain: null, ...(await gatesOf(source, coin)) };
  const joined = /^([^_]+)_(.+)$/.exec(text);
  const [, account = text, memo = null] = joined !== null && (await usesMemos(source, coin)) ? joined : [];
  return { ...common, address: account, memo, needsMemo: memo !== null };
}

/** What all chains of the coin have in common: the exchange does not report which one the address is on. */
async function gatesOf(source: AddressSource, coin: string): Promise<Pick<ChainAddress, 'canDeposit' | 'canWithdraw'>> {
  const fees = await source.fees({ coin }).catch(nothingKnown);
  const shared = (gates: readonly (boolean | null)[]) => (new Set(gates).size === 1 ? (gates[0] ?? null) : null);
  return {
    canDeposit: shared(fees.map(({ canDeposit }) => canDeposit)),
    canWithdraw: shared(fees.map(({ canWithdraw }) => canWithdraw)),
  };
}

async function readAddressText(
  source: AddressSource,
  coin: string,
  what: AddressKind,
  refusals: readonly Failure[] = [],
): Promise<string> {
  try {
    const key = await (what === VERIFIED ? source.verifiedAddressText({ coin }) : source.depositAddressText({ coin }));
    if (key !== null && key.trim() !== '') return key;
  } catch (error) {
    if (isAboutTheCoin(error)) throw noAddress(coin, what, [...refusals, error]);
    throw error;
  }
  throw noAddress(coin, what, refusals);
}

/** "The address must first be obtained in the application or website." */
function noAddress(coin: string, what: AddressKind, refusals: readonly Failure[]): Failure {
  const [refused] = refusals;
  const said = refused === undefined ? '' : ` (${refusals.map(({ message }) => message).join('; ')})`;
  return new Failure('refused', `The exchange has no ${what} for ${coin}${said}.`, {
    hint: "Obtain it first in the exchange's app or on its website.",
    refusal: refused?.refusal,
    code: refused?.code,
  });
}

/** Only on chains with a memo an address has the form `<account>_<remark>`; elsewhere `_` may be part of the address. */
async function usesMemos(source: AddressSource, coin: string): Promise<boolean> {
  const chains = await source.listedAddresses({ coin }).catch(nothingKnown);
  return chains.length > 0 && chains.every(({ needsMemo }) => needsMemo);
}

/** For reads that are only nice to have. */
function nothingKnown(error: unknown): never[] {
  if (error instanceof Failure) return [];
  throw error;
}

/** Refusals that are not about the coin. */
const NOT_ABOUT_THE_COIN: ReadonlySet<RefusalKind | null> = new Set(['noPermission', 'badOrigin', 'expired']);

function isAboutTheCoin(error: unknown): error is Failure {
  return error instanceof Failure && error.kind === 'refused' && !NOT_ABOUT_THE_COIN.has(error.refusal);
}
