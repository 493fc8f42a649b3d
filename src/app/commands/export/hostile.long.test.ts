import { execFileSync } from 'node:child_process'
import { readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { change, elsewhere, exported, linesOf, rewrite, teamsOf } from '../../../../test/harness/exports.ts'
import { run, temporaryFolder } from '../../../../test/harness/installation.ts'
import { importPostwren } from '../export.ts'
import { blobPath } from './folder.ts'

const STRANGER = '01932b5c-7d3e-7c46-9a51-6f6f0c1d2e3f'

/** What is done to the folder, and the one line that refuses it. */
const HOSTILE: Record<string, [(folder: string) => void, RegExp]> = {
  // First: what is put into the store stays there for a day, and the next import finds it.
  'blobs that are not listed': [
    (folder) => rewrite(folder, 'blobs', []),
    /names the blob .*, which is not in blobs\.jsonl/,
  ],
  'no manifest': [(folder) => rmSync(join(folder, 'manifest.json')), /has no complete export: manifest\.json/],
  'a manifest that is none': [
    (folder) => writeFileSync(join(folder, 'manifest.json'), '[['),
    /is not the manifest of an export/,
  ],
  'a manifest of megabytes': [
    (folder) => writeFileSync(join(folder, 'manifest.json'), '['.repeat(9_000_000)),
    /manifest\.json is too large/,
  ],
  'a newer format': [(folder) => change(folder, (one) => (one.format = 2)), /has format 2, and this Postwren knows 1/],
  'a manifest behind a link': [
    (folder) => {
      renameSync(join(folder, 'manifest.json'), join(folder, 'elsewhere'))
      symlinkSync(join(folder, 'elsewhere'), join(folder, 'manifest.json'))
    },
    /manifest\.json is not a regular file/,
  ],
  'a file behind a link': [
    (folder) => {
      renameSync(join(folder, 'contacts.jsonl'), join(folder, 'elsewhere'))
      symlinkSync(join(folder, 'elsewhere'), join(folder, 'contacts.jsonl'))
    },
    /contacts\.jsonl is not a regular file/,
  ],
  'a file that is missing': [(folder) => rmSync(join(folder, 'emails.jsonl')), /emails\.jsonl is missing/],
  'a file that was changed': [
    (folder) => {
      const file = join(folder, 'contacts.jsonl')
      writeFileSync(file, readFileSync(file, 'utf8').replace('ada@', 'eve@'))
    },
    /contacts\.jsonl was changed after the export/,
  ],
  'a file that was cut': [
    (folder) => writeFileSync(join(folder, 'contacts.jsonl'), ''),
    /has 0 bytes, and the manifest says/,
  ],
  'rows of another team': [
    (folder) =>
      rewrite(
        folder,
        'contacts',
        linesOf(folder, 'contacts').map((row) => ({ ...row, team_id: STRANGER })),
      ),
    /contacts\.jsonl, lines 1 to 2: rows of a team that is not in teams\.jsonl/,
  ],
  'jobs of another team': [
    (folder) =>
      rewrite(folder, 'jobs', [
        {
          id: STRANGER,
          name: 'broadcasts.send',
          payload: { team: STRANGER },
          run_at: '2026-01-01T00:00:00Z',
          attempts: 0,
          created_at: '2026-01-01T00:00:00Z',
          claims: 0,
          crashes: 0,
        },
      ]),
    /jobs\.jsonl, lines 1 to 1: rows of a team that is not in teams\.jsonl/,
  ],
  'a blob of another team': [
    (folder) =>
      rewrite(
        folder,
        'email_attachments',
        linesOf(folder, 'email_attachments').map((row) => ({ ...row, blob: `emails/${STRANGER}/a/b` })),
      ),
    /rows that name blobs of another team/,
  ],
  'a blob key that climbs': [
    (folder) => rewrite(folder, 'blobs', [{ key: '../../etc/passwd', size: 1, sha256: 'x' }]),
    /"\.\.\/\.\.\/etc\/passwd" is not the key of a blob of these teams/,
  ],
  'a blob that was changed': [
    (folder) => writeFileSync(join(folder, blobPath(linesOf(folder, 'blobs')[0].key)), 'HELLO'),
    /was changed after the export: its SHA-256/,
  ],
  'a blob behind a link': [
    (folder) => {
      const file = join(folder, blobPath(linesOf(folder, 'blobs')[0].key))
      renameSync(file, join(folder, 'elsewhere'))
      symlinkSync(join(folder, 'elsewhere'), file)
    },
    /is not a regular file/,
  ],
  'a folder of blobs behind a link': [
    (folder) => {
      renameSync(join(folder, 'blobs'), join(folder, 'elsewhere'))
      symlinkSync(join(folder, 'elsewhere'), join(folder, 'blobs'))
    },
    /is not in the folder of the export/,
  ],
  'a line that is no JSON': [
    (folder) => rewrite(folder, 'contacts', ['{"team_id":']),
    /contacts\.jsonl, lines 1 to 1: invalid input syntax/,
  ],
  'JSON in JSON in JSON': [
    (folder) => rewrite(folder, 'contacts', [`{"properties":${'['.repeat(200_000)}`]),
    /contacts\.jsonl, lines 1 to 1: (stack depth|nested|invalid)/,
  ],
  'a team that is a sandbox': [
    (folder) =>
      rewrite(
        folder,
        'teams',
        linesOf(folder, 'teams').map((row) => ({ ...row, id: '01932b5c-7d3e-8c46-9a51-6f6f0c1d2e3f' })),
      ),
    /teams\.jsonl: not a team/,
  ],
  'a line of a team without an end': [
    (folder) => rewrite(folder, 'teams', [`{"name":"${'x'.repeat(70_000)}"}`]),
    /teams\.jsonl, line 1: /,
  ],
  'no secrets': [(folder) => rewrite(folder, 'secrets', []), /secrets\.jsonl has 0 secrets, and 2 are needed/],
}

test('a folder that is not what was exported is refused in one line, and nothing stays behind', async () => {
  const { app, folder } = await exported()
  const target = await elsewhere(app)
  const answers: Record<string, string> = {}
  for (const [name, [spoil]] of Object.entries(HOSTILE)) {
    const copy = join(temporaryFolder(), 'copy')
    execFileSync('cp', ['-a', folder, copy])
    spoil(copy)
    answers[name] = await run(importPostwren, target.settings, { from: copy }).catch(
      (error) => `${error.constructor.name} ${error.message}`,
    )
  }

  expect(answers).toEqual(
    Object.fromEntries(Object.entries(HOSTILE).map(([name, [, told]]) => [name, expect.stringMatching(told)])),
  )
  for (const answer of Object.values(answers)) expect(answer).toMatch(/^OperatorError [^\n]+$/)
  expect(await teamsOf(target)).toEqual([])
  await run(importPostwren, target.settings, { from: folder })
  expect(await teamsOf(target)).toHaveLength(1)
}, 300_000)
