import { mkdtempSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness/app.ts'
import { runCommand, runForJson, teamNameOf } from '../../../../test/harness/commands.ts'
import { newId } from '../../../../test/harness/ids.ts'
import { personErase, personExport } from './person.ts'

const folder = () => mkdtempSync(join(tmpdir(), 'postwren-person-'))

async function start() {
  const app = await startApp()
  const [acme, globex] = [await app.as('acme'), await app.as('globex')]
  const address = `ada.${newId().slice(-12)}@person.example`
  for (const client of [acme, globex]) await client.post('/contacts', { email: address, first_name: 'Ada' })
  await app.flush()
  const settings = { POSTWREN_SECRET_KEY: 'a'.repeat(64), POSTWREN_DATA_DIR: folder() }
  return { app, acme, globex, address, settings }
}

test('what is kept about a person is counted, printed and written to a file', async () => {
  const { address, settings } = await start()
  const file = join(folder(), 'ada.jsonl')

  const report = await runCommand(personExport, [address], { to: file }, settings)
  const lines = (await runCommand(personExport, [address], { json: true }, settings)).split('\n')

  expect(report).toMatch(/^KIND +FOUND$/m)
  expect(report).toMatch(/^contacts +2$/m)
  expect(report).toContain(`Written to ${file}.`)
  expect(statSync(file).mode & 0o077).toBe(0)
  const rows = readFileSync(file, 'utf8').trim().split('\n')
  for (const some of [lines, rows])
    expect(some.map((line) => JSON.parse(line)).filter(({ table }) => table === 'contacts')).toHaveLength(2)
  await expect(runCommand(personExport, [address], { to: file }, settings)).rejects.toThrow('EEXIST')
})

test('nothing is erased before somebody has seen what and said yes', async () => {
  const { acme, address, settings } = await start()

  await expect(runCommand(personErase, [address], {}, settings)).rejects.toThrow('Add --yes')
  expect((await acme.get(`/contacts/${address}`)).status).toBe(200)
})

test('a person is erased in one team, then everywhere', async () => {
  const { app, acme, globex, address, settings } = await start()

  const one = await runForJson(personErase, [address], { yes: true, team: await teamNameOf(app, acme) }, settings)
  expect((await acme.get(`/contacts/${address}`)).status).toBe(404)
  expect((await globex.get(`/contacts/${address}`)).status).toBe(200)
  const all = await runCommand(personErase, [address], { yes: true }, settings)

  expect(one).toMatchObject({ object: 'personal_data_request', team_id: acme.team, complete: true })
  expect(one.counts.contacts).toEqual({ deleted: 1 })
  expect(all).toMatch(/^Erased\. The suppression list has \w{32}@erased\.invalid instead\.$/m)
  expect((await globex.get(`/contacts/${address}`)).status).toBe(404)
  expect(await runCommand(personExport, [address], {}, settings)).not.toMatch(/^contacts/m)
})

test('mistakes are one line', async () => {
  const { app, acme, settings } = await start()
  const { email } = await app.ownerOf(acme)

  await expect(runCommand(personErase, ['nobody'], {}, settings)).rejects.toThrow('nobody is not an email address.')
  await expect(runCommand(personErase, [email], { yes: true }, settings)).rejects.toThrow(
    `postwren user remove ${email}`,
  )
  await expect(runCommand(personExport, ['a@b.dev'], { team: 'nobody-here' }, settings)).rejects.toThrow('nobody-here')
})
