import { execFile, execFileSync } from 'node:child_process';
import path from 'node:path';

export interface PtyStep {
  /** Text that must appear on the screen after that of the last step; empty means at once. */
  readonly await?: string;
  /** The same as a regular expression of Python, of bytes as they come. */
  readonly pattern?: string;
  readonly type?: string;
  /** A file or folder that gets another name, before anything is typed. */
  readonly rename?: readonly [from: string, to: string];
  /** The columns that the window has from then on. */
  readonly resize?: number;
  /** Sent to the program after that. */
  readonly signal?: 'SIGHUP' | 'SIGINT' | 'SIGTERM' | 'SIGUSR1' | 'SIGUSR2';
}

export interface PtyJob {
  readonly command: readonly string[];
  readonly steps?: readonly PtyStep[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
  /** The kind of stdin (default: `terminal`); `none` is /dev/null. */
  readonly stdin?: 'terminal' | 'none';
  readonly stdout?: 'terminal' | 'pipe';
  readonly seconds?: number;
}

export interface PtyResult {
  /** Every byte that was written to the terminal. */
  readonly screen: string;
  /** What went to stdout, where that was a pipe. */
  readonly piped: string;
  /** The exit code; a signal is negative. */
  readonly status: number;
  /** Whether it had to be killed. */
  readonly late: boolean;
  /** Whether the terminal was left as it was found: lines and echo. */
  readonly echoes: boolean;
}

/** The time is for what hangs: how long a program takes depends on what else the machine does. */
const DEFAULTS = { steps: [], columns: 80, rows: 30, stdin: 'terminal', stdout: 'terminal', seconds: 240 };

let interpreter: string | undefined;

/** The interpreter itself: the `python3` of a version manager is a script that looks for it, at each start. */
function pythonItself(): string {
  interpreter ??= execFileSync('python3', ['-I', '-S', '-c', 'import sys; print(sys.executable)'], {
    encoding: 'utf8',
  }).trim();
  return interpreter;
}

/** Runs a program on a real terminal, made by python3's pty module: the tests need no compiler for it. */
export function onTerminal(job: PtyJob): Promise<PtyResult> {
  const environment = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', TERM: 'xterm', ...job.environment };
  const driver = path.join(import.meta.dirname, 'pty.py');
  return new Promise((resolve, reject) => {
    const python = execFile(pythonItself(), ['-I', '-S', driver], { maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${error.message}\n${stderr}`));
      else resolve(JSON.parse(stdout));
    });
    python.stdin?.end(JSON.stringify({ ...DEFAULTS, ...job, environment }));
  });
}
