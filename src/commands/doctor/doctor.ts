import { define } from '../frame/definition.js';
export default define({
  summary: 'Look',
  examples: [],
  async run() {
    return undefined;
  },
});
