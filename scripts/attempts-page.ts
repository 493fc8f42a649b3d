import { AttemptRecord } from '../src/features/emails/delivery/outcomes/attempt-record.ts'

interface Field {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly string[]
  readonly anyOf?: readonly Field[]
  readonly items?: Field
  readonly format?: string
  readonly description?: string
}

/** docs/operations/attempts.md: the fields are those of the code. */
export const attemptsPage = (): string => [...ABOUT, ...fieldRows(), '', ...AFTERWARDS, ''].join('\n')

const fieldRows = () =>
  Object.entries(AttemptRecord.properties as Record<string, Field>).map(
    ([name, field]) => `| \`${name}\` | ${typeOf(field)} | ${field.description} |`,
  )

function typeOf(field: Field): string {
  if (field.anyOf) return field.anyOf.map(typeOf).join(' or ')
  if (field.const !== undefined) return `\`${field.const}\``
  // Reply classes are a table of their own.
  if (field.enum) return field.enum.length > 10 ? 'string' : field.enum.map((one) => `\`${one}\``).join(', ')
  if (field.type === 'array') return `list of ${typeOf(field.items!)}s`
  if (field.format === 'date-time') return 'time (ISO 8601, UTC)'
  if (field.format === 'uuid') return 'id'
  return field.type ?? 'any'
}

const ABOUT = [
  '# Delivery attempts',
  '',
  'How an attempt went can be seen in three places: a record of each attempt for programs of the operator, `postwren trace` while it happens, and the trace of one email.',
  '',
  '## Records',
  '',
  '`POSTWREN_ATTEMPTS` says where a record of each attempt at each recipient goes. By default it is `off`, and none is made.',
  '',
  '| value | what happens |',
  '|---|---|',
  '| `stdout` | one JSON object on each line. The log is on stderr. |',
  '| `/var/log/postwren/attempts.jsonl` | the same in a file, which begins with `/` or `./`. It is rotated: at an eighth of `POSTWREN_ATTEMPTS_MB` (512) it is put aside as `attempts.jsonl.<time>-<pid>`, and of these seven are kept. Processes may share one file. |',
  '| `https://…` | batches of up to 500 by POST, `{"type": "delivery.attempts", "created_at": …, "data": [records]}`, signed with `POSTWREN_ATTEMPTS_SECRET` (`whsec_…`) as [webhooks](../webhooks.md) are. Any 2xx takes the batch; otherwise it is posted again after 1, 5 and 15 seconds, under the same `svix-id`. |',
  '',
  'Delivery never waits for any of them. Records wait in memory (8 MB in each process); what does not fit, or is not taken, is dropped and counted in',
  '`postwren_attempt_records_total{result="dropped"}`, with a line in the log, `delivery: attempt records dropped`, once a minute. A full disk costs records and no mail.',
  'A record is written when the outcome is in the database; after a crash those of the last 200 ms can be missing. A file then ends in the middle of a line at worst, and goes on with a line of its own.',
  '',
  'Recipients are named as in the log: by a hash, the same for the same address, unless `POSTWREN_LOG_ADDRESSES=on`. Addresses in `reply` are replaced alike. With `on`, what you store has personal data that',
  '`postwren person erase` cannot reach.',
  '',
  '## Fields of a record',
  '',
  'Every field is in every record; null means that there is nothing to say. The log line `delivery: attempt` has some of them under the same names.',
  '',
  '| field | type | meaning |',
  '|---|---|---|',
]

const AFTERWARDS = [
  'Mail that only waits for a free connection or for its pace is put back without a record: nobody has decided anything about it. Classes, rules and what they mean are in [what mail servers say](replies.md).',
  '',
  '## Follow attempts',
  '',
  '```text',
  'postwren trace [--domain D] [--team T] [--email ID] [--fail-only] [--json]',
  '```',
  '',
  'It shows attempts of all running processes as they happen, each with its dialogue, until Ctrl-C. `--domain` is the domain of recipients, a provider like `gmail`, or the name of a mail server; `--fail-only`',
  'leaves out what was delivered. Addresses are shown. With `--json` each line is a record with `dialogue` in it, or `{"object": "skipped", "node": …, "records": …}` where more happened than can be followed (200 in a tenth of a second and process).',
  '',
  'It says on stderr which processes it follows. Processes make these records only while somebody follows, and send them through the database (`NOTIFY`): nothing is stored. They stop within 45 seconds when the command was killed.',
  '',
  '## The trace of an email',
  '',
  '`GET /emails/:id/trace`, and the tab Trace of the email in the dashboard, have all that is known about one email in the order of time: the request with its log entry and idempotency key, schedule, holds, each attempt at',
  'each recipient, events, opens and clicks, and how webhooks were posted. Whoever may read the email may read it.',
  '',
  'Of an attempt that was taken it has route, server and address, the address that mail left from, TLS version and times, and the dialogue in short: the verbs of commands and the codes of replies, which takes some 100 bytes. Names that DNS gave, ciphers and the texts of replies before the last one are not kept of it. Of the last three attempts at a recipient that were not taken it also has the mail servers that DNS named, the route, the address that mail left from,',
  'and the dialogue: commands and replies with times, 4 kB at most. Logins are blanked, and no part of the message is in it. It is kept with the recipient in the ledger, for as long as the email is',
  '([retention](retention.md)), and goes with the person ([personal data](personal-data.md)).',
  '',
  'Teams see the addresses and names that their mail leaves from: every recipient finds them in the header of the message.',
  '',
  'This page is generated from `src/features/emails/delivery/outcomes/attempt-record.ts` by `npm run docs`.',
]
