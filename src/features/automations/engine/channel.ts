/** Wakes whoever works on automations: an event came, or a run is due earlier than it was. */
export const AUTOMATIONS_CHANNEL = 'automations'
