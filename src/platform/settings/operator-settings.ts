import { attemptSink, integer, text, url } from './settings.ts'

const signingSecret = () =>
  text({ pattern: /^whsec_[A-Za-z0-9+/]{22,100}={0,2}$/, expected: 'be `whsec_` and 24 to 64 bytes in base64' })

/** What programs of operators are told: of delivery attempts, and of the installation. */
export const OPERATOR_SETTINGS = {
  ATTEMPTS: attemptSink().describe(
    'Where a record of each delivery attempt goes: `off`, `stdout` (JSON lines), a file like `/var/log/postwren/attempts.jsonl`, which is rotated, or a URL, which gets them in signed batches. docs/operations/attempts.md.',
  ),
  ATTEMPTS_MB: integer({ default: 512, min: 8, max: 1_000_000 }).describe(
    'The most disk space that the file of `POSTWREN_ATTEMPTS` takes, with the older ones beside it: it is rotated at an eighth of this, and the oldest go.',
  ),
  ATTEMPTS_SECRET: signingSecret().describe(
    'What requests to the URL of `POSTWREN_ATTEMPTS` are signed with, as webhooks are: `whsec_…`.',
    {
      isSecret: true,
    },
  ),
  OPERATOR_WEBHOOK: url({ protocols: ['https:', 'http:'] }).describe(
    'A URL that is told when the examination of the installation finds that something broke, or is right again, e.g. `https://ops.example.com/postwren`. docs/operations/domain-health.md.',
  ),
  OPERATOR_WEBHOOK_SECRET: signingSecret().describe(
    'What requests to `POSTWREN_OPERATOR_WEBHOOK` are signed with, as webhooks are: `whsec_…`.',
    { isSecret: true },
  ),
} as const
