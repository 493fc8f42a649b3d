import { attemptSink, integer, text } from './settings.ts'

/** What operators get of delivery attempts. */
export const ATTEMPT_SETTINGS = {
  ATTEMPTS: attemptSink().describe(
    'Where a record of each delivery attempt goes: `off`, `stdout` (JSON lines), a file like `/var/log/postwren/attempts.jsonl`, which is rotated, or a URL, which gets them in signed batches. docs/operations/attempts.md.',
  ),
  ATTEMPTS_MB: integer({ default: 512, min: 8, max: 1_000_000 }).describe(
    'The most disk space that the file of `POSTWREN_ATTEMPTS` takes, with the older ones beside it: it is rotated at an eighth of this, and the oldest go.',
  ),
  ATTEMPTS_SECRET: text({
    pattern: /^whsec_[A-Za-z0-9+/]{22,100}={0,2}$/,
    expected: 'be `whsec_` and 24 to 64 bytes in base64',
  }).describe('What requests to the URL of `POSTWREN_ATTEMPTS` are signed with, as webhooks are: `whsec_…`.', {
    isSecret: true,
  }),
} as const
