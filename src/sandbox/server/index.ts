export { Activity } from './activity.js';
export { adminListener } from './admin.js';
export { RequestHandler } from './answering.js';
export { interfaceListener } from './interface.js';
export { keptLimits, type Limits, type LimitValues, STATED, UNLIMITED } from './limits.js';
export { type Listener, listen } from './listener.js';
