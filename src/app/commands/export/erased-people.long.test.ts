import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type App, type Client, startApp } from '../../../../test/harness/app.ts'
import { teamNameOf } from '../../../../test/harness/commands.ts'
import { readEmail, sendEmail } from '../../../../test/harness/emails.ts'
import { linesOf, manifestOf, rewrite } from '../../../../test/harness/exports.ts'
import { emptyInstallation, run, settingsOf, temporaryFolder } from '../../../../test/harness/installation.ts'
import { deleteWholeTeam } from '../../../features/teams/jobs.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { exportCommand, importPostwren } from '../export.ts'
import { personErase } from '../person/person.ts'

// A person is erased in another installation, with a key of its own, and the team comes from there to one that has a key, too.

const ADA = 'ada@gone.example'

/** The team is in another installation, without Ada. */
async function erasedElsewhere() {
  const app = await startApp()
  const acme = await app.as('acme')
  await acme.post('/contacts', { email: ADA })
  const [other, here] = [await emptyInstallation(app.clock), await settingsOf(app)]
  const [first, folder] = [join(temporaryFolder(), 'export'), join(temporaryFolder(), 'export')]
  const team = await teamNameOf(app, acme)
  await run(exportCommand, here, { to: first, team })
  await deleteWholeTeam(app.db, acme.team, new AbortController().signal)
  await run(importPostwren, other.settings, { from: first })
  await run(personErase, other.settings, { yes: true }, [ADA])
  return { app, acme, here, other, team, folder }
}

/** How a mail to her ends, and one to somebody else. */
async function sendBoth(app: App, acme: Client) {
  await app.db.query(sql`update teams set suspended_at = null, suspended_reason = null where id = ${acme.team}`)
  await app.services.teamStates.refresh()
  app.services.authenticator.forget()
  const to = [ADA.toUpperCase(), ADA.replace('@', '+news@'), 'bob@others.example']
  const id = await sendEmail(acme, { to })
  await app.deliverDue()
  const { states } = await readEmail(acme, id)
  return to.map((address) => states[address])
}

test('an erased person stays suppressed after an export and an import, and can be taken off the list', async () => {
  const { app, acme, here, other, team, folder } = await erasedElsewhere()
  const sealing = { POSTWREN_BACKUP_PASSPHRASE: 'correct horse' }
  await run(exportCommand, { ...other.settings, ...sealing }, { to: folder, team })
  const [line] = linesOf(folder, 'secrets')

  await run(importPostwren, { ...here, ...sealing }, { from: folder })

  expect(line.kind).toBe('digest_keys')
  expect(line.value).not.toMatch(/^[0-9a-f]{64}$/)
  expect(manifestOf(folder).secrets).toMatchObject({ rows: 1, digest_keys: 1, mode: 'sealed' })
  expect(await sendBoth(app, acme)).toEqual(['suppressed', 'suppressed', 'delivered'])
  expect((await acme.get(`/suppressions/${ADA}`)).body.email).toMatch(/^\w{32}@erased\.invalid$/)
  expect((await acme.delete(`/suppressions/${ADA}`)).body.deleted).toBe(true)
  expect(await sendBoth(app, acme)).toEqual(['delivered', 'delivered', 'delivered'])
}, 120_000)

test('the key is left out like other secrets, and what needs it is not imported without it', async () => {
  const { here, other, team, folder } = await erasedElsewhere()
  await run(exportCommand, other.settings, { to: folder, team })

  expect(linesOf(folder, 'secrets')).toEqual([])
  await expect(run(importPostwren, here, { from: folder })).rejects.toThrow('the key of erased addresses')

  const plain = join(temporaryFolder(), 'export')
  await run(exportCommand, other.settings, { to: plain, team, 'with-secrets': true })
  const [line] = linesOf(plain, 'secrets')
  for (const wrong of ['', 'zz', line.value.slice(1), null, 7]) {
    rewrite(plain, 'secrets', [{ ...line, value: wrong }])
    await expect(run(importPostwren, here, { from: plain })).rejects.toThrow('secrets.jsonl: not a secret.')
  }
}, 120_000)
