import { type Column, type Kind, type RunText, readKinds } from '../src/app/commands/export/catalogue.ts'
import { LEFT_JOBS, NOT_EXPORTED, OMITTED_COLUMNS } from '../src/app/commands/export/exceptions.ts'
import { FORMAT } from '../src/app/commands/export/format.ts'
import { SEALED_COLUMNS } from '../src/app/commands/export/secrets.ts'

/** docs/export-format.md: every kind and field of an export, from the catalogue of a migrated database. */
export async function exportFormatPage(run: RunText): Promise<string> {
  const kinds = [...(await readKinds(run))].sort((a, b) => (a.name < b.name ? -1 : 1))
  return [
    ...INTRODUCTION,
    '## Kinds',
    '',
    '| file | rows | what it has |',
    '|---|---|---|',
    ...kinds.map(
      ({ name, description }) => `| [\`${name}.jsonl\`](#${name}) | ${ofWhom(name)} | ${cell(description)} |`,
    ),
    '',
    '## What is left out',
    '',
    '| table | why |',
    '|---|---|',
    ...Object.entries(NOT_EXPORTED).map(([name, reason]) => `| \`${name}\` | ${reason} |`),
    '',
    '| field | why |',
    '|---|---|',
    '| every `holder` | The process that works at a row; the other installation has others. |',
    ...Object.entries(OMITTED_COLUMNS).flatMap(([table, columns]) =>
      Object.entries(columns).map(([name, reason]) => `| \`${table}.${name}\` | ${reason} |`),
    ),
    '',
    '| background job | why |',
    '|---|---|',
    ...Object.entries(LEFT_JOBS).map(([name, reason]) => `| \`${name}\` | ${reason} |`),
    '| jobs that recur | Every installation has its own. |',
    '',
    '## Fields',
    '',
    ...kinds.flatMap(fieldsOf),
    'This page is generated from the database schema by `npm run docs`.',
    '',
  ].join('\n')
}

const INTRODUCTION = [
  '# The format of an export',
  '',
  `What \`postwren export\` writes and \`postwren import postwren\` reads: format ${FORMAT}. [Moving out](moving-out.md) tells how to use it.`,
  '',
  '```text',
  'manifest.json      what is in the folder; written last, so without it the export is not complete',
  '<kind>.jsonl       one file for each kind: one JSON object a line, UTF-8, sorted by primary key',
  'secrets.jsonl      DKIM keys, webhook signing secrets and the keys of erased addresses, if they are included',
  'blobs.jsonl        the blobs: {"key", "size", "sha256"}; size null: the blob store had lost it',
  'blobs/abc/<key>    their content: attachments, large raw messages, images',
  '```',
  '',
  'The folder has mode 0700, its files 0600. All of it shows one moment (a repeatable-read snapshot).',
  '',
  '- **Fields** are the columns of the tables, under their names. `null` is no value.',
  '- **Times** (`timestamp with time zone`) are UTC in ISO 8601 with up to six digits after the seconds: `2026-01-31T12:00:00.123456+00:00`. A `date` is `2026-01-31`.',
  '- **`bytea`** is base64. `uuid`, `text`, `tsvector` and enumerations are strings; numbers are numbers, also beyond 2^53; arrays are arrays.',
  '- **`json` and `jsonb`** are embedded as they are. Line breaks between the tokens of a `json` value are spaces.',
  '- **Ids** are UUIDv7: in the order of time. `team_id` says whose a row is.',
  '- **API keys, OAuth and invitation tokens** are stored as SHA-256 digests only. The tokens go on working after an import.',
  '- **Blobs** are at `blobs/`, the first three hexadecimal digits of the SHA-256 of their key, `/`, and the key with `_` for `/`. Rows name them in fields `blob` and `raw_blob`. A file that `blobs.jsonl` does not list is left from an export that was cut.',
  '',
  '`manifest.json`:',
  '',
  '| field | meaning |',
  '|---|---|',
  '| `object`, `format` | `export`, and the number of this format. A newer number is refused. |',
  '| `version`, `schema` | The Postwren that wrote it, and the last migration of its database. |',
  '| `exported_at` | When, as `2026-01-31T12:00:00.000Z`. |',
  '| `scope`, `teams` | `all` or `team`; how many teams there are. |',
  '| `kinds` | For each kind `rows`, `bytes`, `sha256` of its file, and `fields`. A field that the file has and the reader does not know is ignored; one that it does not have takes its default. |',
  '| `secrets` | The same of `secrets.jsonl`, with `mode`: `plain`, `sealed` or `left_out`, the `salt` of sealed ones, and `digest_keys`: how many keys of erased addresses there are, if there are any. |',
  '| `blobs` | The same of `blobs.jsonl`, with `content_bytes` and how many are `missing`. |',
  '',
  'A line of `secrets.jsonl` is `{"kind", "key", "value"}`: the kind and the primary key of the row that it belongs to, and the secret:',
  `${Object.entries(SEALED_COLUMNS)
    .map(([kind, { column }]) => `\`${kind}.${column}\``)
    .join(
      ', ',
    )}. When \`mode\` is \`sealed\` the value is base64 of a byte 1, a nonce of 12 bytes, a tag of 16 and the`,
  'ciphertext of AES-256-GCM. Its key is HKDF-SHA-256 (no salt, info `postwren:seal`, 32 bytes) of scrypt (N 32768, r 8, p 3, 32 bytes) of the passphrase with',
  '`salt`; the associated data is `export:`, the kind, and the values of the primary key, with `:` between.',
  '',
  'Lines of the kind `digest_keys` belong to no row: they are keys, in hexadecimal digits, of the digests that stay of erased people on the suppression list (`…@erased.invalid`). Such an address is',
  'the first 32 hexadecimal digits of HMAC-SHA-256 of `address:` and the address, in lower case and with its domain in ASCII. Without such addresses there are no such lines.',
  '',
]

function ofWhom(kind: string): string {
  const special: Readonly<Record<string, string>> = {
    users: 'people of the team; all people when all teams are exported',
    passkeys: 'of these people',
    oidc_identities: 'of these people',
    oauth_clients: 'programs with access to the team',
    teams: 'the team, or all teams',
    jobs: 'of the team',
    idempotency_keys: 'of the team, with an answer',
  }
  return special[kind] ?? 'of the team'
}

function fieldsOf({ name, description, columns, primaryKey }: Kind): string[] {
  return [
    `### ${name}`,
    '',
    ...(description ? [description, ''] : []),
    '| field | type | |',
    '|---|---|---|',
    ...columns.map((column) => {
      const type = `${column.type}${column.isRequired ? '' : ', null'}${primaryKey.includes(column.name) ? ', key' : ''}`
      return `| \`${column.name}\` | ${type} | ${cell(column.description ?? commonly(column))} |`
    }),
    '',
  ]
}

/** What a column of this name is wherever it has no comment of its own. */
function commonly({ name, type }: Column): string {
  const known: Readonly<Record<string, string>> = {
    id: 'Its id.',
    team_id: 'The team that it belongs to.',
    name: 'Its name.',
    created_at: 'When it was created.',
    updated_at: 'When it was last changed.',
    expires_at: 'When it expires.',
    status: 'Its status, as the API shows it.',
    position: 'Its place among its neighbours.',
    size: 'In bytes.',
    html: 'The HTML.',
    text: 'The plain text.',
    subject: 'The subject.',
    from: 'The sender.',
    to: 'The recipients.',
    blob: 'The key of its content in `blobs.jsonl`.',
    user_id: 'The person, in `users.jsonl`.',
  }
  if (known[name]) return known[name]
  return type === 'uuid' && name.endsWith('_id') ? `The id of its ${name.slice(0, -3).replaceAll('_', ' ')}.` : ''
}

const cell = (text: string | null) => (text ?? '').replaceAll('|', '\\|').replaceAll('\n', ' ')
