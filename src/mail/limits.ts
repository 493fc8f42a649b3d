/** What the html or the text of a message may have, in characters: no real one comes near, and no reader gets to its end. */
export const MAX_TEXT_LENGTH = 5 * 1024 * 1024

/** In characters. Inboxes show a hundred. */
export const MAX_SUBJECT_LENGTH = 2_000

/** How many different names a broadcast may ask for. Each is looked up for each contact. */
export const MAX_NAMES = 100
