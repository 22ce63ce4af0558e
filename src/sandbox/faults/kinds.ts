/** What a fault does to a request, in the words of `pit sandbox fault add`. */
export const FAULT_KINDS = {
  'drop-before': 'the connection ends, and nothing was done',
  'drop-after': 'it is done, and the connection ends without an answer',
  delay: 'it is done at once and answered late, after --delay',
  late: 'it is done only after --delay, when nobody may be waiting any more',
  truncate: 'it is done, and the connection ends within the answer',
  'error-before': 'a page of HTML with status 502, and nothing was done',
  'error-after': 'it is done, and answered by a page of HTML with status 502',
  'html-before': 'a page of HTML with status 200, and nothing was done',
  'html-after': 'it is done, and answered by a page of HTML with status 200',
  twice: 'it is done twice, as a proxy does that repeats it, and the second answer is given',
  redirect: 'status 302 to the same address, and nothing was done',
  'rate-limit': 'refused as too frequent, and nothing was done',
  skew: 'the clock that reqTime is held against is off by --skew',
} as const;

export type FaultKind = keyof typeof FAULT_KINDS;

/** How often each kind carries out what was asked. */
export const EXECUTIONS: Readonly<Record<FaultKind, 0 | 1 | 2>> = {
  'drop-before': 0,
  'drop-after': 1,
  delay: 1,
  late: 1,
  truncate: 1,
  'error-before': 0,
  'error-after': 1,
  'html-before': 0,
  'html-after': 1,
  twice: 2,
  redirect: 0,
  'rate-limit': 0,
  skew: 1,
};

export function isFaultKind(text: string): text is FaultKind {
  return Object.hasOwn(FAULT_KINDS, text);
}
