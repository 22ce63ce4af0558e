export { Activity } from './activity.js';
export { adminListener } from './admin.js';
export { Answering, type AnsweringOptions } from './answering.js';
export { interfaceListener } from './interface.js';
export { type Limits, NO_LIMITS, statedLimits } from './limits.js';
export { type Listener, listen } from './listener.js';
