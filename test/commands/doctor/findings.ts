import { expect } from 'vitest';
import { document, lastError, type PitHome } from '../pit-home.js';

export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  readonly fix: string | null;
}

/** Every check, in its order. */
const CHECKS = [
  ...['pit', 'node', 'configuration', 'files', 'network', 'market-host', 'market-tls', 'trade-host', 'trade-tls'],
  ...[
    'stream',
    'clock',
    'key',
    'permissions',
    'tolerance',
    'halted',
    'journal',
    'records',
    'algos',
    'limits',
    'completion',
  ],
];

/** What doctor finds, by the name of the check. Every check reports, even when others fail. */
export async function found(one: PitHome, line = '', extra = {}, code = 0): Promise<Map<string, Finding>> {
  const ran = await one.run(`--json doctor${line}`, extra);
  expect({ code: ran.code, stderr: code === 0 ? ran.stderr : '' }).toEqual({ code, stderr: expect.any(String) });
  if (code !== 0) expect(lastError(ran.stderr).kind).toBe('partial');
  const findings = document<Finding[]>(ran.stdout);
  expect(findings.map(({ check }) => check)).toEqual(CHECKS);
  for (const { status, fix, detail } of findings)
    expect([status === 'ok', detail !== '']).toEqual([fix === null, true]);
  return new Map(findings.map((finding) => [finding.check, finding]));
}

/** A finding in one line. */
export function line(findings: Map<string, Finding>, check: string): string {
  const { status, detail, fix } = findings.get(check) ?? {};
  return `${status}: ${detail} -> ${fix}`;
}
