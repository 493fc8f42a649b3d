import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness/app.ts'
import { isForPeople } from '../../../../test/harness/callers.ts'
import { happen } from '../../../../test/harness/eventful-team.ts'
import { emptyInstallation, run, settingsOf, temporaryFolder } from '../../../../test/harness/installation.ts'
import { pathOf } from '../../../../test/harness/requests.ts'
import { makeWorld } from '../../../../test/harness/world.ts'
import { resumeHeld } from '../../../features/emails/delivery/ledger/set-aside.ts'
import { ENDPOINTS } from '../../../features/index.ts'
import type { Database } from '../../../kernel/db/database.ts'
import { raw, sql } from '../../../kernel/db/sql.ts'
import { exportCommand, importPostwren } from '../export.ts'
import { type Kind, readKinds } from './catalogue.ts'
import { unpackedLine } from './packed-lines.ts'
import { Scope } from './scope.ts'

/** Kinds of which this team has nothing: what is in flight is tested by itself. */
const EMPTY = ['broadcast_guards', 'team_retention', 'webhook_batches']

/** What is different by design. */
const LEFT_OUT = /^(?:sandboxes|clock|scenario|personal-data|operator\.delivery)\.|^account\.sessions\./

/** Links are signed with the key of the installation. */
const withoutSignatures = (text: string) =>
  text.replace(/(\/(?:downloads|images|view|shared)\/(?:[\w-]+\/)*)[\w.~-]{20,}/g, '$1SIGNED')

test('every answer of the API is the same after an export and an import elsewhere, byte for byte', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const world = await makeWorld(acme, app)
  const owner = await app.ownerOf(acme)
  await happen(app, acme, world)
  const folder = join(temporaryFolder(), 'export')
  const other = await emptyInstallation(app.clock)

  const exported = await run(exportCommand, await settingsOf(app), { to: folder, 'with-secrets': true })
  const imported = await run(importPostwren, other.settings, { from: folder })
  const before = await rowsOf(app.db)
  const after = await rowsOf(other.db)
  // As `postwren team unsuspend` does.
  await other.db.query(sql.write`update teams set suspended_at = null, suspended_reason = null`)
  while (await resumeHeld(other.db));
  const there = await other.start()
  const [key, person] = [there.asKey(acme.token), await there.asPerson(owner.userId, acme.team)]

  expect(exported).toContain('Sandboxes are not included.')
  expect(imported).toMatch(/^Held: 3 emails, 2 broadcasts, \d+ webhook deliveries\./m)
  expect(after).toEqual(before)
  expect(
    Object.keys(before)
      .filter((kind) => before[kind]!.length === 0)
      .sort(),
  ).toEqual(EMPTY)
  // Logs first: what is asked here is logged.
  const isOfLogs = ({ id }: { id: string }) => id.startsWith('logs.')
  const all = ENDPOINTS.filter(({ id, method }) => method === 'GET' && !LEFT_OUT.test(id))
  const endpoints = [...all.filter(isOfLogs), ...all.filter((one) => !isOfLogs(one))]
  const here: Record<string, string> = {}
  const elsewhere: Record<string, string> = {}
  for (const endpoint of endpoints) {
    const path = pathOf(endpoint, world)
    const own = await (isForPeople(endpoint) ? owner : acme).get(path)
    const reply = await (isForPeople(endpoint) ? person : key)(path)
    here[endpoint.id] = `${own.status} ${withoutSignatures(own.text)}`
    elsewhere[endpoint.id] = `${reply.statusCode} ${withoutSignatures(reply.body)}`
  }
  expect(elsewhere).toEqual(here)
  expect(Object.values(here).filter((answer) => !answer.startsWith('200'))).toEqual([])
  expect(endpoints.length).toBeGreaterThan(80)
}, 300_000)

/** All rows that are exported, kind by kind; without what an import changes. */
async function rowsOf(db: Database): Promise<Record<string, string[]>> {
  const kinds = await readKinds((text) => db.query(raw(text)))
  const scope = new Scope(null, kinds)
  const rows: Record<string, string[]> = {}
  for (const kind of kinds) {
    const found = await db.queryPooled<{ line: string }>(
      raw(`select line from (${scope.linesOf(kept(kind))}) r (line)`),
    )
    rows[kind.name] = found.map(({ line }) => unpackedLine(kind, line))
  }
  return rows
}

const CHANGED: Record<string, string[]> = { deliveries: ['suspended_at'], teams: ['suspended_at', 'suspended_reason'] }

const kept = (kind: Kind): Kind => ({
  ...kind,
  columns: kind.columns.filter(({ name }) => !CHANGED[kind.name]?.includes(name)),
})
