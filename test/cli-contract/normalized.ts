/** What differs from run to run, by the names of the fields. */
const OF_THE_RUN: Readonly<Record<string, unknown>> = {
  accessKey: '…',
  secretKey: '…',
  safePwd: '…',
  adminToken: '…',
  pid: 1,
  memory: 1,
  disk: 1,
  cpuSeconds: 1,
  upSeconds: 1,
  requests: 1,
  refused: 1,
  trades: 1,
  orders: 1,
  rows: 1,
  address: '…',
  hash: '…',
  script: '…',
  detail: '…',
  configuration: '…',
  unit: '…',
  durationMs: 1,
  side: 'buy',
  orderSide: 'buy',
};

/** The number of elements of a list that represent the rest. */
const SHOWN = 2;

/** A document with the same in place of what the run, the machine and the crowd's trading decide; kinds stay. */
export function normalized(value: unknown, name = ''): unknown {
  if (value === null) return null;
  if (Array.isArray(value)) return value.slice(0, SHOWN).map((item) => normalized(item, name));
  if (Object.hasOwn(OF_THE_RUN, name) && typeof value !== 'object') return OF_THE_RUN[name];
  if (typeof value === 'object')
    return Object.fromEntries(Object.entries(ofNoWatch(value)).map(([key, inner]) => [key, normalized(inner, key)]));
  if (name === 'id' && /^a[a-z2-9]{6}$/.test(String(value))) return 'a4k7x2q';
  if (name === 'id' && /^\d+$/.test(String(value))) return typeof value === 'string' ? '123456' : value;
  return typeof value === 'string' ? normalText(value) : value;
}

/** An algo order without what the process that watches it has seen so far: the reason of a state that is left without a fact. */
function ofNoWatch(value: object): object {
  if (!('state' in value && ['blind', 'waiting', 'working'].includes(String(value.state)))) return value;
  return { ...value, state: 'waiting', ...('reason' in value ? { reason: '…' } : {}) };
}

function normalText(text: string): string {
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)) return '2026-01-01T00:00:00.000Z';
  if (/^\d{4}-\d\d-\d\d [\d:]+$/.test(text)) return '2026-01-01 00:00:00';
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return '2026-01-01';
  if (/^-?\d+(\.\d+)?$/.test(text)) return text.startsWith('-') ? '-1.5' : '1.5';
  return text
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:1')
    .replace(/^\/\S+\/(?=[^/]+$)/, '/')
    .replace(/pit[0-9a-f]{24}/g, 'pit…')
    .replace(/job[0-9a-f]{20}/g, 'job…')
    .replace(/: \d{10,}$/, ': 123456');
}
