import { isLoopback } from '../../config/urls.js';
import { ACTIVE_PROFILE, Failure, suggest } from '../../errors.js';
import type { Host } from '../../platform/host.js';
import { isDocumented, type OperationName, type OperationNamed, operationOf, operations } from '../operations/index.js';
import { type Operation, type Parameter, printable, type Values } from '../operations/operation.js';
import { sign } from './signing.js';

/** An error for a parameter that breaks its rule. It names the parameter and the rule, but not the value, which may be secret. */
export class InvalidParameter extends Error {
  override readonly name = 'InvalidParameter';

  constructor(
    readonly parameter: string,
    readonly rule: string,
  ) {
    super(`${parameter} ${rule}`);
  }
}

export interface Credentials {
  readonly accessKey: string;
  readonly secretKey: string;
}

export interface Hosts {
  /** Market-data host, without `/data/v1`. */
  readonly baseUrl: string;
  /** Trade host, without `/api`. */
  readonly tradeUrl: string;
}

export type ValuesOf<Name extends OperationName> = Values<OperationNamed<Name>>;

/** Values by the names of their parameters. An undefined one is not sent. */
export type ParameterValues = Readonly<Record<string, string | undefined>>;

/**
 * Checks values against the rules of the operation, and returns them in the order in which they will be sent: that of its
 * description, or the given order if the operation is not described. Throws {@link InvalidParameter}.
 */
export function checkedParameters(name: string, values: ParameterValues): Map<string, string> {
  const given = new Map(Object.entries(values).filter(isGiven));
  if (!isDocumented(name)) return checkedUndocumented(name, given);
  const { parameters }: Operation = operations[name];
  for (const parameter of given.keys()) {
    if (!Object.hasOwn(parameters, parameter)) throw new InvalidParameter(parameter, `is not a parameter of ${name}`);
  }
  const checked = new Map<string, string>();
  for (const [parameter, description] of Object.entries(parameters)) {
    const value = checkedValue(parameter, description, given.get(parameter));
    if (value !== undefined) checked.set(parameter, value);
  }
  checkGroups(parameters, checked);
  return checked;
}

/** The parameters that every signed request has. */
const COMMON = ['method', 'accesskey', 'sign', 'reqTime'];

/** The rules for every operation: how a request is written, and which parameters are common to all. */
function checkedUndocumented(name: string, given: Map<string, string>): Map<string, string> {
  if (!isOperationName(name)) throw new InvalidParameter('the operation', 'must be a name of letters and digits');
  for (const [parameter, value] of given) {
    if (!/^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(parameter))
      throw new InvalidParameter(JSON.stringify(parameter), 'is not a name of letters, digits and _');
    if (COMMON.includes(parameter)) throw new InvalidParameter(parameter, 'is filled in with the signature');
    const problem = printable.problem(value);
    if (problem !== undefined) throw new InvalidParameter(parameter, problem);
  }
  return given;
}

/** Whether a name can be that of an operation. It becomes the last segment of the path. */
export function isOperationName(name: string): boolean {
  return /^[A-Za-z][A-Za-z0-9]{0,63}$/.test(name);
}

function isGiven(entry: [string, string | undefined]): entry is [string, string] {
  return entry[1] !== undefined;
}

function checkedValue(name: string, { kind, required }: Parameter, value: string | undefined): string | undefined {
  if (value === undefined) {
    if (required) throw new InvalidParameter(name, 'is missing');
    return undefined;
  }
  const problem = kind.problem(value);
  if (problem !== undefined) throw new InvalidParameter(name, problem);
  return value;
}

function checkGroups(parameters: Operation['parameters'], given: ReadonlyMap<string, string>): void {
  const groups = new Map<string, string[]>();
  for (const [name, { group }] of Object.entries(parameters)) {
    if (group !== undefined) groups.set(group, [...(groups.get(group) ?? []), name]);
  }
  for (const names of groups.values()) {
    const count = names.filter((name) => given.has(name)).length;
    if (count !== 1) throw new InvalidParameter(names.join(' and '), 'exclude each other, and one of them is required');
  }
}

/** `{base_url}/data/v1/<name>?…`. Values are percent-encoded. @internal for its test */
export function marketDataUrl(name: string, hosts: Hosts, parameters: ReadonlyMap<string, string>): string {
  return withQuery(`${hosts.baseUrl}/data/v1/${name}`, parameters);
}

/** `{trade_url}/api/<method>?…` without accesskey and sign: the shape of getFeeInfo. @internal for its test */
export function keylessUrl(name: string, hosts: Hosts, parameters: ReadonlyMap<string, string>): string {
  return withQuery(`${hosts.tradeUrl}/api/${name}`, new Map([['method', name], ...parameters]));
}

/**
 * `{trade_url}/api/<method>?…` with the common parameters; `reqTime` is milliseconds since the Unix epoch.
 * @internal for its test
 */
export function signedUrl(
  name: string,
  hosts: Hosts,
  parameters: ReadonlyMap<string, string>,
  credentials: Credentials,
  reqTime: number,
): string {
  const signed = new Map([['method', name], ['accesskey', credentials.accessKey], ...parameters]);
  const signature = sign(signed, credentials.secretKey);
  return withQuery(
    `${hosts.tradeUrl}/api/${name}`,
    new Map([...signed, ['sign', signature], ['reqTime', String(reqTime)]]),
  );
}

function withQuery(path: string, parameters: ReadonlyMap<string, string>): string {
  if (parameters.size === 0) return path;
  const query = [...parameters].map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  return `${path}?${query.join('&')}`;
}

interface Signer {
  readonly host: Pick<Host, 'redaction' | 'environment'>;
  readonly hosts: Hosts;
  readonly credentials: () => Credentials;
}

/**
 * Builds the URL of a request and signs it if the operation needs that. From then on, its secrets are masked.
 * @param reqTime returns milliseconds since the Unix epoch; called only for a signed request
 * @throws InvalidParameter, and Failure `credentials` for a host or keys that cannot be used
 */
export function requestUrl(
  { host, hosts, credentials }: Signer,
  name: string,
  values: ParameterValues,
  reqTime: () => number,
): string {
  const { access, parameters: descriptions } = operationOf(name);
  const parameters = checkedParameters(name, values);
  requireSafeHost(access === 'public' ? hosts.baseUrl : hosts.tradeUrl);
  if (access === 'public') return marketDataUrl(name, hosts, parameters);
  if (access === 'keyless') return keylessUrl(name, hosts, parameters);
  requireCertificateChecks(hosts.tradeUrl, host.environment);
  const keys = credentials();
  host.redaction.addSecret(keys.accessKey);
  host.redaction.addSecret(keys.secretKey);
  for (const [parameter, value] of parameters)
    if (descriptions[parameter]?.kind.secret === true) host.redaction.addSecret(value);
  const url = signedUrl(name, hosts, parameters, keys, reqTime());
  host.redaction.addSignature(new URL(url).searchParams.get('sign') ?? '');
  return url;
}

/**
 * Refuses plain http to another machine: anyone on the network could read the access key and the signature in the URL of a
 * signed request, and could change the prices in market data. Throws Failure `credentials`.
 */
export function requireSafeHost(url: string): void {
  const { protocol, hostname, host } = new URL(url);
  if (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))) return;
  throw new Failure(
    'credentials',
    `${protocol}//${host} cannot be used. pit uses https, and http only for this machine.`,
    {
      hint: 'Give the host as https://…',
    },
  );
}

/**
 * Refuses to sign if certificates are not checked, because anyone in the network could then replace the request. Plain http to
 * this machine has no certificate. Throws Failure `credentials`.
 */
export function requireCertificateChecks(url: string, environment: Readonly<Record<string, string | undefined>>): void {
  if (environment.NODE_TLS_REJECT_UNAUTHORIZED !== '0' || !url.startsWith('https:')) return;
  throw new Failure(
    'credentials',
    'NODE_TLS_REJECT_UNAUTHORIZED=0 leaves certificates unchecked, so anyone on the network path could read and change signed requests. Nothing was sent.',
    {
      hint: [
        'Unset it.',
        suggest('Trust a private authority', 'profile', 'set', ACTIVE_PROFILE, 'caFile', '/path/to/ca.pem'),
      ],
    },
  );
}
