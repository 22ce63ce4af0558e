import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Entry, findCredentials } from '@napi-rs/keyring';
import { afterFile } from './after-file.js';
import { requires } from './tools.js';

const SERVICE_NAME = 'org.freedesktop.secrets';

/** Whether this machine can run {@link SecretService}. */
export function hasSecretService(): boolean {
  return process.platform === 'linux' && ['dbus-run-session', 'gnome-keyring-daemon'].every(requires);
}

/** A D-Bus session of its own with GNOME's keyring in it, as on a desktop, and no display on which to ask for a password. */
export class SecretService {
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'pit-keyring-'));
  #session: ChildProcess | undefined;
  #address = '';

  /** What makes programs use it. */
  get environment(): Readonly<Record<string, string>> {
    return { DBUS_SESSION_BUS_ADDRESS: this.#address };
  }

  /** Starts a session that ends with the test file; the keyring is unlocked. */
  async start(): Promise<void> {
    const { PATH = '' } = process.env;
    const env = { PATH, HOME: this.#folder, XDG_DATA_HOME: this.#folder, XDG_RUNTIME_DIR: this.#folder };
    const script =
      'printf password | gnome-keyring-daemon --unlock --components=secrets >&2; echo "$DBUS_SESSION_BUS_ADDRESS"; cat';
    // it ends when its input does, and this process's end ends that
    this.#session = spawn('dbus-run-session', ['--', 'sh', '-c', script], { env, stdio: ['pipe', 'pipe', 'ignore'] });
    afterFile(async () => {
      await this.stop();
      rmSync(this.#folder, { recursive: true, force: true });
    });
    const [address] = await once(this.#session.stdout ?? this.#session, 'data');
    this.#address = String(address).trim();
  }

  async stop(): Promise<void> {
    const session = this.#session;
    if (session === undefined || session.exitCode !== null) return;
    session.stdin?.end();
    await once(session, 'exit');
  }

  /** Locks the keyring, as a screen saver may. */
  lock(): void {
    const keyring = 'array:objpath:/org/freedesktop/secrets/collection/login';
    const call = ['/org/freedesktop/secrets', 'org.freedesktop.Secret.Service.Lock', keyring];
    this.#run('dbus-send', ['--session', '--print-reply', `--dest=${SERVICE_NAME}`, ...call]);
  }

  /** Everything that is stored in the name of pit. */
  entries(): Record<string, string> {
    const found = this.#within(() => findCredentials('pit'));
    return Object.fromEntries(found.map(({ account, password }) => [account, password] as const));
  }

  /** Deletes an entry, as a user does in a program for keyrings. */
  delete(entry: string): void {
    this.#within(() => new Entry('pit', entry, { linux: { store: 'secret-service' } }).deleteCredential());
  }

  /** Calls the library, which reads the address of the session from this process's environment. */
  #within<Value>(call: () => Value): Value {
    const { DBUS_SESSION_BUS_ADDRESS: before } = process.env;
    Object.assign(process.env, this.environment);
    try {
      return call();
    } finally {
      if (before === undefined) delete process.env.DBUS_SESSION_BUS_ADDRESS;
      else process.env.DBUS_SESSION_BUS_ADDRESS = before;
    }
  }

  #run(program: string, args: readonly string[]): string {
    const env = { ...process.env, ...this.environment };
    const { status, stdout, stderr } = spawnSync(program, args, { env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`);
    return stdout;
  }
}
