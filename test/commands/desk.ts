import { beforeAll, expect } from 'vitest';
import { schemaViolations } from '../cli-contract/schema-violations.js';
import { type Ran, runPit, type ServedSandbox, serveSandbox, temporaryHome } from '../support/pit.js';
import { runProgram } from '../support/program.js';

export interface Extra {
  readonly environment?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Runs the built program, for what only a process of its own obeys. */
  readonly ownProcess?: true;
}

export interface Told {
  readonly kind: string;
  readonly message: string;
  readonly hint: string | null;
  readonly exitCode: number;
  readonly code: number | null;
  readonly clientId: string | null;
}

/** pit at one PIT_HOME, in this process, and what is expected of every one of its ends. */
export class Desk {
  #served: ServedSandbox | undefined;

  constructor(readonly home: string) {}

  async serve(words?: readonly string[]): Promise<void> {
    this.#served = await serveSandbox(this.home, words);
  }

  /** The sandbox that this home's profile leads to. */
  get served(): ServedSandbox {
    if (this.#served === undefined) throw new Error('no sandbox was served');
    return this.#served;
  }

  run(line: string, { ownProcess, ...extra }: Extra = {}): Promise<Ran> {
    const run = ownProcess === true ? runProgram : runPit;
    return run(line === '' ? [] : line.split(' '), { home: this.home, ...extra });
  }

  /** What a command that is done printed. */
  async done(line: string, extra?: Extra): Promise<string> {
    const { code, stdout, stderr } = await this.run(line, extra);
    expect({ line, code, stderr: code === 0 ? '' : stderr }).toEqual({ line, code: 0, stderr: '' });
    return stdout;
  }

  /** The one document of a command that is done. */
  async json<Document>(line: string, extra?: Extra): Promise<Document> {
    const read = document<Document>(await this.done(`${line} --json`, extra));
    // whatever a test is about, what the real program prints is what its schema says
    expect(await schemaViolations(line, read)).toEqual([]);
    return read;
  }

  /** The header and the rows of a command that is done. */
  async csv(line: string): Promise<{ header: string; rows: string[] }> {
    const [header = '', ...rows] = (await this.done(`${line} --csv`)).trimEnd().split('\n');
    return { header, rows };
  }

  /** The error object of a command that fails and answers nothing. */
  async failure(line: string, exitCode: number, extra?: Extra): Promise<Told> {
    // before the line, where `--` ends what is pit's own
    const { code, stdout, stderr } = await this.run(`--json ${line}`, extra);
    const told = lastError(stderr);
    expect({ line, code, told: told.exitCode, stdout }).toEqual({ line, code: exitCode, told: exitCode, stdout: '' });
    return told;
  }
}

/** A home with a sandbox of its own, for a test file; without limits unless told. */
export function useDesk(words?: readonly string[]): Desk {
  const desk = new Desk(temporaryHome());
  beforeAll(() => desk.serve(words));
  return desk;
}

/** One JSON document and a newline, nothing else. */
export function document<Document>(stdout: string): Document {
  expect(stdout).toMatch(/^[^\n]+\n$/);
  return JSON.parse(stdout) as Document;
}

export function lastError(stderr: string): Told {
  const { error, ...others } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '') as { error: Told };
  expect(others).toEqual({});
  expect(error).toStrictEqual({
    kind: TEXT,
    message: TEXT,
    hint: error.hint === null ? null : TEXT,
    exitCode: COUNT,
    code: error.code === null ? null : COUNT,
    clientId: error.clientId === null ? null : TEXT,
  });
  return error;
}

/** The kinds of values of the contract. */
export const DECIMAL: unknown = expect.stringMatching(/^-?\d+(\.\d+)?$/);
export const ID: unknown = expect.stringMatching(/^\d+$/);
export const TIME: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
export const TEXT: unknown = expect.stringMatching(/./);
export const COUNT: unknown = expect.any(Number);
export const FLAG: unknown = expect.any(Boolean);
