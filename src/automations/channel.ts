/** There is something for automations that was not there before. */
export const AUTOMATIONS_CHANNEL = 'automations'
