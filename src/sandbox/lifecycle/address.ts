/** Where a sandbox is reached and with which keys: what `pit sandbox serve` prints. */
export interface SandboxAddress {
  /** Without `/data/v1`. */
  readonly baseUrl: string;
  /** Without `/api`. */
  readonly tradeUrl: string;
  readonly wsUrl: string | null;
  readonly accessKey: string;
  readonly secretKey: string;
  readonly safePwd: string;
  readonly pid: number;
  readonly adminUrl: string;
  readonly adminToken: string;
}

/** The keys of the account that a sandbox starts with. They stay the same for a `PIT_HOME`. */
export interface SandboxKeys {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly safePwd: string;
  readonly username: string;
}

/** The files of one sandbox. */
export interface SandboxFiles {
  readonly directory: string;
  /** Written when the sandbox answers, removed when it stops. */
  readonly running: string;
  readonly keys: string;
  /** The port that the interface had last. */
  readonly port: string;
  readonly log: string;
  /** What faults on demand have done. */
  readonly faults: string;
  /** The exchange's own data. */
  readonly exchange: string;
}
