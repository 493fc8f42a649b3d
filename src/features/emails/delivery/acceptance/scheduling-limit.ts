/** So far ahead mail can be scheduled. */
export const MAX_DAYS_AHEAD = 30
