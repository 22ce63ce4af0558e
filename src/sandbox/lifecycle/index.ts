/*
 * What commands use to control the sandbox of a `PIT_HOME`. Running one in this process is in `start.js`, because it
 * loads the exchange.
 */
export { administer } from './admin-client.js';
export { type EnsuredSandbox, ensureSandbox, resetSandbox, sandboxStatus, stopSandbox } from './control.js';
export type { SandboxAddress } from './files.js';
